// Textures of several images: layers, cubemaps, mipmaps; gathers; formats and what becomes of them
// in registers. Texels are numbered, so that a result says where it came from.
#include "exec_harness.h"

static struct harness harness;

enum { THREADS = 64 };

#define REGISTERS                                                                      \
    ".reg .pred %p; .reg .b32 %i, %r<12>; .reg .b64 %t, %o, %c, %a; .reg .f32 %f<16>;" \
    ".reg .b16 %h<4>;\n"

// Each thread takes eight words of `from` and writes four to `to`.
#define KERNEL(body)                                                                         \
    ".visible .entry k(.param .u64 texture, .param .u64 to, .param .u64 from) {\n" REGISTERS \
    "ld.param.u64 %t, [texture]; ld.param.u64 %o, [to]; ld.param.u64 %c, [from];\n"          \
    "mov.u32 %i, %tid.x; mul.wide.u32 %a, %i, 16; add.u64 %o, %o, %a;\n"                     \
    "mul.wide.u32 %a, %i, 32; add.u64 %c, %c, %a;\n"                                         \
    "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%c]; ld.global.v4.f32 {%f4, %f5, %f6, %f7}, "   \
    "[%c+16];\n"                                                                             \
    "mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;\n" body "ret;\n}\n"
#define RESULTS "{%r4, %r5, %r6, %r7}"
#define STORE "st.global.v4.b32 [%o], {%r4, %r5, %r6, %r7};\n"
#define FETCH(form, rest) KERNEL(form ".v4.u32.f32 " RESULTS ", " rest ";\n" STORE)

struct words {
    union {
        uint32_t bits[8];
        float values[8];
    };
};

struct answer {
    union {
        uint32_t bits[4];
        float values[4];
    };
};

static struct words *from;
static struct answer *to;

static void start(const char *body)
{
    harness_init(&harness, body, 32, wm_host_best_isa(), false);
    from = harness_allocate(&harness, THREADS * sizeof *from);
    to = harness_allocate(&harness, THREADS * sizeof *to);
}

static void finish(void)
{
    wm_texture_objects_release(&harness.textures);
    harness_release(&harness);
}

// Floats: 10000 × level + 1000 × slice + 100 × row + column.
static struct wm_texture numbered(unsigned dimensions, const uint32_t size[3], uint32_t levels)
{
    struct wm_texture texture = {.memory = WM_TEXTURE_ARRAY,
                                 .format = {WM_TEXEL_FLOAT, 1, 4},
                                 .dimensions = (uint8_t)dimensions,
                                 .level_count = levels,
                                 .mipmap_most = 100};
    for (int d = 0; d < 3; d++)
        texture.address[d] = WM_ADDRESS_CLAMP;
    for (uint32_t l = 0; l < levels; l++) {
        struct wm_texel_layout *level = &texture.levels[l];
        *level = wm_texel_layout_of(4, size[0] >> l, size[1] >> l ? size[1] >> l : 1, size[2],
                                    dimensions > 1);
        level->address = ADDRESS(harness_allocate(&harness, wm_texel_layout_bytes(level)));
        for (uint32_t z = 0; z < level->slices; z++)
            for (uint32_t y = 0; y < level->height; y++)
                for (uint32_t x = 0; x < level->width; x++) {
                    float value = (float)(10000 * l + 1000 * z + 100 * y + x);
                    memcpy((void *)(uintptr_t)wm_texel_layout_address(level, 4 * x, y, z), &value,
                           4);
                }
    }
    return texture;
}

static void run(const struct wm_texture *texture, uint32_t threads)
{
    uint64_t object = wm_texture_objects_add(&harness.textures, texture);
    HARNESS_RUN(&harness, "k", 1, threads, object, ADDRESS(to), ADDRESS(from));
}

Test(texture_kinds, layers_are_clamped)
{
    static const uint32_t size[3] = {8, 4, 5};
    start(FETCH("tex.a2d", "[%t, {%r0, %f1, %f2, %f2}]"));
    struct wm_texture texture = numbered(2, size, 1);
    texture.layered = true;
    for (int i = 0; i < 8; i++) {
        from[i].bits[0] = (uint32_t)(i - 1);
        from[i].values[1] = 3.5f;
        from[i].values[2] = 2.5f;
    }
    run(&texture, 8);
    for (int i = 0; i < 8; i++) {
        int layer = i < 1 ? 0 : i > 5 ? 4 : i - 1;
        cr_assert_eq(to[i].values[0], (float)(1000 * layer + 203));
    }
    finish();
}

