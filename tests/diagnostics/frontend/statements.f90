subroutine s(n, x, m)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer, intent(in) :: m(n)
  integer :: i, j
  outer: do i = 1, n
    call other(x)
    print *, x(i)
    write (*, *) "x(i) = ", x(i)
    if (x(i) > 3) stop "too large"
    if (x(i) > 2) go to 10
    if (x(i)) 10, 20, 10
    if (x(i) > 1) exit
    if (x(i) < 0) return
    do j = 1, n
      if (x(j) < 0) cycle outer
    end do
10  continue
20  continue
  end do outer
  do while (x(1) > 0)
    x(1) = x(1) - unknown
  end do
  do concurrent (i = 1:n)
    x(i) = 0
  end do
  forall (i = 1:n) x(i) = 0
  associate (y => x(1))
    y = 3
  end associate
  block
    integer :: k
    k = 3
  end block
  allocate (x(3))
  p => x
  do
  end do
  open (unit=3)
  cycle
end subroutine s
