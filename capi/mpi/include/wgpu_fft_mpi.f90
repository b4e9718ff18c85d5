! Fourier transforms over the ranks of an MPI communicator, from Fortran 2003: compile this file with
! your program, and link with -lwgpu_fft_mpi.
!
! It declares what wgpu_fft_mpi.h declares, under the same names; that file says what each does.
! Handles are `type(c_ptr)`. The communicator is an `integer`, as mpif.h and the module mpi have it;
! of mpi_f08's `type(MPI_Comm)` it is the component MPI_VAL. Texts that functions take end in
! `c_null_char`; wgpu_fft_mpi_text makes a `character` of those that they return.
!
! Fortran's arrays are stored with the first extent fastest, and the texts and structures of
! this library name the slowest extent first: an array `x(480, 640)` is of shape `640x480`. Indices
! and ranks count from 0.

module wgpu_fft_mpi
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: WGPU_FFT_MOST_AXES = 3

  integer(c_int32_t), parameter :: WGPU_FFT_MPI_SLABS = 0
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_PENCILS = 1
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_GRID = 2
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_TRANSPOSED = 0
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_NATURAL = 1
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_TRANSPOSED_INPUT = 2
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_EQUAL = 0
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_MEASURED = 1
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_EXACT = 0
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_F16 = 1

  integer(c_int32_t), parameter :: WGPU_FFT_MPI_INPUT = 0
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_OUTPUT = 1
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_NPY = 0
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_RAW = 1
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_C_ORDER = 0
  integer(c_int32_t), parameter :: WGPU_FFT_MPI_FORTRAN_ORDER = 1

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
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_RANK = 11
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_SILENT = 12
  integer(c_int32_t), parameter :: WGPU_FFT_ERROR_CANCELLED = 13

  ! Sizes are those of machines of 64 bits.
  type, bind(C) :: wgpu_fft_mpi_open_options
    integer(c_size_t) :: size = 40
    type(c_ptr) :: adapter_name = c_null_ptr
    type(c_ptr) :: pci_bus = c_null_ptr
    integer(c_size_t) :: adapter_number = 0
    real(c_double) :: timeout = 0
  end type

  type, bind(C) :: wgpu_fft_mpi_plan_options
    integer(c_size_t) :: size = 64
    integer(c_int32_t) :: decomposition = WGPU_FFT_MPI_SLABS
    integer(c_size_t) :: grid(2) = 0
    integer(c_int32_t) :: order = WGPU_FFT_MPI_TRANSPOSED
    integer(c_int32_t) :: shares = WGPU_FFT_MPI_EQUAL
    type(c_ptr) :: shares_of = c_null_ptr
    real(c_double) :: timeout = 0
    integer(c_int32_t) :: exchange = WGPU_FFT_MPI_EXACT
    integer(c_int32_t) :: reserved = 0
  end type

  type, bind(C) :: wgpu_fft_mpi_file_options
    integer(c_size_t) :: size = 32
    integer(c_int32_t) :: format = WGPU_FFT_MPI_NPY
    integer(c_int32_t) :: order = WGPU_FFT_MPI_C_ORDER
    integer(c_int64_t) :: begin = 0
    integer(c_int32_t) :: replace = 0
    integer(c_int32_t) :: reserved = 0
  end type

  type, bind(C) :: wgpu_fft_mpi_part
    integer(c_size_t) :: elements = 0
    integer(c_size_t) :: element_bytes = 0
    integer(c_size_t) :: element_reals = 0
    integer(c_size_t) :: batch_begin = 0
    integer(c_size_t) :: batch_count = 0
    integer(c_size_t) :: batch_extent = 0
    integer(c_size_t) :: rank = 0
    integer(c_size_t) :: axes(WGPU_FFT_MOST_AXES) = 0
    integer(c_size_t) :: begin(WGPU_FFT_MOST_AXES) = 0
    integer(c_size_t) :: count(WGPU_FFT_MOST_AXES) = 0
    integer(c_size_t) :: extent(WGPU_FFT_MOST_AXES) = 0
    integer(c_size_t) :: padding = 0
  end type

  ! What a function of wgpu_fft_mpi_set_progress gets by reference: `bind(C)`, with the user's `type(c_ptr), value`
  ! first, returning an integer(c_int32_t).
  type, bind(C) :: wgpu_fft_mpi_progress
    type(c_ptr) :: label = c_null_ptr
    integer(c_size_t) :: phase = 0
    integer(c_size_t) :: phases = 0
    integer(c_int64_t) :: done = 0
    integer(c_int64_t) :: total = 0
  end type

  interface
    function wgpu_fft_mpi_error_message() bind(C) result(message)
      import :: c_ptr
      type(c_ptr) :: message
    end function

    function wgpu_fft_mpi_version() bind(C) result(version)
      import :: c_ptr
      type(c_ptr) :: version
    end function

    function wgpu_fft_mpi_open(comm, options, cluster) bind(C) result(status)
      import :: c_int, c_int32_t, c_ptr, wgpu_fft_mpi_open_options
      integer(c_int), value :: comm
      type(wgpu_fft_mpi_open_options), intent(in) :: options
      type(c_ptr), intent(out) :: cluster
      integer(c_int32_t) :: status
    end function

    subroutine wgpu_fft_mpi_close(cluster) bind(C)
      import :: c_ptr
      type(c_ptr), value :: cluster
    end subroutine

    function wgpu_fft_mpi_device(cluster) bind(C) result(name)
      import :: c_ptr
      type(c_ptr), value :: cluster
      type(c_ptr) :: name
    end function

    function wgpu_fft_mpi_local_parts(spec, options, rank, ranks, input, output) bind(C) result(status)
      import :: c_char, c_int32_t, c_size_t, wgpu_fft_mpi_part, wgpu_fft_mpi_plan_options
      character(kind=c_char), intent(in) :: spec(*)
      type(wgpu_fft_mpi_plan_options), intent(in) :: options
      integer(c_size_t), value :: rank, ranks
      type(wgpu_fft_mpi_part), intent(out) :: input, output
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_plan(cluster, spec, options, job) bind(C) result(status)
      import :: c_char, c_int32_t, c_ptr, wgpu_fft_mpi_plan_options
      type(c_ptr), value :: cluster
      character(kind=c_char), intent(in) :: spec(*)
      type(wgpu_fft_mpi_plan_options), intent(in) :: options
      type(c_ptr), intent(out) :: job
      integer(c_int32_t) :: status
    end function

    subroutine wgpu_fft_mpi_destroy(job) bind(C)
      import :: c_ptr
      type(c_ptr), value :: job
    end subroutine

    function wgpu_fft_mpi_parts(job, input, output) bind(C) result(status)
      import :: c_int32_t, c_ptr, wgpu_fft_mpi_part
      type(c_ptr), value :: job
      type(wgpu_fft_mpi_part), intent(out) :: input, output
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_set_parts(job, input, output) bind(C) result(status)
      import :: c_int32_t, c_ptr, wgpu_fft_mpi_part
      type(c_ptr), value :: job
      type(wgpu_fft_mpi_part), intent(in) :: input, output
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_run(job, input, input_bytes, output, output_bytes) bind(C) result(status)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: job, input, output
      integer(c_size_t), value :: input_bytes, output_bytes
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_start(job, input, input_bytes, output, output_bytes, run) bind(C) result(status)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: job, input, output
      integer(c_size_t), value :: input_bytes, output_bytes
      type(c_ptr), intent(out) :: run
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_test(run, is_done) bind(C) result(status)
      import :: c_bool, c_int32_t, c_ptr
      type(c_ptr), value :: run
      logical(c_bool), intent(out) :: is_done
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_wait(run) bind(C) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: run
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_buffer_create(cluster, bytes, buffer) bind(C) result(status)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: cluster
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: buffer
      integer(c_int32_t) :: status
    end function

    subroutine wgpu_fft_mpi_buffer_destroy(buffer) bind(C)
      import :: c_ptr
      type(c_ptr), value :: buffer
    end subroutine

    function wgpu_fft_mpi_buffer_write(buffer, data, count) bind(C) result(status)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: buffer, data
      integer(c_size_t), value :: count
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_buffer_read(buffer, data, count) bind(C) result(status)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: buffer, data
      integer(c_size_t), value :: count
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_run_on_device(job, input, output) bind(C) result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: job, input, output
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_read(job, side, path, options, array, array_bytes) bind(C) result(status)
      import :: c_char, c_int32_t, c_ptr, c_size_t, wgpu_fft_mpi_file_options
      type(c_ptr), value :: job, array
      integer(c_int32_t), value :: side
      character(kind=c_char), intent(in) :: path(*)
      type(wgpu_fft_mpi_file_options), intent(in) :: options
      integer(c_size_t), value :: array_bytes
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_write(job, side, path, options, array, array_bytes) bind(C) result(status)
      import :: c_char, c_int32_t, c_ptr, c_size_t, wgpu_fft_mpi_file_options
      type(c_ptr), value :: job, array
      integer(c_int32_t), value :: side
      character(kind=c_char), intent(in) :: path(*)
      type(wgpu_fft_mpi_file_options), intent(in) :: options
      integer(c_size_t), value :: array_bytes
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_set_progress(job, listener, user) bind(C) result(status)
      import :: c_funptr, c_int32_t, c_ptr
      type(c_ptr), value :: job, user
      type(c_funptr), value :: listener
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_redistribution_create(cluster, before, after, redistribution) bind(C) result(status)
      import :: c_int32_t, c_ptr, wgpu_fft_mpi_part
      type(c_ptr), value :: cluster
      type(wgpu_fft_mpi_part), intent(in) :: before, after
      type(c_ptr), intent(out) :: redistribution
      integer(c_int32_t) :: status
    end function

    subroutine wgpu_fft_mpi_redistribution_destroy(redistribution) bind(C)
      import :: c_ptr
      type(c_ptr), value :: redistribution
    end subroutine

    function wgpu_fft_mpi_redistribute(redistribution, input, input_bytes, output, output_bytes) bind(C) result(status)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: redistribution, input, output
      integer(c_size_t), value :: input_bytes, output_bytes
      integer(c_int32_t) :: status
    end function

    function wgpu_fft_mpi_map(expression, element_reals, input, factors, output) bind(C) result(status)
      import :: c_char, c_int32_t, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: expression(*)
      integer(c_size_t), value :: element_reals
      type(c_ptr), value :: input, factors, output
      integer(c_int32_t) :: status
    end function
  end interface

contains

  !> A text that a function returned.
  function wgpu_fft_mpi_text(from) result(text)
    type(c_ptr), intent(in) :: from
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)

    interface
      function strlen(text) bind(C) result(len)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: text
        integer(c_size_t) :: len
      end function strlen
    end interface

    call c_f_pointer(from, letters, [strlen(from)])
    text = transfer(letters, repeat(' ', size(letters)))
  end function wgpu_fft_mpi_text

end module wgpu_fft_mpi
