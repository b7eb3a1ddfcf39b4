#include "bypass/concave_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a bound may be above a value and count as equal: weights are about 1, their sums exact to
// 1e-13 or so.
#define EQUAL 1e-10

// Of the climb at a node: it ends when all but this part of what is to be closed has been climbed.
#define CLIMBED 0.01
enum { MOST_SWEEPS = 40, CURVATURE_SWEEPS = 60 };

struct search {
    const struct wm_quadratic_program *program;
    double *u;       // owned, like the next two
    bool *fixed;     // at the node
    bool *rounded;   // a place for an answer
    double *storage; // owned; what `u` and nodes are parts of
    bool *best;      // borrowed
    double value;    // its
    double open;     // the largest bound of what has not been searched
    uint64_t nodes;  // that are left
};

// A point within the box.
struct point {
    double *x;
    double *field; // by i: sum over j of q(i,j) x(j)
};

static const double *row(const struct search *search, uint32_t i)
{
    return search->program->pairs + (uint64_t)i * search->program->count;
}

// --- A point ---

static void move(const struct search *search, const struct point *point, uint32_t i, double to)
{
    double step = to - point->x[i];
    const double *pairs = row(search, i);
    if (step == 0)
        return;
    point->x[i] = to;
    for (uint32_t j = 0; j < search->program->count; j++)
        point->field[j] += pairs[j] * step;
}

static double slope(const struct search *search, const struct point *point, uint32_t i)
{
    return search->program->linear[i] + point->field[i] + search->u[i] * (1 - 2 * point->x[i]);
}

// Each free x in turn goes where it is best as the others are.
static void sweep(const struct search *search, const struct point *point)
{
    for (uint32_t i = 0; i < search->program->count; i++) {
        if (search->fixed[i])
            continue;
        double best = point->x[i] + slope(search, point, i) / (2 * search->u[i]);
        move(search, point, i, fmin(fmax(best, 0), 1));
    }
}

// The value at the point, and, as it is concave, what no point of the box with the same fixed ones
// exceeds: the plane through the point.
static double value_at(const struct search *search, const struct point *point, double *bound)
{
    double value = 0, above = 0;
    for (uint32_t i = 0; i < search->program->count; i++) {
        double x = point->x[i], its = slope(search, point, i);
        value += x * (search->program->linear[i] + point->field[i] / 2 + search->u[i] * (1 - x));
        if (!search->fixed[i])
            above += fmax(its * (1 - x), -its * x);
    }
    *bound = value + above;
    return value;
}

// Climbs until it is known whether anything below the node is better than what is there, or little
// is left to climb. Returns the bound.
static double climb(const struct search *search, const struct point *point)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < MOST_SWEEPS; i++) {
        double bound, value;
        sweep(search, point);
        value = value_at(search, point, &bound);
        least = fmin(least, bound);
        if (least <= search->value + EQUAL || bound - value < CLIMBED * (bound - search->value))
            break;
    }
    return least;
}

// --- Curvature ---

// The inverse of diag(2 u) - q after u(i) has become less by `step`: Sherman and Morrison.
static void update_inverse(double *inverse, uint32_t count, uint32_t i, double step, double *column)
{
    double factor = 2 * step / (1 - 2 * step * inverse[(uint64_t)i * count + i]);
    for (uint32_t k = 0; k < count; k++)
        column[k] = inverse[(uint64_t)k * count + i];
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t l = 0; l < count; l++)
            inverse[(uint64_t)k * count + l] += factor * column[k] * column[l];
}

// By Gauss and Jordan; false when the matrix, in its place, is not positive definite.
static bool invert(double *matrix, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        double *pivot_row = matrix + (uint64_t)p * count, pivot = pivot_row[p];
        if (!(pivot > EQUAL))
            return false;
        pivot_row[p] = 1;
        for (uint32_t j = 0; j < count; j++)
            pivot_row[j] /= pivot;
        for (uint32_t i = 0; i < count; i++) {
            double *other = matrix + (uint64_t)i * count, factor = other[p];
            if (i == p)
                continue;
            other[p] = 0;
            for (uint32_t j = 0; j < count; j++)
                other[j] -= factor * pivot_row[j];
        }
    }
    return true;
}

static bool invert_curvature(const struct search *search, double *inverse)
{
    uint32_t count = search->program->count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            inverse[(uint64_t)i * count + j] = i == j ? 2 * search->u[i] : -row(search, i)[j];
    return invert(inverse, count);
}

