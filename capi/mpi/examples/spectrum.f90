! The spectrum of a plane wave that all ranks share: finds the frequency.
!
!   mpifort wgpu_fft_mpi.f90 spectrum.f90 -lwgpu_fft_mpi && mpirun -n 4 ./a.out
program spectrum
  use mpi
  use wgpu_fft_mpi
  implicit none

  real(c_double), parameter :: tau = 6.283185307179586477d0
  ! The last extent is the slowest, and stands first.
  character(*), parameter :: spec = 'c2c fwd 32x48'//c_null_char
  integer, parameter :: m = 48, n = 32
  character(*), parameter :: path = 'spectrum-fortran.npy'//c_null_char
  complex(c_float), allocatable, target :: wave(:, :), frequencies(:, :), copy(:, :)
  type(wgpu_fft_mpi_file_options) :: file
  type(wgpu_fft_mpi_open_options) :: options
  type(wgpu_fft_mpi_plan_options) :: slabs
  type(wgpu_fft_mpi_part) :: x, k
  type(c_ptr) :: back, cluster, job, run, turn
  logical(c_bool) :: is_done
  real(c_double) :: phase
  real(c_float) :: error, worst
  integer :: i, j, ierr

  call MPI_Init(ierr)
  call check(wgpu_fft_mpi_open(MPI_COMM_WORLD, options, cluster))
  call check(wgpu_fft_mpi_plan(cluster, spec, slabs, job))
  call check(wgpu_fft_mpi_parts(job, x, k))

  ! Axis 0 is divided before, and axis 1 after: their order is turned round.
  allocate(wave(x%count(2), x%count(1)), frequencies(k%count(2), k%count(1)))
  do j = 1, size(wave, 2)
    do i = 1, size(wave, 1)
      phase = tau * (5d0 * (i - 1) / m + 7d0 * real(x%begin(1) + j - 1, c_double) / n)
      wave(i, j) = cmplx(cos(phase), sin(phase), c_float)
    end do
  end do
  call check(wgpu_fft_mpi_start(job, c_loc(wave), x%elements * x%element_bytes, c_loc(frequencies), &
    k%elements * k%element_bytes, run))
  is_done = .false.
  do while (.not. is_done)
    ! The program's own work has its place here.
    call check(wgpu_fft_mpi_test(run, is_done))
  end do
  call check(wgpu_fft_mpi_wait(run))

  ! Through a file, for NumPy's load: an array of 32 x 48, the last axis the fastest.
  file%replace = 1
  call check(wgpu_fft_mpi_write(job, WGPU_FFT_MPI_OUTPUT, path, file, c_loc(frequencies), k%elements * k%element_bytes))
  allocate(copy(size(frequencies, 1), size(frequencies, 2)))
  call check(wgpu_fft_mpi_read(job, WGPU_FFT_MPI_OUTPUT, path, file, c_loc(copy), k%elements * k%element_bytes))
  if (any(copy /= frequencies)) error stop 'the file holds another spectrum'
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (x%begin(1) == 0) then
    open(newunit=i, file='spectrum-fortran.npy')
    close(i, status='delete')
  end if

  ! All of it is at (5, 7).
  if (k%begin(1) <= 5 .and. k%begin(1) + k%count(1) > 5) &
    frequencies(8, 6 - k%begin(1)) = frequencies(8, 6 - k%begin(1)) - m * n
  error = 0
  if (size(frequencies) > 0) error = maxval(abs(frequencies)) / (m * n)
  call MPI_Allreduce(error, worst, 1, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (any(frequencies /= frequencies) .or. .not. worst <= 1e-6) error stop 'the spectrum is wrong'
  if (x%begin(1) == 0) print '(3a, es8.1)', 'rank 0 on ', wgpu_fft_mpi_text(wgpu_fft_mpi_device(cluster)), ': error', worst

  ! Columns of Fortran's array as they were, from transposed ones, without a transform.
  frequencies = reshape([(cmplx(x%begin(1), i, c_float), i=1, size(frequencies))], shape(frequencies))
  call check(wgpu_fft_mpi_redistribution_create(cluster, k, x, turn))
  call check(wgpu_fft_mpi_redistribute(turn, c_loc(frequencies), k%elements * k%element_bytes, c_loc(wave), &
    x%elements * x%element_bytes))
  call check(wgpu_fft_mpi_redistribution_create(cluster, x, k, back))
  call check(wgpu_fft_mpi_redistribute(back, c_loc(wave), x%elements * x%element_bytes, c_loc(copy), &
    k%elements * k%element_bytes))
  if (any(copy /= frequencies)) error stop 'moved there and back, it differs'
  call wgpu_fft_mpi_redistribution_destroy(turn)
  call wgpu_fft_mpi_redistribution_destroy(back)

  call wgpu_fft_mpi_destroy(job)
  call wgpu_fft_mpi_close(cluster)
  call MPI_Finalize(ierr)

contains

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status
    if (status == WGPU_FFT_OK) return
    print '(a)', wgpu_fft_mpi_text(wgpu_fft_mpi_error_message())
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine check

end program spectrum
