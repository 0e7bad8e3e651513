! A five-point-like band matrix with some rows empty.
program spmv_main
  implicit none
  integer, parameter :: nrow = 100001, per_row = 5
  integer, allocatable :: rowptr(:), colind(:)
  real(8), allocatable :: val(:), x(:), y(:), expected(:)
  real(8) :: error
  integer :: i, k, nnz

  allocate (rowptr(nrow+1), colind(nrow*per_row), val(nrow*per_row), x(nrow), y(nrow), expected(nrow))
  call random_number(val)
  call random_number(x)
  nnz = 0
  do i = 1, nrow
    rowptr(i) = nnz + 1
    if (mod(i, 7) == 0) cycle
    do k = 1, 1 + mod(i, per_row)
      nnz = nnz + 1
      colind(nnz) = 1 + mod(i*37 + k*1009, nrow)
    end do
  end do
  rowptr(nrow+1) = nnz + 1
  do i = 1, nrow
    expected(i) = 0d0
    do k = rowptr(i), rowptr(i+1) - 1
      expected(i) = expected(i) + val(k)*x(colind(k))
    end do
  end do
  y = -1d0
  call spmv(nrow, nrow, nnz, rowptr, colind, val, x, y)
  error = maxval(abs(y - expected))
  print '(a,i0,a,i0,a,es9.2)', 'RESULT name=spmv sizes=', nrow, 'rows/', nnz, ' error=', error
  if (.not. error <= 1d-12) error stop 'spmv: wrong result'
end program spmv_main
