/* Made by fortrancl from march in march.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void march_kernel_0(
    int n,
    double c,
    __global const double *restrict u,
    long u_off,
    __global double *restrict w,
    long w_off,
    long t_value)
{
    u += u_off;
    w += w_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx t = (fcl_idx)t_value;
    if (16*i_outer + i_inner < n) {
        w[i_inner + 16*i_outer + 1] = u[i_inner + 16*i_outer + 1] + c*(u[i_inner + 16*i_outer] - 2*u[i_inner +
                16*i_outer + 1] + u[i_inner + 16*i_outer + 2]) + (t + 1);  /* march.f90:11 */
    }
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void march_kernel_1(
    int n,
    double c,
    __global double *restrict u,
    long u_off,
    __global const double *restrict w,
    long w_off)
{
    u += u_off;
    w += w_off;
    const fcl_idx i_1_outer = get_group_id(0);
    const fcl_idx i_1_inner = get_local_id(0);
    if (16*i_1_outer + i_1_inner < n) {
        u[i_1_inner + 16*i_1_outer + 1] = w[i_1_inner + 16*i_1_outer + 1] - c*(w[i_1_inner + 16*i_1_outer] +
                w[i_1_inner + 16*i_1_outer + 2]);  /* march.f90:14 */
    }
}
