// Every spelling that programs use reaches a kernel, and what no kernel can do is refused.
#include "exec/lanes.h"

#include <criterion/criterion.h>
#include <stdalign.h>

static struct wm_lane_key key_of(enum wm_ptx_opcode opcode, const enum wm_ptx_modifier *modifiers,
                                 unsigned count)
{
    struct wm_ptx_instruction instruction = {.opcode = opcode, .modifier_count = (uint8_t)count};
    for (unsigned i = 0; i < count; i++)
        instruction.modifiers[i] = (uint8_t)modifiers[i];
    return wm_lane_key_of(&instruction);
}

#define KEY_OF(opcode, ...)                                                 \
    key_of(WM_PTX_OP_##opcode, (const enum wm_ptx_modifier[]){__VA_ARGS__}, \
           sizeof((const enum wm_ptx_modifier[]){__VA_ARGS__}) / sizeof(enum wm_ptx_modifier))

Test(table, first_kernels_compute)
{
    const struct wm_lane_key key = KEY_OF(mad, WM_PTX_lo, WM_PTX_s32);
    alignas(64) uint32_t a[32], b[32], c[32], d[32];
    for (enum wm_lane_isa isa = WM_LANE_C; isa <= wm_lane_best_isa(); isa++) {
        wm_lane_function *function = wm_lane_find(isa, &key);
        cr_assert_not_null(function);
        for (uint32_t l = 0; l < 32; l++)
            a[l] = l, b[l] = 7, c[l] = 100, d[l] = 5;
        function(d, a, b, c, 0x0000fff0u);
        for (uint32_t l = 0; l < 32; l++)
            cr_assert_eq(d[l], l >= 4 && l < 16 ? l * 7 + 100 : 5);
    }
}

Test(table, unknown_modifiers_are_refused)
{
    const struct wm_lane_key key = KEY_OF(add, WM_PTX_cc, WM_PTX_u32);
    cr_assert_null(wm_lane_find(WM_LANE_C, &key));
}
