/* Made by fortrancl from shifting in shifting.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void shifting_kernel(
    int steps,
    __global double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx b = get_group_id(0);
    const fcl_idx i = get_local_id(0);
    const fcl_idx i_1 = get_local_id(0);
    for (fcl_idx t = 0; t < steps; ++t) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        y[i + 16*b] = x[15 - i + 16*b] + (t + 1);  /* shifting.f90:11 */
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i_1 < 15) {
            x[i_1 + 1 + 16*b] = y[i_1 + 16*b]*0.5;  /* shifting.f90:14 */
        }
    }
}
