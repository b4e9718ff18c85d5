// Both headers in C++, whose complex numbers lie in memory as FFTW's do.
#include <cmath>
#include <complex>
#include <vector>

#include <wgpu_fft.h>
#include <wgpu_fftw3f.h>

#include "check.h"

int main()
{
    std::vector<std::complex<float>> data(16), spectrum(16);
    data[3] = 1;
    fftwf_complex *in = reinterpret_cast<fftwf_complex *>(data.data());
    fftwf_complex *out = reinterpret_cast<fftwf_complex *>(spectrum.data());
    fftwf_plan plan = fftwf_plan_dft_1d(16, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    CHECK(plan != nullptr);
    fftwf_execute(plan);
    fftwf_destroy_plan(plan);

    wgpu_fft_gpu *gpu = nullptr;
    wgpu_fft_plan *own = nullptr;
    std::vector<std::complex<float>> same(16);
    CHECK(wgpu_fft_gpu_open(nullptr, &gpu) == WGPU_FFT_OK);
    CHECK(wgpu_fft_plan_text(gpu, "c2c fwd 16", nullptr, &own) == WGPU_FFT_OK);
    CHECK(wgpu_fft_execute(own, data.data(), 16 * sizeof data[0], same.data(), 16 * sizeof data[0]) == WGPU_FFT_OK);
    wgpu_fft_plan_destroy(own);
    wgpu_fft_gpu_close(gpu);
    for (int k = 0; k < 16; k++) {
        CHECK(std::abs(spectrum[k] - std::polar(1.0f, -6.2831853f * 3 * k / 16)) < 1e-5f);
        CHECK(spectrum[k] == same[k]);
    }
    fftw_complex unused = {0, 0}; // Of another precision, there is the type.
    (void)unused;
    std::puts("headers: both in C++");
    return 0;
}
