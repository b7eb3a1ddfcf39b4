#include "base/containers/arena.h"
#include "base/numbers/random.h"

#include <criterion/criterion.h>
#include <stdint.h>

// Random sizes and alignments: every block is aligned, zeroed, and overlaps no other.
Test(arena, blocks_are_aligned_zeroed_and_disjoint)
{
    struct wm_arena arena;
    struct wm_random random;
    wm_arena_init(&arena);
    wm_random_init(&random, 1, "test arena");
    enum { COUNT = 2000 };
    static unsigned char *blocks[COUNT];
    static size_t sizes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sizes[i] = (size_t)wm_random_below(&random, i % 50 == 0 ? 100000 : 300);
        size_t alignment = (size_t)1 << wm_random_below(&random, 7);
        blocks[i] = wm_arena_alloc(&arena, sizes[i], alignment);
        cr_assert_not_null(blocks[i]);
        cr_assert_eq((uintptr_t)blocks[i] % alignment, 0);
        for (size_t b = 0; b < sizes[i]; b++)
            cr_assert_eq(blocks[i][b], 0);
        memset(blocks[i], i & 0xff, sizes[i]);
    }
    for (int i = 0; i < COUNT; i++)
        for (size_t b = 0; b < sizes[i]; b++)
            cr_assert_eq(blocks[i][b], i & 0xff, "block %d was written by another", i);
    wm_arena_release(&arena);
    cr_assert_eq(arena.total_bytes, 0);
}

Test(arena, absurd_size_is_refused)
{
    struct wm_arena arena;
    wm_arena_init(&arena);
    cr_assert_null(wm_arena_alloc(&arena, SIZE_MAX - 8, 8));
    cr_assert_null(wm_arena_copy_text(&arena, "x", SIZE_MAX));
    cr_assert_str_eq(wm_arena_copy_text(&arena, "abcdef", 3), "abc");
    wm_arena_release(&arena);
}
