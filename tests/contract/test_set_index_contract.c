// The contract of the kind "set index" (mem/set_index/set_index.h), over every entry of its table.
#include "base/numbers/random.h"
#include "mem/set_index/set_index.h"

#include <criterion/criterion.h>
#include <string.h>

Test(set_index_contract, every_entry_is_documented_and_found_by_name)
{
    size_t count;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&count);
    cr_assert_geq(count, 4);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(wm_set_index_find(table[i]->name), table[i]);
        cr_assert(table[i]->title[0] && table[i]->source[0] && table[i]->sentence[0]);
    }
    cr_assert_null(wm_set_index_find("nosuch"));
}

// For every entry and set count it takes: below the count, the same twice, and over consecutive
// lines every set is used about equally often.
Test(set_index_contract, every_entry_spreads_consecutive_lines)
{
    static const uint32_t counts[] = {1, 2, 4, 7, 32, 64, 128, 384, 1792};
    size_t entries;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&entries);
    for (size_t i = 0; i < entries; i++)
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
            uint32_t sets = counts[j], used[1792] = {0};
            if (!table[i]->supports(sets))
                continue;
            for (uint64_t line = 0; line < (uint64_t)sets * 16; line++) {
                uint32_t set = table[i]->index(line, 128, sets);
                cr_assert_lt(set, sets);
                cr_assert_eq(set, table[i]->index(line, 128, sets));
                used[set]++;
            }
            for (uint32_t set = 0; set < sets; set++)
                cr_assert_eq(used[set], 16, "%s, %u sets: set %u has %u of 16 lines",
                             table[i]->name, sets, set, used[set]);
        }
}

// Every run of as many lines as there are sets, aligned to that many, visits every set once,
// wherever in memory it lies: no part of an array is larger than another.
Test(set_index_contract, every_aligned_run_is_a_permutation)
{
    static const uint32_t counts[] = {1, 2, 3, 16, 32, 48, 64, 96, 384, 512, 1024};
    size_t entries;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&entries);
    struct wm_random random;
    wm_random_init(&random, 1, "permutation");
    for (int round = 0; round < 200; round++) {
        uint64_t run = wm_random_u64(&random) >> (18 + wm_random_below(&random, 40));
        for (size_t i = 0; i < entries; i++)
            for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
                uint32_t sets = counts[j];
                bool seen[1024] = {false};
                for (uint64_t at = 0; table[i]->supports(sets) && at < sets; at++) {
                    uint32_t set = table[i]->index(run * sets + at, 128, sets);
                    cr_assert(set < sets && !seen[set], "%s, %u sets", table[i]->name, sets);
                    seen[set] = true;
                }
            }
    }
}

// How many of random lines two entries put in different sets.
static uint32_t differences(const struct wm_set_index_ops *one,
                            const struct wm_set_index_ops *other, uint32_t sets)
{
    struct wm_random random;
    uint32_t different = 0;
    wm_random_init(&random, sets, "differences");
    for (int tried = 0; tried < 1000; tried++) {
        uint64_t line = wm_random_u64(&random) >> (8 + wm_random_below(&random, 32));
        different += one->index(line, 128, sets) != other->index(line, 128, sets);
    }
    return different;
}

// Entries are functions of their own, of every number of sets that has bits to hash; of an odd one
// all are the rest of the division.
Test(set_index_contract, no_two_entries_are_the_same)
{
    static const uint32_t counts[] = {2, 4, 6, 7, 32, 64, 96, 384, 513, 1024};
    size_t entries;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&entries);
    for (size_t i = 0; i < entries; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                uint32_t sets = counts[c];
                if (!table[i]->supports(sets) || !table[j]->supports(sets))
                    continue;
                uint32_t different = differences(table[i], table[j], sets);
                cr_expect(sets % 2 == 0 ? different > 100 : different == 0,
                          "%s and %s, %u sets: %u of 1000 lines", table[i]->name, table[j]->name,
                          sets, different);
            }
}

// A column of a matrix whose rows are as long as the sets are many: one set under modulo, and what
// hashes are there for, several under any other.
Test(set_index_contract, hashes_spread_what_modulo_does_not)
{
    size_t entries;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&entries);
    for (size_t i = 0; i < entries; i++) {
        bool seen[64] = {false};
        uint32_t different = 0;
        for (uint64_t row = 0; row < 64; row++) {
            uint32_t set = table[i]->index(row * 64, 128, 64);
            different += !seen[set];
            seen[set] = true;
        }
        cr_expect_eq(different == 1, strcmp(table[i]->name, "modulo") == 0, "%s: %u sets",
                     table[i]->name, different);
    }
}

// What owners may do instead of calling the entry is said truly: the division, or masks.
Test(set_index_contract, flags_say_what_the_function_does)
{
    static const uint32_t counts[] = {1, 3, 32, 64, 384};
    size_t entries;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&entries);
    struct wm_random random;
    wm_random_init(&random, 1, "flags");
    for (size_t i = 0; i < entries; i++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (int tried = 0; tried < 1000 && table[i]->supports(counts[c]); tried++) {
                uint32_t sets = counts[c], set = 0;
                uint64_t line = wm_random_u64(&random) >> 8, other = wm_random_u64(&random) >> 8;
                set = table[i]->index(line, 128, sets);
                if (table[i]->is_modulo)
                    cr_assert_eq(set, line % sets, "%s", table[i]->name);
                if (table[i]->is_linear && (sets & (sets - 1)) == 0)
                    cr_assert_eq(table[i]->index(line ^ other, 128, sets),
                                 set ^ table[i]->index(other, 128, sets), "%s", table[i]->name);
            }
    for (size_t i = 0; i < entries; i++)
        cr_assert(!table[i]->supports(0) && !(table[i]->is_modulo && table[i]->is_linear));
}
