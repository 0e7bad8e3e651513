/* Made by fortrancl from scalar_rule_within in scalar_rule_within.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void scalar_rule_within_kernel(
    int n,
    __global const double *restrict inp,
    long inp_off,
    __global double *restrict out,
    long out_off,
    __global double *restrict more,
    long more_off)
{
    inp += inp_off;
    out += out_off;
    more += more_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    double a;
    if (32*i_outer + i_inner < n) {
        a = sqrt(fabs(inp[i_inner + 32*i_outer]));  /* scalar_rule_within.f90:11 */
        out[i_inner + 32*i_outer] = out[i_inner + 32*i_outer] + 2*sqrt(fabs(inp[i_inner + 32*i_outer]));  /* scalar_rule_within.f90:13 */
        more[i_inner + 32*i_outer] = a - out[i_inner + 32*i_outer];  /* scalar_rule_within.f90:15 */
    }
}
