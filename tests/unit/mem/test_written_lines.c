// Lines that several caches write (mem/explain/written_lines.h): by hand, and random accesses
// against a list of all accesses that is searched for each.
#include "base/numbers/random.h"
#include "mem/explain/written_lines.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void access_bytes(struct wm_written_lines *lines, uint64_t address, uint32_t bytes,
                         uint32_t cache, bool writes, struct wm_instruction_misses *instruction)
{
    wm_written_lines_access(lines, &(struct wm_written_access){.address = address,
                                                               .bytes = bytes,
                                                               .cache = cache,
                                                               .unit = cache,
                                                               .writes = writes,
                                                               .instruction = instruction});
}

static void expect_line(const struct wm_written_lines *lines, size_t index, uint64_t address,
                        uint64_t taken, uint64_t true_misses, uint64_t false_misses)
{
    struct wm_written_line line = wm_written_line_at(lines, index);
    cr_expect_eq(line.address, address);
    cr_expect_eq(line.copies_taken, taken, "%zu: %lu copies", index, line.copies_taken);
    cr_expect_eq(line.true_misses, true_misses, "%zu: %lu", index, line.true_misses);
    cr_expect_eq(line.false_misses, false_misses, "%zu: %lu", index, line.false_misses);
}

Test(written_lines, by_hand)
{
    static struct wm_instruction_misses counts, flags;
    struct wm_written_lines *lines = wm_written_lines_new(128);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t cache = i % 2;
        access_bytes(lines, 0x1000 + 4 * cache, 4, cache, true, &counts);   // words of their own
        access_bytes(lines, 0x1080, 4, cache, true, &flags);                // one word
        access_bytes(lines, 0x2000 + 128 * cache, 4, cache, true, &counts); // lines of their own
        access_bytes(lines, 0x3000, 8, cache, false, &counts);              // read only
    }
    // Each write but the first takes the other's copy; each but the first of a cache misses.
    cr_assert_eq(wm_written_lines_finish(lines), 2);
    cr_expect_not(wm_written_lines_failed(lines));
    expect_line(lines, 0, 0x1000, 9, 0, 8);
    expect_line(lines, 1, 0x1080, 9, 8, 0);
    cr_expect_eq(counts.true_sharing, 0);
    cr_expect_eq(counts.false_sharing, 8);
    cr_expect_eq(flags.true_sharing, 8);
    cr_expect_eq(flags.false_sharing, 0);
    struct wm_written_line line = wm_written_line_at(lines, 0);
    cr_expect(line.caches == 2 && line.writers == 2 && line.place_count == 1);
    cr_expect(line.accessed[0] == 0xff && line.accessed[1] == 0, "two words");
    cr_expect_eq(wm_written_line_at(lines, 1).accessed[0], 0xf);
    cr_expect(line.places[0].instruction == &counts && line.places[0].units == 2 &&
              line.places[0].copies_taken == 9 && line.places[0].false_misses == 8);
    wm_written_lines_free(lines);
}

// A miss is true sharing only when the word is accessed that the other has written, which may be
// later than the miss, and may have been written later than the copy was taken.
Test(written_lines, is_certain_late)
{
    static struct wm_instruction_misses reads, writes;
    struct wm_written_lines *lines = wm_written_lines_new(64);
    access_bytes(lines, 0, 4, 1, false, &reads);
    access_bytes(lines, 8, 4, 0, true, &writes);  // takes the copy
    access_bytes(lines, 16, 4, 0, true, &writes); // there is none
    access_bytes(lines, 0, 4, 1, false, &reads);  // misses
    access_bytes(lines, 16, 4, 1, false, &reads); // for this
    access_bytes(lines, 62, 4, 0, true, &writes); // two lines
    access_bytes(lines, 0, 4, 1, false, &reads);  // misses, for nothing
    cr_assert_eq(wm_written_lines_finish(lines), 1);
    expect_line(lines, 0, 0, 2, 1, 1);
    struct wm_written_line line = wm_written_line_at(lines, 0);
    cr_expect(line.caches == 2 && line.writers == 1 && line.place_count == 2);
    cr_expect_eq(reads.true_sharing, 1);
    cr_expect_eq(reads.false_sharing, 1);
    cr_expect_eq(writes.true_sharing + writes.false_sharing, 0);
    wm_written_lines_free(lines);
}

// ---- A model that searches all accesses --------------------------------------------------------

enum { ACCESSES = 400, CACHES = 3, LINES = 3, INSTRUCTIONS = 4 };

struct access {
    uint32_t first, bytes, line, cache, instruction;
    bool writes;
};

struct expected {
    uint64_t taken[LINES], shared[LINES], false_shared[LINES];
    uint64_t shared_at[INSTRUCTIONS], false_at[INSTRUCTIONS];
};

static bool meet(const struct access *a, const struct access *b)
{
    return a->first < b->first + b->bytes && b->first < a->first + a->bytes;
}

static bool others_write(const struct access *it, uint32_t line, uint32_t cache)
{
    return it->writes && it->line == line && it->cache != cache;
}

