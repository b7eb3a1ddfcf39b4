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

// Operand shapes need not be known: every array has 256 bytes, all of d is compared.
static void compare(enum wm_ptx_opcode opcode, const struct wm_lane_entry *oracle,
                    wm_lane_function *function, const char *name)
{
    const bool paired = opcode == WM_PTX_OP_bfi || opcode == WM_PTX_OP_lop3;
    struct wm_random random;
    wm_random_init(&random, oracle->key, wm_ptx_opcode_text(opcode));
    for (unsigned round = 0; round < 40; round++) {
        struct operands o;
        fill(&o.d, &random), fill(&o.a, &random), fill(&o.b, &random);
        fill(&o.c, &random), fill(&o.second, &random);
        o.pair = (struct wm_lane_pair){&o.c, &o.second};
        const uint32_t mask = awkward_mask(&random);
        const void *c = paired ? (const void *)&o.pair : &o.c;
        struct lane_array expected = o.d, got = o.d;
        oracle->function(&expected, &o.a, &o.b, c, mask);
        function(&got, &o.a, &o.b, c, mask);
        for (unsigned i = 0; i < 64; i++)
            cr_assert_eq(got.narrow[i], expected.narrow[i],
                         "%s %s key %llx mask %x word %u: %x, plain C %x (a %x b %x c %x; %llx "
                         "%llx %llx)",
                         name, wm_ptx_opcode_text(opcode), (unsigned long long)oracle->key, mask, i,
                         got.narrow[i], expected.narrow[i], o.a.narrow[i], o.b.narrow[i],
                         o.c.narrow[i], (unsigned long long)o.a.wide[i / 2],
                         (unsigned long long)o.b.wide[i / 2], (unsigned long long)o.c.wide[i / 2]);
        cr_assert_arr_eq(got.guard, expected.guard, sizeof got.guard);
    }
}

static void compare_build(enum wm_lane_isa isa, const struct wm_lane_list *lists)
{
    if (wm_lane_best_isa() < isa)
        cr_skip_test("this processor cannot run %s", wm_lane_isa_name(isa));
    unsigned compared = 0;
    for (unsigned opcode = 0; opcode < WM_PTX_OP_COUNT; opcode++) {
        const struct wm_lane_list *list = &lists[opcode], *oracles = &wm_lane_lists_c[opcode];
        for (unsigned i = 0; i < list->count; i++) {
            const struct wm_lane_entry *oracle = NULL;
            for (unsigned j = 0; j < oracles->count; j++)
                if (oracles->entries[j].key == list->entries[i].key)
                    oracle = &oracles->entries[j];
            cr_assert_not_null(oracle, "%s has a kernel that plain C has not",
                               wm_lane_isa_name(isa));
            compare((enum wm_ptx_opcode)opcode, oracle, list->entries[i].function,
                    wm_lane_isa_name(isa));
            compared++;
        }
    }
    cr_assert_gt(compared, 1000);
}

Test(builds, avx2_equals_plain_c)
{
    compare_build(WM_LANE_AVX2, wm_lane_lists_avx2);
}

Test(builds, avx512_equals_plain_c)
{
    compare_build(WM_LANE_AVX512, wm_lane_lists_avx512);
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
