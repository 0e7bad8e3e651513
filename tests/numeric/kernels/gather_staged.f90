! Indirect reads staged: the map's stretch in local memory, then the values that it names.
subroutine gather_staged(n, map, x, y)
  implicit none
  integer, intent(in) :: n
  integer, intent(in) :: map(n)
  real*8, intent(in) :: x(n)
  real*8, intent(inout) :: y(n)
  integer :: i, k

  do i = 1, n
    do k = 1, 4
      y(i) = y(i) + k*x(map(i))
    end do
  end do
end subroutine gather_staged

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
! knl = lp.add_prefetch(knl, "map", "i_inner", default_tag="l.auto")
! knl = lp.extract_subst(knl, "x_of_map", "x[map_fetch[j] - 1]", parameters="j")
! RESULT = knl
!
!$loopy end
