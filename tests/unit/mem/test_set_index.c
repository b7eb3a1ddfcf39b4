// Each set index function of its own.
#include "base/numbers/random.h"
#include "mem/set_index/entries.h"
#include "mem/set_index/set_hash.h"
#include "obvious_set_index.h"

#include <criterion/criterion.h>

Test(set_index, modulo_is_the_rest_of_the_division)
{
    struct wm_random random;
    wm_random_init(&random, 1, "modulo");
    for (int i = 0; i < 100000; i++) {
        uint64_t line = wm_random_u64(&random) >> wm_random_below(&random, 60);
        uint32_t sets = (uint32_t)wm_random_below(&random, 5000) + 1;
        cr_assert_eq(wm_set_index_modulo.index(line, 128, sets), line % sets);
    }
    cr_assert_not(wm_set_index_modulo.supports(0));
}

// Address bits, one at a time, as the paper's table has them.
Test(set_index, fermi_hash_takes_the_bits_of_the_paper)
{
    static const struct {
        unsigned bit;
        uint32_t set_of_32, set_of_64;
    } bits[] = {{7, 1, 1},    {8, 2, 2},  {9, 4, 4},  {10, 8, 8}, {11, 16, 16}, {12, 0, 32},
                {13, 1, 1},   {14, 2, 2}, {15, 4, 4}, {16, 0, 0}, {17, 8, 8},   {18, 0, 0},
                {19, 16, 16}, {20, 0, 0}, {21, 0, 0}, {39, 0, 0}};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        uint64_t line = (UINT64_C(1) << bits[i].bit) / 128;
        cr_assert_eq(wm_set_index_fermi_hash.index(line, 128, 32), bits[i].set_of_32, "bit %u",
                     bits[i].bit);
        cr_assert_eq(wm_set_index_fermi_hash.index(line, 128, 64), bits[i].set_of_64, "bit %u",
                     bits[i].bit);
    }
    // Linear: two bits that meet cancel out.
    uint64_t line = ((UINT64_C(1) << 7) | (UINT64_C(1) << 13)) / 128;
    cr_assert_eq(wm_set_index_fermi_hash.index(line, 128, 32), 0);
    cr_assert_not(wm_set_index_fermi_hash.supports(128));
    cr_assert_not(wm_set_index_fermi_hash.supports(33));
}

// How many sets of 32 the lines of a warp lie in whose lanes are `stride` bytes apart, and how many
// lines share the fullest of them.
static void spread_of_a_warp(const struct wm_set_index_ops *ops, uint64_t stride, unsigned *sets,
                             unsigned *most)
{
    unsigned lines[32] = {0};
    *sets = *most = 0;
    for (uint64_t lane = 0; lane < 32; lane++) {
        unsigned count = ++lines[ops->index(lane * stride / 128, 128, 32)];
        *sets += count == 1;
        *most = count > *most ? count : *most;
    }
}

