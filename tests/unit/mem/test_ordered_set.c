// The masked shifts against an array moved by hand: random words of both sizes and every position,
// with the words beyond the set's end watched. Built once for each vector width.
#include "base/host/processor.h"
#include "base/numbers/random.h"
#include "mem/cache/ordered_set.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

static bool processor_has_it(void)
{
#if defined(WM_WIDTH_avx512)
    return wm_processor_runs(WM_PROCESSOR_AVX512);
#elif defined(WM_WIDTH_avx2)
    return wm_processor_runs(WM_PROCESSOR_AVX2);
#else
    return true;
#endif
}

enum { MOST = 40 };

// A set by hand; what lies beyond its end comes along.
struct obvious_set {
    uint64_t words[MOST];
};

static void take_out(struct obvious_set *set, uint32_t at, uint32_t end)
{
    for (uint32_t i = at; i + 1 < end; i++)
        set->words[i] = set->words[i + 1];
}

static void put_in(struct obvious_set *set, uint32_t at, uint32_t end, uint64_t word)
{
    for (uint32_t i = end - 1; i > at; i--)
        set->words[i] = set->words[i - 1];
    set->words[at] = word;
}

static struct obvious_set set_of(const uint64_t *wide, const uint16_t *narrow)
{
    struct obvious_set set;
    for (uint32_t i = 0; i < MOST; i++)
        set.words[i] = wide != NULL ? wide[i] : narrow[i];
    return set;
}

static void expect_set(const struct obvious_set *expected, const uint64_t *wide,
                       const uint16_t *narrow, const char *what, uint32_t stride, uint32_t position)
{
    struct obvious_set now = set_of(wide, narrow);
    cr_assert_arr_eq(now.words, expected->words, sizeof now.words, "%s, stride %u, position %u",
                     what, stride, position);
}

// All that is done to a set, at one position, in words of 8 bytes or of 2.
static void move_at(uint64_t *wide, uint16_t *narrow, uint32_t stride, uint32_t position)
{
    uint32_t through = UINT32_MAX >> (31 - position);
    struct obvious_set expected = set_of(wide, narrow);
    put_in(&expected, 0, position + 1, 7);
    if (wide != NULL)
        wm_ordered_to_front(wide, stride, through, 7);
    else
        wm_ordered_narrow_to_front(narrow, stride, through, 7);
    expect_set(&expected, wide, narrow, "to front", stride, position);
    for (uint32_t to = 0; to <= position; to++) {
        put_in(&expected, to, position + 1, 500 + to);
        if (wide != NULL)
            wm_ordered_move(wide, stride, through, UINT32_C(1) << to, 500 + to);
        else
            wm_ordered_narrow_move(narrow, stride, through, UINT32_C(1) << to,
                                   (uint16_t)(500 + to));
        expect_set(&expected, wide, narrow, "move", stride, position);
    }
    take_out(&expected, position, stride);
    expected.words[stride - 1] = 9;
    if (wide != NULL)
        wm_ordered_to_back(wide, 8, stride, position, &(uint64_t){9});
    else
        wm_ordered_to_back(narrow, 2, stride, position, &(uint16_t){9});
    expect_set(&expected, wide, narrow, "to back", stride, position);
}

Test(ordered_set, words_move_to_the_front_to_a_place_and_to_the_back)
{
    if (!processor_has_it())
        cr_skip("this processor has no such vectors");
    static _Alignas(64) uint64_t wide[MOST];
    static _Alignas(64) uint16_t narrow[MOST];
    struct wm_random random;
    wm_random_init(&random, 1, "words");
    for (uint32_t stride = 8; stride <= 32; stride += 8)
        for (uint32_t position = 0; position < stride; position++) {
            for (int i = 0; i < MOST; i++) {
                wide[i] = wm_random_u64(&random);
                narrow[i] = (uint16_t)wide[i];
            }
            move_at(wide, NULL, stride, position);
            move_at(NULL, narrow, stride, position);
        }
}
