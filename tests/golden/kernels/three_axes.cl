/* Made by fortrancl from three_axes in three_axes.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(4, 4, 4)))
void three_axes_kernel(
    int n,
    int m,
    __global const float *restrict a,
    long a_off,
    __global float *restrict b,
    long b_off)
{
    a += a_off;
    b += b_off;
    const fcl_idx k_outer = get_group_id(2);
    const fcl_idx k_inner = get_local_id(2);
    const fcl_idx j_outer = get_group_id(1);
    const fcl_idx j_inner = get_local_id(1);
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx a_dim_0 = get_local_id(0);
    const fcl_idx a_dim_1 = get_local_id(1);
    const fcl_idx a_dim_2 = get_local_id(2);
    float a_fetch[64];
    if (4*i_outer + a_dim_0 < n && 4*j_outer + a_dim_1 < m && 4*k_outer + a_dim_2 < 5) {
        a_fetch[a_dim_0 + 4*(a_dim_1 + 4*a_dim_2)] = a[4*i_outer + a_dim_0 + n*(4*j_outer + a_dim_1 +
                m*(4*k_outer + a_dim_2))];  /* three_axes.f90:12 */
        b[k_inner + 4*k_outer + 5*(j_inner + 4*j_outer + m*(i_inner + 4*i_outer))] = 0.1f*a_fetch[i_inner +
                4*(j_inner + 4*k_inner)] + b[k_inner + 4*k_outer + 5*(j_inner + 4*j_outer + m*(i_inner +
                4*i_outer))];  /* three_axes.f90:12 */
    }
}
