// Bank conflicts on patterns whose passes the programming guide gives, and on random ones against
// a count over all banks and words.
#include "base/numbers/random.h"
#include "sm/conflicts/bank_conflicts.h"

#include <criterion/criterion.h>

static uint64_t addresses[WM_MAX_LANES];

static struct wm_bank_use use_of(uint32_t bytes, uint32_t lanes, uint64_t active)
{
    struct wm_warp_access access = {.kind = WM_ACCESS_LOAD,
                                    .space = WM_SPACE_SHARED,
                                    .bytes_per_lane = bytes,
                                    .lanes = lanes,
                                    .active = active,
                                    .addresses = addresses};
    return wm_bank_use_of(&access);
}

static void check_stride(uint32_t bytes, uint64_t stride, uint32_t passes, uint32_t replays)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = lane * stride;
    struct wm_bank_use use = use_of(bytes, 32, UINT32_MAX);
    cr_expect_eq(use.passes, passes, "%u bytes, stride %llu: %u passes", bytes,
                 (unsigned long long)stride, use.passes);
    cr_expect_eq(use.replays, replays, "%u bytes, stride %llu", bytes, (unsigned long long)stride);
}

static uint32_t passes_of(enum wm_access_kind kind)
{
    struct wm_warp_access access = {.kind = kind,
                                    .space = WM_SPACE_SHARED,
                                    .bytes_per_lane = 4,
                                    .lanes = 32,
                                    .active = UINT32_MAX,
                                    .addresses = addresses};
    return wm_bank_use_of(&access).passes;
}

// Lanes at one word share a pass when they load it or store to it.
Test(bank_conflicts, lanes_at_one_word_share_a_pass)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = 128 * (uint64_t)(lane & 3);
    cr_expect_eq(passes_of(WM_ACCESS_LOAD), 4);
    cr_expect_eq(passes_of(WM_ACCESS_STORE), 4);
    cr_expect_eq(passes_of(WM_ACCESS_ATOMIC), 32);
}

Test(bank_conflicts, strides_of_words)
{
    check_stride(4, 4, 1, 0);
    check_stride(4, 0, 1, 0);  // broadcast
    check_stride(4, 8, 2, 1);  // two words a bank
    check_stride(4, 12, 1, 0); // odd strides are free
    check_stride(4, 128, 32, 31);
    check_stride(4, 132, 1, 0);
    check_stride(1, 1, 1, 0); // four lanes a word
    check_stride(1, 128, 32, 31);
}

// Each lane of an atomic needs what the one before it left.
Test(bank_conflicts, lanes_of_an_atomic_share_no_pass)
{
    struct wm_warp_access access = {.kind = WM_ACCESS_REDUCTION,
                                    .space = WM_SPACE_SHARED,
                                    .bytes_per_lane = 4,
                                    .lanes = 32,
                                    .active = UINT32_MAX,
                                    .addresses = addresses};
    for (uint32_t lanes = 1; lanes <= 32; lanes *= 2) {
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = 4 * (uint64_t)(lane / lanes);
        cr_expect_eq(wm_bank_use_of(&access).passes, lanes);
        cr_expect_eq(wm_bank_use_of(&access).replays, lanes - 1);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = 128 * (uint64_t)(lane & 3); // four words of one bank
    cr_expect_eq(wm_bank_use_of(&access).passes, 32);
}

Test(bank_conflicts, wide_elements_take_a_pass_a_group)
{
    check_stride(8, 8, 2, 0);
    check_stride(16, 16, 4, 0);
    check_stride(8, 0, 1, 0);
    check_stride(16, 0, 2, 0);
    check_stride(8, 128, 32, 30); // half a warp: 16 words in each of two banks
    check_stride(8, 16, 4, 2);
}

Test(bank_conflicts, lanes_that_are_off_ask_for_nothing)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = 128 * (uint64_t)lane;
    cr_expect_eq(use_of(4, 32, 1).passes, 1);
    cr_expect_eq(use_of(4, 32, 0xff).passes, 8);
    cr_expect_eq(use_of(8, 32, 0xff).passes, 8, "the idle half of the warp takes no pass");
}

Test(bank_conflicts, a_wavefront_of_64_goes_in_two_halves)
{
    for (uint32_t lane = 0; lane < 64; lane++)
        addresses[lane] = 4 * (uint64_t)lane;
    struct wm_bank_use use = use_of(4, 64, UINT64_MAX);
    cr_expect_eq(use.passes, 2);
    cr_expect_eq(use.replays, 0);
}

// As an H100 was measured: lanes that name the elements of their numbers without some bits.
Test(bank_conflicts, groups_are_served_in_pairs_where_neighbours_name_the_same)
{
    for (uint32_t mask = 0; mask < 32; mask++) {
        bool neighbours = (mask & 3) != 0;
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = 8 * (uint64_t)(lane & ~mask);
        cr_expect_eq(use_of(8, 32, UINT32_MAX).passes, neighbours && (mask & 16) != 0 ? 1 : 2,
                     "8 bytes, without %u", mask);
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = 16 * (uint64_t)(lane & ~mask);
        cr_expect_eq(use_of(16, 32, UINT32_MAX).passes, neighbours && (mask & 8) != 0 ? 2 : 4,
                     "16 bytes, without %u", mask);
    }
}

