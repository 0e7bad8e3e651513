/* Made by fortrancl from distributed in distributed.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void distributed_kernel_0(
    int n,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx first_outer = get_group_id(0);
    const fcl_idx first_inner = get_local_id(0);
    if (16*first_outer + first_inner < n) {
        y[first_inner + 16*first_outer] = x[first_inner + 16*first_outer] + 1;  /* distributed.f90:10 */
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void distributed_kernel_1(
    int n,
    __global const double *restrict x,
    long x_off,
    __global const double *restrict y,
    long y_off,
    __global double *restrict z,
    long z_off)
{
    x += x_off;
    y += y_off;
    z += z_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (32*i_outer + i_inner < n && 32*i_outer + i_inner >= 3) {
        z[i_inner + 32*i_outer] = y[i_inner + 32*i_outer - 3]*x[i_inner + 32*i_outer];  /* distributed.f90:11 */
    }
}
