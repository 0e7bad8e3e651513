/* Made by fortrancl from falling in falling.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void falling_kernel(
    int n,
    int m,
    __global const double *restrict a,
    long a_off,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    a += a_off;
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx a_dim_0_inner = get_local_id(0);
    __local double a_fetch[17];
    double y_buf;
    if (8*i_outer + i_inner < n && m >= 2) {
        y_buf = y[8*i_outer + i_inner];  /* falling.f90:11 */
    }
    for (fcl_idx j_outer = 0; j_outer < ((fcl_idx)m + 14)/16; ++j_outer) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (fcl_idx a_dim_0_outer = max((fcl_idx)0, 2*j_outer - ((fcl_idx)m + 6)/8 + 2); a_dim_0_outer < 3;
                ++a_dim_0_outer) {
            if (8*a_dim_0_outer + a_dim_0_inner < 17 && 16*j_outer + 16 < 8*a_dim_0_outer + a_dim_0_inner + m)
                    {
                a_fetch[a_dim_0_inner + 8*a_dim_0_outer] = a[m - 16*j_outer - 17 + a_dim_0_inner +
                        8*a_dim_0_outer];  /* falling.f90:11 */
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (8*i_outer + i_inner < n) {
            for (fcl_idx j_inner = 0; j_inner < min(m - 16*j_outer - 1, (fcl_idx)16); ++j_inner) {
                y_buf = y_buf*0.75 + a_fetch[-j_inner + 16]*x[i_inner + 8*i_outer] - a_fetch[-j_inner + 15];  /* falling.f90:11 */
            }
        }
    }
    if (8*i_outer + i_inner < n && m >= 2) {
        y[8*i_outer + i_inner] = y_buf;  /* falling.f90:11 */
    }
}
