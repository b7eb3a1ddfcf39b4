// The coalescer's builds against a byte-by-byte reference, on patterns a compiler makes and on
// random ones; and worked examples whose answer is known by hand.
#include "base/numbers/random.h"
#include "sm/coalescer/coalescer.h"

#include <criterion/criterion.h>

enum { LINE_SECTORS = 32 };

struct pattern {
    struct wm_warp_access access;
    uint64_t addresses[WM_MAX_LANES];
};

// Every byte of every lane by itself, lines in order of first touch.
static uint32_t reference(const struct wm_warp_access *access, uint32_t line_bytes,
                          struct wm_line_request *out)
{
    static uint8_t touched[WM_MAX_LINE_REQUESTS][1024];
    memset(touched, 0, sizeof touched);
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < access->lanes; lane++) {
        if ((access->active >> lane & 1) == 0)
            continue;
        for (uint32_t byte = 0; byte < access->bytes_per_lane; byte++) {
            uint64_t address = access->addresses[lane] + byte;
            uint64_t line = address / line_bytes * line_bytes;
            uint32_t at = 0;
            while (at < count && out[at].line_address != line)
                at++;
            if (at == count)
                out[count++] = (struct wm_line_request){.line_address = line};
            touched[at][address - line] = 1;
        }
    }
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t sector = 0; sector < line_bytes / WM_SECTOR_BYTES; sector++) {
            uint32_t sum = 0;
            for (uint32_t byte = 0; byte < WM_SECTOR_BYTES; byte++)
                sum += touched[at][sector * WM_SECTOR_BYTES + byte];
            out[at].sectors |= (uint32_t)(sum > 0) << sector;
            if (access->kind == WM_ACCESS_STORE)
                out[at].full_sectors |= (uint32_t)(sum == WM_SECTOR_BYTES) << sector;
        }
    return count;
}

// The bytes of a request, byte by byte of lane by lane.
static void compare_bytes(const struct wm_warp_access *access,
                          const struct wm_line_request *request, uint32_t line_bytes,
                          const char *what)
{
    uint32_t expected[WM_MAX_LINE_SECTORS] = {0}, actual[WM_MAX_LINE_SECTORS];
    for (uint32_t lane = 0; lane < access->lanes; lane++)
        for (uint32_t byte = 0; (access->active >> lane & 1) && byte < access->bytes_per_lane;
             byte++) {
            uint64_t within = access->addresses[lane] + byte - request->line_address;
            if (within < line_bytes)
                expected[within / 32] |= UINT32_C(1) << within % 32;
        }
    wm_coalesced_bytes(access, request, line_bytes, actual);
    for (uint32_t i = 0; i < line_bytes / 32; i++)
        cr_assert_eq(actual[i], expected[i], "%s: bytes %x of sector %u, not %x", what, actual[i],
                     i, expected[i]);
}

static void compare(const struct pattern *pattern, uint32_t line_bytes, const char *what)
{
    struct wm_line_request expected[WM_MAX_LINE_REQUESTS], actual[WM_MAX_LINE_REQUESTS];
    uint32_t expected_count = reference(&pattern->access, line_bytes, expected);
    for (uint32_t i = 0; i < expected_count; i++)
        compare_bytes(&pattern->access, &expected[i], line_bytes, what);
    for (int isa = 0; isa < WM_COALESCER_ISA_COUNT; isa++) {
        wm_coalesce_function *coalesce = wm_coalescer_find((enum wm_coalescer_isa)isa);
        if (coalesce == NULL)
            continue;
        const char *name = wm_coalescer_isa_name((enum wm_coalescer_isa)isa);
        memset(actual, 0xA5, sizeof actual);
        uint32_t count = coalesce(&pattern->access, line_bytes, actual);
        cr_assert_eq(count, expected_count, "%s, %s: %u requests, not %u", what, name, count,
                     expected_count);
        for (uint32_t i = 0; i < count; i++) {
            cr_assert_eq(actual[i].line_address, expected[i].line_address, "%s, %s: line %u", what,
                         name, i);
            cr_assert_eq(actual[i].sectors, expected[i].sectors, "%s, %s: sectors %x, not %x", what,
                         name, actual[i].sectors, expected[i].sectors);
            cr_assert_eq(actual[i].full_sectors, expected[i].full_sectors,
                         "%s, %s: full sectors %x, not %x", what, name, actual[i].full_sectors,
                         expected[i].full_sectors);
        }
    }
}

static void init_pattern(struct pattern *pattern, uint32_t lanes, uint32_t bytes)
{
    memset(pattern, 0, sizeof *pattern);
    pattern->access = (struct wm_warp_access){
        .kind = WM_ACCESS_LOAD,
        .space = WM_SPACE_GLOBAL,
        .bytes_per_lane = bytes,
        .lanes = lanes,
        .active = wm_all_lanes(lanes),
        .addresses = pattern->addresses,
    };
}

