program saxpy_main
  implicit none
  integer, parameter :: n = 1000003
  real, allocatable :: x(:), y(:), expected(:)
  real :: error

  allocate (x(n), y(n), expected(n))
  call random_number(x)
  call random_number(y)
  expected = y + 1.5*x
  call saxpy(n, 1.5, x, y)
  error = maxval(abs(y - expected))
  print '(a,i0,a,es9.2)', 'RESULT name=saxpy sizes=', n, ' error=', error
  if (.not. error <= 1e-6) error stop 'saxpy: wrong result'
end program saxpy_main
