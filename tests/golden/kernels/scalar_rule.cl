/* Made by fortrancl from scalar_rule in scalar_rule.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void scalar_rule_kernel(
    int n,
    __global const double *restrict inp,
    long inp_off,
    __global double *restrict out,
    long out_off)
{
    inp += inp_off;
    out += out_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (32*i_outer + i_inner < n) {
        for (fcl_idx j = 0; j < 5; ++j) {
            out[i_inner + 32*i_outer] = out[i_inner + 32*i_outer] + (j + 1)*inp[i_inner + 32*i_outer];  /* scalar_rule.f90:13 */
        }
        for (fcl_idx j_1 = 0; j_1 < 3; ++j_1) {
            out[i_inner + 32*i_outer] = out[i_inner + 32*i_outer] - (3*inp[n - (i_inner + 32*i_outer) - 1] +
                    1)/(j_1 + 1);  /* scalar_rule.f90:17 */
        }
    }
}
