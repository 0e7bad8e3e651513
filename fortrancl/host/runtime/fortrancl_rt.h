/* fortrancl's run-time library, as generated C and C programs see it. C99; no OpenCL header is needed here.
 *
 * Generated code may be used, changed and passed on under any terms; so may this library.
 */
#ifndef FORTRANCL_RT_H
#define FORTRANCL_RT_H

#include <stddef.h>
#include <stdint.h>

/* Its name changes when the structures below do, so that files of different versions do not link. */
extern const int fcl_abi_1;

/* ---- for programs ------------------------------------------------------------------------------------------------ */

/* Called with the number of a failure (654 for FCL654) and its message. Where it returns, the procedure's Fortran body
 * runs instead, as long as no result had reached the host. Without a handler the program ends with status 1. */
typedef void (*fcl_error_handler)(int code, const char *message, void *user);

void fcl_set_error_handler(fcl_error_handler handler, void *user);

/* Between fcl_catch_errors() and fcl_caught_error() on one thread failures are kept instead: fcl_caught_error() gives
 * the first one's number, or 0, and copies its message, blank-padded as Fortran wants it, when length > 0. */
void fcl_catch_errors(void);
int fcl_caught_error(char *message, int64_t length);

/* ---- for generated code ------------------------------------------------------------------------------------------ */

enum { FCL_IN = 1, FCL_OUT = 2, FCL_TEMPORARY = 4 };
enum { FCL_MAX_RANK = 15 };

/* The last extent of an assumed-size array, which nobody knows. */
#define FCL_OPEN INT64_MAX

/* What launchers return. */
enum { FCL_DONE = 0, FCL_RUN_BODY = 1, FCL_FAILED = 2 };

/* One global buffer of a procedure: `base` is i, r, c or l; `kind` the bytes of a value (half of a complex one). */
typedef struct fcl_buffer_info {
    const char *name;
    char base;
    unsigned char kind;
    unsigned char flags;
} fcl_buffer_info;

/* One OpenCL kernel; index 0 is the build with 32-bit indices, 1 the one with 64 bits. */
typedef struct fcl_kernel {
    const char *name;
    void *handle[2];
    long launches;
    double milliseconds;
    struct fcl_kernel *next;
} fcl_kernel;

typedef struct fcl_procedure {
    const int *abi;
    const char *name;
    const char *file;
    int line;
    const unsigned char *source;
    size_t source_length;
    const char *options;
    const fcl_buffer_info *buffers;
    int buffer_count;
    fcl_kernel *kernels;
    int kernel_count;
    /* Kept by the library. */
    int warned;
    void *program[2];
    int failure[2];
    char *failure_text[2];
} fcl_procedure;

/* The part of an array that a call uses: elements first .. last, counted from its first one. */
typedef struct fcl_buffer {
    void *host;
    int64_t first, last;
    int rank;
    int64_t lower[FCL_MAX_RANK], extent[FCL_MAX_RANK];
    int64_t row_first, row_last;
    int has_rows, interleaved;
    void *device;
} fcl_buffer;

typedef struct fcl_run {
    fcl_procedure *procedure;
    fcl_buffer *buffers;
    int failure;
    char *failure_text;
    int failure_line;
    int comparing, wide, read_back;
    fcl_kernel *kernel;
    void *handle;
    unsigned argument;
    size_t global[3], local[3];
    int launched;
    void **events;
    fcl_kernel **event_kernels;
    size_t event_count, event_room;
} fcl_run;

/* A call goes through these in this order; after a failure the rest do nothing, and fcl_end tells. */
int fcl_begin(fcl_run *run, fcl_procedure *procedure, fcl_buffer *buffers);
void fcl_fixed_integer(fcl_run *run, const char *name, int64_t actual, int64_t wanted);
void fcl_fixed_real(fcl_run *run, const char *name, double actual, double wanted);
void fcl_fixed_logical(fcl_run *run, const char *name, int actual, int wanted);
void fcl_require(fcl_run *run, int holds, const char *otherwise, int line);
void fcl_size(fcl_run *run, int64_t value);
void fcl_array(fcl_run *run, int buffer, const void *host, int64_t first, int64_t last);
void fcl_dimension(fcl_run *run, int buffer, int64_t lower, int64_t extent);
void fcl_rows(fcl_run *run, int buffer, int64_t first, int64_t last);
void fcl_temporary(fcl_run *run, int buffer, int64_t count);
void fcl_copy_in(fcl_run *run);
int fcl_launch(fcl_run *run, int kernel, const int64_t groups[3], const int64_t local[3]);
void fcl_pass_buffer(fcl_run *run, int buffer);
void fcl_pass_value(fcl_run *run, size_t size, const void *value);
void fcl_enqueue(fcl_run *run);
int fcl_end(fcl_run *run);

/* After a body that ran for FORTRANCL_COMPARE: `values` are the written buffers in their order. */
void fcl_compare(fcl_procedure *procedure, const void *const *values);

/* ---- Fortran's integer operations -------------------------------------------------------------------------------- */

static inline int64_t fcl_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t fcl_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t fcl_abs(int64_t a)
{
    return a < 0 ? -a : a;
}

/* Rounding down; a zero divisor, which no checked size gives, must not end the program here. */
static inline int64_t fcl_floordiv(int64_t a, int64_t b)
{
    const int64_t quotient = b == 0 ? 0 : a/b;
    return b != 0 && a%b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static inline int64_t fcl_floormod(int64_t a, int64_t b)
{
    return a - fcl_floordiv(a, b)*b;
}

static inline int64_t fcl_power(int64_t base, int64_t exponent)
{
    int64_t result = 1;
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent%2 != 0 ? -1 : 1) : 0;
    }
    for (; exponent > 0; --exponent) {
        result *= base;
    }
    return result;
}

#endif
