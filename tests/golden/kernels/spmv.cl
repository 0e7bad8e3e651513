/* Made by fortrancl from spmv in spmv.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void spmv_kernel(
    int nrow,
    __global const int *restrict rowptr,
    long rowptr_off,
    __global const int *restrict colind,
    long colind_off,
    __global const double *restrict val,
    long val_off,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    rowptr += rowptr_off;
    colind += colind_off;
    val += val_off;
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    double rowsum;
    int k_start;
    int k_trip;
    if (128*i_outer + i_inner < nrow) {
        rowsum = 0.0;  /* spmv.f90:12 */
        k_start = rowptr[i_inner + 128*i_outer];  /* spmv.f90:13 */
        k_trip = rowptr[i_inner + 128*i_outer + 1] - k_start;  /* spmv.f90:13 */
        for (fcl_idx k = 0; k < k_trip; ++k) {
            rowsum = rowsum + val[k_start + k - 1]*x[colind[k_start + k - 1] - 1];  /* spmv.f90:14 */
        }
        y[i_inner + 128*i_outer] = rowsum;  /* spmv.f90:16 */
    }
}
