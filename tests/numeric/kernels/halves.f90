! Integer division in a shape and in a bound.
subroutine halves(n, x, y)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: x(n)
  real*8, intent(inout) :: y((n+1)/2,2)
  integer :: i

  do i = 1, n/2
    y(i,1) = x(2*i-1) + x(2*i)
    y(i,2) = x(i + n/2)
  end do
end subroutine halves

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
