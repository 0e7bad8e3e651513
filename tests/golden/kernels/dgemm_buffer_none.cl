/* Made by fortrancl from dgemm_buffer_none in dgemm_buffer_none.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 16, 1)))
void dgemm_buffer_none_kernel(
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
    const fcl_idx j_inner = get_local_id(0);
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(1);
    const fcl_idx a_acc_dim_0_inner = get_local_id(0);
    const fcl_idx a_acc_dim_1_inner = get_local_id(1);
    const fcl_idx b_acc_dim_0_inner = get_local_id(0);
    const fcl_idx b_acc_dim_1 = get_local_id(1);
    __local double a_acc_fetch[512];
    __local double b_acc_fetch[256];
    double c_buf;
    if (8*j_outer + j_inner < n && 16*i_outer + i_inner < m && ell >= 1) {
        c_buf = 0;  /* dgemm_buffer_none.f90:12 */
    }
    for (fcl_idx k_outer = 0; k_outer < ((fcl_idx)ell + 31)/32; ++k_outer) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (fcl_idx a_acc_dim_1_outer = 0; a_acc_dim_1_outer < 2; ++a_acc_dim_1_outer) {
            if (32*k_outer + 16*a_acc_dim_1_outer + a_acc_dim_1_inner < ell) {
                for (fcl_idx a_acc_dim_0_outer = 0; a_acc_dim_0_outer < 2; ++a_acc_dim_0_outer) {
                    if (16*i_outer + 8*a_acc_dim_0_outer + a_acc_dim_0_inner < m) {
                        a_acc_fetch[a_acc_dim_0_inner + 8*a_acc_dim_0_outer + 16*(a_acc_dim_1_inner +
                                16*a_acc_dim_1_outer)] = a[16*i_outer + a_acc_dim_0_inner +
                                8*a_acc_dim_0_outer + m*(32*k_outer + a_acc_dim_1_inner +
                                16*a_acc_dim_1_outer)];  /* dgemm_buffer_none.f90:12 */
                    }
                }
            }
        }
        if (8*j_outer + b_acc_dim_1 < n && b_acc_dim_1 < 8) {
            for (fcl_idx b_acc_dim_0_outer = 0; b_acc_dim_0_outer < 4; ++b_acc_dim_0_outer) {
                if (32*k_outer + 8*b_acc_dim_0_outer + b_acc_dim_0_inner < ell) {
                    b_acc_fetch[b_acc_dim_0_inner + 8*b_acc_dim_0_outer + 32*b_acc_dim_1] = b[32*k_outer +
                            b_acc_dim_0_inner + 8*b_acc_dim_0_outer + ell*(8*j_outer + b_acc_dim_1)];  /* dgemm_buffer_none.f90:12 */
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (8*j_outer + j_inner < n && 16*i_outer + i_inner < m) {
            for (fcl_idx k_inner = 0; k_inner < min((fcl_idx)32, ell - 32*k_outer); ++k_inner) {
                c_buf = c_buf + b_acc_fetch[k_inner + 32*j_inner]*a_acc_fetch[i_inner + 16*k_inner];  /* dgemm_buffer_none.f90:12 */
            }
        }
    }
    if (8*j_outer + j_inner < n && 16*i_outer + i_inner < m && ell >= 1) {
        c[16*i_outer + i_inner + m*(8*j_outer + j_inner)] = c[16*i_outer + i_inner + m*(8*j_outer + j_inner)]
                + c_buf;  /* dgemm_buffer_none.f90:12 */
    }
}
