! Only the tagged region's use of the scalar becomes a rule.
subroutine scalar_rule_within(n, inp, out, more)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: inp(n)
  real*8, intent(inout) :: out(n), more(n)
  real*8 :: a
  integer :: i

  do i = 1, n
    a = sqrt(abs(inp(i)))
    !$loopy begin tagged: first
    out(i) = out(i) + 2*a
    !$loopy end tagged: first
    more(i) = a - out(i)
  end do
end subroutine scalar_rule_within

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! first = lp.find_instructions(knl, "tag:first")
! knl = lp.assignment_to_subst(knl, "a", within="tag:first")
! knl = lp.split_iname(knl, "i", 32, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