static uint64_t random_active(struct wm_random *random, uint32_t lanes)
{
    switch (wm_random_below(random, 5)) {
    case 0: return wm_all_lanes(lanes);
    case 1: return wm_random_u64(random) & wm_all_lanes(lanes);
    case 2: return UINT64_C(1) << wm_random_below(random, lanes);
    case 3: { // one run without holes
        uint64_t first = wm_random_below(random, lanes);
        uint64_t count = 1 + wm_random_below(random, lanes - first);
        return wm_all_lanes((uint32_t)count) << first;
    }
    default: return wm_random_u64(random) & wm_random_u64(random) & wm_all_lanes(lanes);
    }
}

static void random_addresses(struct wm_random *random, struct pattern *pattern, bool aligned)
{
    uint32_t bytes = pattern->access.bytes_per_lane;
    uint64_t unit = aligned ? bytes : 1;
    uint64_t base = UINT64_C(0x200000000000) + wm_random_below(random, 4096) * unit;
    uint64_t shape = wm_random_below(random, 6);
    uint64_t stride = wm_random_below(random, 300) * unit;
    uint64_t range = UINT64_C(1) << (1 + wm_random_below(random, 12));
    for (uint32_t lane = 0; lane < pattern->access.lanes; lane++) {
        uint64_t *address = &pattern->addresses[lane];
        switch (shape) {
        case 0: *address = base + lane * bytes; break;                           // consecutive
        case 1: *address = base; break;                                          // uniform
        case 2: *address = base + lane * stride; break;                          // strided
        case 3: *address = base + (pattern->access.lanes - lane) * bytes; break; // backwards
        case 4: *address = base + wm_random_below(random, range) * unit; break;  // scattered
        default: *address = base + (lane ^ 1) * bytes; break;                    // swapped pairs
        }
        if ((pattern->access.active >> lane & 1) == 0)
            *address = wm_random_u64(random); // undefined for inactive lanes
    }
}

static void run_random(uint64_t seed, bool aligned, int rounds)
{
    struct wm_random random;
    wm_random_init(&random, seed, "coalescer");
    for (int round = 0; round < rounds; round++) {
        struct pattern pattern;
        uint32_t lanes = wm_random_below(&random, 2) == 0 ? 32 : 64;
        uint32_t bytes = 1u << wm_random_below(&random, 6);
        init_pattern(&pattern, lanes, bytes);
        pattern.access.kind = (enum wm_access_kind)wm_random_below(&random, 4);
        pattern.access.active = random_active(&random, lanes);
        random_addresses(&random, &pattern, aligned);
        uint32_t line_bytes = 32u << wm_random_below(&random, 6);
        compare(&pattern, line_bytes, aligned ? "aligned" : "unaligned");
    }
}

Test(coalescer, equals_the_reference_on_aligned_accesses)
{
    run_random(1, true, 20000);
}

Test(coalescer, equals_the_reference_on_accesses_that_cross_lines)
{
    run_random(2, false, 20000);
}

// An access that is given by its base and stride, and the same by its addresses.
static void compare_regular(struct wm_random *random, uint64_t stride)
{
    struct pattern pattern;
    struct wm_line_request expected[WM_MAX_LINE_REQUESTS], actual[WM_MAX_LINE_REQUESTS];
    uint32_t lanes = wm_random_below(random, 2) == 0 ? 32 : 64;
    init_pattern(&pattern, lanes, 1u << wm_random_below(random, 6));
    pattern.access.kind = (enum wm_access_kind)wm_random_below(random, 4);
    pattern.access.active = random_active(random, lanes);
    pattern.access.base = UINT64_C(0x200000000000) + wm_random_below(random, 4096);
    pattern.access.stride = stride;
    if (wm_random_below(random, 4) == 0) {
        pattern.access.row_shift = 1 + (uint32_t)wm_random_below(random, 5);
        pattern.access.row_stride = wm_random_below(random, 3) * 64;
    }
    wm_access_expand(&pattern.access, pattern.addresses);
    uint32_t row_shift = pattern.access.row_shift != 0 ? pattern.access.row_shift : 6;
    for (uint32_t lane = 0; lane < lanes; lane++)
        cr_assert_eq(pattern.addresses[lane], pattern.access.base +
                                                  (lane & ((1u << row_shift) - 1)) * stride +
                                                  (lane >> row_shift) * pattern.access.row_stride);
    uint32_t line_bytes = 32u << wm_random_below(random, 6);
    uint32_t expected_count = reference(&pattern.access, line_bytes, expected);
    pattern.access.addresses = NULL;
    uint32_t count = wm_coalesce_regular(&pattern.access, line_bytes, wm_coalesce, actual);
    cr_assert_eq(count, expected_count, "stride %llx: %u requests, not %u",
                 (unsigned long long)stride, count, expected_count);
    cr_assert_arr_eq(actual, expected, count * sizeof *actual, "stride %llx",
                     (unsigned long long)stride);
}

Test(coalescer, a_base_and_a_stride_give_what_the_addresses_give)
{
    struct wm_random random;
    wm_random_init(&random, 3, "strides");
    for (int round = 0; round < 5000; round++) {
        compare_regular(&random, 0);
        compare_regular(&random, UINT64_C(1) << wm_random_below(&random, 6));
        compare_regular(&random, wm_random_below(&random, 300));
        compare_regular(&random, 0 - wm_random_below(&random, 300));
        compare_regular(&random, (wm_random_below(&random, 9) - 4) * 1024);
        // Modulo 2^64 every other lane may come round to one line.
        compare_regular(&random, UINT64_C(1) << (52 + wm_random_below(&random, 12)));
    }
}

