! Three dimensions; each plane and its neighbours' edges in local memory, the planes in turn.
subroutine column_stencil(nx, ny, nz, u, v)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real*8, intent(in) :: u(0:nx+1,0:ny+1,nz)
  real*8, intent(inout) :: v(nx,ny,nz)
  integer :: i, j, k

  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        v(i,j,k) = u(i-1,j,k) + u(i+1,j,k) + u(i,j-1,k) + u(i,j+1,k) - 4*u(i,j,k)
      end do
    end do
  end do
end subroutine column_stencil

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "j", 4, outer_tag="g.1", inner_tag="l.1")
! knl = lp.add_prefetch(knl, "u", ["i_inner", "j_inner"], default_tag="l.auto", fetch_bounding_box=True)
! RESULT = knl
!
!$loopy end
