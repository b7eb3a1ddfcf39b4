#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned wm_edit_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST)
        return strcmp(a, b) == 0 ? 0 : (unsigned)(rows > columns ? rows : columns);
    unsigned cost[LONGEST + 1][LONGEST + 1];
    for (unsigned i = 0; i <= rows; i++)
        cost[i][0] = i;
    for (unsigned j = 0; j <= columns; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            unsigned best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = smaller(best, smaller(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smaller(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    return cost[rows][columns];
}

void wm_nearest_init(struct wm_nearest *nearest, const char *wanted)
{
    unsigned allowed = (unsigned)(strlen(wanted) / 2);
    *nearest = (struct wm_nearest){.wanted = wanted, .distance = smaller(allowed, 3) + 1};
}

void wm_nearest_offer(struct wm_nearest *nearest, const char *name)
{
    unsigned distance = wm_edit_distance(nearest->wanted, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = name;
    }
}
