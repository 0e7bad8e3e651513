! Conditions on data, on loop variables, and on a scalar argument.
subroutine guarded(n, limit, x, y, k)
  implicit none
  integer, intent(in) :: n, limit
  real*8, intent(in) :: x(n)
  real*8, intent(inout) :: y(n)
  integer, intent(inout) :: k(n)
  integer :: i

  do i = 1, n
    if (x(i) > 0.5d0) then
      y(i) = x(i) - 0.5d0
      k(i) = 1
    else if (x(i) > 0.25d0 .and. k(i) /= 3) then
      y(i) = -x(i)
    else
      k(i) = k(i) - 1
      if (i <= limit) then
        y(i) = 2*y(i)
      else
        y(i) = y(i)/3
      end if
    end if
    if (mod(i, 3) == 0 .neqv. k(i) == 1) y(i) = y(i) + 10
  end do
end subroutine guarded

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 16, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
