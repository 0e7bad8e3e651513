/* Made by fortrancl from automatic_lanes in automatic_lanes.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void automatic_lanes_kernel(
    int n,
    int m,
    __global const double *restrict a,
    long a_off,
    __global double *restrict b,
    long b_off)
{
    a += a_off;
    b += b_off;
    const fcl_idx i_outer = get_group_id(1);
    const fcl_idx i_inner = get_local_id(1);
    const fcl_idx j_outer = get_group_id(0);
    const fcl_idx j_inner = get_local_id(0);
    const fcl_idx a_dim_0 = get_local_id(0);
    const fcl_idx a_dim_1 = get_local_id(1);
    __local double a_fetch[256];
    if (16*i_outer + a_dim_0 < n && 16*j_outer + a_dim_1 < m) {
        a_fetch[a_dim_0 + 16*a_dim_1] = a[16*i_outer + a_dim_0 + n*(16*j_outer + a_dim_1)];  /* automatic_lanes.f90:11 */
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (16*j_outer + j_inner < m && 16*i_outer + i_inner < n) {
        b[j_inner + 16*j_outer + m*(i_inner + 16*i_outer)] = a_fetch[i_inner + 16*j_inner];  /* automatic_lanes.f90:11 */
    }
}
