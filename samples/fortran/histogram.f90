! How often each bin occurs. Several work-items may meet in one bin, so the update is atomic.
subroutine histogram(n, nbin, bin, count)
  implicit none
  integer, intent(in) :: n, nbin
  integer, intent(in) :: bin(n)
  integer, intent(inout) :: count(nbin)
  integer :: i

  do i = 1, n
    count(bin(i)) = count(bin(i)) + 1
  end do
end subroutine histogram

!$loopy begin
!
! h = lp.parse_fortran(SOURCE, FILENAME)
! h = lp.set_atomic(h, "count")
! h = lp.split_iname(h, "i", 256, outer_tag="g.0", inner_tag="l.0")
! RESULT = h
!
!$loopy end
