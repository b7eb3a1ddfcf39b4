// Texture fetches against a plain model: every address mode and filter over memory of every layout,
// formats, layers, cubemaps, gathers, mipmaps; what the sink is told; faults.
#include "exec/texture/texture.h"
#include "exec_harness.h"
#include "texture_reference.h"

static struct harness harness;

enum { MOST_SEEN = 4096 };

static struct {
    struct wm_warp_access accesses[MOST_SEEN];
    uint64_t addresses[MOST_SEEN][WM_MAX_LANES];
    uint32_t count;
} seen;

static void see(void *context, const struct wm_warp_access *access)
{
    (void)context;
    if (access->space != WM_SPACE_TEXTURE)
        return;
    cr_assert_lt(seen.count, MOST_SEEN);
    memcpy(seen.addresses[seen.count], access->addresses, access->lanes * sizeof(uint64_t));
    seen.accesses[seen.count++] = *access;
}

#define REGISTERS                                                                         \
    ".reg .pred %p; .reg .b32 %i, %r<8>; .reg .b64 %t, %o, %c, %a, %s; .reg .f32 %f<16>;" \
    ".reg .b16 %h<4>;\n"

// Each thread takes four words of `from` and writes four to `to`: coordinates and results.
#define KERNEL(body)                                                                              \
    ".visible .entry k(.param .u64 texture, .param .u64 to, .param .u64 from) {\n" REGISTERS      \
    "ld.param.u64 %t, [texture]; ld.param.u64 %o, [to]; ld.param.u64 %c, [from];\n"               \
    "mov.u32 %i, %ctaid.x; mad.lo.u32 %i, %i, 32, 0; mov.u32 %r7, %tid.x; add.u32 %i, %i, %r7;\n" \
    "mul.wide.u32 %a, %i, 16; add.u64 %o, %o, %a; add.u64 %c, %c, %a;\n"                          \
    "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%c];\n"                                              \
    "mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;\n" body              \
    "st.global.v4.f32 [%o], {%f4, %f5, %f6, %f7};\nret;\n}\n"

static void start(const char *body, unsigned width)
{
    harness_init(&harness, body, width, wm_host_best_isa(), false);
    harness.sink.access = see;
    seen.count = 0;
}

static void finish(void)
{
    wm_texture_objects_release(&harness.textures);
    harness_release(&harness);
}

// A texture of floats whose memory has been allocated, with `texels` copied into it.
static struct wm_texture make_texture(enum wm_texture_memory memory, unsigned dimensions,
                                      const int size[3], const float *texels)
{
    struct wm_texture texture = {.memory = memory,
                                 .format = {WM_TEXEL_FLOAT, 1, 4},
                                 .dimensions = (uint8_t)dimensions,
                                 .level_count = 1};
    struct wm_texel_layout *level = &texture.levels[0];
    *level = wm_texel_layout_of(4, (uint32_t)size[0], (uint32_t)size[1], (uint32_t)size[2],
                                memory == WM_TEXTURE_ARRAY && dimensions > 1);
    if (memory == WM_TEXTURE_PITCH) {
        level->row_bytes += 64;
        level->slice_bytes = level->row_bytes * level->height;
    }
    level->address = ADDRESS(harness_allocate(&harness, wm_texel_layout_bytes(level)));
    for (int z = 0; z < size[2]; z++)
        for (int y = 0; y < size[1]; y++)
            for (int x = 0; x < size[0]; x++, texels++)
                memcpy((void *)(uintptr_t)wm_texel_layout_address(level, 4u * (unsigned)x,
                                                                  (uint32_t)y, (uint32_t)z),
                       texels, 4);
    return texture;
}

static float uniform(struct wm_random *random, float low, float high)
{
    return low + (high - low) * (float)wm_random_unit(random);
}

static const char *const plain_kernels[] = {
    KERNEL("tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0}];\n"),
    KERNEL("tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1}];\n"),
    KERNEL("tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%t, {%f0, %f1, %f2, %f2}];\n"),
};

