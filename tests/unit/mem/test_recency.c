// Both forms of the chain against an array that is shifted by hand.
#include "base/numbers/random.h"
#include "mem/cache/recency.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SETS = 3, MOST_WAYS = 300 };

struct shelf {
    uint32_t ways, order[MOST_WAYS];
};

static uint32_t shelf_position(const struct shelf *shelf, uint32_t way)
{
    uint32_t position = 0;
    while (shelf->order[position] != way)
        position++;
    return position;
}

static void shelf_move(struct shelf *shelf, uint32_t way, uint32_t to)
{
    uint32_t from = shelf_position(shelf, way);
    memmove(shelf->order + from, shelf->order + from + 1,
            (shelf->ways - from - 1) * sizeof(uint32_t));
    memmove(shelf->order + to + 1, shelf->order + to, (shelf->ways - to - 1) * sizeof(uint32_t));
    shelf->order[to] = way;
}

static void compare(const struct wm_recency *recency, const struct shelf *shelves)
{
    for (uint32_t set = 0; set < SETS; set++)
        for (uint32_t position = 0; position < recency->ways; position++) {
            uint32_t way = shelves[set].order[position];
            cr_assert_eq(wm_recency_way_at(recency, set, position), way, "set %u position %u", set,
                         position);
            cr_assert_eq(wm_recency_position(recency, set, way), position);
        }
}

static void step(struct wm_recency *recency, struct shelf *shelf, uint32_t set,
                 struct wm_random *random)
{
    uint32_t ways = recency->ways, way = (uint32_t)wm_random_below(random, ways);
    uint32_t position = (uint32_t)wm_random_below(random, ways);
    switch (wm_random_below(random, 5)) {
    case 0:
        wm_recency_to_front(recency, set, way);
        shelf_move(shelf, way, 0);
        break;
    case 1:
        cr_assert_eq(wm_recency_rotate(recency, set), shelf->order[ways - 1]);
        shelf_move(shelf, shelf->order[ways - 1], 0);
        break;
    case 2:
        wm_recency_move(recency, set, way, position);
        shelf_move(shelf, way, position);
        break;
    case 3: {
        uint32_t from = shelf_position(shelf, way), by = position;
        wm_recency_promote(recency, set, way, by);
        shelf_move(shelf, way, from > by ? from - by : 0);
        break;
    }
    default: {
        uint64_t allowed[(MOST_WAYS + 63) / 64] = {0};
        for (uint32_t i = 0; i < ways; i++)
            allowed[i / 64] |= (uint64_t)(wm_random_below(random, 8) == 0) << (i % 64);
        int32_t expected = -1;
        for (uint32_t i = position; i < ways; i++)
            if (allowed[shelf->order[i] / 64] >> (shelf->order[i] % 64) & 1)
                expected = (int32_t)shelf->order[i];
        cr_assert_eq(wm_recency_last_allowed(recency, set, position, allowed), expected);
        cr_assert_eq(wm_recency_last_allowed(recency, set, position, NULL),
                     (int32_t)shelf->order[ways - 1]);
    }
    }
}

Test(recency, moves_as_an_array_does)
{
    static const uint32_t ways[] = {1, 2, 3, 8, 15, 16, 17, 24, 64, 65, 300};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct wm_random random;
        wm_random_init(&random, ways[i], "recency");
        struct wm_recency recency;
        cr_assert(wm_recency_init(&recency, SETS, ways[i]));
        struct shelf shelves[SETS];
        for (int round = 0; round < 2; round++) {
            for (uint32_t set = 0; set < SETS; set++) {
                shelves[set].ways = ways[i];
                for (uint32_t position = 0; position < ways[i]; position++)
                    shelves[set].order[position] = ways[i] - 1 - position;
            }
            compare(&recency, shelves);
            for (int steps = 0; steps < 3000; steps++) {
                uint32_t set = (uint32_t)wm_random_below(&random, SETS);
                step(&recency, &shelves[set], set, &random);
                if (steps % 100 == 0 || ways[i] <= 17)
                    compare(&recency, shelves);
            }
            wm_recency_reset(&recency);
        }
        wm_recency_release(&recency);
    }
}
