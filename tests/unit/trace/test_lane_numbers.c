// Lanes' addresses read all at once, against the numbers one by one.
#include "base/numbers/random.h"
#include "trace/warp/lane_numbers.h"

#include <criterion/criterion.h>
#include <stdlib.h>

// Differences of about `bits` bits, up to and above what the fast way reads.
static void write_lanes(struct wm_random *random, uint64_t mask, uint32_t bits, uint64_t first,
                        struct wm_bytes *bytes, uint64_t *addresses)
{
    uint64_t address = first;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        if (rest != mask) {
            uint64_t shorter = wm_random_below(random, bits);
            uint64_t number = wm_random_u64(random) >> (64 - bits) >> shorter;
            wm_bytes_put_number(bytes, number);
            address += wm_unzigzag(number);
        }
        addresses[__builtin_ctzll(rest)] = address;
    }
}

static uint64_t some_mask(struct wm_random *random)
{
    uint64_t dense = wm_random_u64(random) | wm_random_u64(random),
             few = wm_random_below(random, 65);
    switch (wm_random_below(random, 4)) {
    case 0: return UINT32_MAX;
    case 1: return UINT64_MAX >> (few & 63);
    case 2: return dense << (few & 31) | 1;
    default: return (dense & UINT32_MAX) | UINT64_C(0x80000000);
    }
}

Test(lane_numbers, are_those_read_one_by_one)
{
    wm_lane_numbers_function *read_all = wm_lane_numbers_avx512_find();
    struct wm_random random;
    uint64_t read_at_once = 0;
    if (read_all == NULL)
        cr_skip_test("this processor has no AVX-512 VBMI2");
    wm_random_init(&random, 11, "lane numbers");
    for (int round = 0; round < 20000; round++) {
        uint64_t mask = some_mask(&random), first = wm_random_u64(&random);
        uint64_t want[WM_MAX_LANES], got[WM_MAX_LANES];
        uint32_t bits = 1 + (uint32_t)wm_random_below(&random, round % 10 == 0 ? 64 : 56);
        struct wm_bytes bytes = {0};
        write_lanes(&random, mask, bits, first, &bytes, want);
        size_t numbers = bytes.length, more = wm_random_below(&random, 80);
        for (size_t i = 0; i < more; i++)
            wm_bytes_put_number(&bytes, wm_random_below(&random, 128));
        // Memory of just that size: a sanitizer sees what is read behind it.
        uint8_t *exact = malloc(bytes.length + 1);
        if (bytes.length != 0)
            memcpy(exact, bytes.data, bytes.length);
        struct wm_cursor data = wm_cursor_of(exact, bytes.length);
        if (read_all(&data, mask, first, got)) {
            read_at_once++;
            cr_assert_eq(data.at, exact + numbers, "round %d", round);
            for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
                cr_assert_eq(got[__builtin_ctzll(rest)], want[__builtin_ctzll(rest)], "round %d",
                             round);
            // One byte less is one number less.
            data = wm_cursor_of(exact, numbers - 1);
            cr_assert_not(read_all(&data, mask, first, got));
        }
        cr_assert(!data.bad && (data.at == exact || data.at == exact + numbers));
        free(exact);
        wm_bytes_release(&bytes);
    }
    cr_assert_geq(read_at_once, 12000);
}

// 56 bits are read at once, more are not, and nothing is taken of them.
Test(lane_numbers, long_ones_are_left_to_others)
{
    wm_lane_numbers_function *read_all = wm_lane_numbers_avx512_find();
    uint64_t addresses[WM_MAX_LANES];
    if (read_all == NULL)
        cr_skip_test("this processor has no AVX-512 VBMI2");
    for (uint32_t at = 1; at < 32; at++)
        for (int longer = 0; longer < 2; longer++) {
            struct wm_bytes bytes = {0};
            uint64_t number = (UINT64_C(1) << (56 + longer)) - 2; // even: upwards
            for (uint32_t lane = 1; lane < 32; lane++)
                wm_bytes_put_number(&bytes, lane == at ? number : 2);
            struct wm_cursor data = wm_cursor_of(bytes.data, bytes.length);
            cr_assert_eq(read_all(&data, UINT32_MAX, 100, addresses), longer == 0);
            cr_assert_eq(wm_cursor_left(&data), longer == 0 ? 0 : bytes.length);
            if (longer == 0)
                cr_assert_eq(addresses[31], 100 + 30 + number / 2);
            wm_bytes_release(&bytes);
        }
}
