/* Made by fortrancl from step. The launcher chooses FCL_IDX, wide enough for every element. */
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
    double c,
    __global const double *restrict u,
    long u_off,
    __global double *restrict w,
    long w_off)
{
    u += u_off;
    w += w_off;
    const fcl_idx io = get_group_id(0);
    const fcl_idx jo = get_group_id(1);
    const fcl_idx f0_inner = get_local_id(0);
    const fcl_idx f1_inner = get_local_id(1);
    const fcl_idx ii = get_local_id(0);
    const fcl_idx ji = get_local_id(1);
    __local double uf[324];
    for (fcl_idx f0_outer = 0; f0_outer < 2; ++f0_outer) {
        if (16*io + 16*f0_outer + f0_inner <= (fcl_idx)nx + 1 && 16*f0_outer + f0_inner < 18) {
            for (fcl_idx f1_outer = 0; f1_outer < 2; ++f1_outer) {
                if (16*jo + 16*f1_outer + f1_inner <= (fcl_idx)ny + 1 && 16*f1_outer + f1_inner < 18) {
                    uf[f0_inner + 16*f0_outer + 18*(f1_inner + 16*f1_outer)] = u[16*io + f0_inner +
                            16*f0_outer + ((fcl_idx)nx + 2)*(16*jo + f1_inner + 16*f1_outer)];
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (16*io + ii < nx && 16*jo + ji < ny) {
        w[16*io + ii + 1 + ((fcl_idx)nx + 2)*(16*jo + ji + 1)] = uf[ii + 1 + 18*(ji + 1)] + c*(uf[ii + 18*(ji
                + 1)] + uf[ii + 2 + 18*(ji + 1)] + uf[ii + 1 + 18*ji] + uf[ii + 1 + 18*(ji + 2)] - 4*uf[ii + 1
                + 18*(ji + 1)]);
    }
}
