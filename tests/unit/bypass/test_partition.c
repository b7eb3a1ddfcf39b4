// The partition model: least squares against the normal equations and exact fits, the paper's
// example of occupancy, the model's file, and which partition is chosen.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "bypass/l1_partition.h"
#include "bypass/least_squares.h"
#include "sm/occupancy.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 40, COLUMNS = WM_PARTITION_TERMS };

static double draw(struct wm_random *random)
{
    return (double)wm_random_below(random, 1000001) / 1e6;
}

// The normal equations, solved by elimination with pivots in long double: short and slow.
static void solve_normal(const double *rows, uint32_t count, const double *values, double *answer)
{
    long double matrix[COLUMNS][COLUMNS + 1] = {{0}};
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t a = 0; a < COLUMNS; a++) {
            for (uint32_t b = 0; b < COLUMNS; b++)
                matrix[a][b] += (long double)rows[r * COLUMNS + a] * rows[r * COLUMNS + b];
            matrix[a][COLUMNS] += (long double)rows[r * COLUMNS + a] * values[r];
        }
    for (int step = 0; step < COLUMNS; step++) {
        int pivot = step;
        for (int a = step; a < COLUMNS; a++)
            pivot = fabsl(matrix[a][step]) > fabsl(matrix[pivot][step]) ? a : pivot;
        for (int b = 0; b <= COLUMNS; b++) {
            long double kept = matrix[step][b];
            matrix[step][b] = matrix[pivot][b];
            matrix[pivot][b] = kept;
        }
        for (int a = 0; a < COLUMNS; a++)
            for (int b = COLUMNS; b >= step && a != step; b--)
                matrix[a][b] -= matrix[a][step] / matrix[step][step] * matrix[step][b];
    }
    for (int a = 0; a < COLUMNS; a++)
        answer[a] = (double)(matrix[a][COLUMNS] / matrix[a][a]);
}

static void draw_rows(struct wm_random *random, uint32_t count, double *rows)
{
    for (uint32_t r = 0; r < count; r++) {
        double occupancy = draw(random), hit_rate = draw(random);
        const double row[] = {1, occupancy, hit_rate, occupancy * hit_rate};
        memcpy(rows + r * COLUMNS, row, sizeof row);
    }
}

Test(least_squares, equals_the_normal_equations)
{
    struct wm_random random;
    wm_random_init(&random, 27, "normal equations");
    for (int round = 0; round < TEST_ROUNDS(200); round++) {
        uint32_t count = 12 + (uint32_t)wm_random_below(&random, MOST_ROWS - 11);
        double rows[MOST_ROWS * COLUMNS], values[MOST_ROWS], ours[COLUMNS], theirs[COLUMNS];
        draw_rows(&random, count, rows);
        for (uint32_t r = 0; r < count; r++)
            values[r] = 2 * draw(&random);
        cr_assert_eq(wm_least_squares(rows, count, COLUMNS, values, ours, NULL), WM_OK);
        solve_normal(rows, count, values, theirs);
        for (int i = 0; i < COLUMNS; i++)
            cr_assert_float_eq(ours[i], theirs[i], 1e-7 * (1 + fabs(theirs[i])), "round %d: %d",
                               round, i);
    }
}

Test(least_squares, finds_what_the_values_were_made_of)
{
    struct wm_random random;
    wm_random_init(&random, 28, "exact fit");
    const double made_of[COLUMNS] = {0.5, -0.25, 0.75, 2};
    double rows[MOST_ROWS * COLUMNS], kept[MOST_ROWS * COLUMNS], values[MOST_ROWS] = {0};
    double found[COLUMNS];
    draw_rows(&random, COLUMNS, rows);
    memcpy(kept, rows, sizeof kept);
    for (uint32_t r = 0; r < COLUMNS; r++)
        for (uint32_t i = 0; i < COLUMNS; i++)
            values[r] += made_of[i] * rows[r * COLUMNS + i];
    cr_assert_eq(wm_least_squares(rows, COLUMNS, COLUMNS, values, found, NULL), WM_OK);
    for (int i = 0; i < COLUMNS; i++)
        cr_assert_float_eq(found[i], made_of[i], 1e-9);
    cr_assert_eq(memcmp(rows, kept, COLUMNS * COLUMNS * sizeof *rows), 0, "what is read stays");
}

Test(least_squares, says_that_too_little_is_known)
{
    struct wm_error error;
    double found[COLUMNS], values[] = {1, 2, 3, 4, 5};
    const double few[3 * COLUMNS] = {1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0};
    cr_assert_eq(wm_least_squares(few, 3, COLUMNS, values, found, &error), WM_INVALID);
    cr_assert_not_null(strstr(error.message, "3 of 4"), "%s", error.message);
    // Always the same occupancy: nothing tells it from the constant, nor the product from the rate.
    double same[5 * COLUMNS];
    for (int r = 0; r < 5; r++) {
        const double row[] = {1, 0.75, r / 8.0, 0.75 * r / 8.0};
        memcpy(same + r * COLUMNS, row, sizeof row);
    }
    cr_assert_eq(wm_least_squares(same, 5, COLUMNS, values, found, &error), WM_INVALID);
    cr_assert_not_null(strstr(error.message, "2 of 4"), "%s", error.message);
}