Test(texture_kinds, layers_of_lines)
{
    static const uint32_t size[3] = {8, 1, 3};
    start(FETCH("tex.a1d", "[%t, {%r0, %f1}]"));
    struct wm_texture texture = numbered(1, size, 1);
    texture.layered = texture.linear = true;
    from[0].bits[0] = 2;
    from[0].values[1] = 4.0f;
    run(&texture, 1);
    cr_assert_eq(to[0].values[0], 2003.5f);
    finish();
}

// The table of the Programming Guide, a direction for each face: {x, y, z}, face, column and row.
Test(texture_kinds, faces_of_cubemaps)
{
    static const struct {
        float direction[3];
        int face, column, row;
    } faces[] = {
        // s = -z, t = -y: of z = -0.5 and y = 0.25 columns 3/4 and rows 3/8 of 8.
        {{1, 0.25f, -0.5f}, 0, 6, 3}, {{-1, 0.25f, -0.5f}, 1, 2, 3}, {{0.5f, 1, 0.25f}, 2, 6, 5},
        {{0.5f, -1, 0.25f}, 3, 6, 3}, {{0.5f, 0.25f, 1}, 4, 6, 3},   {{0.5f, 0.25f, -1}, 5, 2, 3},
        {{4, 1, -2}, 0, 6, 3},        {{0.1f, 0.1f, 0.1f}, 0, 0, 0},
    };
    static const uint32_t size[3] = {8, 8, 12};
    start(FETCH("tex.acube", "[%t, {%r3, %f0, %f1, %f2}]"));
    struct wm_texture texture = numbered(2, size, 1);
    texture.layered = texture.cubemap = true;
    for (int i = 0; i < 16; i++) {
        memcpy(from[i].values, faces[i % 8].direction, 12);
        from[i].bits[3] = (uint32_t)i / 8;
    }
    run(&texture, 16);
    for (int i = 0; i < 16; i++) {
        int wanted =
            1000 * (faces[i % 8].face + i / 8 * 6) + 100 * faces[i % 8].row + faces[i % 8].column;
        cr_assert_eq(to[i].values[0], (float)wanted, "%d: %g, not %d", i, (double)to[i].values[0],
                     wanted);
    }
    finish();
}

Test(texture_kinds, gathers_in_their_order)
{
    static const uint32_t size[3] = {8, 8, 1};
    start(FETCH("tld4.r.2d", "[%t, {%f0, %f1}]"));
    struct wm_texture texture = numbered(2, size, 1);
    from[0].values[0] = 3.0f; // between columns 2 and 3, rows 4 and 5
    from[0].values[1] = 5.0f;
    from[1].values[0] = 3.5f; // in the middle of column 3: its right neighbour is read, too
    from[1].values[1] = 5.5f;
    from[2].values[0] = 0.0f;
    from[2].values[1] = 8.0f;
    run(&texture, 3);
    static const float wanted[3][4] = {
        {502, 503, 403, 402}, {603, 604, 504, 503}, {700, 700, 700, 700}};
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 4; c++)
            cr_assert_eq(to[i].values[c], wanted[i][c]);
    finish();
}

Test(texture_kinds, levels_and_what_lies_between)
{
    static const uint32_t size[3] = {16, 16, 1};
    static const struct {
        float level, point, linear;
    } cases[] = {
        {-3, 0, 0},
        {0, 0, 0},
        {0.25f, 0, 2500},
        {0.5f, 10000, 5000},
        {1.75f, 20000, 17500},
        {4, 30000, 30000},
        {1.0f / 1024, 0, 0},
    };
    enum { CASES = sizeof cases / sizeof cases[0] };
    start(FETCH("tex.level.2d", "[%t, {%f0, %f1}], %f4"));
    struct wm_texture texture = numbered(2, size, 4);
    texture.normalized = true;
    for (int i = 0; i < CASES; i++)
        from[i].values[4] = cases[i].level;
    run(&texture, CASES);
    for (int i = 0; i < CASES; i++)
        cr_assert_eq(to[i].values[0], cases[i].point);
    texture.mipmap_linear = true;
    run(&texture, CASES);
    for (int i = 0; i < CASES; i++)
        cr_assert_eq(to[i].values[0], cases[i].linear);
    // A bias, then the range.
    texture.mipmap_bias = 1;
    texture.mipmap_most = 1.5f;
    run(&texture, CASES);
    cr_assert_eq(to[1].values[0], 10000);
    cr_assert_eq(to[4].values[0], 15000);
    finish();
}

