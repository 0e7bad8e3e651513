/* Made by fortrancl from heat::step in stencil2d.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void step_kernel(
    int nx,
    int ny,
    double alpha,
    __global const double *restrict u,
    long u_off,
    __global double *restrict unew,
    long unew_off)
{
    u += u_off;
    unew += unew_off;
    const fcl_idx j_outer = get_group_id(1);
    const fcl_idx j_inner = get_local_id(1);
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx u_dim_0_inner = get_local_id(0);
    const fcl_idx u_dim_1_inner = get_local_id(1);
    __local double u_fetch[324];
    for (fcl_idx u_dim_1_outer = 0; u_dim_1_outer < 2; ++u_dim_1_outer) {
        if (16*j_outer + 16*u_dim_1_outer + u_dim_1_inner <= (fcl_idx)ny + 1 && 16*u_dim_1_outer +
                u_dim_1_inner < 18) {
            for (fcl_idx u_dim_0_outer = 0; u_dim_0_outer < 2; ++u_dim_0_outer) {
                if (16*i_outer + 16*u_dim_0_outer + u_dim_0_inner <= (fcl_idx)nx + 1 && 16*u_dim_0_outer +
                        u_dim_0_inner < 18) {
                    u_fetch[u_dim_0_inner + 16*u_dim_0_outer + 18*(u_dim_1_inner + 16*u_dim_1_outer)] =
                            u[16*i_outer + u_dim_0_inner + 16*u_dim_0_outer + ((fcl_idx)nx + 2)*(16*j_outer +
                            u_dim_1_inner + 16*u_dim_1_outer)];  /* stencil2d.f90:18 */
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (16*i_outer + i_inner < nx && 16*j_outer + j_inner < ny) {
        unew[i_inner + 16*i_outer + 1 + ((fcl_idx)nx + 2)*(j_inner + 16*j_outer + 1)] = u_fetch[i_inner + 1 +
                18*(j_inner + 1)] + alpha*(u_fetch[i_inner + 18*(j_inner + 1)] + u_fetch[i_inner + 2 +
                18*(j_inner + 1)] + u_fetch[i_inner + 1 + 18*j_inner] + u_fetch[i_inner + 1 + 18*(j_inner +
                2)] - 4*u_fetch[i_inner + 1 + 18*(j_inner + 1)]);  /* stencil2d.f90:18 */
    }
}
