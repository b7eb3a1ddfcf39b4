// Every listed special register, in each thread of several blocks of several warps.
#include "coverage.h"
#include "exec_harness.h"
#include "forms.h"

enum { BLOCKS = 3, THREADS = 80, WARPS = 3, DYNAMIC = 300, POISON = 0x5EED };

// Where a thread is.
struct place {
    uint32_t block, thread;
};

struct expectation {
    const char *name;
    uint64_t (*value)(struct place place);
};

static uint64_t zero(struct place place)
{
    (void)place;
    return 0;
}

static uint64_t one(struct place place)
{
    (void)place;
    return 1;
}

static uint64_t thread(struct place place)
{
    return place.thread;
}

static uint64_t threads(struct place place)
{
    (void)place;
    return THREADS;
}

static uint64_t block(struct place place)
{
    return place.block;
}

static uint64_t blocks(struct place place)
{
    (void)place;
    return BLOCKS;
}

static uint64_t lane(struct place place)
{
    return place.thread % 32;
}

static uint64_t warp(struct place place)
{
    return place.thread / 32;
}

static uint64_t warps(struct place place)
{
    (void)place;
    return WARPS;
}

static uint64_t warp_size(struct place place)
{
    (void)place;
    return 32;
}

// The harness starts block b on SM b % 2 of two.
static uint64_t sm(struct place place)
{
    return place.block % 2;
}

static uint64_t sms(struct place place)
{
    (void)place;
    return 2;
}

static uint64_t equal(struct place place)
{
    return UINT64_C(1) << lane(place);
}

static uint64_t less(struct place place)
{
    return equal(place) - 1;
}

static uint64_t less_or_equal(struct place place)
{
    return less(place) | equal(place);
}

static uint64_t greater(struct place place)
{
    return UINT32_MAX & ~less_or_equal(place);
}

static uint64_t greater_or_equal(struct place place)
{
    return UINT32_MAX & ~less(place);
}

static uint64_t dynamic(struct place place)
{
    (void)place;
    return DYNAMIC;
}

// Of a kernel without other shared memory, in units of sm_75.
static uint64_t total(struct place place)
{
    (void)place;
    return 512;
}

static uint64_t reserved(struct place place)
{
    (void)place;
    return (DYNAMIC + 127) / 128 * 128;
}

static uint64_t reserved_second(struct place place)
{
    return reserved(place) + 512;
}

static uint64_t reserved_end(struct place place)
{
    return reserved(place) + 1024;
}

static uint64_t reserved_most(struct place place)
{
    (void)place;
    return 1024;
}

// A cluster is one block; nothing is counted or recorded in a graph; no driver.
static const struct expectation expectations[] = {
    {"%tid.x", thread},
    {"%tid.y", zero},
    {"%tid.z", zero},
    {"%ntid.x", threads},
    {"%ntid.y", one},
    {"%ntid.z", one},
    {"%ctaid.x", block},
    {"%ctaid.y", zero},
    {"%ctaid.z", zero},
    {"%nctaid.x", blocks},
    {"%nctaid.y", one},
    {"%nctaid.z", one},
    {"%clusterid.x", block},
    {"%clusterid.y", zero},
    {"%clusterid.z", zero},
    {"%nclusterid.x", blocks},
    {"%nclusterid.y", one},
    {"%nclusterid.z", one},
    {"%cluster_nctaid.x", one},
    {"%cluster_nctaid.y", one},
    {"%cluster_nctaid.z", one},
    {"%cluster_nctarank", one},
    {"%laneid", lane},
    {"%warpid", warp},
    {"%nwarpid", warps},
    {"%smid", sm},
    {"%nsmid", sms},
    {"WARP_SZ", warp_size},
    {"%lanemask_eq", equal},
    {"%lanemask_lt", less},
    {"%lanemask_le", less_or_equal},
    {"%lanemask_gt", greater},
    {"%lanemask_ge", greater_or_equal},
    {"%dynamic_smem_size", dynamic},
    {"%total_smem_size", total},
    {"%aggr_smem_size", total},
    {"%reserved_smem_offset_begin", reserved},
    {"%reserved_smem_offset_0", reserved},
    {"%reserved_smem_offset_1", reserved_second},
    {"%reserved_smem_offset_end", reserved_end},
    {"%reserved_smem_offset_cap", reserved_most},
};

static uint64_t (*value_of(const char *name))(struct place place)
{
    for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++)
        if (strcmp(expectations[i].name, name) == 0)
            return expectations[i].value;
    return zero;
}

static char *source_of(const char *form)
{
    struct wm_text text;
    bool wide = strstr(form, "%d0"), predicate = strstr(form, "%p0");
    wm_text_init(&text);
    wm_text_format(
        &text,
        ".visible .entry k(.param .u64 out) {\n.reg .b64 %%d<4>, %%a, %%o; "
        ".reg .b32 %%r<4>, %%t, %%b; .reg .pred %%p<2>;\n"
        "ld.param.u64 %%a, [out]; mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x;\n"
        "mad.lo.u32 %%t, %%b, %u, %%t; mul.wide.u32 %%o, %%t, 8; add.u64 %%a, %%a, %%o;\n"
        "mov.b64 %%d0, %u; mov.b32 %%r0, %u; setp.eq.u32 %%p0, 0, 0;\n%s;\n",
        THREADS, POISON, POISON, form);
    if (predicate)
        wm_text_add(&text, "selp.b32 %r0, 1, 0, %p0;\n");
    if (!wide)
        wm_text_add(&text, "cvt.u64.u32 %d0, %r0;\n");
    wm_text_add(&text, "st.global.u64 [%a], %d0; ret;\n}\n");
    return wm_text_take(&text);
}

static bool is_time(const char *name)
{
    return strncmp(name, "%clock", 6) == 0 || strncmp(name, "%globaltimer", 12) == 0;
}

// Time goes on: between the first instruction and the last one.
static void expect_time(const char *name, uint64_t value, uint64_t instructions)
{
    bool high = strstr(name, "_hi");
    cr_assert(high ? value == 0 : value > 0 && value < instructions, "%s is %llu of %llu", name,
              (unsigned long long)value, (unsigned long long)instructions);
}

static void check(void *context, const char *form)
{
    unsigned *count = context;
    struct harness harness;
    const char *name = strstr(form, ", ") ? strstr(form, ", ") + 2 : "";
    if (strncmp(form, "mov.", 4) != 0 || (name[0] != '%' && strcmp(name, "WARP_SZ") != 0) ||
        (name[0] == '%' && strchr("rdhpq", name[1]) && name[2] >= '0' && name[2] <= '9'))
        return;
    char *source = source_of(form);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    free(source);
    harness.dynamic_shared = DYNAMIC;
    uint64_t *out = harness_allocate(&harness, sizeof(uint64_t[BLOCKS * THREADS]));
    HARNESS_RUN(&harness, "k", BLOCKS, THREADS, ADDRESS(out));
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++) {
        struct place place = {i / THREADS, i % THREADS};
        if (is_time(name))
            expect_time(name, out[i], harness.result.warp_instructions);
        else
            cr_assert_eq(out[i], value_of(name)(place), "%s of block %u, thread %u: %llx", name,
                         place.block, place.thread, (unsigned long long)out[i]);
    }
    harness_release(&harness);
    ++*count;
}

Test(form_special, registers_tell_what_the_launch_is)
{
    unsigned count = 0;
    cr_assert(forms_each("isa.txt", check, &count));
    cr_assert_geq(count, 70);
}