// A line each, but for the two of one pair; or a pair of lines as far apart as look-alikes are.
Test(coalescer, finds_the_one_pair_of_lanes_with_a_line_in_common)
{
    for (uint32_t first = 0; first < 32; first++)
        for (uint32_t second = first + 1; second < 32; second++)
            for (uint32_t far = 0; far < 2; far++) {
                struct pattern pattern;
                init_pattern(&pattern, 32, 4);
                pattern.access.kind = far == 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
                for (uint32_t lane = 0; lane < 32; lane++)
                    pattern.addresses[lane] = 0x10000 + lane * lane * 128 + 4;
                pattern.addresses[second] =
                    pattern.addresses[first] + 32 + far * (UINT64_C(0x10000) * 128);
                pattern.access.active = UINT32_MAX;
                compare(&pattern, 128, far == 0 ? "a pair" : "a far pair");
                pattern.access.active &= UINT64_C(1) << first | UINT64_C(1) << second | 0x5a5a5a5a;
                compare(&pattern, 128, far == 0 ? "a pair of some" : "a far pair of some");
            }
}

static uint32_t coalesce_best(const struct pattern *pattern, struct wm_line_request *out)
{
    return wm_coalescer_best()(&pattern->access, 128, out);
}

Test(coalescer, a_full_warp_of_consecutive_words_is_one_request_of_four_sectors)
{
    struct pattern pattern;
    struct wm_line_request out[WM_MAX_LINE_REQUESTS];
    init_pattern(&pattern, 32, 4);
    for (uint32_t lane = 0; lane < 32; lane++)
        pattern.addresses[lane] = 0x1000 + lane * 4;
    cr_assert_eq(coalesce_best(&pattern, out), 1);
    cr_assert_eq(out[0].line_address, 0x1000);
    cr_assert_eq(out[0].sectors, 0xF);
    cr_assert_eq(out[0].full_sectors, 0, "only stores have full sectors");
    pattern.access.kind = WM_ACCESS_STORE;
    cr_assert_eq(coalesce_best(&pattern, out), 1);
    cr_assert_eq(out[0].full_sectors, 0xF);
}

// The figures of the CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": a shift of
// one word touches five sectors in two lines; a stride of two wastes half of eight sectors.
Test(coalescer, shift_and_stride_as_the_vendor_guide_shows)
{
    struct pattern pattern;
    struct wm_line_request out[WM_MAX_LINE_REQUESTS];
    init_pattern(&pattern, 32, 4);
    for (uint32_t lane = 0; lane < 32; lane++)
        pattern.addresses[lane] = 0x1004 + lane * 4;
    cr_assert_eq(coalesce_best(&pattern, out), 2);
    cr_assert_eq(out[0].sectors, 0xF);
    cr_assert_eq(out[1].sectors, 0x1);
    for (uint32_t lane = 0; lane < 32; lane++)
        pattern.addresses[lane] = 0x1000 + lane * 8;
    cr_assert_eq(coalesce_best(&pattern, out), 2);
    cr_assert_eq(out[0].sectors, 0xF);
    cr_assert_eq(out[1].sectors, 0xF);
}

Test(coalescer, lines_come_in_order_of_the_first_lane)
{
    struct pattern pattern;
    struct wm_line_request out[WM_MAX_LINE_REQUESTS];
    init_pattern(&pattern, 32, 4);
    for (uint32_t lane = 0; lane < 32; lane++)
        pattern.addresses[lane] = 0x8000 - (lane / 8) * 128;
    pattern.access.active = ~UINT64_C(0xF) & 0xFFFFFFFF;
    cr_assert_eq(coalesce_best(&pattern, out), 4);
    cr_assert_eq(out[0].line_address, 0x8000);
    cr_assert_eq(out[3].line_address, 0x8000 - 3 * 128);
}

Test(coalescer, sixty_four_lanes)
{
    struct pattern pattern;
    struct wm_line_request out[WM_MAX_LINE_REQUESTS];
    init_pattern(&pattern, 64, 16);
    for (uint32_t lane = 0; lane < 64; lane++)
        pattern.addresses[lane] = 0x4000 + lane * 16;
    cr_assert_eq(coalesce_best(&pattern, out), 8);
    for (uint32_t lane = 0; lane < 64; lane++)
        pattern.addresses[lane] = 0x4000 + lane * 4096;
    cr_assert_eq(coalesce_best(&pattern, out), 64);
}

Test(coalescer, no_active_lane_makes_no_request)
{
    struct pattern pattern;
    struct wm_line_request out[WM_MAX_LINE_REQUESTS];
    init_pattern(&pattern, 32, 4);
    pattern.access.active = 0;
    cr_assert_eq(coalesce_best(&pattern, out), 0);
    cr_assert_eq(wm_coalesce(&pattern.access, 128, out), 0);
}