// The last access of a cache to a line before `end`; -1: none.
static int last_of(const struct access *all, int end, uint32_t line, uint32_t cache)
{
    for (int i = end - 1; i >= 0; i--)
        if (all[i].line == line && all[i].cache == cache)
            return i;
    return -1;
}

// Whether another has written the line between two accesses, both excluded.
static bool is_lost(const struct access *all, int begin, int end, uint32_t line, uint32_t cache)
{
    for (int i = begin + 1; i < end; i++)
        if (others_write(&all[i], line, cache))
            return true;
    return false;
}

// Of the miss at `at`: whether the cache comes to a byte that others wrote since `before`, until it
// loses the line again.
static bool is_shared(const struct access *all, int before, int at)
{
    for (int i = at; i < ACCESSES && !others_write(&all[i], all[at].line, all[at].cache); i++) {
        if (all[i].line != all[at].line || all[i].cache != all[at].cache)
            continue;
        for (int w = before + 1; w < at; w++)
            if (others_write(&all[w], all[at].line, all[at].cache) && meet(&all[w], &all[i]))
                return true;
    }
    return false;
}

static void model(const struct access *all, struct expected *expected)
{
    for (int i = 0; i < ACCESSES; i++) {
        const struct access *it = &all[i];
        int before = last_of(all, i, it->line, it->cache);
        if (before >= 0 && is_lost(all, before, i, it->line, it->cache)) {
            bool shared = is_shared(all, before, i);
            expected->shared[it->line] += shared;
            expected->false_shared[it->line] += !shared;
            expected->shared_at[it->instruction] += shared;
            expected->false_at[it->instruction] += !shared;
        }
        for (uint32_t cache = 0; it->writes && cache < CACHES; cache++) {
            int had = last_of(all, i, it->line, cache);
            expected->taken[it->line] +=
                cache != it->cache && had >= 0 && !is_lost(all, had, i, it->line, cache);
        }
    }
}

static void run_random(struct wm_random *random, uint32_t line_bytes)
{
    static struct wm_instruction_misses instructions[INSTRUCTIONS];
    struct access all[ACCESSES];
    struct expected expected = {0};
    struct wm_written_lines *lines = wm_written_lines_new(line_bytes);
    memset(instructions, 0, sizeof instructions);
    uint32_t words = 1 + (uint32_t)wm_random_below(random, 8);
    for (int i = 0; i < ACCESSES; i++) {
        struct access *it = &all[i];
        it->bytes = 1 + (uint32_t)wm_random_below(random, line_bytes / 8);
        it->first = (uint32_t)wm_random_below(random, words) * (line_bytes / 8);
        it->line = (uint32_t)wm_random_below(random, LINES);
        it->cache = (uint32_t)wm_random_below(random, CACHES);
        it->instruction = (uint32_t)wm_random_below(random, INSTRUCTIONS);
        it->writes = wm_random_below(random, 3) == 0;
        access_bytes(lines, it->line * (uint64_t)line_bytes + it->first, it->bytes, it->cache,
                     it->writes, &instructions[it->instruction]);
    }
    model(all, &expected);
    size_t count = wm_written_lines_finish(lines);
    for (uint32_t line = 0, at = 0; line < LINES; line++) {
        if (expected.taken[line] == 0)
            continue;
        cr_assert_lt(at, count);
        expect_line(lines, at++, line * (uint64_t)line_bytes, expected.taken[line],
                    expected.shared[line], expected.false_shared[line]);
    }
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        cr_expect_eq(instructions[i].true_sharing, expected.shared_at[i]);
        cr_expect_eq(instructions[i].false_sharing, expected.false_at[i]);
    }
    wm_written_lines_free(lines);
}

Test(written_lines, as_a_model_that_searches)
{
    struct wm_random random;
    wm_random_init(&random, 7, "written lines");
    for (int i = 0; i < 60; i++)
        for (uint32_t line_bytes = 8; line_bytes <= 256; line_bytes *= 2)
            run_random(&random, line_bytes);
}

// Many lines, caches and instructions: tables grow, and places are cut off.
Test(written_lines, grow)
{
    enum { MANY = 5000, MANY_CACHES = 40 };
    static struct wm_instruction_misses instructions[MANY_CACHES];
    struct wm_written_lines *lines = wm_written_lines_new(32);
    for (uint32_t line = 0; line < MANY; line++)
        for (uint32_t cache = 0; cache < MANY_CACHES; cache++)
            access_bytes(lines, line * UINT64_C(32), 4, cache,
                         cache == MANY_CACHES - 1 || line == 0, &instructions[cache]);
    cr_assert_eq(wm_written_lines_finish(lines), MANY);
    expect_line(lines, 0, 0, MANY_CACHES - 1, 0, 0);
    expect_line(lines, MANY - 1, (MANY - 1) * UINT64_C(32), MANY_CACHES - 1, 0, 0);
    cr_expect_eq(wm_written_line_at(lines, 0).place_count, WM_WRITTEN_MOST_PLACES);
    cr_expect_eq(wm_written_line_at(lines, 1).caches, MANY_CACHES);
    wm_written_lines_free(lines);
}
