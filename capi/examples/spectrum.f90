! The spectrum of a plane wave: opens a device, plans a transform of two axes from its text, finds the
! frequency, and goes back by a plan from a structure.
!
!   gfortran wgpu_fft.f90 spectrum.f90 -lwgpu_fft && ./a.out
program spectrum
  use wgpu_fft
  implicit none

  integer, parameter :: m = 48, n = 32
  real(c_float), parameter :: tau = 6.2831853
  complex(c_float), target :: wave(m, n), frequencies(m, n), again(m, n)
  type(wgpu_fft_gpu_options) :: options
  type(wgpu_fft_plan_options) :: by_the_rules
  type(wgpu_fft_transform) :: inverse
  type(c_ptr) :: gpu, forward, back
  integer(c_size_t) :: bytes, needed
  character(kind=c_char) :: text(64)
  integer :: j, k, loudest(2)

  bytes = storage_size(wave) / 8 * size(wave)
  if (any([storage_size(options), storage_size(by_the_rules), storage_size(inverse)] / 8 /= &
          [options%size, by_the_rules%size, inverse%size])) error stop 'sizes are not those of this machine'
  call check(wgpu_fft_gpu_open(options, gpu))
  print '(2a)', 'adapter: ', wgpu_fft_string(wgpu_fft_gpu_name(gpu))

  ! The last extent is the slowest, and stands first.
  call check(wgpu_fft_plan_text(gpu, 'c2c fwd 32x48'//c_null_char, by_the_rules, forward))
  print '(4a)', wgpu_fft_string(wgpu_fft_plan_spec(forward)), ' of ', &
    wgpu_fft_string(wgpu_fft_plan_input_element(forward)), ' numbers'

  inverse%kind = WGPU_FFT_C2C_INVERSE
  inverse%rank = 2
  inverse%shape(1:2) = [n, m]
  inverse%scale = WGPU_FFT_SCALE_INV_LEN
  call check(wgpu_fft_transform_text(inverse, text, size(text, kind=c_size_t), needed))
  print '(64a)', text(:needed - 1)
  call check(wgpu_fft_plan_transform(gpu, inverse, by_the_rules, back))

  do k = 1, n
    do j = 1, m
      wave(j, k) = exp(cmplx(0, tau * (5.0 * (j - 1) / m + 7.0 * (k - 1) / n), c_float))
    end do
  end do
  call check(wgpu_fft_execute(forward, c_loc(wave), bytes, c_loc(frequencies), bytes))
  call check(wgpu_fft_execute(back, c_loc(frequencies), bytes, c_loc(again), bytes))

  loudest = maxloc(abs(frequencies)) - 1
  print '(a, 2i4)', 'the loudest frequency:', loudest
  if (any(loudest /= [5, 7]) .or. abs(frequencies(6, 8) - m * n) > 0.01) error stop 'it is not that of the wave'
  if (maxval(abs(again - wave)) > 1e-5) error stop 'the way back does not lead to the wave'

  if (wgpu_fft_execute(forward, c_loc(wave), bytes - 8, c_loc(frequencies), bytes) /= WGPU_FFT_ERROR_LENGTH) &
    error stop 'a wrong length is no error'
  print '(2a)', 'an error in words: ', wgpu_fft_string(wgpu_fft_error_message())
  if (index(wgpu_fft_string(wgpu_fft_error_message()), '1536') == 0) error stop 'the error has no numbers'

  call wgpu_fft_plan_destroy(forward)
  call wgpu_fft_plan_destroy(back)
  call wgpu_fft_gpu_close(gpu)

contains

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status
    if (status == WGPU_FFT_OK) return
    print '(a)', wgpu_fft_string(wgpu_fft_error_message())
    error stop 1
  end subroutine check

end program spectrum