// Concave for certain: u(i) is half of all that i's pairs can add up to, and a little more. Then
// less, one u after the other, where the climb ends between 0 and 1: there u(i) costs
// x(i) (1 - x(i)). What keeps the whole concave on the way is a barrier, the logarithm of the
// determinant, that counts for less with each sweep.
static void choose_curvature(const struct search *search, const struct point *point,
                             double *inverse, double *column)
{
    uint32_t count = search->program->count;
    for (uint32_t i = 0; i < count; i++) {
        double sum = 1e-3;
        for (uint32_t j = 0; j < count; j++)
            sum += fabs(row(search, i)[j]);
        search->u[i] = sum / 2;
    }
    double barrier = 1;
    for (uint32_t k = 0; k < CURVATURE_SWEEPS && invert_curvature(search, inverse); k++) {
        climb(search, point);
        for (uint32_t i = 0; i < count; i++) {
            double cost = fmax(point->x[i] * (1 - point->x[i]), 0.02);
            double step = (1 / inverse[(uint64_t)i * count + i] - barrier / cost) / 2;
            search->u[i] -= step;
            update_inverse(inverse, count, i, step, column);
        }
        barrier *= 0.8;
    }
    while (!invert_curvature(search, inverse)) // what rounding may have taken
        for (uint32_t i = 0; i < count; i++)
            search->u[i] *= 1.001;
}

// --- The search ---

// What x(i) adds where the others are as in the set.
static double gain_of(const struct search *search, const bool *set, uint32_t i)
{
    double gain = search->program->linear[i];
    for (uint32_t j = 0; j < search->program->count; j++)
        gain += set[j] ? row(search, i)[j] : 0;
    return gain;
}

static double value_of(const struct search *search, const bool *set)
{
    double value = 0;
    for (uint32_t i = 0; i < search->program->count; i++)
        value += set[i] ? (search->program->linear[i] + gain_of(search, set, i)) / 2 : 0;
    return value;
}

// The nearest 0s and 1s of a point, and from there one changed after the other while that pays.
static void try_nearest(struct search *search, const struct point *point)
{
    uint32_t count = search->program->count;
    bool changed = true;
    for (uint32_t i = 0; i < count; i++)
        search->rounded[i] = point->x[i] > 0.5;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            double gain = gain_of(search, search->rounded, i);
            if (search->rounded[i] ? gain < -EQUAL : gain > EQUAL) {
                search->rounded[i] = !search->rounded[i];
                changed = true;
            }
        }
    }
    double value = value_of(search, search->rounded);
    if (value > search->value) {
        search->value = value;
        memcpy(search->best, search->rounded, count * sizeof *search->best);
    }
}

// The free one to which the bound owes most; count: none is free.
static uint32_t find_branch(const struct search *search, const struct point *point)
{
    uint32_t count = search->program->count, found = count;
    double most = -1;
    for (uint32_t i = 0; i < count; i++) {
        double owed = search->u[i] * point->x[i] * (1 - point->x[i]);
        if (!search->fixed[i] && owed > most) {
            most = owed;
            found = i;
        }
    }
    return found;
}

// Searches what has the fixed ones as the point of the depth has them. Points of lower depth lie
// behind it.
static void search_node(struct search *search, double *at, double above)
{
    uint32_t count = search->program->count;
    const struct point point = {at, at + count}, below = {at + 2 * count, at + 3 * count};
    if (search->nodes == 0) {
        search->open = fmax(search->open, above);
        return;
    }
    search->nodes--;
    double bound = fmin(above, climb(search, &point));
    if (bound <= search->value + EQUAL)
        return;
    try_nearest(search, &point);
    uint32_t branch = find_branch(search, &point);
    if (branch == count || bound <= search->value + EQUAL)
        return;
    search->fixed[branch] = true;
    double first = point.x[branch] > 0.5;
    for (uint32_t side = 0; side < 2; side++) {
        memcpy(below.x, point.x, 2 * count * sizeof *at);
        move(search, &below, branch, side == 0 ? first : 1 - first);
        search_node(search, below.x, bound);
    }
    search->fixed[branch] = false;
}

static void search_all(struct search *search)
{
    uint32_t count = search->program->count;
    search->u = search->storage;
    double *column = search->u + count, *inverse = column + count,
           *points = inverse + (uint64_t)count * count;
    const struct point root = {points, points + count};
    search->value = value_of(search, search->best);
    for (uint32_t i = 0; i < count; i++)
        move(search, &root, i, 0.5);
    choose_curvature(search, &root, inverse, column);
    search_node(search, points, INFINITY);
}

enum wm_status wm_concave_search(const struct wm_quadratic_program *program, uint64_t most_nodes,
                                 bool *set, struct wm_quadratic_answer *answer,
                                 struct wm_error *error)
{
    uint64_t count = program->count;
    struct search search = {.program = program, .best = set, .nodes = most_nodes};
    search.fixed = calloc(count + 1, sizeof *search.fixed);
    search.rounded = calloc(count + 1, sizeof *search.rounded);
    // u, a column, the inverse, and two vectors of a point for each depth.
    search.storage = calloc(2 * count + count * count + 2 * count * (count + 2), sizeof(double));
    bool made = search.fixed != NULL && search.rounded != NULL && search.storage != NULL;
    if (made) {
        search.open = -INFINITY;
        search_all(&search);
        *answer = (struct wm_quadratic_answer){.bound = fmax(search.value, search.open),
                                               .proved = search.open <= search.value + EQUAL,
                                               .found = true};
    }
    free(search.fixed);
    free(search.rounded);
    free(search.storage);
    return made ? WM_OK : wm_fail_no_memory(error, "the decision of %u loads", program->count);
}
