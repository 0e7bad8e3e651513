/* Made by fortrancl from scatter_add in scatter_add.f90. The launcher chooses FCL_IDX, wide enough for every element. */
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

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void scatter_add_kernel(
    int n,
    __global const int *restrict map,
    long map_off,
    __global const double *restrict x,
    long x_off,
    __global double *restrict s,
    long s_off,
    __global int *restrict most,
    long most_off)
{
    map += map_off;
    x += x_off;
    s += s_off;
    most += most_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (16*i_outer + i_inner < n) {
        fcl_atomic_add_double_global(&s[map[i_inner + 16*i_outer] - 1], x[i_inner + 16*i_outer]);  /* scatter_add.f90:12 */
        atomic_max(&most[map[i_inner + 16*i_outer] - 1], (int)(i_inner + 16*i_outer + 1));  /* scatter_add.f90:13 */
    }
}
