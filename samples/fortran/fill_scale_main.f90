program fill_scale_main
  implicit none
  integer, parameter :: n = 300007
  real(8), allocatable :: x(:), y(:)
  real(8) :: error
  integer :: j

  allocate (x(n), y(n))
  x = -1d0
  y = -1d0
  call fill_scale(n, 0.5d0, x, y)
  error = 0d0
  do j = 1, n
    error = max(error, abs(x(j) - 0.5d0*j), abs(y(j) - (n + 1 - j)))
  end do
  print '(a,i0,a,es9.2)', 'RESULT name=fill_scale sizes=', n, ' error=', error
  if (.not. error <= 1d-12) error stop 'fill_scale: wrong result'
end program fill_scale_main
