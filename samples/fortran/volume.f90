! Volume term of a spectral-element weather model: the fluxes of the compressible Euler equations with two tracers,
! differentiated along one direction of the reference element after the other.
!
! Fields: 1-3 momentum U, V, W; 4 not used; 5 density R; 6 potential-temperature density T; 7-8 tracers.
! geo: 1-3 gradient of r, 4-6 of s, 7-9 of t; 10 inverse of the Jacobian; 11 not used.

subroutine volume_r(nq, nelem, p0, gam, rgas, geo, d, q, rhs)
  implicit none
  integer, intent(in) :: nq, nelem
  real(4), intent(in) :: p0, gam, rgas
  real(4), intent(in) :: geo(nq,nq,nq,11,nelem), d(nq,nq), q(nq,nq,nq,8,nelem)
  real(4), intent(inout) :: rhs(nq,nq,nq,8,nelem)
  integer :: e, k, j, i, n
  real(4) :: gx, gy, gz, jinv, u, v, w, r, t, q1, q2, p, vel
  real(4) :: uflux, vflux, wflux, rflux, tflux, q1flux, q2flux

  do e = 1, nelem
    do k = 1, nq
      do j = 1, nq
        do i = 1, nq
          do n = 1, nq
            !$loopy begin tagged: local_prep
            u = q(n,j,k,1,e)
            v = q(n,j,k,2,e)
            w = q(n,j,k,3,e)
            r = q(n,j,k,5,e)
            t = q(n,j,k,6,e)
            q1 = q(n,j,k,7,e)
            q2 = q(n,j,k,8,e)
            gx = geo(n,j,k,1,e)
            gy = geo(n,j,k,2,e)
            gz = geo(n,j,k,3,e)
            jinv = geo(i,j,k,10,e)
            p = p0*(rgas*t/p0)**gam
            vel = (gx*u + gy*v + gz*w)/r
            !$loopy end tagged: local_prep

            !$loopy begin tagged: compute_fluxes
            uflux = u*vel + gx*p
            vflux = v*vel + gy*p
            wflux = w*vel + gz*p
            rflux = r*vel
            tflux = t*vel
            q1flux = q1*vel
            q2flux = q2*vel
            !$loopy end tagged: compute_fluxes

            rhs(i,j,k,1,e) = rhs(i,j,k,1,e) - jinv*d(i,n)*uflux
            rhs(i,j,k,2,e) = rhs(i,j,k,2,e) - jinv*d(i,n)*vflux
            rhs(i,j,k,3,e) = rhs(i,j,k,3,e) - jinv*d(i,n)*wflux
            rhs(i,j,k,5,e) = rhs(i,j,k,5,e) - jinv*d(i,n)*rflux
            rhs(i,j,k,6,e) = rhs(i,j,k,6,e) - jinv*d(i,n)*tflux
            rhs(i,j,k,7,e) = rhs(i,j,k,7,e) - jinv*d(i,n)*q1flux
            rhs(i,j,k,8,e) = rhs(i,j,k,8,e) - jinv*d(i,n)*q2flux
          end do
        end do
      end do
    end do
  end do
end subroutine volume_r