// --- The model ---

static const struct wm_partition_sample *set(struct wm_partition_sample *sample,
                                             const char *program, uint64_t kib, double occupancy,
                                             double hit_rate, double performance)
{
    *sample = (struct wm_partition_sample){program, kib << 10, occupancy, hit_rate, performance};
    return sample;
}

// Samples that a model with simple coefficients makes exactly, but for one program of its own kind.
static uint32_t make_samples(struct wm_partition_sample *samples)
{
    static const struct {
        const char *program;
        double occupancy[3], hit_rate[3];
    } made[] = {
        {"resident", {0.75, 0.5, 0.25}, {0.25, 0.25, 0.5}},
        {"cached", {1, 1, 1}, {0.25, 0.5, 0.75}},
        {"both", {0.75, 0.5, 0.25}, {0, 0.5, 1}},
    };
    uint32_t count = 0;
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 3; i++) {
            double a = made[p].occupancy[i], b = made[p].hit_rate[i];
            set(&samples[count++], made[p].program, 48 - 16 * (uint64_t)i, a, b,
                0.25 + 0.5 * a + 0.125 * b + a * b);
        }
    return count;
}

Test(partition_model, fits_exactly_and_chooses_right)
{
    struct wm_partition_sample samples[12];
    uint32_t count = make_samples(samples);
    struct wm_partition_fit fit;
    struct wm_arena arena;
    wm_arena_init(&arena);
    cr_assert_eq(wm_partition_fit(samples, count, &arena, &fit, NULL), WM_OK);
    const double made_of[] = {0.25, 0.5, 0.125, 1};
    for (int i = 0; i < COLUMNS; i++)
        cr_assert_float_eq(fit.model.coefficients[i], made_of[i], 1e-6);
    cr_assert_float_eq(fit.mean_square_error, 0, 1e-10);
    cr_assert_eq(fit.program_count, 3);
    const uint32_t best[] = {0, 5, 7};
    for (uint32_t p = 0; p < 3; p++) {
        cr_assert_eq(fit.programs[p].best, best[p], "%u", p);
        cr_assert_eq(fit.programs[p].chosen, best[p]);
        cr_assert(fit.programs[p].others);
        cr_assert_eq(fit.programs[p].chosen_by_others, best[p]);
    }
    wm_arena_release(&arena);
}

Test(partition_model, a_program_left_out_is_chosen_for_by_the_others)
{
    // The fourth gets slower where the others get faster: fitted with it or not, they rule.
    struct wm_partition_sample samples[12];
    uint32_t count = make_samples(samples);
    for (int i = 0; i < 3; i++)
        set(&samples[count++], "odd", 48 - 16 * (uint64_t)i, 1, 0.25 * (i + 1), 1 - 0.25 * i);
    struct wm_partition_fit fit;
    struct wm_arena arena;
    wm_arena_init(&arena);
    cr_assert_eq(wm_partition_fit(samples, count, &arena, &fit, NULL), WM_OK);
    cr_assert_eq(fit.program_count, 4);
    cr_assert_eq(fit.programs[3].best, 9);
    cr_assert_eq(fit.programs[3].chosen_by_others, 11, "as the first three have it exactly");
    cr_assert_gt(fit.mean_square_error, 0.001);
    // Without two of the others, which alone have another occupancy, nothing is determined.
    cr_assert_eq(wm_partition_fit(samples, 6, &arena, &fit, NULL), WM_OK);
    cr_assert_not(fit.programs[0].others);
    wm_arena_release(&arena);
}

Test(partition_model, of_equals_the_most_shared_memory)
{
    struct wm_partition_sample samples[12];
    uint32_t count = make_samples(samples);
    for (int i = 0; i < 3; i++)
        set(&samples[count++], "still", 48 - 16 * (uint64_t)i, 1, 0, 0.75);
    struct wm_partition_fit fit;
    struct wm_arena arena;
    wm_arena_init(&arena);
    cr_assert_eq(wm_partition_fit(samples, count, &arena, &fit, NULL), WM_OK);
    cr_assert_eq(fit.programs[3].best, 9);
    cr_assert_eq(fit.programs[3].chosen, 9);
    cr_assert_eq(fit.programs[3].chosen_by_others, 9);
    wm_arena_release(&arena);
}

// Written out, in whole ten thousandths: what is printed is what is compared.
static long expected_of(const double *c, const struct wm_partition_sample *sample)
{
    return lround(1e4 * (c[0] + c[1] * sample->occupancy + c[2] * sample->hit_rate +
                         c[3] * sample->occupancy * sample->hit_rate));
}

