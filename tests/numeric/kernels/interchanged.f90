! An imperfect nest is distributed before its loops change places.
subroutine interchanged(n, m, x, y)
  implicit none
  integer, intent(in) :: n, m
  real*8, intent(in) :: x(n,m)
  real*8, intent(inout) :: y(n,m)
  integer :: i, j

  do i = 1, n
    do j = 1, m
      y(i,j) = y(i,j) + x(i,j)
    end do
    do j = 2, m
      y(i,j) = y(i,j) + 0.5d0*y(i,j-1)
    end do
  end do
end subroutine interchanged

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.rename_iname(knl, "i", "ii", within="iname:j")
! knl = lp.prioritize_loops(knl, "j_1, i")
! knl = lp.split_iname(knl, "ii", 8, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
