/* Made by fortrancl from rule_tile in rule_tile.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void rule_tile_kernel(
    int n,
    int m,
    __global const double *restrict p,
    long p_off,
    __global const double *restrict q,
    long q_off,
    __global double *restrict y,
    long y_off)
{
    p += p_off;
    q += q_off;
    y += y_off;
    const fcl_idx j_outer = get_group_id(1);
    const fcl_idx j_inner = get_local_id(1);
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx f_dim_0_inner = get_local_id(0);
    const fcl_idx f_dim_1 = get_local_id(1);
    __local double f_fetch[36];
    if (4*j_outer + f_dim_1 < m) {
        for (fcl_idx f_dim_0_outer = 0; f_dim_0_outer < 2; ++f_dim_0_outer) {
            if (8*f_dim_0_outer + f_dim_0_inner < 9 && 8*i_outer + 8*f_dim_0_outer + f_dim_0_inner <= n) {
                f_fetch[f_dim_0_inner + 8*f_dim_0_outer + 9*f_dim_1] = p[8*i_outer + f_dim_0_inner +
                        8*f_dim_0_outer]/(1 + q[4*j_outer + f_dim_1]*q[4*j_outer + f_dim_1]);  /* rule_tile.f90:12 */
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (8*i_outer + i_inner < n && 4*j_outer + j_inner < m) {
        for (fcl_idx s = 0; s < 3; ++s) {
            y[i_inner + 8*i_outer + n*(j_inner + 4*j_outer)] = y[i_inner + 8*i_outer + n*(j_inner +
                    4*j_outer)] + (s + 1)*f_fetch[i_inner + 9*j_inner] - f_fetch[i_inner + 1 + 9*j_inner];  /* rule_tile.f90:12 */
        }
    }
}
