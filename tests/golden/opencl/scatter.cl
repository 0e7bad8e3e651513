/* Made by fortrancl from scatter. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

static void fcl_atomic_add_double_global(volatile __global double *place, double value)
{
    union { ulong bits; double number; } seen, wanted;
    /* A guess: a plain load beside other work-items' updates would be a race. */
    seen.number = 0;
    for (;;) {
        wanted.number = seen.number + value;
        const ulong before = atom_cmpxchg((volatile __global ulong *)place, seen.bits, wanted.bits);
        if (before == seen.bits) {
            return;
        }
        seen.bits = before;
    }
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void scatter_kernel(
    int n,
    __global const int *restrict m,
    long m_off,
    __global const double *restrict w,
    long w_off,
    __global double *restrict h,
    long h_off)
{
    m += m_off;
    w += w_off;
    h += h_off;
    const fcl_idx io = get_group_id(0);
    const fcl_idx ii = get_local_id(0);
    if (64*io + ii < n) {
        fcl_atomic_add_double_global(&h[m[64*io + ii] - 1], w[64*io + ii]);
    }
}