static bool same_as_beside(uint32_t first, uint32_t end, uint64_t active, uint32_t apart)
{
    for (uint32_t lane = first; lane < end; lane++)
        for (uint32_t other = first; other < end; other++)
            if (other == (lane ^ apart) && (active >> lane & active >> other & 1) != 0 &&
                addresses[lane] != addresses[other])
                return false;
    return true;
}

// Bank by bank, every word that exists.
static uint32_t reference_passes(uint32_t bytes, uint32_t lanes, uint64_t active, uint32_t *replays)
{
    enum { WORDS = 512 };
    uint32_t group = bytes <= 4 ? 32 : 128 / bytes, passes = 0;
    *replays = 0;
    for (uint32_t first = 0, end; first < lanes; first = end) {
        uint32_t most = 0, pair = first + 2 * group;
        end = first + group;
        if ((bytes == 8 || bytes == 16 || bytes == 32) && first % (2 * group) == 0 &&
            (same_as_beside(first, pair, active, 1) || same_as_beside(first, pair, active, 2)))
            end = pair;
        for (uint32_t bank = 0; bank < 32; bank++) {
            uint32_t asked = 0;
            for (uint64_t word = bank; word < WORDS; word += 32) {
                bool found = false;
                for (uint32_t lane = first; lane < end && lane < lanes; lane++)
                    found = found || ((active >> lane & 1) != 0 && addresses[lane] < 4 * word + 4 &&
                                      addresses[lane] + bytes > 4 * word);
                asked += found;
            }
            most = asked > most ? asked : most;
        }
        passes += most;
        *replays += most > 0 ? most - 1 : 0;
    }
    return passes;
}

Test(bank_conflicts, random_patterns_match_a_count_over_all_words)
{
    struct wm_random random;
    wm_random_init(&random, 7, "banks");
    for (int i = 0; i < 2000; i++) {
        uint32_t bytes = UINT32_C(1) << wm_random_below(&random, 6);
        uint32_t lanes = wm_random_below(&random, 2) == 0 ? 32 : 64, replays;
        for (uint32_t lane = 0; lane < lanes; lane++)
            addresses[lane] = bytes * wm_random_below(&random, 2048 / bytes);
        for (uint32_t lane = 0, apart = 1 + (uint32_t)i % 2; i % 3 == 0 && lane < lanes; lane++)
            addresses[lane] = addresses[lane & ~apart];
        uint64_t active = wm_random_u64(&random) & wm_random_u64(&random);
        active |= UINT64_C(1) << wm_random_below(&random, lanes);
        active &= lanes == 32 ? UINT32_MAX : UINT64_MAX;
        struct wm_bank_use use = use_of(bytes, lanes, active);
        cr_assert_eq(use.passes, reference_passes(bytes, lanes, active, &replays));
        cr_assert_eq(use.replays, replays);
    }
}

// With a base and a stride as with the addresses of them, whichever lanes take part.
Test(bank_conflicts, loads_need_no_addresses)
{
    static const uint64_t strides[] = {0, 1, 4, 8, 12, 16, 36, 128, 4096, (uint64_t)-4};
    static const uint64_t active[] = {UINT32_MAX, 1, 0xff00, 0x55555555};
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (size_t i = 0; i < 10 * 4 * 2; i++) {
            struct wm_warp_access access = {.kind = WM_ACCESS_LOAD,
                                            .space = WM_SPACE_GLOBAL,
                                            .bytes_per_lane = bytes,
                                            .lanes = 32,
                                            .active = active[i / 10 % 4],
                                            .base = 1 << 20,
                                            .stride = strides[i % 10] * (bytes / 4),
                                            .row_stride = 4096,
                                            .row_shift = i < 40 ? 0 : 3};
            uint32_t passes = wm_bank_passes_of_load(&access), words = wm_words_of_load(&access);
            wm_access_expand(&access, addresses);
            access.addresses = addresses;
            access.kind = WM_ACCESS_STORE; // whose groups are each by themselves
            cr_expect_eq(passes, wm_bank_use_of(&access).passes, "%u bytes, case %zu", bytes, i);
            access.kind = WM_ACCESS_LOAD;
            cr_expect_eq(wm_bank_passes_of_load(&access), passes);
            cr_expect_eq(wm_words_of_load(&access), words);
        }
}

// Constant memory serves each word that lanes name once.
Test(bank_conflicts, words_of_a_load_are_those_that_differ)
{
    struct wm_warp_access access = {.kind = WM_ACCESS_LOAD,
                                    .space = WM_SPACE_CONSTANT,
                                    .bytes_per_lane = 4,
                                    .lanes = 32,
                                    .active = UINT32_MAX,
                                    .addresses = addresses};
    for (uint32_t words = 1; words <= 32; words *= 2) {
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = 4096 + 4 * (uint64_t)(lane % words);
        cr_expect_eq(wm_words_of_load(&access), words);
    }
    access.active = 0x8001;
    cr_expect_eq(wm_words_of_load(&access), 2);
}