Test(partition_model, chooses_as_brute_force_does)
{
    enum { PROGRAMS = 6, PARTITIONS = 4, SAMPLES = PROGRAMS * PARTITIONS };
    static const char *const names[PROGRAMS] = {"a", "b", "c", "d", "e", "f"};
    struct wm_random random;
    wm_random_init(&random, 29, "brute force");
    for (int round = 0; round < TEST_ROUNDS(100); round++) {
        struct wm_partition_sample samples[SAMPLES];
        struct wm_partition_fit fit;
        struct wm_arena arena;
        wm_arena_init(&arena);
        for (uint32_t i = 0; i < SAMPLES; i++) // coarse, so that some are equal
            set(&samples[i], names[i / PARTITIONS], 64 - 16 * (uint64_t)(i % PARTITIONS),
                (double)wm_random_below(&random, 5) / 4, (double)wm_random_below(&random, 5) / 4,
                0.5 + draw(&random));
        cr_assert_eq(wm_partition_fit(samples, SAMPLES, &arena, &fit, NULL), WM_OK);
        cr_assert_eq(fit.program_count, PROGRAMS);
        for (uint32_t p = 0; p < PROGRAMS; p++) {
            uint32_t chosen = fit.programs[p].chosen;
            long most = expected_of(fit.model.coefficients, &samples[chosen]);
            for (uint32_t i = p * PARTITIONS; i < (p + 1) * PARTITIONS; i++) {
                long other = expected_of(fit.model.coefficients, &samples[i]);
                cr_assert(other < most || (other == most && i >= chosen), "round %d: %u of %u",
                          round, i, chosen);
            }
        }
        wm_arena_release(&arena);
    }
}

Test(partition_model, its_file_reads_back)
{
    struct wm_partition_sample samples[12];
    uint32_t count = make_samples(samples);
    struct wm_partition_fit fit;
    struct wm_partition_model model = {0};
    struct wm_arena arena;
    struct wm_text text;
    struct wm_error error;
    wm_arena_init(&arena);
    wm_text_init(&text);
    cr_assert_eq(wm_partition_fit(samples, count, &arena, &fit, NULL), WM_OK);
    wm_partition_fit_print(&fit, samples, count, "mine", &text);
    cr_assert_eq(wm_row_table_read_text(&wm_partition_row_table, text.data, text.length, "m.yaml",
                                        &model, &error),
                 WM_OK, "%s", error.message);
    for (int i = 0; i < COLUMNS; i++)
        cr_assert_eq(model.coefficients[i], fit.model.coefficients[i]);
    cr_assert_eq(wm_partition_predict(&model, 0.5, 0.5), 0.8125);
    wm_text_release(&text);
    wm_arena_release(&arena);
}

Test(partition_model, bad_files_have_a_place)
{
    static const struct {
        const char *text, *place, *message;
    } bad[] = {
        {"- constant one\n", "m.yaml:1:3", "no row of a partition model"},
        {"- constant 1\n- speed 2\n", "m.yaml:2:3", "no row of a partition model"},
        {"- constant 1\n- constant 2\n", "m.yaml:2:3", "constant has two rows"},
        {"- constant inf\n", "m.yaml:1:3", "no row of a partition model"},
        {"- constant 1 2\n", "m.yaml:1:3", "no row of a partition model"},
        {"- constant 1\n- occupancy 1\n- product 1\n", "m.yaml:1:1", "no row for hit-rate"},
        {"constant: 1\n", "m.yaml:1:1", "a list of rows"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wm_partition_model model = {0};
        struct wm_error error;
        cr_assert_eq(wm_row_table_read_text(&wm_partition_row_table, bad[i].text,
                                            strlen(bad[i].text), "m.yaml", &model, &error),
                     WM_INVALID);
        cr_assert_str_eq(error.place, bad[i].place);
        cr_assert_not_null(strstr(error.message, bad[i].message), "%s", error.message);
    }
}

// --- Occupancy ---

Test(partition, occupancy_of_the_papers_example)
{
    // Section V-D: at most 1024 threads, blocks of 256 that take 16 KB each.
    const struct wm_block_resources needs = {.threads = 256, .shared_bytes = 16 << 10};
    struct wm_sm_spec spec = {.warp_width = 32,
                              .max_warps = 32,
                              .max_threads = 1024,
                              .max_blocks = 8,
                              .max_threads_per_block = 1024,
                              .registers = 32768,
                              .max_registers_per_thread = 63,
                              .shared_bytes = 48 << 10,
                              .shared_bytes_per_block = 48 << 10,
                              .unified_bytes = 64 << 10,
                              .carveouts = {3, {16 << 10, 32 << 10, 48 << 10}}};
    static const struct {
        uint64_t shared_bytes;
        double occupancy;
    } expected[] = {{16 << 10, 0.25}, {32 << 10, 0.5}, {48 << 10, 0.75}};
    for (int i = 0; i < 3; i++) {
        struct wm_occupancy occupancy;
        spec.default_carveout_bytes = expected[i].shared_bytes;
        cr_assert_eq(wm_occupancy_of(&spec, &needs, &occupancy, NULL), WM_OK);
        cr_assert_eq(occupancy.shared_bytes, expected[i].shared_bytes);
        cr_assert_eq((double)occupancy.warps / spec.max_warps, expected[i].occupancy);
    }
}
