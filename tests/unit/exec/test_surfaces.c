// Surface loads, stores and reductions, what becomes of lanes outside, and questions about objects.
#include "exec_harness.h"

static struct harness harness;

static struct {
    struct wm_warp_access accesses[16];
    uint32_t count;
} seen;

static void see(void *context, const struct wm_warp_access *access)
{
    (void)context;
    cr_assert_lt(seen.count, 16);
    seen.accesses[seen.count++] = *access;
}

#define REGISTERS ".reg .b32 %i, %r<12>; .reg .b64 %t, %o, %a; .reg .b16 %h<4>; .reg .f32 %f<4>;\n"
#define KERNEL(body)                                                       \
    ".visible .entry k(.param .u64 surface, .param .u64 to) {\n" REGISTERS \
    "ld.param.u64 %t, [surface]; ld.param.u64 %o, [to]; mov.u32 %i, %tid.x;\n" body "ret;\n}\n"

static uint32_t *start(const char *body)
{
    harness_init(&harness, body, 32, wm_host_best_isa(), false);
    harness.sink.access = see;
    seen.count = 0;
    return harness_allocate(&harness, 4096);
}

static void finish(void)
{
    wm_texture_objects_release(&harness.textures);
    harness_release(&harness);
}

static struct wm_texture surface_of(unsigned dimensions, struct wm_texel_format format,
                                    uint32_t width, uint32_t height, uint32_t slices)
{
    struct wm_texture surface = {.memory = WM_TEXTURE_ARRAY,
                                 .surface = true,
                                 .format = format,
                                 .dimensions = (uint8_t)dimensions,
                                 .level_count = 1};
    surface.levels[0] =
        wm_texel_layout_of(wm_texel_bytes(&format), width, height, slices, dimensions > 1);
    surface.levels[0].address =
        ADDRESS(harness_allocate(&harness, wm_texel_layout_bytes(&surface.levels[0])));
    return surface;
}

static uint32_t word_at(const struct wm_texture *surface, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t word;
    memcpy(&word, (const void *)(uintptr_t)wm_texel_layout_address(&surface->levels[0], x, y, z),
           4);
    return word;
}

static const struct wm_texel_format words = {WM_TEXEL_UNSIGNED, 1, 4};

Test(surfaces, stores_are_loaded_again)
{
    uint32_t *to = start(KERNEL("shl.b32 %r0, %i, 2; add.u32 %r1, %i, 100;\n"
                                "sust.b.3d.b32.trap [%t, {%r0, 3, 1, 1}], {%r1};\n"
                                "suld.b.3d.b32.trap {%r2}, [%t, {%r0, 3, 1, 1}];\n"
                                "mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %o;\n"
                                "st.global.b32 [%a], %r2;\n"));
    struct wm_texture surface = surface_of(3, words, 32, 8, 4);
    uint64_t object = wm_texture_objects_add(&harness.textures, &surface);
    HARNESS_RUN(&harness, "k", 1, 32, object, ADDRESS(to));
    for (uint32_t i = 0; i < 32; i++) {
        cr_assert_eq(to[i], i + 100);
        cr_assert_eq(word_at(&surface, 4 * i, 3, 1), i + 100);
    }
    cr_assert_eq(seen.count, 3);
    cr_assert_eq(seen.accesses[0].kind, WM_ACCESS_STORE);
    cr_assert_eq(seen.accesses[0].space, WM_SPACE_GLOBAL);
    cr_assert_eq(seen.accesses[1].kind, WM_ACCESS_LOAD);
    cr_assert_eq(seen.accesses[1].space, WM_SPACE_TEXTURE);
    cr_assert_eq(seen.accesses[1].bytes_per_lane, 4);
    finish();
}

Test(surfaces, elements_of_all_widths)
{
    uint32_t *to =
        start(KERNEL("mov.b16 %h0, 0x1234; mov.b16 %h1, 0x00ff;\n"
                     "sust.b.1d.v2.b8.trap [%t, 2], {%h0, %h1};\n"
                     "sust.b.1d.b16.trap [%t, {4}], {%h0};\n"
                     "mov.b64 %a, 0x1122334455667788; sust.b.1d.b64.trap [%t, {8}], {%a};\n"
                     "suld.b.1d.v4.b8.trap {%h0, %h1, %h2, %h3}, [%t, {0}];\n"
                     "cvt.u32.u16 %r0, %h2; cvt.u32.u16 %r1, %h3;\n"
                     "suld.b.1d.v2.b64.trap {_, %a}, [%t, {0}];\n"
                     "st.global.v2.b32 [%o], {%r0, %r1}; st.global.b64 [%o+8], %a;\n"));
    struct wm_texture surface = surface_of(1, words, 32, 1, 1);
    uint64_t object = wm_texture_objects_add(&harness.textures, &surface);
    HARNESS_RUN(&harness, "k", 1, 1, object, ADDRESS(to));
    cr_assert_eq(to[0], 0x34);
    cr_assert_eq(to[1], 0xff);
    cr_assert_eq(to[2], 0x55667788);
    cr_assert_eq(to[3], 0x11223344);
    cr_assert_eq(word_at(&surface, 4, 0, 0), 0x1234);
    finish();
}

#define OUTSIDE(mode)                                                               \
    KERNEL("sub.u32 %r0, %i, 2; shl.b32 %r0, %r0, 2; mov.b32 %r2, 5;\n"             \
           "suld.b.2d.b32." mode " {%r2}, [%t, {%r0, 1}];\n"                        \
           "mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %o; st.global.b32 [%a], %r2;\n" \
           "add.u32 %r1, %i, 50; sust.b.2d.b32." mode " [%t, {%r0, 2}], {%r1};\n")

