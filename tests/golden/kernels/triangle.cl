/* Made by fortrancl from triangle in triangle.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void triangle_kernel(
    int n,
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
    double y_buf;
    if (8*i_outer + i_inner < n) {
        y_buf = y[8*i_outer + i_inner];  /* triangle.f90:11 */
        for (fcl_idx j_outer = 0; j_outer < min((fcl_idx)((n - 1)/4) + 1, 2*i_outer + 2); ++j_outer) {
            for (fcl_idx j_inner = 0; j_inner < min(8*i_outer + i_inner - 4*j_outer + 1, (fcl_idx)4);
                    ++j_inner) {
                y_buf = y_buf + a[j_inner + 4*j_outer + n*(i_inner + 8*i_outer)]*x[j_inner + 4*j_outer];  /* triangle.f90:11 */
            }
        }
    }
    for (fcl_idx j_1 = 0; j_1 < -4*i_outer + n/2; ++j_1) {
        if (8*i_outer + 2*j_1 + i_inner + 1 < n) {
            y_buf = y_buf - a[n - 2*j_1 - 1 + n*(i_inner + 8*i_outer)]/x[n - 2*j_1 - 1];  /* triangle.f90:14 */
        }
    }
    if (8*i_outer + i_inner < n) {
        y[8*i_outer + i_inner] = y_buf;  /* triangle.f90:11 */
    }
}
