/* Made by fortrancl from dgemm in dgemm.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void dgemm_kernel(
    int m,
    int n,
    int ell,
    __global const double *restrict a,
    long a_off,
    __global const double *restrict b,
    long b_off,
    __global double *restrict c,
    long c_off)
{
    a += a_off;
    b += b_off;
    c += c_off;
    const fcl_idx j_outer = get_group_id(1);
    const fcl_idx j_inner = get_local_id(1);
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx a_acc_dim_0 = get_local_id(0);
    const fcl_idx a_acc_dim_1 = get_local_id(1);
    const fcl_idx b_acc_dim_0 = get_local_id(0);
    const fcl_idx b_acc_dim_1 = get_local_id(1);
    __local double a_acc_fetch[256];
    __local double b_acc_fetch[256];
    double c_buf;
    if (16*i_outer + i_inner < m && 16*j_outer + j_inner < n && ell >= 1) {
        c_buf = c[16*i_outer + i_inner + m*(16*j_outer + j_inner)];  /* dgemm.f90:12 */
    }
    for (fcl_idx k_outer = 0; k_outer < ((fcl_idx)ell + 15)/16; ++k_outer) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (16*k_outer + a_acc_dim_1 < ell && 16*i_outer + a_acc_dim_0 < m) {
            a_acc_fetch[a_acc_dim_0 + 16*a_acc_dim_1] = a[16*i_outer + a_acc_dim_0 + m*(16*k_outer +
                    a_acc_dim_1)];  /* dgemm.f90:12 */
        }
        if (16*k_outer + b_acc_dim_0 < ell && 16*j_outer + b_acc_dim_1 < n) {
            b_acc_fetch[b_acc_dim_0 + 16*b_acc_dim_1] = b[16*k_outer + b_acc_dim_0 + ell*(16*j_outer +
                    b_acc_dim_1)];  /* dgemm.f90:12 */
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (16*i_outer + i_inner < m && 16*j_outer + j_inner < n) {
            for (fcl_idx k_inner = 0; k_inner < min((fcl_idx)16, ell - 16*k_outer); ++k_inner) {
                c_buf = c_buf + a_acc_fetch[i_inner + 16*k_inner]*b_acc_fetch[k_inner + 16*j_inner];  /* dgemm.f90:12 */
            }
        }
    }
    if (16*i_outer + i_inner < m && 16*j_outer + j_inner < n && ell >= 1) {
        c[16*i_outer + i_inner + m*(16*j_outer + j_inner)] = c_buf;  /* dgemm.f90:12 */
    }
}
