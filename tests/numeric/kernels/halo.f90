! A one-dimensional filter; each group reads its stretch and a halo of two on both sides.
subroutine halo(n, w, x, y)
  implicit none
  integer, intent(in) :: n
  real*4, intent(in) :: w(-2:2), x(-1:n+2)
  real*4, intent(inout) :: y(n)
  integer :: i, s

  do i = 1, n
    do s = -2, 2
      y(i) = y(i) + w(s)*x(i+s)
    end do
  end do
end subroutine halo

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 16, outer_tag="g.0", inner_tag="l.0")
! knl = lp.add_prefetch(knl, "x", "i_inner, s", default_tag="l.auto")
! knl = lp.add_prefetch(knl, "w", "s", default_tag="l.auto")
! knl = lp.tag_inames(knl, {"s": "unr"})
! RESULT = knl
!
!$loopy end
