#include "bypass/rank_correlation.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct ranked {
    double number;
    uint32_t place; // in the list
};

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

// Ranks, from 0 and twice as large, so that means of two are whole, less the mean of all ranks.
static void rank(const double *numbers, uint32_t count, struct ranked *sorted, int64_t *ranks)
{
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct ranked){.number = numbers[i], .place = i};
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && sorted[end].number == sorted[first].number)
            end++;
        for (uint32_t i = first; i < end; i++)
            ranks[sorted[i].place] = (int64_t)first + end - count;
    }
}

static double product(const int64_t *a, const int64_t *b, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return (double)sum;
}

enum wm_status wm_rank_correlation(const double *a, const double *b, uint32_t count,
                                   double *correlation, struct wm_error *error)
{
    assert(count <= WM_RANK_MOST);
    *correlation = NAN;
    struct ranked *sorted = calloc(count + UINT64_C(1), sizeof *sorted);
    int64_t *of_a = calloc(count + UINT64_C(1), sizeof *of_a),
            *of_b = calloc(count + UINT64_C(1), sizeof *of_b);
    bool made = sorted != NULL && of_a != NULL && of_b != NULL;
    if (made) {
        rank(a, count, sorted, of_a);
        rank(b, count, sorted, of_b);
        // One root of the product: lists that are alike come to 1 exactly.
        double spread = sqrt(product(of_a, of_a, count) * product(of_b, of_b, count));
        if (spread > 0)
            *correlation = product(of_a, of_b, count) / spread;
    }
    free(sorted);
    free(of_a);
    free(of_b);
    return made ? WM_OK : wm_fail_no_memory(error, "the ranks of %u numbers", count);
}
