! Calls dgemm as any program would, and compares with matmul.
program dgemm_main
  implicit none
  integer, parameter :: m = 512, n = 512, ell = 512
  real(8), allocatable :: a(:,:), b(:,:), c(:,:), expected(:,:)
  real(8) :: error

  allocate (a(m,ell), b(ell,n), c(m,n), expected(m,n))
  call random_number(a)
  call random_number(b)
  call random_number(c)
  expected = c + matmul(a, b)
  call dgemm(m, n, ell, a, b, c)
  error = maxval(abs(c - expected))/maxval(abs(expected))
  print '(a,i0,a,i0,a,i0,a,es9.2)', 'RESULT name=dgemm sizes=', m, 'x', n, 'x', ell, ' error=', error
  if (.not. error <= 1d-12) error stop 'dgemm: wrong result'
end program dgemm_main
