/* Made by fortrancl from march. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void march_kernel_0(
    int n,
    __global const double *restrict u,
    long u_off,
    __global double *restrict w,
    long w_off,
    __global double *restrict old,
    long old_off,
    long t_value)
{
    u += u_off;
    w += w_off;
    old += old_off;
    const fcl_idx io = get_group_id(0);
    const fcl_idx ii = get_local_id(0);
    const fcl_idx t = (fcl_idx)t_value;
    if (8*io + ii < n) {
        old[ii + 8*io] = u[8*io + ii];
        w[8*io + ii] = u[n - 1 - 8*io - ii] + t;
    }
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void march_kernel_1(
    int n,
    __global double *restrict u,
    long u_off,
    __global const double *restrict w,
    long w_off,
    __global const double *restrict old,
    long old_off)
{
    u += u_off;
    w += w_off;
    old += old_off;
    const fcl_idx io = get_group_id(0);
    const fcl_idx ii = get_local_id(0);
    if (8*io + ii < n) {
        u[8*io + ii] = 0.5f*w[8*io + ii] + old[ii + 8*io];
    }
}