// The strides of docs/workloads.md, "The benchmarks of the DaCache study", worked out by hand: a
// stride of 2^k varies address bits k to k+4, of which the hash takes 7 to 11, 13 to 15, 17 and 19.
// At 32 KiB (bits 15 to 19) three of the five matter, so 8 sets hold 4 lines each.
Test(set_index, fermi_hash_spreads_columns_of_rows_of_a_power_of_two)
{
    static const struct {
        uint64_t stride;
        unsigned modulo_sets, modulo_most, hash_sets, hash_most;
    } rows[] = {
        {32768, 1, 32, 8, 4},        {16384, 1, 32, 8, 4}, {8192, 1, 32, 16, 2},
        {4096, 1, 32, 8, 4},         {2048, 2, 16, 16, 2}, {1024, 4, 8, 16, 2},
        {544, 20, 2, 29, 2},         {136, 31, 2, 31, 2},  {32768 + 128, 32, 1, 16, 2},
        {16384 + 128, 32, 1, 16, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned sets, most;
        spread_of_a_warp(&wm_set_index_modulo, rows[i].stride, &sets, &most);
        cr_expect(sets == rows[i].modulo_sets && most == rows[i].modulo_most,
                  "modulo, %u: %u sets, %u lines", (unsigned)rows[i].stride, sets, most);
        spread_of_a_warp(&wm_set_index_fermi_hash, rows[i].stride, &sets, &most);
        cr_expect(sets == rows[i].hash_sets && most == rows[i].hash_most,
                  "hash, %u: %u sets, %u lines", (unsigned)rows[i].stride, sets, most);
    }
}

// The entry's own polynomial: x^degree leaves the terms below it.
static uint64_t polynomial_of(unsigned degree)
{
    uint32_t sets = UINT32_C(1) << degree;
    return sets | wm_set_index_ipoly.index(sets, 128, sets);
}

Test(set_index, ipoly_divides_by_the_least_primitive_polynomial)
{
    for (unsigned degree = 1; degree <= 16; degree++)
        cr_assert_eq(polynomial_of(degree), obvious_primitive_polynomial(degree), "degree %u",
                     degree);
    // The published one of 32 and 64 sets: x^5 + x^2 + 1 and x^6 + x + 1.
    cr_assert_eq(polynomial_of(5), 37);
    cr_assert_eq(polynomial_of(6), 67);
}

// Above, where counting all powers takes too long: x^(2^n - 1) is 1, and no shorter power whose
// exponent is (2^n - 1) over a prime.
static uint64_t multiplied(uint64_t a, uint64_t b, uint64_t polynomial, unsigned degree)
{
    uint64_t product = 0;
    for (unsigned bit = 0; bit < degree; bit++)
        product ^= b >> bit & 1 ? a << bit : 0;
    return obvious_long_division(product, polynomial, degree);
}

static uint64_t power_of_x(uint64_t exponent, uint64_t polynomial, unsigned degree)
{
    uint64_t result = 1, square = 2;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            result = multiplied(result, square, polynomial, degree);
        square = multiplied(square, square, polynomial, degree);
    }
    return result;
}

Test(set_index, ipoly_has_a_primitive_polynomial_for_the_largest_arrays_too)
{
    for (unsigned degree = 17; degree <= 31; degree++) {
        uint64_t polynomial = polynomial_of(degree), order = (UINT64_C(1) << degree) - 1;
        cr_assert_eq(power_of_x(order, polynomial, degree), 1, "degree %u", degree);
        uint64_t left = order;
        for (uint64_t prime = 3; left > 1; prime += 2) {
            if (prime * prime > left)
                prime = left;
            if (left % prime != 0)
                continue;
            while (left % prime == 0)
                left /= prime;
            cr_assert_neq(power_of_x(order / prime, polynomial, degree), 1, "degree %u", degree);
        }
    }
}

Test(set_index, ipoly_is_long_division_bit_by_bit)
{
    struct wm_random random;
    wm_random_init(&random, 2, "ipoly");
    for (int i = 0; i < 100000; i++) {
        unsigned degree = (unsigned)wm_random_below(&random, 32);
        uint64_t line = wm_random_u64(&random) >> wm_random_below(&random, 64);
        uint32_t sets = UINT32_C(1) << degree;
        uint64_t expected =
            degree == 0 ? 0 : obvious_long_division(line, polynomial_of(degree), degree);
        cr_assert_eq(wm_set_index_ipoly.index(line, 128, sets), expected);
    }
}

Test(set_index, xor_folds_the_next_field_of_bits_into_the_index)
{
    struct wm_random random;
    wm_random_init(&random, 3, "xor");
    for (int i = 0; i < 100000; i++) {
        unsigned bits = (unsigned)wm_random_below(&random, 28);
        uint64_t line = wm_random_u64(&random), sets = UINT64_C(1) << bits, expected = 0;
        for (unsigned bit = 0; bit < bits; bit++)
            expected |= ((line >> bit & 1) ^ (line >> (bit + bits) & 1)) << bit;
        cr_assert_eq(wm_set_index_xor.index(line, 128, (uint32_t)sets), expected);
    }
}

// Numbers of sets that are no power of two: the groups are the quotient's modulo, and within one
// the hash is that of its power of two.
Test(set_index, hashes_of_odd_multiples_keep_the_odd_part_by_modulo)
{
    static const struct wm_set_index_ops *const hashes[] = {&wm_set_index_xor, &wm_set_index_ipoly};
    struct wm_random random;
    wm_random_init(&random, 4, "odd multiples");
    for (int i = 0; i < 100000; i++) {
        uint32_t power = UINT32_C(1) << wm_random_below(&random, 12);
        uint32_t odd = 2 * (uint32_t)wm_random_below(&random, 50) + 1;
        uint64_t line = wm_random_u64(&random) >> wm_random_below(&random, 60);
        for (int j = 0; j < 2; j++) {
            uint32_t set = hashes[j]->index(line, 128, power * odd);
            cr_assert_eq(set % power, hashes[j]->index(line, 128, power));
            cr_assert_eq(set / power, line / power % odd);
        }
    }
}

