/* Made by fortrancl from guarded in guarded.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void guarded_kernel(
    int n,
    int limit,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off,
    __global int *restrict k,
    long k_off)
{
    x += x_off;
    y += y_off;
    k += k_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    int p_0;
    int p_1;
    int p_2;
    if (16*i_outer + i_inner < n) {
        p_0 = x[i_inner + 16*i_outer] > 0.5;  /* guarded.f90:11 */
        if (p_0 & 1) {
            y[i_inner + 16*i_outer] = x[i_inner + 16*i_outer] - 0.5;  /* guarded.f90:12 */
            k[i_inner + 16*i_outer] = 1;  /* guarded.f90:13 */
        } else {
            p_1 = x[i_inner + 16*i_outer] > 0.25 && k[i_inner + 16*i_outer] != 3;  /* guarded.f90:14 */
            if (p_1 & 1) {
                y[i_inner + 16*i_outer] = -x[i_inner + 16*i_outer];  /* guarded.f90:15 */
            } else {
                k[i_inner + 16*i_outer] = k[i_inner + 16*i_outer] - 1;  /* guarded.f90:17 */
                if (16*i_outer + i_inner < limit) {
                    y[i_inner + 16*i_outer] = 2*y[i_inner + 16*i_outer];  /* guarded.f90:19 */
                }
                if (limit <= 16*i_outer + i_inner) {
                    y[i_inner + 16*i_outer] = y[i_inner + 16*i_outer]/3;  /* guarded.f90:21 */
                }
            }
        }
        p_2 = ((int)(i_inner + 16*i_outer + 1)%3 == 0) != (k[i_inner + 16*i_outer] == 1);  /* guarded.f90:24 */
        if (p_2 & 1) {
            y[i_inner + 16*i_outer] = y[i_inner + 16*i_outer] + 10;  /* guarded.f90:24 */
        }
    }
}
