! Both operands through local memory; c is updated where it lies.
subroutine dgemm_staged(m, n, ell, a, b, c)
  implicit none
  integer, intent(in) :: m, n, ell
  real*8, intent(in) :: a(m,ell), b(ell,n)
  real*8, intent(inout) :: c(m,n)
  integer :: i, j, k

  do j = 1, n
    do k = 1, ell
      do i = 1, m
        c(i,j) = c(i,j) + b(k,j)*a(i,k)
      end do
    end do
  end do
end subroutine dgemm_staged

!$loopy begin
!
! prod = lp.parse_fortran(SOURCE, FILENAME)
! prod = lp.prioritize_loops(prod, "j,i,k")
! prod = lp.split_iname(prod, "i", 16, outer_tag="g.0", inner_tag="l.1")
! prod = lp.split_iname(prod, "j", 8, outer_tag="g.1", inner_tag="l.0")
! prod = lp.split_iname(prod, "k", 32)
! prod = lp.extract_subst(prod, "a_acc", "a[row,col]", parameters="row, col")
! prod = lp.extract_subst(prod, "b_acc", "b[row,col]", parameters="row, col")
! outer = frozenset({"i_outer", "j_outer", "k_outer"})
! prod = lp.precompute(prod, "a_acc", "k_inner,i_inner", precompute_outer_inames=outer,
!                      default_tag="l.auto")
! prod = lp.precompute(prod, "b_acc", "j_inner,k_inner", precompute_outer_inames=outer,
!                      default_tag="l.auto")
! RESULT = prod
!
!$loopy end
