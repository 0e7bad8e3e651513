! All three axes of groups and of work-items; sizes fixed by the script where they are known.
subroutine three_axes(n, m, l, a, b)
  implicit none
  integer, intent(in) :: n, m, l
  real*4, intent(in) :: a(n,m,l)
  real*4, intent(inout) :: b(l,m,n)
  integer :: i, j, k

  do k = 1, l
    do j = 1, m
      do i = 1, n
        b(k,j,i) = 0.1*a(i,j,k) + b(k,j,i)
      end do
    end do
  end do
end subroutine three_axes

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.fix_parameters(knl, l=5)
! knl = lp.assume(knl, "n >= 1 and m >= 1")
! for axis, iname in enumerate(["i", "j", "k"]):
!     knl = lp.split_iname(knl, iname, 4, outer_tag=f"g.{axis}", inner_tag=f"l.{axis}")
! knl = lp.add_prefetch(knl, "a", "i_inner, j_inner, k_inner", default_tag="l.auto")
! RESULT = knl
!
!$loopy end
