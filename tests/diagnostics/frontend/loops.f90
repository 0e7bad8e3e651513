subroutine s(n, x, st)
  implicit none
  integer, intent(in) :: n, st
  real(8), intent(inout) :: x(n)
  integer :: i, j
  real(8) :: t
  do i = 1, n
    do i = 1, 3
      x(i) = 0
    end do
  end do
  do i = 1, n, st
    x(i) = 0
  end do
  do i = 1, n, 0
    x(i) = 0
  end do
  do t = 1, n
    x(1) = t
  end do
  do n = 1, 3
    x(n) = 0
  end do
  do i = 1.5, n
    x(i) = 0
  end do
  do x(1) = 1, 3
  end do
  do i = 1
    x(i) = 0
  end do
  do unknown = 1, n
    x(1) = unknown
  end do
  do j = 1, n
    j = 2
    if (x(1) > 0) then
      x(j) = 0
  end do
end subroutine s
