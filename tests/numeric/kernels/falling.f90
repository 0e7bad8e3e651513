! A loop that runs down, cut into tiles, its operand staged tile by tile.
subroutine falling(n, m, a, x, y)
  implicit none
  integer, intent(in) :: n, m
  real*8, intent(in) :: a(m), x(n)
  real*8, intent(inout) :: y(n)
  integer :: i, j

  do i = 1, n
    do j = m, 2, -1
      y(i) = y(i)*0.75d0 + a(j)*x(i) - a(j-1)
    end do
  end do
end subroutine falling

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "j", 16)
! knl = lp.add_prefetch(knl, "a", "j_inner", default_tag="l.auto", fetch_bounding_box=True)
! knl = lp.buffer_array(knl, "y", [], init_expression="base", store_expression="buffer")
! RESULT = knl
!
!$loopy end
