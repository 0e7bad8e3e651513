/* Made by fortrancl from kinds in kinds.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static int fcl_floormod_int(int a, int b)
{
    const int r = a%b;
    return ((r != 0) && ((r < 0) != (b < 0))) ? r + b : r;
}

static int fcl_ishft_int(int a, int by)
{
    if (by >= 0) {
        return by >= 32 ? 0 : (int)((uint)a << by);
    }
    return by <= -32 ? 0 : (int)((uint)a >> -by);
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void kinds_kernel(
    int n,
    __global char *restrict i1,
    long i1_off,
    __global short *restrict i2,
    long i2_off,
    __global int *restrict i4,
    long i4_off,
    __global long *restrict i8,
    long i8_off,
    __global float *restrict r4,
    long r4_off,
    __global double *restrict r8,
    long r8_off,
    __global int *restrict flag,
    long flag_off,
    int on)
{
    i1 += i1_off;
    i2 += i2_off;
    i4 += i4_off;
    i8 += i8_off;
    r4 += r4_off;
    r8 += r8_off;
    flag += flag_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    float t;
    int p_0;
    if (16*i_outer + i_inner < n) {
        t = r4[i_inner + 16*i_outer]*r4[i_inner + 16*i_outer] + 0.1f;  /* kinds.f90:17 */
        flag[i_inner + 16*i_outer] = (((flag[i_inner + 16*i_outer] & 1) && (on & 1)) || t > 0.5f) ==
                (i4[i_inner + 16*i_outer] >= 0);  /* kinds.f90:18 */
        i8[i_inner + 16*i_outer] = i8[i_inner + 16*i_outer]*i4[i_inner + 16*i_outer] + i2[i_inner +
                16*i_outer]/3;  /* kinds.f90:19 */
        i4[i_inner + 16*i_outer] = i4[i_inner + 16*i_outer]%7 + fcl_floormod_int(i4[i_inner + 16*i_outer],
                7)*8 + fcl_ishft_int(i4[i_inner + 16*i_outer] & 12, 4);  /* kinds.f90:20 */
        i2[i_inner + 16*i_outer] = i2[i_inner + 16*i_outer]/4 - i1[i_inner + 16*i_outer];  /* kinds.f90:21 */
        i1[i_inner + 16*i_outer] = -i1[i_inner + 16*i_outer];  /* kinds.f90:22 */
        r8[i_inner + 16*i_outer] = r8[i_inner + 16*i_outer]/3 + t;  /* kinds.f90:23 */
        r4[i_inner + 16*i_outer] = t*t - 2.5f*i4[i_inner + 16*i_outer];  /* kinds.f90:24 */
        p_0 = flag[i_inner + 16*i_outer] & 1;  /* kinds.f90:25 */
        if (p_0 & 1) {
            r8[i_inner + 16*i_outer] = r8[i_inner + 16*i_outer] + 0.1f;  /* kinds.f90:25 */
        }
    }
}