subroutine volume_s(nq, nelem, p0, gam, rgas, geo, d, q, rhs)
  implicit none
  integer, intent(in) :: nq, nelem
  real(4), intent(in) :: p0, gam, rgas
  real(4), intent(in) :: geo(nq,nq,nq,11,nelem), d(nq,nq), q(nq,nq,nq,8,nelem)
  real(4), intent(inout) :: rhs(nq,nq,nq,8,nelem)
  integer :: e, k, j, i, n
  real(4) :: gx, gy, gz, jinv, u, v, w, r, t, q1, q2, p, vel
  real(4) :: uflux, vflux, wflux, rflux, tflux, q1flux, q2flux

  do e = 1, nelem
    do k = 1, nq
      do j = 1, nq
        do i = 1, nq
          do n = 1, nq
            !$loopy begin tagged: local_prep
            u = q(i,n,k,1,e)
            v = q(i,n,k,2,e)
            w = q(i,n,k,3,e)
            r = q(i,n,k,5,e)
            t = q(i,n,k,6,e)
            q1 = q(i,n,k,7,e)
            q2 = q(i,n,k,8,e)
            gx = geo(i,n,k,4,e)
            gy = geo(i,n,k,5,e)
            gz = geo(i,n,k,6,e)
            jinv = geo(i,j,k,10,e)
            p = p0*(rgas*t/p0)**gam
            vel = (gx*u + gy*v + gz*w)/r
            !$loopy end tagged: local_prep

            !$loopy begin tagged: compute_fluxes
            uflux = u*vel + gx*p
            vflux = v*vel + gy*p
            wflux = w*vel + gz*p
            rflux = r*vel
            tflux = t*vel
            q1flux = q1*vel
            q2flux = q2*vel
            !$loopy end tagged: compute_fluxes

            rhs(i,j,k,1,e) = rhs(i,j,k,1,e) - jinv*d(j,n)*uflux
            rhs(i,j,k,2,e) = rhs(i,j,k,2,e) - jinv*d(j,n)*vflux
            rhs(i,j,k,3,e) = rhs(i,j,k,3,e) - jinv*d(j,n)*wflux
            rhs(i,j,k,5,e) = rhs(i,j,k,5,e) - jinv*d(j,n)*rflux
            rhs(i,j,k,6,e) = rhs(i,j,k,6,e) - jinv*d(j,n)*tflux
            rhs(i,j,k,7,e) = rhs(i,j,k,7,e) - jinv*d(j,n)*q1flux
            rhs(i,j,k,8,e) = rhs(i,j,k,8,e) - jinv*d(j,n)*q2flux
          end do
        end do
      end do
    end do
  end do
end subroutine volume_s

subroutine volume_t(nq, nelem, p0, gam, rgas, geo, d, q, rhs)
  implicit none
  integer, intent(in) :: nq, nelem
  real(4), intent(in) :: p0, gam, rgas
  real(4), intent(in) :: geo(nq,nq,nq,11,nelem), d(nq,nq), q(nq,nq,nq,8,nelem)
  real(4), intent(inout) :: rhs(nq,nq,nq,8,nelem)
  integer :: e, k, j, i, n
  real(4) :: gx, gy, gz, jinv, u, v, w, r, t, q1, q2, p, vel
  real(4) :: uflux, vflux, wflux, rflux, tflux, q1flux, q2flux

  do e = 1, nelem
    do k = 1, nq
      do j = 1, nq
        do i = 1, nq
          do n = 1, nq
            !$loopy begin tagged: local_prep
            u = q(i,j,n,1,e)
            v = q(i,j,n,2,e)
            w = q(i,j,n,3,e)
            r = q(i,j,n,5,e)
            t = q(i,j,n,6,e)
            q1 = q(i,j,n,7,e)
            q2 = q(i,j,n,8,e)
            gx = geo(i,j,n,7,e)
            gy = geo(i,j,n,8,e)
            gz = geo(i,j,n,9,e)
            jinv = geo(i,j,k,10,e)
            p = p0*(rgas*t/p0)**gam
            vel = (gx*u + gy*v + gz*w)/r
            !$loopy end tagged: local_prep

            !$loopy begin tagged: compute_fluxes
            uflux = u*vel + gx*p
            vflux = v*vel + gy*p
            wflux = w*vel + gz*p
            rflux = r*vel
            tflux = t*vel
            q1flux = q1*vel
            q2flux = q2*vel
            !$loopy end tagged: compute_fluxes

            rhs(i,j,k,1,e) = rhs(i,j,k,1,e) - jinv*d(k,n)*uflux
            rhs(i,j,k,2,e) = rhs(i,j,k,2,e) - jinv*d(k,n)*vflux
            rhs(i,j,k,3,e) = rhs(i,j,k,3,e) - jinv*d(k,n)*wflux
            rhs(i,j,k,5,e) = rhs(i,j,k,5,e) - jinv*d(k,n)*rflux
            rhs(i,j,k,6,e) = rhs(i,j,k,6,e) - jinv*d(k,n)*tflux
            rhs(i,j,k,7,e) = rhs(i,j,k,7,e) - jinv*d(k,n)*q1flux
            rhs(i,j,k,8,e) = rhs(i,j,k,8,e) - jinv*d(k,n)*q2flux
          end do
        end do
      end do
    end do
  end do