Test(texture_kinds, gradients_choose_levels)
{
    static const uint32_t size[3] = {16, 16, 1};
    start(FETCH("tex.grad.2d", "[%t, {%f0, %f1}], {%f4, %f5}, {%f6, %f7}"));
    struct wm_texture texture = numbered(2, size, 4);
    texture.normalized = true;
    from[0].values[4] = 4.0f / 16; // four texels along x: level 2
    from[1].values[7] = 2.0f / 16; // two along y: level 1
    from[2].values[4] = 3.0f / 16; // a hypotenuse of five, less than eight along y
    from[2].values[5] = 4.0f / 16;
    from[2].values[6] = 8.0f / 16;
    run(&texture, 4);
    static const float wanted[4] = {20000, 10000, 30000, 0};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(to[i].values[0], wanted[i]);
    finish();
}

// --- Formats ---

struct format {
    struct wm_texel_format format;
    bool to_float, srgb;
    unsigned char bytes[16];
    uint32_t bits[4];
};

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

Test(texture_kinds, formats)
{
    const uint32_t one = bits_of(1);
    const struct format formats[] = {
        {{WM_TEXEL_UNSIGNED, 1, 1}, false, false, {0xfe}, {0xfe, 0, 0, 1}},
        {{WM_TEXEL_SIGNED, 1, 1}, false, false, {0xfe}, {0xfffffffe, 0, 0, 1}},
        {{WM_TEXEL_SIGNED, 2, 2}, false, false, {0, 0x80, 1, 2}, {0xffff8000, 0x201, 0, 1}},
        {{WM_TEXEL_UNSIGNED, 4, 4},
         false,
         false,
         {1, 0, 0, 0x80, 2, 0, 0, 0, 3, 0, 0, 0, 4},
         {0x80000001, 2, 3, 4}},
        {{WM_TEXEL_UNSIGNED, 4, 1},
         true,
         false,
         {0, 51, 255, 128},
         {0, bits_of(0.2f), one, bits_of((float)(128.0 / 255))}},
        {{WM_TEXEL_SIGNED, 2, 1}, true, false, {0x80, 0x7f}, {bits_of(-1), one, 0, one}},
        {{WM_TEXEL_SIGNED, 1, 2},
         true,
         false,
         {0, 0x40},
         {bits_of((float)(16384.0 / 32767)), 0, 0, one}},
        {{WM_TEXEL_FLOAT, 2, 2},
         false,
         false,
         {0, 0x3e, 0, 0xc4},
         {bits_of(1.5f), bits_of(-4), 0, one}},
        // sRGB's dark end is a line of slope 1/12.92; the fourth channel stays.
        {{WM_TEXEL_UNSIGNED, 4, 1},
         true,
         true,
         {0, 255, 5, 5},
         {0, one, bits_of((float)(5.0 / 255) / 12.92f), bits_of((float)(5.0 / 255))}},
    };
    start(FETCH("tex.1d", "[%t, {%f0}]"));
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        uint32_t bytes = wm_texel_bytes(&formats[i].format);
        struct wm_texture texture = {.memory = WM_TEXTURE_ARRAY,
                                     .format = formats[i].format,
                                     .dimensions = 1,
                                     .level_count = 1,
                                     .to_float = formats[i].to_float,
                                     .srgb = formats[i].srgb};
        texture.levels[0] = wm_texel_layout_of(bytes, 1, 1, 1, false);
        void *memory = harness_allocate(&harness, wm_texel_layout_bytes(&texture.levels[0]));
        memcpy(memory, formats[i].bytes, bytes);
        texture.levels[0].address = ADDRESS(memory);
        run(&texture, 1);
        for (int c = 0; c < 4; c++)
            cr_assert_eq(to[0].bits[c], formats[i].bits[c], "format %zu, channel %d: %x, not %x", i,
                         c, to[0].bits[c], formats[i].bits[c]);
    }
    finish();
}

Test(texture_kinds, results_as_halves_and_residency)
{
    static const uint32_t size[3] = {8, 1, 1};
    start(KERNEL("tex.1d.v2.f16x2.f32 {%r4, %r5}, [%t, {%f0}];\n"
                 "tex.1d.v4.f16.f32 {%h0, _, _, %h1}|%p, [%t, {%f0}];\n"
                 "mov.b32 %r6, {%h0, %h1}; selp.b32 %r7, 7, 0, %p;\n" STORE));
    struct wm_texture texture = numbered(1, size, 1);
    from[0].values[0] = 3.5f;
    run(&texture, 1);
    cr_assert_eq(to[0].bits[0], 0x4200); // 3 and 0
    cr_assert_eq(to[0].bits[1], 0x3c000000);
    cr_assert_eq(to[0].bits[2], 0x3c004200);
    cr_assert_eq(to[0].bits[3], 7);
    finish();
}
