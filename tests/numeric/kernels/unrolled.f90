! Unrolled splits that the lengths do not divide: 3 of 7, and 4 of n.
subroutine unrolled(n, w, x, y)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: w(7), x(n)
  real*8, intent(inout) :: y(n)
  integer :: i, k

  do i = 1, n
    do k = 1, 7
      y(i) = y(i)*w(k) + x(i)
    end do
  end do
end subroutine unrolled

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "k", 3, inner_tag="unr")
! knl = lp.split_iname(knl, "i", 4, inner_tag="unr")
! knl = lp.split_iname(knl, "i_outer", 8, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
