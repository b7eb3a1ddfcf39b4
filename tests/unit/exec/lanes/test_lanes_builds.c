// The AVX2 and AVX-512 builds give the bits of plain C for every operation in the table.
#include "exec/lanes/lane_kernels.h"
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <string.h>

struct operands {
    struct lane_array d, a, b, c, second;
    struct wm_lane_pair pair;
    uint32_t mask;
};

static void fill(struct lane_array *array, struct wm_random *random)
{
    static const unsigned widths[] = {16, 32, 32, 64, 64};
    const unsigned bits = widths[wm_random_below(random, 5)];
    const bool is_float = wm_random_below(random, 4) != 0;
    for (unsigned i = 0; i < 2 * LANES; i++) {
        array->narrow[i] = (uint32_t)awkward_value(random, bits == 64 ? 32 : bits, is_float);
        if (bits == 16)
            array->narrow[i] |= (uint32_t)awkward_value(random, 16, is_float) << 16;
    }
    for (unsigned l = 0; bits == 64 && l < LANES; l++)
        array->wide[l] = awkward_value(random, 64, is_float);
    for (unsigned i = 0; i < 8; i++)
        array->guard[i] = wm_random_u64(random);
}

struct trial {
    const char *opcode, *build;
    uint64_t key;
    wm_lane_function *oracle, *function;
    bool paired; // the third source is a struct wm_lane_pair
    bool sum;    // the destination is a struct wm_lane_sum; its carry lies in the array's guard
};

static void expect_equal(const struct trial *trial, const struct operands *o,
                         const struct lane_array *got, const struct lane_array *expected,
                         const char *where)
{
    for (unsigned i = 0; i < 2 * LANES; i++)
        cr_assert_eq(got->narrow[i], expected->narrow[i],
                     "%s %s key %llx %s mask %x word %u: %x, plain C %x (a %x b %x c %x; %llx %llx "
                     "%llx)",
                     trial->build, trial->opcode, (unsigned long long)trial->key, where, o->mask, i,
                     got->narrow[i], expected->narrow[i], o->a.narrow[i], o->b.narrow[i],
                     o->c.narrow[i], (unsigned long long)o->a.wide[i / 2],
                     (unsigned long long)o->b.wide[i / 2], (unsigned long long)o->c.wide[i / 2]);
    cr_assert_arr_eq(got->guard, expected->guard, sizeof got->guard);
}

static void call(const struct trial *trial, wm_lane_function *function, struct operands *o,
                 struct lane_array *d)
{
    struct wm_lane_sum sum = {d, (uint32_t *)d->guard};
    o->pair = (struct wm_lane_pair){&o->c, &o->second};
    function(trial->sum ? (void *)&sum : d, &o->a, &o->b,
             trial->paired ? (const void *)&o->pair : &o->c, o->mask);
}

enum { ROUNDS = 40, SOURCES = 3 };

static void draw(struct operands *o, struct wm_random *random)
{
    fill(&o->d, random), fill(&o->a, random), fill(&o->b, random);
    fill(&o->c, random), fill(&o->second, random);
    o->mask = awkward_mask(random);
}

static struct lane_array *source(struct operands *o, unsigned index)
{
    struct lane_array *sources[SOURCES] = {&o->a, &o->b, &o->c};
    return sources[index];
}

// Which sources the destination may be: those with which plain C gives the same as with arrays of
// their own, in every round; by chance it does in some for a destination of another width, which
// runs into lanes not yet read.
static void find_places(const struct trial *trial, bool in_place[SOURCES])
{
    struct wm_random random;
    wm_random_init(&random, trial->key, trial->opcode);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned index = round % SOURCES;
        struct operands apart, plain;
        draw(&apart, &random);
        plain = apart;
        struct lane_array expected = *source(&apart, index);
        call(trial, trial->oracle, &apart, &expected);
        call(trial, trial->oracle, &plain, source(&plain, index));
        in_place[index] &=
            memcmp(expected.narrow, source(&plain, index)->narrow, sizeof expected.narrow) == 0;
    }
}

static void compare_in_place(const struct trial *trial, const struct operands *o, unsigned index)
{
    struct operands apart = *o, fast = *o;
    struct lane_array expected = *source(&apart, index);
    call(trial, trial->oracle, &apart, &expected);
    call(trial, trial->function, &fast, source(&fast, index));
    expect_equal(trial, o, source(&fast, index), &expected, "in place");
}

// Operand shapes need not be known: every array has 256 bytes, all of d is compared.
static void compare(const struct trial *trial)
{
    bool in_place[SOURCES] = {true, true, true};
    find_places(trial, in_place);
    struct wm_random random;
    wm_random_init(&random, trial->key, trial->opcode);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct operands o;
        draw(&o, &random);
        struct lane_array expected = o.d, got = o.d;
        call(trial, trial->oracle, &o, &expected);
        call(trial, trial->function, &o, &got);
        expect_equal(trial, &o, &got, &expected, "");
        if (in_place[round % SOURCES])
            compare_in_place(trial, &o, round % SOURCES);
    }
}

static void compare_build(enum wm_lane_isa isa, const struct wm_lane_list *lists)
{
    if (wm_host_best_isa() < isa)
        cr_skip_test("this processor cannot run %s", wm_host_isa_name(isa));
    unsigned compared = 0;
    for (unsigned opcode = 0; opcode < WM_PTX_OP_COUNT; opcode++) {
        const struct wm_lane_list *list = &lists[opcode], *oracles = &wm_lane_lists_c[opcode];
        for (unsigned i = 0; i < list->count; i++) {
            const struct wm_lane_entry *oracle = NULL;
            for (unsigned j = 0; j < oracles->count; j++)
                if (oracles->entries[j].key == list->entries[i].key)
                    oracle = &oracles->entries[j];
            cr_assert_not_null(oracle, "%s has a kernel that plain C has not",
                               wm_host_isa_name(isa));
            const struct trial trial = {
                .opcode = wm_ptx_opcode_text((enum wm_ptx_opcode)opcode),
                .build = wm_host_isa_name(isa),
                .key = oracle->key,
                .oracle = oracle->function,
                .function = list->entries[i].function,
                .paired = opcode == WM_PTX_OP_bfi || opcode == WM_PTX_OP_lop3,
                .sum = opcode == WM_PTX_OP_addc || opcode == WM_PTX_OP_subc ||
                       (oracle->key >> 40 & 0xff) == WM_PTX_cc,
            };
            compare(&trial);
            compared++;
        }
    }
    cr_assert_gt(compared, 1000);
}

Test(builds, avx2_equals_plain_c)
{
    compare_build(WM_HOST_AVX2, wm_lane_lists_avx2);
}

Test(builds, avx512_equals_plain_c)
{
    compare_build(WM_HOST_AVX512, wm_lane_lists_avx512);
}

Test(builds, no_key_twice)
{
    for (unsigned opcode = 0; opcode < WM_PTX_OP_COUNT; opcode++) {
        const struct wm_lane_list *list = &wm_lane_lists_c[opcode];
        for (unsigned i = 0; i < list->count; i++)
            for (unsigned j = i + 1; j < list->count; j++)
                cr_assert_neq(list->entries[i].key, list->entries[j].key, "%s %u %u",
                              wm_ptx_opcode_text((enum wm_ptx_opcode)opcode), i, j);
    }
}
