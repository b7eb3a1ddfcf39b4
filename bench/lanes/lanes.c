// Nanoseconds for one call of a lane kernel (32 lanes), for each build this processor runs: the
// median of several runs with all lanes active, and with half of them. Operations by opcode, or
// only those named on the command line.
#include "exec/lanes/lane_kernels.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 9, CALLS = 20000, LANES = 32 };

struct operation {
    const char *text;
    struct wm_lane_key key;
};

#define OP(opcode_, ...) .key = {.opcode = WM_PTX_OP_##opcode_, __VA_ARGS__}
static const struct operation operations[] = {
    {"add.s32", OP(add, .type = WM_PTX_s32)},
    {"sub.s32", OP(sub, .type = WM_PTX_s32)},
    {"mul.lo.s32", OP(mul, .type = WM_PTX_s32, .mode = WM_PTX_lo)},
    {"mad.lo.s32", OP(mad, .type = WM_PTX_s32, .mode = WM_PTX_lo)},
    {"mul.hi.u32", OP(mul, .type = WM_PTX_u32, .mode = WM_PTX_hi)},
    {"and.b32", OP(and, .type = WM_PTX_b32)},
    {"shl.b32", OP(shl, .type = WM_PTX_b32)},
    {"shr.s32", OP(shr, .type = WM_PTX_s32)},
    {"min.s32", OP(min, .type = WM_PTX_s32)},
    {"mov.b32", OP(mov, .type = WM_PTX_b32)},
    {"selp.b32", OP(selp, .type = WM_PTX_b32)},
    {"setp.lt.s32", OP(setp, .type = WM_PTX_s32, .compare = WM_PTX_lt)},
    {"setp.lt.and.s32", OP(setp, .type = WM_PTX_s32, .compare = WM_PTX_lt, .boolean = WM_PTX_and)},
    {"setp.lt.f32", OP(setp, .type = WM_PTX_f32, .compare = WM_PTX_lt)},
    {"add.f32", OP(add, .type = WM_PTX_f32)},
    {"mul.f32", OP(mul, .type = WM_PTX_f32)},
    {"mul.ftz.f32", OP(mul, .type = WM_PTX_f32, .ftz = true)},
    {"fma.rn.f32", OP(fma, .type = WM_PTX_f32, .rounding = WM_PTX_rn)},
    {"fma.rm.f32", OP(fma, .type = WM_PTX_f32, .rounding = WM_PTX_rm)},
    {"max.f32", OP(max, .type = WM_PTX_f32)},
    {"neg.f32", OP(neg, .type = WM_PTX_f32)},
    {"div.rn.f32", OP(div, .type = WM_PTX_f32, .rounding = WM_PTX_rn)},
    {"sqrt.rn.f32", OP(sqrt, .type = WM_PTX_f32, .rounding = WM_PTX_rn)},
    {"add.s16", OP(add, .type = WM_PTX_s16)},
    {"setp.eq.s16", OP(setp, .type = WM_PTX_s16, .compare = WM_PTX_eq)},
    {"mul.wide.s32", OP(mul, .type = WM_PTX_s32, .mode = WM_PTX_wide)},
    {"mul.wide.u32", OP(mul, .type = WM_PTX_u32, .mode = WM_PTX_wide)},
    {"mad.wide.s32", OP(mad, .type = WM_PTX_s32, .mode = WM_PTX_wide)},
    {"cvt.s64.s32", OP(cvt, .type = WM_PTX_s64, .type2 = WM_PTX_s32)},
    {"cvt.u64.u32", OP(cvt, .type = WM_PTX_u64, .type2 = WM_PTX_u32)},
    {"cvt.u32.u64", OP(cvt, .type = WM_PTX_u32, .type2 = WM_PTX_u64)},
    {"add.s64", OP(add, .type = WM_PTX_s64)},
    {"mul.lo.s64", OP(mul, .type = WM_PTX_s64, .mode = WM_PTX_lo)},
    {"shl.b64", OP(shl, .type = WM_PTX_b64)},
    {"and.b64", OP(and, .type = WM_PTX_b64)},
    {"mov.b64", OP(mov, .type = WM_PTX_b64)},
    {"selp.b64", OP(selp, .type = WM_PTX_b64)},
    {"setp.lt.u64", OP(setp, .type = WM_PTX_u64, .compare = WM_PTX_lt)},
    {"add.f64", OP(add, .type = WM_PTX_f64)},
    {"fma.rn.f64", OP(fma, .type = WM_PTX_f64, .rounding = WM_PTX_rn)},
    {"div.rn.f64", OP(div, .type = WM_PTX_f64, .rounding = WM_PTX_rn)},
    {"setp.lt.f64", OP(setp, .type = WM_PTX_f64, .compare = WM_PTX_lt)},
    {"cvt.rn.f32.s32", OP(cvt, .type = WM_PTX_f32, .type2 = WM_PTX_s32, .rounding = WM_PTX_rn)},
    {"cvt.rn.f64.s32", OP(cvt, .type = WM_PTX_f64, .type2 = WM_PTX_s32, .rounding = WM_PTX_rn)},
    {"cvt.rzi.s32.f32", OP(cvt, .type = WM_PTX_s32, .type2 = WM_PTX_f32, .rounding = WM_PTX_rzi)},
    {"cvt.f64.f32", OP(cvt, .type = WM_PTX_f64, .type2 = WM_PTX_f32)},
    {"cvt.sat.f32.f32", OP(cvt, .type = WM_PTX_f32, .type2 = WM_PTX_f32, .sat = true)},
    {"div.u32", OP(div, .type = WM_PTX_u32)},
    {"rem.u32", OP(rem, .type = WM_PTX_u32)},
    {"div.s64", OP(div, .type = WM_PTX_s64)},
    {"shf.l.wrap.b32", OP(shf, .type = WM_PTX_b32, .mode = WM_PTX_l, .mode2 = WM_PTX_wrap)},
    {"prmt.b32", OP(prmt, .type = WM_PTX_b32)},
    {"popc.b32", OP(popc, .type = WM_PTX_b32)},
    {"clz.b32", OP(clz, .type = WM_PTX_b32)},
    {"bfe.u32", OP(bfe, .type = WM_PTX_u32)},
    {"div.full.f32", OP(div, .type = WM_PTX_f32, .mode = WM_PTX_full)},
    {"ex2.approx.f32", OP(ex2, .type = WM_PTX_f32, .mode = WM_PTX_approx)},
    {"lg2.approx.f32", OP(lg2, .type = WM_PTX_f32, .mode = WM_PTX_approx)},
    {"sin.approx.f32", OP(sin, .type = WM_PTX_f32, .mode = WM_PTX_approx)},
    {"rsqrt.approx.f32", OP(rsqrt, .type = WM_PTX_f32, .mode = WM_PTX_approx)},
    {"and.pred", OP(and, .type = WM_PTX_pred)},
};