enum { BLOCKS = 4, THREADS = 32, FETCHES = BLOCKS * THREADS };

static void fill_coordinates(struct wm_random *random, const struct reference_image *image,
                             float (*coordinates)[4])
{
    for (int i = 0; i < FETCHES; i++)
        for (int d = 0; d < 3; d++) {
            float size = image->normalized ? 1 : (float)image->size[d];
            // Texels' edges and middles, too.
            float at = uniform(random, -1.7f * size, 2.7f * size);
            coordinates[i][d] = i % 4 == 0 ? roundf(at * 2) / 2 : at;
        }
}

static void check_plain(enum wm_texture_memory memory, const struct reference_image *image,
                        struct wm_random *random)
{
    start(plain_kernels[image->dimensions - 1], 32);
    struct wm_texture texture =
        make_texture(memory, (unsigned)image->dimensions, image->size, image->texels);
    for (int d = 0; d < 3; d++)
        texture.address[d] = (enum wm_texture_address)image->mode;
    texture.linear = image->linear;
    texture.normalized = image->normalized;
    texture.border[0] = image->border;
    float(*to)[4] = harness_allocate(&harness, sizeof(*to) * FETCHES);
    float(*from)[4] = harness_allocate(&harness, sizeof(*from) * FETCHES);
    fill_coordinates(random, image, from);
    uint64_t object = wm_texture_objects_add(&harness.textures, &texture);
    HARNESS_RUN(&harness, "k", BLOCKS, THREADS, object, ADDRESS(to), ADDRESS(from));
    for (int i = 0; i < FETCHES; i++) {
        float expected = reference_fetch(image, from[i]);
        cr_assert_eq(to[i][0], expected,
                     "%dD mode %d linear %d normalized %d at %g %g %g: %g, not "
                     "%g",
                     image->dimensions, (int)image->mode, image->linear, image->normalized,
                     (double)from[i][0], (double)from[i][1], (double)from[i][2], (double)to[i][0],
                     (double)expected);
        cr_assert_eq(to[i][1], 0);
        cr_assert_eq(to[i][3], 1);
    }
    finish();
}

Test(textures, equal_the_reference)
{
    enum { MOST = 37 * 19 * 11 };
    static float texels[MOST];
    struct wm_random random;
    wm_random_init(&random, 20, "textures");
    for (int i = 0; i < MOST; i++)
        texels[i] = (float)(int)uniform(&random, -1000, 1000);
    struct reference_image image = {.texels = texels, .border = 77.25f};
    for (int dimensions = 1; dimensions <= 3; dimensions++)
        for (int choice = 0; choice < 12; choice++) {
            image.dimensions = dimensions;
            image.size[0] = 37;
            image.size[1] = dimensions > 1 ? 19 : 1;
            image.size[2] = dimensions > 2 ? 11 : 1;
            image.linear = choice % 2;
            image.normalized = choice >= 4;
            image.mode = choice < 4    ? (choice < 2 ? REFERENCE_CLAMP : REFERENCE_BORDER)
                         : choice < 6  ? REFERENCE_WRAP
                         : choice < 8  ? REFERENCE_CLAMP
                         : choice < 10 ? REFERENCE_MIRROR
                                       : REFERENCE_BORDER;
            check_plain(WM_TEXTURE_ARRAY, &image, &random);
            if (dimensions == 2)
                check_plain(WM_TEXTURE_PITCH, &image, &random);
        }
}

// --- Layouts ---

