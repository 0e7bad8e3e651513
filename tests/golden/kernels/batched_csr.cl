/* Made by fortrancl from batched_csr in batched_csr.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void batched_csr_kernel(
    int nrows,
    int ncols,
    __global const int *restrict rowptr,
    long rowptr_off,
    __global const int *restrict colindices,
    long colindices_off,
    __global const double *restrict values,
    long values_off,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    rowptr += rowptr_off;
    colindices += colindices_off;
    values += values_off;
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    double rowsum[4];
    int k_trip;
    double values_fetch;
    int colindices_fetch;
    if (128*i_outer + i_inner < nrows) {
        for (fcl_idx j = 0; j < 4; ++j) {
            rowsum[j] = 0;  /* batched_csr.f90:13 */
        }
        k_trip = rowptr[i_inner + 128*i_outer + 1] - rowptr[i_inner + 128*i_outer];  /* batched_csr.f90:15 */
        for (fcl_idx k = 0; k < k_trip; ++k) {
            values_fetch = values[rowptr[i_inner + 128*i_outer] + k - 1];  /* batched_csr.f90:17 */
            colindices_fetch = colindices[rowptr[i_inner + 128*i_outer] + k - 1];  /* batched_csr.f90:17 */
            for (fcl_idx j_1 = 0; j_1 < 4; ++j_1) {
                rowsum[j_1] = rowsum[j_1] + x[colindices_fetch - 1 + ncols*j_1]*values_fetch;  /* batched_csr.f90:17 */
            }
        }
        for (fcl_idx j_2 = 0; j_2 < 4; ++j_2) {
            y[i_inner + 128*i_outer + nrows*j_2] = rowsum[j_2];  /* batched_csr.f90:21 */
        }
    }
}
