! Sparse matrix (CSR) times several vectors at once.
subroutine batched_csr(nrows, ncols, nnz, nvecs, rowptr, colindices, values, x, y)
  implicit none
  integer, intent(in) :: nrows, ncols, nnz, nvecs
  integer, intent(in) :: rowptr(nrows+1), colindices(nnz)
  real*8, intent(in) :: values(nnz), x(ncols,nvecs)
  real*8, intent(out) :: y(nrows,nvecs)
  real*8 :: rowsum(nvecs)
  integer :: i, j, k

  do i = 1, nrows
    do j = 1, nvecs
      rowsum(j) = 0
    end do
    do k = 1, rowptr(i+1) - rowptr(i)
      do j = 1, nvecs
        rowsum(j) = rowsum(j) + x(colindices(rowptr(i)+k-1),j)*values(rowptr(i)+k-1)
      end do
    end do
    do j = 1, nvecs
      y(i,j) = rowsum(j)
    end do
  end do
end subroutine batched_csr

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 128)
! knl = lp.tag_inames(knl, {"i_outer": "g.0"})
! knl = lp.tag_inames(knl, {"i_inner": "l.0"})
! knl = lp.add_prefetch(knl, "values")
! knl = lp.add_prefetch(knl, "colindices")
! knl = lp.fix_parameters(knl, nvecs=4)
! RESULT = knl
!
!$loopy end