Test(textures, layouts_are_one_to_one)
{
    static const uint32_t sizes[][3] = {
        {1, 1, 1}, {17, 9, 2}, {64, 64, 1}, {33, 130, 3}, {5, 7, 5}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
            const uint32_t *n = sizes[s];
            struct wm_texel_layout layout = wm_texel_layout_of(bytes, n[0], n[1], n[2], true);
            uint64_t total = wm_texel_layout_bytes(&layout);
            bool *used = calloc(total, sizeof *used);
            for (uint32_t z = 0; z < n[2]; z++)
                for (uint32_t y = 0; y < n[1]; y++)
                    for (uint32_t x = 0; x < n[0]; x++) {
                        uint64_t at = wm_texel_layout_address(&layout, (uint64_t)x * bytes, y, z);
                        cr_assert_eq(at % bytes, 0);
                        cr_assert_leq(at + bytes, total);
                        cr_assert_not(used[at]);
                        used[at] = true;
                    }
            free(used);
        }
}

Test(textures, a_sector_holds_neighbours_of_two_rows)
{
    struct wm_texel_layout layout = wm_texel_layout_of(4, 256, 256, 1, true);
    uint64_t first = wm_texel_layout_address(&layout, 16, 2, 0) / WM_SECTOR_BYTES;
    for (uint32_t y = 2; y < 4; y++)
        for (uint32_t x = 4; x < 8; x++)
            cr_assert_eq(wm_texel_layout_address(&layout, (uint64_t)x * 4, y, 0) / WM_SECTOR_BYTES,
                         first);
    // The Tegra manual's formula by hand: byte 37 of row 5 is 256 + 2 × 64 + 16 + 5 into the tile.
    cr_assert_eq(wm_texel_layout_address(&layout, 37, 5, 0), 256 + 128 + 16 + 5);
    // A column of 16 tiles, then the next: byte 64 of row 0 comes behind 128 rows of 64 bytes.
    cr_assert_eq(wm_texel_layout_address(&layout, 64, 0, 0), 64 * 128);
}

// --- What the sink is told ---

static uint64_t texels_told(uint32_t first)
{
    uint64_t texels = 0;
    for (uint32_t i = first; i < seen.count; i++)
        texels += (uint64_t)__builtin_popcountll(seen.accesses[i].active);
    return texels;
}

Test(textures, each_texel_is_told_once)
{
    static const int size[3] = {64, 64, 1};
    static float texels[64 * 64];
    start(plain_kernels[1], 32);
    struct wm_texture texture = make_texture(WM_TEXTURE_ARRAY, 2, size, texels);
    texture.address[0] = texture.address[1] = WM_ADDRESS_BORDER;
    texture.linear = true;
    float(*to)[4] = harness_allocate(&harness, sizeof(*to) * THREADS);
    float(*from)[4] = harness_allocate(&harness, sizeof(*from) * THREADS);
    for (int i = 0; i < THREADS; i++) {
        // Middles of texels read one; between two, two; between four, four; far away none.
        from[i][0] = i == 31 ? -9 : (float)i + (i % 4 == 0 ? 0.5f : 1.0f);
        from[i][1] = i % 2 == 0 ? 7.5f : 8.0f;
    }
    uint64_t object = wm_texture_objects_add(&harness.textures, &texture);
    HARNESS_RUN(&harness, "k", 1, THREADS, object, ADDRESS(to), ADDRESS(from));
    cr_assert_eq(seen.count, 4);
    cr_assert_eq(texels_told(0), 8 * 1 + 8 * 2 + 15 * 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(seen.accesses[i].kind, WM_ACCESS_LOAD);
        cr_assert_eq(seen.accesses[i].bytes_per_lane, 4);
        cr_assert_eq(seen.accesses[i].continues, i < 3);
    }
    cr_assert_eq(seen.addresses[0][4], wm_texel_layout_address(&texture.levels[0], 16, 7, 0));
    finish();
}

// --- Faults ---

static void expect_fault(uint64_t object, const struct wm_texture *texture, const char *what)
{
    void *memory = harness_allocate(&harness, 1024);
    if (texture != NULL)
        object = wm_texture_objects_add(&harness.textures, texture);
    HARNESS_LAUNCH(&harness, "k", 1, 1, object, ADDRESS(memory), ADDRESS(memory));
    cr_assert_eq(harness.fault.kind, WM_FAULT_OUT_OF_BOUNDS);
    cr_assert(strstr(harness.fault.error.message, what), "%s", harness.fault.error.message);
}

