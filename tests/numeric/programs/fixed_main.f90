program fixed_main
  implicit none
  integer, parameter :: m = 21, n = 10, ell = 13
  double precision :: a(m,ell), b(ell,n), c(m,n), expected(m,n)
  integer :: i, j, k
  call random_number(a)
  call random_number(b)
  call random_number(c)
  expected = c
  do j = 1, n
    do i = 1, m
      do k = 1, ell
        expected(i,j) = expected(i,j) + a(i,k)*b(k,j)
      end do
    end do
  end do
  call dgemmf(m, n, ell, a, b, c)
  print '(a,1x,i0,1x,i0)', 'fixed', m, count(abs(c - expected) > 0)
end program fixed_main
