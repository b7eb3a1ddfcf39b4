// The three builds of the moves against one line of plain meaning: all shapes of addresses, all
// masks, bounds and alignment.
#include "base/numbers/random.h"
#include "exec/operations/moves.h"

#include <criterion/criterion.h>

enum { BYTES = 4096, TRIALS = 20000 };

struct scene {
    char memory[BYTES];
    union {
        uint32_t narrow[32];
        uint64_t wide[32];
    } addresses __attribute__((aligned(64))), data __attribute__((aligned(64)));
    uint32_t mask;
    int64_t offset;
    struct wm_move_range range;
    bool store, wide_address, wide;
};

static uint64_t address_of(const struct scene *scene, unsigned lane)
{
    return (scene->wide_address ? scene->addresses.wide[lane] : scene->addresses.narrow[lane]) +
           (uint64_t)scene->offset;
}

// What a move means. False when some lane is out of range or misaligned.
static bool plain_move(struct scene *scene)
{
    unsigned bytes = scene->wide ? 8 : 4;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t at = address_of(scene, lane) - scene->range.low;
        if (!scene->wide_address)
            at = (uint32_t)at;
        if ((scene->mask >> lane & 1) && (at >= scene->range.size_bytes ||
                                          at + bytes > scene->range.size_bytes || at % bytes != 0))
            return false;
    }
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t at = address_of(scene, lane) - scene->range.low;
        if (!scene->wide_address)
            at = (uint32_t)at;
        char *slot =
            scene->wide ? (char *)&scene->data.wide[lane] : (char *)&scene->data.narrow[lane];
        if (!(scene->mask >> lane & 1))
            continue;
        if (scene->store)
            memcpy(scene->memory + at, slot, bytes);
        else
            memcpy(slot, scene->memory + at, bytes);
    }
    return true;
}

static uint64_t seldom(struct wm_random *random, uint64_t bytes)
{
    return wm_random_below(random, 40) == 0 ? bytes : 0;
}

static uint64_t draw_relative(struct wm_random *random, unsigned shape, unsigned lane,
                              uint64_t start, unsigned bytes)
{
    switch (shape) {
    case 0: return start + lane * bytes;                        // consecutive
    case 1: return start;                                       // uniform
    case 2: return start + lane * 2 * bytes;                    // strided
    case 3: return start + (31 - lane) * bytes;                 // backwards
    case 4: return start + lane / 16 * 256 + lane % 16 * bytes; // two rows
    case 5: return start + lane / 8 * 64;                       // four points
    case 6: return wm_random_below(random, BYTES / bytes) * bytes;
    case 7: return start + lane * bytes + (wm_random_below(random, 40) == 0); // one is off
    case 8: return start + lane * bytes + seldom(random, 8 * bytes);
    case 9: return start + seldom(random, 8 * bytes);
    case 10: // a row and a point, or nearly
        return start + lane / 16 * 256 + (lane / 16 == 0 ? lane * bytes : seldom(random, bytes));
    case 11: return start + (uint64_t)(lane / 16) * 256; // two points
    default: return start + lane / 16 * 256 + (lane / 16 == 1 ? lane * bytes : 0);
    }
}

static void draw(struct wm_random *random, struct scene *scene)
{
    scene->store = wm_random_below(random, 2);
    scene->wide_address = wm_random_below(random, 2);
    scene->wide = wm_random_below(random, 2);
    unsigned bytes = scene->wide ? 8 : 4;
    scene->range.low = scene->wide_address ? UINT64_C(0x200000000000) : 0;
    scene->range.size_bytes = wm_random_below(random, 8) ? BYTES : wm_random_below(random, 600);
    scene->offset = (int64_t)wm_random_below(random, 3) * 64 - 64;
    static const uint32_t masks[] = {UINT32_MAX, 1, 0x80000000, 0xFFFF, 0x00FFFF00, 0x55555555};
    uint64_t choice = wm_random_below(random, 8);
    scene->mask = choice < 6 ? masks[choice] : (uint32_t)wm_random_u64(random) | 4;
    unsigned shape = (unsigned)wm_random_below(random, 13);
    uint64_t start = wm_random_below(random, BYTES / bytes) * bytes;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t address = scene->range.low + draw_relative(random, shape, lane, start, bytes) -
                           (uint64_t)scene->offset;
        if (!(scene->mask >> lane & 1))
            address = wm_random_u64(random); // nobody may look at it
        if (scene->wide_address)
            scene->addresses.wide[lane] = address;
        else
            scene->addresses.narrow[lane] = (uint32_t)address;
        scene->data.wide[lane] = wm_random_u64(random);
    }
    for (unsigned i = 0; i < BYTES; i++)
        scene->memory[i] = (char)wm_random_u64(random);
    scene->range.host = scene->memory;
}