Test(textures, wrong_objects_are_faults)
{
    static const int size[3] = {8, 8, 1};
    static float texels[64];
    start(plain_kernels[1], 32);
    expect_fault(0, NULL, "no texture object");
    expect_fault(12345, NULL, "no texture object");
    struct wm_texture texture = make_texture(WM_TEXTURE_ARRAY, 2, size, texels);
    struct wm_texture line = texture;
    line.dimensions = 1;
    expect_fault(0, &line, "1 dimensions");
    wm_device_memory_release(harness.memory, texture.levels[0].address, NULL);
    expect_fault(0, &texture, "not allocated, or was freed");
    finish();
}

// A reference in the instruction, and its address in a register; a rebound one reads the new
// memory.
Test(textures, references_read_what_is_bound)
{
    static const int size[3] = {8, 1, 1};
    static float texels[2][8];
    for (int i = 0; i < 8; i++) {
        texels[0][i] = 1 + (float)i;
        texels[1][i] = 100 + (float)i;
    }
    start(".global .texref one;\n.visible .global .texref two;\n"
          ".visible .entry k(.param .u64 to) {\n" REGISTERS "ld.param.u64 %o, [to];\n"
          "mov.u32 %r0, 3; mov.u64 %t, two;\n"
          "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [one, {%r0}];\n"
          "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%t, {%r0}];\n"
          "txq.width.b32 %r1, [two];\n"
          "st.global.v2.f32 [%o], {%f0, %f4};\nst.global.u32 [%o+8], %r1;\nret;\n}\n",
          32);
    uint64_t one = wm_program_reference(harness.program, "one", false),
             two = wm_program_reference(harness.program, "two", false);
    cr_assert(one != 0 && two != 0 && one != two);
    cr_assert_eq(wm_program_reference(harness.program, "two", true), 0, "no surface");
    cr_assert_eq(wm_program_reference(harness.program, "three", false), 0);
    uint64_t address, bytes;
    cr_assert_not(wm_program_variable(harness.program, "two", &address, &bytes));
    struct {
        float one, two;
        uint32_t width;
    } *to = harness_allocate(&harness, sizeof *to);
    for (int round = 0; round < 2; round++) {
        for (int which = 0; which < 2; which++) {
            struct wm_texture *texture = malloc(sizeof *texture);
            cr_assert_not_null(texture);
            *texture = make_texture(WM_TEXTURE_LINEAR, 1, size, texels[which ^ round]);
            wm_texture_objects_bind(&harness.textures, which ? two : one, texture);
        }
        HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(to));
        cr_assert_float_eq(to->one, texels[round][3], 0);
        cr_assert_float_eq(to->two, texels[!round][3], 0);
        cr_assert_eq(to->width, 8);
    }
    wm_texture_objects_bind(&harness.textures, two, NULL);
    HARNESS_LAUNCH(&harness, "k", 1, 1, ADDRESS(to));
    cr_assert(strstr(harness.fault.error.message, "nothing is bound to it"), "%s",
              harness.fault.error.message);
    finish();
}