end subroutine volume_t

!$loopy begin
!
! # The example of Kloeckner, Wilcox and Warburton, "Array Program Transformation with Loo.py by Example" (ARRAY'16).
! #     fortrancl compile volume.f90 --set NQ=8 --set DIRECTIONS=rs --set LEVEL=0
! # fuses the parts of DIRECTIONS into one new subroutine, volume_rs or volume_rst, with the same dummy arguments.
! NQ = lp.setting("NQ", 8)
! DIRECTIONS = lp.setting("DIRECTIONS", "rs")
! LEVEL = lp.setting("LEVEL", 0)
!
! def fused(parts):
!     # The order in which a sum takes its terms may change; nothing else may.
!     unit = lp.parse_fortran(SOURCE, FILENAME, seq_dependencies=False)
!     kernels = [unit["volume_" + part] for part in parts]
!     return lp.fuse_kernels(kernels, suffixes=["_" + part for part in parts])
!
! def level_0(kernel):
!     # An element for each work-group, a column of its points for each work-item.
!     kernel = lp.fix_parameters(kernel, nq=NQ)
!     kernel = lp.assume(kernel, "nelem >= 1")
!     kernel = lp.prioritize_loops(kernel, "e,k,j,i")
!     return lp.tag_inames(kernel, {"e": "g.0", "j": "l.1", "i": "l.0"})
!
! def level_1(kernel):
!     # The matrix of derivatives goes to local memory, once for each element.
!     return lp.add_prefetch(kernel, "d[:,:]", fetch_outer_inames="e", default_tag="l.auto")
!
! FLUXES = ["uflux", "vflux", "wflux", "rflux", "tflux", "q1flux", "q2flux"]
! # Where a flux is computed: loops round it, and the loops of its points that are computed together.
! SLICES = {
!     "r": {"outer": "e,k", "points": "n,j", "inames": "ii,jj"},
!     "s": {"outer": "e,k", "points": "i,n", "inames": "ii,jj"},
!     "t": {"outer": "e,j,i", "points": "n", "inames": "nn"},
! }
!
! def level_2(kernel):
!     # Local values become rules, and so does each flux. A flux of direction r or s is computed once for each point of
!     # a slice, by all work-items of the group together; one of direction t by the work-item whose column it is in.
!     for statement in lp.find_instructions(kernel, "tag:local_prep"):
!         for name in statement.assignee_var_names():
!             kernel = lp.assignment_to_subst(kernel, name)
!     for part in DIRECTIONS:
!         slice = SLICES[part]
!         names = [flux + "_" + part for flux in FLUXES]
!         for name in names:
!             kernel = lp.assignment_to_subst(kernel, name)
!             kernel = lp.precompute(kernel, name + "_subst", slice["points"], storage_axes=slice["points"],
!                 precompute_inames=slice["inames"], precompute_outer_inames=slice["outer"], temporary_name=name)
!             # Each flux is used up before the next one needs the storage.
!             kernel = lp.rename_iname(kernel, "n", "n_" + name, within="reads:" + name)
!         if part != "t":
!             kernel = lp.tag_inames(kernel, {"ii": "l.0", "jj": "l.1"})
!             kernel = lp.alias_temporaries(kernel, names, base_name_prefix="flux_" + part)
!     return kernel
!
! LEVELS = [level_0, level_1, level_2]
!
! volume = fused(DIRECTIONS)
! for level in LEVELS[:LEVEL + 1]:
!     volume = level(volume)
! RESULT = volume
!
!$loopy end
