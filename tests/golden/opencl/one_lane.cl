/* Made by fortrancl from one_lane. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void one_lane_kernel(
    int n,
    int steps,
    __global double *restrict x,
    long x_off,
    __global const double *restrict w,
    long w_off)
{
    x += x_off;
    w += w_off;
    const fcl_idx io = get_group_id(0);
    const fcl_idx ii = get_local_id(0);
    __local double f;
    for (fcl_idx t = 0; t < steps; ++t) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (ii == 0) {
            f = 2*w[t];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (32*io + ii < n) {
            x[32*io + ii] = x[32*io + ii]*f + t;
        }
    }
}
