/* For programs that include <fftw3.h>: compile them with this folder in front. */
#include "../wgpu_fftw3.h"