Test(surfaces, lanes_outside)
{
    static const char *const bodies[] = {OUTSIDE("zero"), OUTSIDE("clamp"), OUTSIDE("trap")};
    for (int mode = 0; mode < 3; mode++) {
        uint32_t *to = start(bodies[mode]);
        struct wm_texture surface = surface_of(2, words, 8, 4, 1);
        for (uint32_t x = 0; x < 8; x++) {
            uint32_t value = x + 1;
            memcpy((void *)(uintptr_t)wm_texel_layout_address(&surface.levels[0], 4 * x, 1, 0),
                   &value, 4);
        }
        uint64_t object = wm_texture_objects_add(&harness.textures, &surface);
        HARNESS_LAUNCH(&harness, "k", 1, 12, object, ADDRESS(to));
        cr_assert_eq(harness.fault.kind, mode == 2 ? WM_FAULT_TRAP : WM_FAULT_NONE);
        for (uint32_t i = 0; mode < 2 && i < 12; i++) {
            bool inside = i >= 2 && i < 10;
            uint32_t clamped = i < 2 ? 1 : 8;
            cr_assert_eq(to[i], inside ? i - 1 : mode == 0 ? 0 : clamped);
        }
        // Of several lanes at one place the last wins.
        if (mode < 2) {
            cr_assert_eq(word_at(&surface, 0, 2, 0), 52);
            cr_assert_eq(word_at(&surface, 28, 2, 0), mode == 0 ? 59 : 61);
            cr_assert_eq(seen.accesses[0].active, mode == 0 ? 0x3fc : 0xfff);
        }
        finish();
    }
}

Test(surfaces, formatted_stores_convert)
{
    uint32_t *to = start(KERNEL("mov.b32 %r0, 0x3fc00000; mov.b32 %r1, 0xc0800000;\n"
                                "sust.p.2d.v2.b32.trap [%t, {3, 1}], {%r0, %r1};\n"));
    struct wm_texture surface =
        surface_of(2, (struct wm_texel_format){WM_TEXEL_FLOAT, 2, 2}, 8, 4, 1);
    uint64_t object = wm_texture_objects_add(&harness.textures, &surface);
    HARNESS_RUN(&harness, "k", 1, 1, object, ADDRESS(to));
    cr_assert_eq(word_at(&surface, 12, 1, 0), 0xc4003e00); // -4 and 1.5 as halves
    cr_assert_eq(seen.accesses[0].bytes_per_lane, 4);
    finish();
}

Test(surfaces, reductions_and_layers)
{
    uint32_t *to = start(KERNEL("mov.b32 %r0, 4; and.b32 %r1, %i, 1;\n"
                                "sured.b.add.a2d.u32.trap [%t, {%r1, %r0, 2, 2}], %i;\n"));
    struct wm_texture surface = surface_of(2, words, 8, 4, 2);
    surface.layered = true;
    uint64_t object = wm_texture_objects_add(&harness.textures, &surface);
    HARNESS_RUN(&harness, "k", 1, 32, object, ADDRESS(to));
    cr_assert_eq(word_at(&surface, 4, 2, 0), 2 * (15 * 16 / 2));
    cr_assert_eq(word_at(&surface, 4, 2, 1), 16 * 16);
    cr_assert_eq(seen.accesses[0].kind, WM_ACCESS_REDUCTION);
    finish();
}

Test(surfaces, misaligned_and_wrong_objects_are_faults)
{
    uint32_t *to = start(KERNEL("suld.b.2d.b32.trap {%r0}, [%t, {2, 0}];\n"));
    struct wm_texture surface = surface_of(2, words, 8, 4, 1), texture = surface;
    uint64_t object = wm_texture_objects_add(&harness.textures, &surface);
    HARNESS_LAUNCH(&harness, "k", 1, 1, object, ADDRESS(to));
    cr_assert_eq(harness.fault.kind, WM_FAULT_MISALIGNED);
    texture.surface = false;
    object = wm_texture_objects_add(&harness.textures, &texture);
    HARNESS_LAUNCH(&harness, "k", 1, 1, object, ADDRESS(to));
    cr_assert_eq(harness.fault.kind, WM_FAULT_OUT_OF_BOUNDS);
    finish();
}

Test(surfaces, questions)
{
    uint32_t *to = start(
        KERNEL("suq.width.b32 %r0, [%t]; suq.height.b32 %r1, [%t]; suq.array_size.b32 %r2, [%t];\n"
               "suq.channel_data_type.b32 %r3, [%t]; suq.channel_order.b32 %r4, [%t];\n"
               "st.global.v4.b32 [%o], {%r0, %r1, %r2, %r3}; st.global.b32 [%o+16], %r4;\n"));
    struct wm_texture surface =
        surface_of(2, (struct wm_texel_format){WM_TEXEL_SIGNED, 2, 2}, 9, 5, 3);
    surface.layered = true;
    uint64_t object = wm_texture_objects_add(&harness.textures, &surface);
    HARNESS_RUN(&harness, "k", 1, 1, object, ADDRESS(to));
    static const uint32_t wanted[5] = {9, 5, 3, 0x10d8, 0x10b2};
    for (int i = 0; i < 5; i++)
        cr_assert_eq(to[i], wanted[i]);
    finish();
}
