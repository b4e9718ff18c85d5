! Fourier transforms, transposes and reductions on the GPU, from Fortran 2003: compile this file with
! your program, and link with -lwgpu_fft.
!
! It declares what wgpu_fft.h declares, under the same names; that file says what each does. Handles
! are `type(c_ptr)`. Texts that functions take end in `c_null_char`; wgpu_fft_string makes a
! `character` of those that they return.
!
! Fortran's arrays are stored with the first extent fastest, and the texts and structures of
! this library name the slowest extent first: an array `x(480, 640)` is of shape `640x480`.

module wgpu_fft
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: WGPU_FFT_ESTIMATE = 0
  integer(c_int32_t), parameter :: WGPU_FFT_RECORDED = 1
  integer(c_int32_t), parameter :: WGPU_FFT_MEASURE = 2
  integer(c_int32_t), parameter :: WGPU_FFT_PATIENT = 3
  integer(c_int32_t), parameter :: WGPU_FFT_MOST_AXES = 3

  integer(c_int32_t), parameter :: WGPU_FFT_C2C_FORWARD = 1
  integer(c_int32_t), parameter :: WGPU_FFT_C2C_INVERSE = 2
  integer(c_int32_t), parameter :: WGPU_FFT_R2C = 3
  integer(c_int32_t), parameter :: WGPU_FFT_C2R = 4
  integer(c_int32_t), parameter :: WGPU_FFT_R2R = 5

  integer(c_int32_t), parameter :: WGPU_FFT_DCT1 = 1
  integer(c_int32_t), parameter :: WGPU_FFT_DCT2 = 2
  integer(c_int32_t), parameter :: WGPU_FFT_DCT3 = 3
  integer(c_int32_t), parameter :: WGPU_FFT_DCT4 = 4
  integer(c_int32_t), parameter :: WGPU_FFT_DST1 = 5
  integer(c_int32_t), parameter :: WGPU_FFT_DST2 = 6
  integer(c_int32_t), parameter :: WGPU_FFT_DST3 = 7
  integer(c_int32_t), parameter :: WGPU_FFT_DST4 = 8
  integer(c_int32_t), parameter :: WGPU_FFT_HARTLEY = 9
  integer(c_int32_t), parameter :: WGPU_FFT_TO_HALF_COMPLEX = 10
  integer(c_int32_t), parameter :: WGPU_FFT_OF_HALF_COMPLEX = 11

  integer(c_int32_t), parameter :: WGPU_FFT_F32 = 0
  integer(c_int32_t), parameter :: WGPU_FFT_F64 = 1
  integer(c_int32_t), parameter :: WGPU_FFT_F64_BY_F32 = 2

  integer(c_int32_t), parameter :: WGPU_FFT_SCALE_ONE = 0
  integer(c_int32_t), parameter :: WGPU_FFT_SCALE_INV_LEN = 1
  integer(c_int32_t), parameter :: WGPU_FFT_SCALE_INV_SQRT_LEN = 2

  integer(c_int32_t), parameter :: WGPU_FFT_OK = 0
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_ARGUMENT = 1
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_LENGTH = 2
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_TEXT = 3
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_UNSUPPORTED = 4
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_LIMIT = 5
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_NO_DEVICE = 6
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_MEMORY = 7
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_DEVICE_LOST = 8
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_FILE = 9
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_INTERNAL = 10

  type, bind(C) :: wgpu_fft_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: bytes = 0
  end type wgpu_fft_array

  ! Sizes are those of machines of 64 bits.
  type, bind(C) :: wgpu_fft_gpu_options
    integer(c_size_t) :: size = 32
    type(c_ptr) :: adapter_name = c_null_ptr
    type(c_ptr) :: pipeline_cache = c_null_ptr
    type(c_ptr) :: record = c_null_ptr
  end type wgpu_fft_gpu_options

  type, bind(C) :: wgpu_fft_plan_options
    integer(c_size_t) :: size = 48
    integer(c_int32_t) :: rigor = WGPU_FFT_ESTIMATE
    real(c_double) :: time_limit = 0
    type(c_ptr) :: recipe = c_null_ptr
    type(c_funptr) :: listener = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type wgpu_fft_plan_options

  ! What a listener gets by reference: `bind(C)`, with the user's `type(c_ptr), value` first, returning an
  ! integer(c_int32_t).
  type, bind(C) :: wgpu_fft_search
    type(c_ptr) :: spec = c_null_ptr
    type(c_ptr) :: recipe = c_null_ptr
    integer(c_size_t) :: measured = 0
    real(c_double) :: best = 0
    real(c_double) :: elapsed = 0
    real(c_double) :: limit = 0
  end type wgpu_fft_search

  type, bind(C) :: wgpu_fft_stream_convolution
    integer(c_size_t) :: size = 40
    integer(c_size_t) :: block = 0
    integer(c_size_t) :: taps = 0
    integer(c_size_t) :: channels = 1
    logical(c_bool) :: kernel_for_each = .false.
  end type wgpu_fft_stream_convolution

  type, bind(C) :: wgpu_fft_layout
    integer(c_size_t) :: strides(WGPU_FFT_MOST_AXES) = 0
    integer(c_size_t) :: batch_distance = 0
    integer(c_size_t) :: offset = 0
    integer(c_size_t) :: within = 0
  end type wgpu_fft_layout

  type, bind(C) :: wgpu_fft_transform
    integer(c_size_t) :: size = 144
    integer(c_int32_t) :: kind = 0
    integer(c_size_t) :: rank = 0
    integer(c_size_t) :: shape(WGPU_FFT_MOST_AXES) = 0
    integer(c_size_t) :: batch = 0
    integer(c_size_t) :: axis_count = 0
    integer(c_size_t) :: axes(WGPU_FFT_MOST_AXES) = 0
    integer(c_int32_t) :: real_kinds(WGPU_FFT_MOST_AXES) = 0
    integer(c_int32_t) :: numbers = WGPU_FFT_F32
    integer(c_int32_t) :: scale = WGPU_FFT_SCALE_ONE
    real(c_double) :: factor = 0
    type(c_ptr) :: input = c_null_ptr
    type(c_ptr) :: output = c_null_ptr
    logical(c_bool) :: in_place = .false.
  end type wgpu_fft_transform

  interface
    function wgpu_fft_buffer_create(gpu, bytes, buffer) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: gpu
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: buffer
      integer(c_int32_t) :: status
    end function wgpu_fft_buffer_create

    subroutine wgpu_fft_buffer_destroy(buffer) bind(C)
      import :: c_ptr
      type(c_ptr), value :: buffer
    end subroutine wgpu_fft_buffer_destroy

    function wgpu_fft_buffer_write(buffer, data, count) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: buffer, data
      integer(c_size_t), value :: count
      integer(c_int32_t) :: status
    end function wgpu_fft_buffer_write

    function wgpu_fft_buffer_read(buffer, data, count) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: buffer, data
      integer(c_size_t), value :: count
      integer(c_int32_t) :: status
    end function wgpu_fft_buffer_read

    function wgpu_fft_enqueue(plan, inputs, count, output) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: plan, output
      type(c_ptr), intent(in) :: inputs(*)
      integer(c_size_t), value :: count
      integer(c_int32_t) :: status
    end function wgpu_fft_enqueue

    function wgpu_fft_flush(gpu) bind(C) result(status)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: gpu
      integer(c_int32_t) :: status
    end function wgpu_fft_flush

    function wgpu_fft_execute(plan, input, input_bytes, output, output_bytes) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: plan, input, output
      integer(c_size_t), value :: input_bytes, output_bytes
      integer(c_int32_t) :: status
    end function wgpu_fft_execute

    function wgpu_fft_execute_many(plan, inputs, count, output, output_bytes) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t, wgpu_fft_array
      type(c_ptr), value :: plan, output
      type(wgpu_fft_array), intent(in) :: inputs(*)
      integer(c_size_t), value :: count, output_bytes
      integer(c_int32_t) :: status
    end function wgpu_fft_execute_many

    function wgpu_fft_execute_start(plan, inputs, count, pending) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t, wgpu_fft_array
      type(c_ptr), value :: plan
      type(wgpu_fft_array), intent(in) :: inputs(*)
      integer(c_size_t), value :: count
      type(c_ptr), intent(out) :: pending
      integer(c_int32_t) :: status
    end function wgpu_fft_execute_start

    function wgpu_fft_buffer_read_start(buffer, count, pending) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: count
      type(c_ptr), intent(out) :: pending
      integer(c_int32_t) :: status
    end function wgpu_fft_buffer_read_start

    function wgpu_fft_pending_wait(pending, seconds, done) bind(C) result(status)
      import :: c_ptr, c_double, c_bool, c_int32_t
      type(c_ptr), value :: pending
      real(c_double), value :: seconds
      logical(c_bool), intent(out) :: done
      integer(c_int32_t) :: status
    end function wgpu_fft_pending_wait

    function wgpu_fft_pending_take(pending, data, count) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: pending, data
      integer(c_size_t), value :: count
      integer(c_int32_t) :: status
    end function wgpu_fft_pending_take

    function wgpu_fft_pending_bytes(pending) bind(C) result(bytes)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: pending
      integer(c_size_t) :: bytes
    end function wgpu_fft_pending_bytes

    subroutine wgpu_fft_pending_destroy(pending) bind(C)
      import :: c_ptr
      type(c_ptr), value :: pending
    end subroutine wgpu_fft_pending_destroy

    function wgpu_fft_gpu_open(options, gpu) bind(C) result(status)
      import :: c_ptr, c_int32_t, wgpu_fft_gpu_options
      type(wgpu_fft_gpu_options), intent(in) :: options
      type(c_ptr), intent(out) :: gpu
      integer(c_int32_t) :: status
    end function wgpu_fft_gpu_open

    subroutine wgpu_fft_gpu_close(gpu) bind(C)
      import :: c_ptr
      type(c_ptr), value :: gpu
    end subroutine wgpu_fft_gpu_close

    function wgpu_fft_gpu_name(gpu) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: gpu
      type(c_ptr) :: text
    end function wgpu_fft_gpu_name

    function wgpu_fft_gpu_is_lost(gpu) bind(C) result(is_lost)
      import :: c_ptr, c_bool
      type(c_ptr), value :: gpu
      logical(c_bool) :: is_lost
    end function wgpu_fft_gpu_is_lost

    function wgpu_fft_gpu_save_pipelines(gpu) bind(C) result(status)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: gpu
      integer(c_int32_t) :: status
    end function wgpu_fft_gpu_save_pipelines

    function wgpu_fft_adapters(text, size, needed) bind(C) result(status)
      import :: c_char, c_size_t, c_int32_t
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: needed
      integer(c_int32_t) :: status
    end function wgpu_fft_adapters

    function wgpu_fft_stream_convolve_open(gpu, convolution, kernel, count, stream) bind(C) result(status)
      import :: c_ptr, c_size_t, c_float, c_int32_t, wgpu_fft_stream_convolution
      type(c_ptr), value :: gpu
      type(wgpu_fft_stream_convolution), intent(in) :: convolution
      integer(c_size_t), value :: count
      real(c_float), intent(in) :: kernel(*)
      type(c_ptr), intent(out) :: stream
      integer(c_int32_t) :: status
    end function wgpu_fft_stream_convolve_open

    function wgpu_fft_stream_convolve_push(stream, input, output, count) bind(C) result(status)
      import :: c_ptr, c_size_t, c_int32_t
      type(c_ptr), value :: stream, input, output
      integer(c_size_t), value :: count
      integer(c_int32_t) :: status
    end function wgpu_fft_stream_convolve_push

    function wgpu_fft_stream_convolve_set_kernel(stream, kernel, count) bind(C) result(status)
      import :: c_ptr, c_size_t, c_float, c_int32_t
      type(c_ptr), value :: stream
      integer(c_size_t), value :: count
      real(c_float), intent(in) :: kernel(*)
      integer(c_int32_t) :: status
    end function wgpu_fft_stream_convolve_set_kernel

    function wgpu_fft_stream_convolve_reset(stream) bind(C) result(status)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: stream
      integer(c_int32_t) :: status
    end function wgpu_fft_stream_convolve_reset

    subroutine wgpu_fft_stream_convolve_destroy(stream) bind(C)
      import :: c_ptr
      type(c_ptr), value :: stream
    end subroutine wgpu_fft_stream_convolve_destroy

    function wgpu_fft_plan_text(gpu, spec, options, plan) bind(C) result(status)
      import :: c_ptr, c_char, c_int32_t, wgpu_fft_plan_options
      type(c_ptr), value :: gpu
      character(kind=c_char), intent(in) :: spec(*)
      type(wgpu_fft_plan_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int32_t) :: status
    end function wgpu_fft_plan_text

    function wgpu_fft_plan_transform(gpu, transform, options, plan) bind(C) result(status)
      import :: c_ptr, c_int32_t, wgpu_fft_transform, wgpu_fft_plan_options
      type(c_ptr), value :: gpu
      type(wgpu_fft_transform), intent(in) :: transform
      type(wgpu_fft_plan_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int32_t) :: status
    end function wgpu_fft_plan_transform

    subroutine wgpu_fft_plan_destroy(plan) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine wgpu_fft_plan_destroy

    function wgpu_fft_plan_spec(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function wgpu_fft_plan_spec

    function wgpu_fft_plan_recipe(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function wgpu_fft_plan_recipe

    function wgpu_fft_plan_input_element(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function wgpu_fft_plan_input_element

    function wgpu_fft_plan_output_element(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function wgpu_fft_plan_output_element

    function wgpu_fft_plan_input_count(plan) bind(C) result(count)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
      integer(c_size_t) :: count
    end function wgpu_fft_plan_input_count

    function wgpu_fft_plan_input_bytes(plan, input) bind(C) result(bytes)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
      integer(c_size_t), value :: input
      integer(c_size_t) :: bytes
    end function wgpu_fft_plan_input_bytes

    function wgpu_fft_plan_output_bytes(plan) bind(C) result(bytes)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
      integer(c_size_t) :: bytes
    end function wgpu_fft_plan_output_bytes

    function wgpu_fft_plan_input_len(plan, input) bind(C) result(len)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
      integer(c_size_t), value :: input
      integer(c_size_t) :: len
    end function wgpu_fft_plan_input_len

    function wgpu_fft_plan_output_len(plan) bind(C) result(len)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
      integer(c_size_t) :: len
    end function wgpu_fft_plan_output_len

    function wgpu_fft_plan_workspace_bytes(plan) bind(C) result(bytes)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
      integer(c_size_t) :: bytes
    end function wgpu_fft_plan_workspace_bytes

    function wgpu_fft_error_message() bind(C) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function wgpu_fft_error_message

    function wgpu_fft_version() bind(C) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function wgpu_fft_version

    function wgpu_fft_transform_text(transform, text, size, needed) bind(C) result(status)
      import :: c_char, c_size_t, c_int32_t, wgpu_fft_transform
      type(wgpu_fft_transform), intent(in) :: transform
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: needed
      integer(c_int32_t) :: status
    end function wgpu_fft_transform_text
  end interface

contains

  ! What a function returned as a text.
  function wgpu_fft_string(text) result(string)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: letters(:)
    integer :: i

    interface
      function strlen(text) bind(C) result(len)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: text
        integer(c_size_t) :: len
      end function strlen
    end interface

    call c_f_pointer(text, letters, [strlen(text)])
    allocate (character(len=size(letters)) :: string)
    do i = 1, size(letters)
      string(i:i) = letters(i)
    end do
  end function wgpu_fft_string

end module wgpu_fft
