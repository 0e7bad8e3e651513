/* Made by fortrancl from saxpy. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void saxpy_kernel(
    int n,
    double a,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx io = get_group_id(0);
    const fcl_idx ii = get_local_id(0);
    if (128*io + ii < n) {
        y[128*io + ii] = a*x[128*io + ii] + y[128*io + ii];
    }
}
