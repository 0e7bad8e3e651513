/* Made by fortrancl from column_stencil in column_stencil.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void column_stencil_kernel(
    int nx,
    int ny,
    int nz,
    __global const double *restrict u,
    long u_off,
    __global double *restrict v,
    long v_off)
{
    u += u_off;
    v += v_off;
    const fcl_idx j_outer = get_group_id(1);
    const fcl_idx j_inner = get_local_id(1);
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx u_dim_0_inner = get_local_id(0);
    const fcl_idx u_dim_1_inner = get_local_id(1);
    __local double u_fetch[60];
    for (fcl_idx k = 0; k < nz; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (fcl_idx u_dim_1_outer = 0; u_dim_1_outer < 2; ++u_dim_1_outer) {
            if (4*j_outer + 4*u_dim_1_outer + u_dim_1_inner <= (fcl_idx)ny + 1 && 4*u_dim_1_outer +
                    u_dim_1_inner < 6) {
                for (fcl_idx u_dim_0_outer = 0; u_dim_0_outer < 2; ++u_dim_0_outer) {
                    if (8*i_outer + 8*u_dim_0_outer + u_dim_0_inner <= (fcl_idx)nx + 1 && 8*u_dim_0_outer +
                            u_dim_0_inner < 10) {
                        u_fetch[u_dim_0_inner + 8*u_dim_0_outer + 10*(u_dim_1_inner + 4*u_dim_1_outer)] =
                                u[8*i_outer + u_dim_0_inner + 8*u_dim_0_outer + ((fcl_idx)nx + 2)*(4*j_outer +
                                u_dim_1_inner + 4*u_dim_1_outer + ((fcl_idx)ny + 2)*k)];  /* column_stencil.f90:12 */
                    }
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (8*i_outer + i_inner < nx && 4*j_outer + j_inner < ny) {
            v[i_inner + 8*i_outer + nx*(j_inner + 4*j_outer + ny*k)] = u_fetch[i_inner + 10*(j_inner + 1)] +
                    u_fetch[i_inner + 2 + 10*(j_inner + 1)] + u_fetch[i_inner + 1 + 10*j_inner] +
                    u_fetch[i_inner + 1 + 10*(j_inner + 2)] - 4*u_fetch[i_inner + 1 + 10*(j_inner + 1)];  /* column_stencil.f90:12 */
        }
    }
}