// How many sets the first `count` lines of a stride visit.
static uint32_t visited(const struct wm_set_index_ops *ops, uint64_t stride, uint32_t count,
                        uint32_t sets)
{
    bool seen[1024] = {false};
    uint32_t different = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t set = ops->index(i * stride, 128, sets);
        different += !seen[set];
        seen[set] = true;
    }
    return different;
}

// A column of a matrix whose rows are a power of two of lines: modulo maps it to few sets, the
// polynomial to all of them, whatever the power.
Test(set_index, ipoly_spreads_the_strides_that_conflict_under_modulo)
{
    for (unsigned shift = 0; shift <= 40; shift++) {
        uint64_t stride = UINT64_C(1) << shift;
        uint32_t kept = shift < 6 ? 64u >> shift : 1;
        cr_assert_eq(visited(&wm_set_index_modulo, stride, 64, 64), kept);
        cr_assert_eq(visited(&wm_set_index_ipoly, stride, 64, 64), 64, "stride 2^%u", shift);
    }
    // Xor of one field sees no further than that field.
    cr_assert_eq(visited(&wm_set_index_xor, 64, 64, 64), 64);
    cr_assert_eq(visited(&wm_set_index_xor, 4096, 64, 64), 1);
    // Rows of the size of a whole array of 384 sets: one set, or a group's 128.
    cr_assert_eq(visited(&wm_set_index_modulo, 384, 1024, 384), 1);
    cr_assert_eq(visited(&wm_set_index_ipoly, 384, 1024, 384), 128);
}

// Bit by bit, of lines and numbers of sets of every kind.
Test(set_index, every_entry_is_its_obvious_model)
{
    static const uint32_t sets[] = {1, 2, 3, 6, 12, 32, 64, 384, 1000, 4096};
    static const uint32_t line_bytes[] = {32, 64, 128, 256, 1024};
    struct wm_random random;
    wm_random_init(&random, 5, "obvious");
    size_t count;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++)
            for (int tried = 0; table[i]->supports(sets[s]) && tried < 2000; tried++) {
                uint64_t line = wm_random_u64(&random) >> (10 + wm_random_below(&random, 50));
                uint32_t bytes = line_bytes[tried % 5];
                cr_assert_eq(table[i]->index(line, bytes, sets[s]),
                             obvious_set_index(table[i]->name, line, bytes, sets[s]),
                             "%s: line %llu of %u bytes, %u sets", table[i]->name,
                             (unsigned long long)line, bytes, sets[s]);
            }
}

// What caches compute by masks is what the entry says, of any number of sets.
Test(set_index, masks_of_linear_entries_say_what_these_say)
{
    static const uint32_t sets[] = {1, 2, 3, 12, 32, 64, 384, 1000, 4096, 99991, UINT32_C(1) << 31};
    struct wm_random random;
    wm_random_init(&random, 1, "masks");
    size_t count, linear = 0;
    const struct wm_set_index_ops *const *table = wm_set_index_table(&count);
    for (size_t i = 0; i < count; i++) {
        linear += table[i]->is_linear;
        for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
            if (!table[i]->is_linear || !table[i]->supports(sets[s]))
                continue;
            struct wm_set_hash hash = wm_set_hash_of(table[i], 128, sets[s]);
            struct wm_set_tables tables;
            if (wm_set_hash_has_tables(&hash))
                wm_set_tables_fill(&tables, &hash);
            for (int tried = 0; tried < 2000; tried++) {
                uint64_t line = wm_random_u64(&random) >> wm_random_below(&random, 64);
                cr_assert_eq(wm_set_hashed(&hash, line), table[i]->index(line, 128, sets[s]),
                             "%s: line %llu of %u sets", table[i]->name, (unsigned long long)line,
                             sets[s]);
                if (wm_set_hash_has_tables(&hash))
                    cr_assert_eq(wm_set_looked_up(&tables, line), wm_set_hashed(&hash, line),
                                 "%s: line %llu of %u sets, looked up", table[i]->name,
                                 (unsigned long long)line, sets[s]);
            }
        }
    }
    cr_assert_eq(linear, 3);
}
