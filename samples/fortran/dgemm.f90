! Matrix product c = c + a*b, written as one would on paper.
subroutine dgemm(m, n, ell, a, b, c)
  implicit none
  integer, intent(in) :: m, n, ell
  real(8), intent(in) :: a(m,ell), b(ell,n)
  real(8), intent(inout) :: c(m,n)
  integer :: i, j, k

  do j = 1, n
    do i = 1, m
      do k = 1, ell
        c(i,j) = c(i,j) + a(i,k)*b(k,j)
      end do
    end do
  end do
end subroutine dgemm

!$loopy begin
!
! # A 16 x 16 tile of c for each work-group, an element of it for each work-item.
! dgemm = lp.parse_fortran(SOURCE, FILENAME)
!
! dgemm = lp.split_iname(dgemm, "i", 16, outer_tag="g.0", inner_tag="l.0")
! dgemm = lp.split_iname(dgemm, "j", 16, outer_tag="g.1", inner_tag="l.1")
! dgemm = lp.split_iname(dgemm, "k", 16)
!
! # Tiles of a and b go to local memory, fetched by all work-items of the group together.
! dgemm = lp.extract_subst(dgemm, "a_acc", "a[i1,i2]", parameters="i1, i2")
! dgemm = lp.extract_subst(dgemm, "b_acc", "b[i1,i2]", parameters="i1, i2")
! dgemm = lp.precompute(dgemm, "a_acc", "i_inner, k_inner", default_tag="l.auto")
! dgemm = lp.precompute(dgemm, "b_acc", "k_inner, j_inner", default_tag="l.auto")
!
! # The running sum stays in a register.
! dgemm = lp.buffer_array(dgemm, "c", [], init_expression="base", store_expression="buffer")
!
! RESULT = dgemm
!
!$loopy end
