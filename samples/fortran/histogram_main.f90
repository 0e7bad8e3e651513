program histogram_main
  implicit none
  integer, parameter :: n = 1000000, nbin = 37
  integer, allocatable :: bin(:)
  integer :: count(nbin), expected(nbin), i
  real, allocatable :: r(:)

  allocate (bin(n), r(n))
  call random_number(r)
  bin = 1 + min(nbin - 1, int(nbin*r*r))
  expected = 3
  do i = 1, n
    expected(bin(i)) = expected(bin(i)) + 1
  end do
  count = 3
  call histogram(n, nbin, bin, count)
  print '(a,i0,a,i0,a,es9.2)', 'RESULT name=histogram sizes=', n, 'into', nbin, ' error=', &
    real(maxval(abs(count - expected)))
  if (any(count /= expected)) error stop 'histogram: wrong result'
end program histogram_main