// Lane i looks at the i-th of: a texture reference, a surface reference, an object, no number; the
// predicate of lanes that a guard holds back stays.
Test(textures, registers_are_asked_for_references)
{
    static const uint32_t expected[3][5] = {{1, 0, 0, 0, 7}, {0, 1, 0, 0, 7}, {0, 0, 0, 0, 7}};
    static const int size[3] = {8, 1, 1};
    static float texels[8];
    start(".global .texref t;\n.global .surfref s;\n"
          ".visible .entry k(.param .u64 to, .param .u64 object) {\n" REGISTERS
          ".reg .pred %q; ld.param.u64 %o, [to]; ld.param.u64 %a, [object];\n"
          "mov.u32 %r0, %tid.x; mov.u64 %t, 12345; setp.eq.u32 %p, %r0, 0; @%p mov.u64 %t, t;\n"
          "setp.eq.u32 %p, %r0, 1; @%p mov.u64 %t, s; setp.eq.u32 %p, %r0, 2; @%p mov.u64 %t, %a;\n"
          "mad.wide.u32 %o, %r0, 4, %o; setp.lt.u32 %q, %r0, 4;\n"
          "istypep.texref %p, %t; selp.u32 %r1, 1, 0, %p; @!%q mov.u32 %r1, 7;\n"
          "st.global.u32 [%o], %r1; istypep.surfref %p, %t; selp.u32 %r1, 1, 0, %p;\n"
          "@!%q mov.u32 %r1, 7; st.global.u32 [%o+20], %r1; setp.ne.u32 %p, %r0, 4;\n"
          "not.pred %p, %p; @%q istypep.samplerref %p, %t; selp.u32 %r1, 7, 0, %p;\n"
          "st.global.u32 [%o+40], %r1; istypep.texref %p, t; @!%p trap; istypep.surfref %p, t;\n"
          "@%p trap; ret;\n}\n",
          32);
    struct wm_texture texture = make_texture(WM_TEXTURE_LINEAR, 1, size, texels);
    uint64_t object = wm_texture_objects_add(&harness.textures, &texture);
    uint32_t *to = harness_allocate(&harness, sizeof expected);
    HARNESS_RUN(&harness, "k", 1, 5, ADDRESS(to), object);
    for (int type = 0; type < 3; type++)
        for (int lane = 0; lane < 5; lane++)
            cr_assert_eq(to[type * 5 + lane], expected[type][lane], "type %d lane %d: %u", type,
                         lane, to[type * 5 + lane]);
    finish();
}

Test(textures, references_of_another_module)
{
    static const int size[3] = {8, 1, 1};
    static float texels[8] = {0, 0, 0, 7};
    struct wm_error error;
    const char *const bodies[] = {
        ".extern .global .texref t;\n.visible .entry k(.param .u64 to) {\n" REGISTERS
        "ld.param.u64 %o, [to]; mov.u32 %r0, 3;\n"
        "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r0}];\nst.global.f32 [%o], %f0;\nret;\n}\n",
        ".visible .global .texref t;\n"};
    cr_assert_eq(harness_link(&harness, bodies, 2, &error), WM_OK);
    struct wm_texture *texture = malloc(sizeof *texture);
    cr_assert_not_null(texture);
    *texture = make_texture(WM_TEXTURE_LINEAR, 1, size, texels);
    wm_texture_objects_bind(&harness.textures, wm_program_reference(harness.program, "t", false),
                            texture);
    float *to = harness_allocate(&harness, sizeof *to);
    HARNESS_RUN(&harness, "k", 1, 1, ADDRESS(to));
    cr_assert_float_eq(*to, 7, 0);
    finish();
}

Test(textures, samplers_apart_unknown_references_and_offsets_are_refused)
{
    struct wm_error error;
    harness_expect_refusal(".global .samplerref t;\n.visible .entry k() {\n.reg .f32 %f<8>;\n"
                           "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f0}];\nret;\n}\n",
                           WM_UNSUPPORTED, &error);
    cr_assert(strstr(error.message, "nor a reference"), "%s", error.message);
    harness_expect_refusal(".extern .global .texref t;\n.visible .entry k() {\n.reg .f32 %f<8>;\n"
                           "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f0}];\nret;\n}\n",
                           WM_UNSUPPORTED, &error);
    cr_assert(strstr(error.message, "nor a reference"), "%s", error.message);
    harness_expect_refusal(".visible .entry k() {\n.reg .f32 %f<8>; .reg .b64 %t; .reg .b32 %r;\n"
                           "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f0}], {%r};\nret;\n}\n",
                           WM_UNSUPPORTED, &error);
}
