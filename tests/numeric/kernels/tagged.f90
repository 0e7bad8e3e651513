! Regions get names; the script finds their statements and reads their tags.
subroutine tagged(n, x, y)
  implicit none
  integer, intent(in) :: n
  real*8, intent(inout) :: x(n), y(n)
  integer :: i

  do i = 1, n
    !$loopy begin tagged: input
    x(i) = 2*x(i)
    !$loopy end tagged: input
    !$loopy begin tagged: output
    y(i) = y(i) + 1
    y(i) = x(i)*y(i)
    !$loopy end tagged: output
  end do
end subroutine tagged

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! # The inputs get a loop of their own, before.
! knl = lp.rename_iname(knl, "i", "i_in", within="tag:input")
! size = 0
! for insn in lp.find_instructions(knl, "tag:output"):
!     size = size + 16
! knl = lp.split_iname(knl, "i", size, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "i_in", size, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
