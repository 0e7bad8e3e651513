! Sparse matrix times vector, rows compressed (CSR), 1-based as Fortran people keep it.
subroutine spmv(nrow, ncol, nnz, rowptr, colind, val, x, y)
  implicit none
  integer, intent(in) :: nrow, ncol, nnz
  integer, intent(in) :: rowptr(nrow+1), colind(nnz)
  real(8), intent(in) :: val(nnz), x(ncol)
  real(8), intent(inout) :: y(nrow)
  integer :: i, k
  real(8) :: rowsum

  do i = 1, nrow
    rowsum = 0d0
    do k = rowptr(i), rowptr(i+1) - 1
      rowsum = rowsum + val(k)*x(colind(k))
    end do
    y(i) = rowsum
  end do
end subroutine spmv

!$loopy begin
!
! # One row for each work-item; its length is data, and fortrancl handles that.
! spmv = lp.parse_fortran(SOURCE, FILENAME)
! spmv = lp.split_iname(spmv, "i", 128, outer_tag="g.0", inner_tag="l.0")
! RESULT = spmv
!
!$loopy end