// Whether the addresses are what a move says to know of them.
static bool lie_so(const struct scene *scene, enum wm_half_warp_pattern rows)
{
    uint64_t stride = rows == WM_HALF_WARPS_UNIFORM ? 0 : scene->wide ? 8 : 4;
    bool good = rows == WM_HALF_WARPS_UNKNOWN || scene->mask == UINT32_MAX;
    for (unsigned lane = 0; good && rows != WM_HALF_WARPS_UNKNOWN && lane < 32; lane++)
        good = address_of(scene, lane) == address_of(scene, lane & 16) + (lane & 15) * stride;
    return good;
}

static void check_build(enum wm_lane_isa isa)
{
    static struct scene scene, expected, before;
    uint32_t known[WM_HALF_WARPS_CONSECUTIVE + 1] = {0};
    struct wm_random random;
    wm_random_init(&random, 7, "moves");
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        draw(&random, &scene);
        expected = scene;
        expected.range.host = expected.memory;
        bool good = plain_move(&expected);
        wm_move_function *move = wm_move_find(isa, scene.store, scene.wide_address, scene.wide);
        before = scene;
        uint32_t moved =
            move(&scene.data, &scene.addresses, scene.offset, scene.mask, &scene.range);
        bool done = moved != 0;
        known[done ? moved - 1 : 0] += done;
        cr_assert(!done || lie_so(&before, moved - 1), "trial %u: rows %u", trial, moved - 1);
        // A move may refuse what it could have done (the full handler does it then), but the
        // builds should agree on all but addresses that wrap around.
        cr_assert(!done || good, "trial %u: moved what it must not", trial);
        cr_assert(done || !good || !scene.wide_address, "trial %u: refused", trial);
        if (!done)
            continue;
        cr_assert_arr_eq(scene.memory, expected.memory, BYTES, "trial %u: memory", trial);
        cr_assert_arr_eq(&scene.data, &expected.data, sizeof(scene.data), "trial %u: data", trial);
    }
    cr_assert_gt(known[WM_HALF_WARPS_CONSECUTIVE], TRIALS / 400);
    cr_assert(isa != WM_HOST_AVX512 || known[WM_HALF_WARPS_UNIFORM] > TRIALS / 400);
}

// --- Vectors, and elements narrower than their registers ---

static const struct {
    unsigned bytes, kept; // of the element in memory; bits that a load fills
    bool is_signed, wide; // registers of 64 bits
} elements[WM_MOVE_ELEMENTS] = {
    [WM_MOVE_U8] = {1, 32, false, false},      [WM_MOVE_S8] = {1, 32, true, false},
    [WM_MOVE_S8_HALF] = {1, 16, true, false},  [WM_MOVE_U16] = {2, 32, false, false},
    [WM_MOVE_S16] = {2, 32, true, false},      [WM_MOVE_B32] = {4, 32, false, false},
    [WM_MOVE_U32_WIDE] = {4, 64, false, true}, [WM_MOVE_S32_WIDE] = {4, 64, true, true},
    [WM_MOVE_B64] = {8, 64, false, true},
};

struct rows {
    uint64_t registers[4][32] __attribute__((aligned(64)));
};

static uint64_t loaded(enum wm_move_element element, const char *from)
{
    unsigned unused = 64 - 8 * elements[element].bytes;
    uint64_t value = 0;
    memcpy(&value, from, elements[element].bytes);
    if (elements[element].is_signed)
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    return elements[element].kept == 64 ? value
                                        : value & ((UINT64_C(1) << elements[element].kept) - 1);
}

// What a move of rows means, where all lanes may move.
static void plain_rows(struct scene *scene, struct rows *rows, enum wm_move_element element,
                       unsigned count)
{
    unsigned bytes = elements[element].bytes;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < count && (scene->mask >> lane & 1); e++) {
            char *at = scene->memory + (address_of(scene, lane) - scene->range.low) + e * bytes;
            uint32_t *narrow = (uint32_t *)rows->registers[e] + lane;
            uint64_t *wide = rows->registers[e] + lane;
            uint64_t value = loaded(element, at);
            if (scene->store && elements[element].wide)
                memcpy(at, wide, bytes);
            else if (scene->store)
                memcpy(at, narrow, bytes);
            else if (elements[element].wide)
                *wide = value;
            else
                *narrow = (uint32_t)value;
        }
}

static bool may_move(const struct scene *scene, unsigned bytes)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t at = address_of(scene, lane) - scene->range.low;
        if ((scene->mask >> lane & 1) && (at >= scene->range.size_bytes ||
                                          at + bytes > scene->range.size_bytes || at % bytes != 0))
            return false;
    }
    return true;
}

