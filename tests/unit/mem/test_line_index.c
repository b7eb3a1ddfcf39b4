// The index against looking at every tag: random lines, and lines that all belong in one row, so
// that rows overflow and empty again. Built once for each vector width.
#include "base/host/processor.h"
#include "base/numbers/random.h"
#include "mem/cache/line_index.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SLOTS = 120, ROWS = 16, FEW = 150 };
#define NO_LINE UINT64_MAX

struct indexed {
    struct wm_line_index index;
    uint64_t tags[SLOTS];
    _Alignas(64) uint32_t rows[ROWS * WM_INDEX_WORDS];
};

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

static void begin(struct indexed *indexed)
{
    memset(indexed, 0, sizeof *indexed);
    indexed->index = wm_line_index_of(SLOTS);
    cr_assert_eq(indexed->index.row_mask, ROWS - 1);
    indexed->index.rows = indexed->rows;
    for (uint32_t i = 0; i < SLOTS; i++)
        indexed->tags[i] = NO_LINE;
}

static int64_t slot_of(const struct indexed *indexed, uint64_t line)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        if (indexed->tags[i] == line)
            return i;
    return -1;
}

// Either look-up says the same.
static int64_t found(const struct indexed *indexed, uint64_t line)
{
    uint32_t slot;
    int64_t at = wm_index_find(&indexed->index, indexed->tags, line);
    bool there = wm_index_find_flat(&indexed->index, indexed->tags, line, &slot);
    cr_assert_eq(there, at >= 0);
    cr_assert(!there || slot == at, "in slot %u, or %d", slot, (int)at);
    return at;
}

static void put(struct indexed *indexed, uint32_t slot, uint64_t line)
{
    if (indexed->tags[slot] != NO_LINE)
        wm_index_remove(&indexed->index, slot, indexed->tags[slot]);
    indexed->tags[slot] = line;
    if (line != NO_LINE)
        wm_index_insert(&indexed->index, slot, line);
}

// Random changes, with every line looked for now and then; at last all leave.
static void run_on(const uint64_t *lines, const char *name)
{
    struct indexed indexed;
    struct wm_random random;
    wm_random_init(&random, 1, name);
    begin(&indexed);
    for (int step = 0; step < 20000; step++) {
        uint64_t line = lines[wm_random_u64(&random) % FEW];
        uint32_t slot = (uint32_t)(wm_random_u64(&random) % SLOTS);
        int64_t held = slot_of(&indexed, line);
        cr_assert_eq(found(&indexed, line), held, "step %d", step);
        if (held >= 0 && wm_random_u64(&random) % 4 == 0)
            put(&indexed, (uint32_t)held, NO_LINE);
        else if (held < 0)
            put(&indexed, slot, line);
    }
    for (uint32_t i = 0; i < FEW; i++)
        cr_assert_eq(found(&indexed, lines[i]), slot_of(&indexed, lines[i]));
    for (uint32_t i = 0; i < SLOTS; i++)
        put(&indexed, i, NO_LINE);
    for (uint32_t i = 0; i < ROWS * WM_INDEX_WORDS; i++)
        cr_assert_eq(indexed.rows[i], 0, "word %u", i);
}

Test(line_index, finds_random_lines_where_they_are)
{
    if (!processor_has_it())
        cr_skip("this processor has no such vectors");
    uint64_t lines[FEW];
    struct wm_random random;
    wm_random_init(&random, 1, "lines");
    for (int i = 0; i < FEW; i++)
        lines[i] = wm_random_u64(&random) >> 7;
    run_on(lines, "random");
}

// The last row, so that they go on from the end to the beginning.
Test(line_index, finds_lines_that_all_belong_in_one_row)
{
    if (!processor_has_it())
        cr_skip("this processor has no such vectors");
    uint64_t lines[FEW], line = 0;
    for (int i = 0; i < FEW; line++)
        if (wm_index_hash(line) >> 60 == ROWS - 1)
            lines[i++] = line;
    run_on(lines, "one row");
}

// A mark is no line: two lines with the same one differ in their tags.
Test(line_index, tells_lines_with_one_mark_apart)
{
    if (!processor_has_it())
        cr_skip("this processor has no such vectors");
    struct indexed indexed;
    begin(&indexed);
    indexed.index.mark_bits = WM_INDEX_MARKED;
    for (uint32_t i = 0; i < SLOTS; i++)
        put(&indexed, i, i * UINT64_C(977));
    for (uint32_t i = 0; i < SLOTS; i++) {
        cr_assert_eq(found(&indexed, i * UINT64_C(977)), i);
        cr_assert_eq(found(&indexed, i * UINT64_C(977) + 1), -1);
    }
}

Test(line_index, has_room_for_all_slots_and_marks_that_are_no_slot)
{
    for (uint64_t slots = 1; slots <= UINT64_C(1) << 31; slots *= 3) {
        struct wm_line_index index = wm_line_index_of(slots);
        uint64_t rows = index.row_mask + UINT64_C(1);
        cr_assert_geq(rows * 8, slots);
        cr_assert_eq(UINT64_C(1) << (64 - index.row_shift), rows);
        cr_assert_eq((slots - 1) & index.mark_bits, 0);
        cr_assert_neq(index.mark_bits & WM_INDEX_MARKED, 0);
    }
}
