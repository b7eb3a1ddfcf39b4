#include "base/text/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b, bool any_case)
{
    return a == b || (any_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

static unsigned distance_of(const char *a, const char *b, bool any_case)
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
            unsigned best = cost[i - 1][j - 1] + !is_same(a[i - 1], b[j - 1], any_case);
            best = smaller(best, smaller(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2], any_case) &&
                is_same(a[i - 2], b[j - 1], any_case))
                best = smaller(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    return cost[rows][columns];
}

unsigned wm_edit_distance(const char *a, const char *b)
{
    return distance_of(a, b, false);
}

void wm_nearest_init(struct wm_nearest *nearest, const char *wanted)
{
    unsigned allowed = (unsigned)(strlen(wanted) / 2);
    *nearest = (struct wm_nearest){.wanted = wanted, .distance = smaller(allowed, 3) + 1};
}

void wm_nearest_offer(struct wm_nearest *nearest, const char *name)
{
    unsigned distance = distance_of(nearest->wanted, name, true);
    if (distance > nearest->distance || (distance == nearest->distance && !nearest->best))
        return;
    unsigned with_case = distance_of(nearest->wanted, name, false);
    if (distance == nearest->distance && with_case >= nearest->distance_with_case)
        return;
    nearest->distance = distance;
    nearest->distance_with_case = with_case;
    nearest->best = name;
}