static void check_rows(enum wm_lane_isa isa)
{
    static struct scene scene, expected;
    static struct rows rows, expected_rows;
    struct wm_random random;
    unsigned moved_count = 0, consecutive = 0;
    wm_random_init(&random, 11, "rows");
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        enum wm_move_element element =
            (enum wm_move_element)wm_random_below(&random, WM_MOVE_ELEMENTS);
        unsigned count = 1u << wm_random_below(&random, 3), bytes = count * elements[element].bytes;
        draw(&random, &scene);
        unsigned shape = (unsigned)wm_random_below(&random, 10);
        uint64_t start = wm_random_below(&random, 64) * bytes;
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t address = scene.range.low + draw_relative(&random, shape, lane, start, bytes) -
                               (uint64_t)scene.offset;
            if (scene.wide_address)
                scene.addresses.wide[lane] = address;
            else
                scene.addresses.narrow[lane] = (uint32_t)address;
        }
        wm_move_function *move =
            wm_row_move_find(isa, scene.store, scene.wide_address, element, count);
        if (!move) {
            cr_assert(scene.store && elements[element].is_signed, "no move of element %u", element);
            continue;
        }
        for (unsigned e = 0; e < 4; e++)
            for (unsigned lane = 0; lane < 32; lane++)
                rows.registers[e][lane] = wm_random_u64(&random);
        expected = scene;
        expected_rows = rows;
        bool good = may_move(&scene, bytes);
        if (good)
            plain_rows(&expected, &expected_rows, element, count);
        void *pointers[4] = {rows.registers[0], rows.registers[1], rows.registers[2],
                             rows.registers[3]};
        uint32_t moved = move(count == 1 ? pointers[0] : pointers, &scene.addresses, scene.offset,
                              scene.mask, &scene.range);
        cr_assert(!moved || good, "trial %u: moved what it must not", trial);
        cr_assert(moved || !good || !scene.wide_address, "trial %u: refused", trial);
        if (!moved)
            continue;
        moved_count++;
        consecutive += moved == 1 + WM_HALF_WARPS_CONSECUTIVE;
        for (unsigned lane = 1; lane < 32 && moved == 1 + WM_HALF_WARPS_CONSECUTIVE; lane++)
            cr_assert_eq(address_of(&scene, lane), address_of(&scene, 0) + lane * bytes);
        cr_assert_arr_eq(scene.memory, expected.memory, BYTES, "trial %u: memory", trial);
        cr_assert_arr_eq(&rows, &expected_rows, sizeof(rows), "trial %u: rows", trial);
    }
    cr_assert_gt(moved_count, TRIALS / 10);
    cr_assert_gt(consecutive, TRIALS / 400);
}

// --- Local memory: a word of each lane after the other ---

enum { THREAD_BYTES = BYTES / 32 };

static char *local_byte(char *memory, uint64_t at, unsigned lane)
{
    return memory + at / 4 * 128 + lane * 4 + at % 4;
}

static void plain_local(struct scene *scene, struct rows *rows, enum wm_move_element element,
                        unsigned count)
{
    unsigned bytes = elements[element].bytes;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < count && (scene->mask >> lane & 1); e++) {
            uint64_t at = address_of(scene, lane) + e * bytes, value;
            char part[8];
            uint32_t *narrow = (uint32_t *)rows->registers[e] + lane;
            uint64_t *wide = rows->registers[e] + lane;
            for (unsigned i = 0; i < bytes; i++)
                part[i] = *local_byte(scene->memory, at + i, lane);
            value = loaded(element, part);
            if (scene->store)
                for (unsigned i = 0; i < bytes; i++)
                    *local_byte(scene->memory, at + i, lane) =
                        elements[element].wide ? ((char *)wide)[i] : ((char *)narrow)[i];
            else if (elements[element].wide)
                *wide = value;
            else
                *narrow = (uint32_t)value;
        }
}