struct arrays {
    alignas(64) uint64_t d[LANES];
    alignas(64) uint64_t a[LANES];
    alignas(64) uint64_t b[LANES];
    alignas(64) uint64_t c[LANES];
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double nanoseconds(wm_lane_function *function, struct arrays *arrays, uint32_t mask)
{
    double runs[RUNS];
    for (unsigned run = 0; run < RUNS; run++) {
        const double start = seconds();
        for (unsigned call = 0; call < CALLS; call++)
            function(arrays->d, arrays->a, arrays->b, arrays->c, mask);
        runs[run] = (seconds() - start) / CALLS * 1e9;
    }
    qsort(runs, RUNS, sizeof runs[0], by_value);
    return runs[RUNS / 2];
}

static int wanted(const char *text, int count, char **names)
{
    for (int i = 1; i < count; i++)
        if (strcmp(text, names[i]) == 0)
            return 1;
    return count == 1;
}

int main(int argc, char **argv)
{
    static struct arrays arrays;
    for (unsigned l = 0; l < LANES; l++) {
        arrays.a[l] = 0x3ff12345u * (uint64_t)0x100000001u + l;
        arrays.b[l] = 0x3fe54321u * (uint64_t)0x100000001u + 3 * l;
        arrays.c[l] = 0x400abcdeu * (uint64_t)0x100000001u + 7 * l;
    }
    const enum wm_lane_isa best = wm_host_best_isa();
    printf("%-18s", "ns a call");
    for (enum wm_lane_isa isa = WM_HOST_C; isa <= best; isa++)
        printf(" %9s %9s", wm_host_isa_name(isa), "half");
    printf("\n");
    for (unsigned i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (!wanted(operations[i].text, argc, argv))
            continue;
        printf("%-18s", operations[i].text);
        for (enum wm_lane_isa isa = WM_HOST_C; isa <= best; isa++) {
            wm_lane_function *function = wm_lane_find(isa, &operations[i].key);
            if (!function) {
                fprintf(stderr, "\nno kernel for %s\n", operations[i].text);
                return 1;
            }
            printf(" %9.2f %9.2f", nanoseconds(function, &arrays, UINT32_MAX),
                   nanoseconds(function, &arrays, 0x5555aaaau));
        }
        printf("\n");
    }
    return 0;
}