static void check_local(enum wm_lane_isa isa)
{
    static struct scene scene, expected;
    static struct rows rows, expected_rows;
    struct wm_random random;
    unsigned moved_count = 0;
    wm_random_init(&random, 12, "local");
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        enum wm_move_element element =
            (enum wm_move_element)wm_random_below(&random, WM_MOVE_ELEMENTS);
        unsigned count = 1u << wm_random_below(&random, 3), bytes = count * elements[element].bytes;
        draw(&random, &scene);
        scene.range = (struct wm_move_range){.size_bytes = THREAD_BYTES, .host = scene.memory};
        bool same = wm_random_below(&random, 2), off = wm_random_below(&random, 8) == 0;
        uint64_t start = wm_random_below(&random, THREAD_BYTES / bytes + off) * bytes;
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t at = same ? start : wm_random_below(&random, THREAD_BYTES / bytes) * bytes;
            at += off && lane == 9;
            if (scene.wide_address)
                scene.addresses.wide[lane] = at - (uint64_t)scene.offset;
            else
                scene.addresses.narrow[lane] = (uint32_t)(at - (uint64_t)scene.offset);
        }
        wm_move_function *move =
            wm_local_move_find(isa, scene.store, scene.wide_address, element, count);
        if (!move)
            continue;
        for (unsigned e = 0; e < 4; e++)
            for (unsigned lane = 0; lane < 32; lane++)
                rows.registers[e][lane] = wm_random_u64(&random);
        expected = scene;
        expected_rows = rows;
        bool good = may_move(&scene, bytes);
        if (good)
            plain_local(&expected, &expected_rows, element, count);
        void *pointers[4] = {rows.registers[0], rows.registers[1], rows.registers[2],
                             rows.registers[3]};
        uint32_t moved = move(count == 1 ? pointers[0] : pointers, &scene.addresses, scene.offset,
                              scene.mask, &scene.range);
        cr_assert(!moved || good, "trial %u: moved what it must not", trial);
        cr_assert(moved || !good || !scene.wide_address, "trial %u: refused", trial);
        moved_count += moved != 0;
        if (!moved)
            continue;
        cr_assert_arr_eq(scene.memory, expected.memory, BYTES, "trial %u: memory", trial);
        cr_assert_arr_eq(&rows, &expected_rows, sizeof(rows), "trial %u: rows", trial);
    }
    cr_assert_gt(moved_count, TRIALS / 4);
}

Test(moves, plain_c)
{
    check_build(WM_HOST_C);
    check_rows(WM_HOST_C);
    check_local(WM_HOST_C);
}

Test(moves, avx2)
{
    if (wm_host_best_isa() < WM_HOST_AVX2)
        cr_skip_test("this processor has no AVX2");
    check_build(WM_HOST_AVX2);
    check_rows(WM_HOST_AVX2);
    check_local(WM_HOST_AVX2);
}

Test(moves, avx512)
{
    if (wm_host_best_isa() < WM_HOST_AVX512)
        cr_skip_test("this processor has no AVX-512");
    check_build(WM_HOST_AVX512);
    check_rows(WM_HOST_AVX512);
    check_local(WM_HOST_AVX512);
}

// A load may put its values where its addresses were: what it refuses, it must have left alone,
// and no row of lanes may be read through addresses that another has overwritten.
Test(moves, loads_over_their_own_addresses)
{
    static struct scene scene, expected;
    struct wm_random random;
    wm_random_init(&random, 8, "moves");
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        draw(&random, &scene);
        scene.store = scene.wide_address = scene.wide = false;
        scene.range.low = 0;
        for (unsigned lane = 0; lane < 32; lane++)
            scene.addresses.narrow[lane] %= 2 * BYTES;
        expected = scene;
        bool good = plain_move(&expected);
        for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++) {
            struct scene aliased = scene;
            bool done = wm_move_find(isa, false, false, false)(
                &aliased.addresses, &aliased.addresses, scene.offset, scene.mask, &scene.range);
            cr_assert(!done || good, "trial %u: moved what it must not", trial);
            for (unsigned lane = 0; lane < 32; lane++)
                cr_assert_eq(aliased.addresses.narrow[lane],
                             done && (scene.mask >> lane & 1) ? expected.data.narrow[lane]
                                                              : scene.addresses.narrow[lane],
                             "trial %u, lane %u", trial, lane);
        }
    }
}

// How often narrow moves are refused though good must stay rare, or the fast path is dead.
Test(moves, shared_memory_takes_the_fast_path)
{
    static struct scene scene;
    for (enum wm_lane_isa isa = WM_HOST_C; isa <= wm_host_best_isa(); isa++) {
        scene.range = (struct wm_move_range){.size_bytes = BYTES, .host = scene.memory};
        for (unsigned lane = 0; lane < 32; lane++)
            scene.addresses.narrow[lane] = 64 + 4 * lane;
        wm_move_function *load = wm_move_find(isa, false, false, false);
        cr_assert(load(&scene.data, &scene.addresses, 128, UINT32_MAX, &scene.range));
        cr_assert(load(&scene.data, &scene.addresses, -64, UINT32_MAX, &scene.range));
        cr_assert_not(load(&scene.data, &scene.addresses, -68, UINT32_MAX, &scene.range));
    }
}
