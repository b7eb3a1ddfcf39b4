// A queue that grows holds what was put into it, in order, wherever its counts stand, and no more
// places than twice what has waited in it.
#include "base/containers/ring.h"
#include "base/numbers/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(ring, lengths)
{
    const uint32_t rooms[] = {0, 1, 2, 3, 4, 5, 8, 9, 1000},
                   lengths[] = {2, 2, 2, 4, 4, 8, 8, 16, 1024};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        cr_expect_eq(wm_ring_length(rooms[i]), lengths[i]);
}

enum { LENGTH = 64 };

struct queue {
    struct item {
        uint32_t number;
        uint8_t rest[3];
    } * items; // owned
    uint32_t mask, first, end;
};

static void put(struct queue *queue, uint32_t number)
{
    if (queue->end - queue->first > queue->mask)
        queue->items = wm_ring_grow(queue->items, sizeof queue->items[0], &queue->mask,
                                    queue->first, queue->end);
    cr_assert_neq(queue->items, NULL);
    queue->items[queue->end++ & queue->mask] = (struct item){.number = number, .rest = {1, 2, 3}};
}

// Counts begin anywhere, also shortly before they wrap.
static void check_queue(uint32_t begin, struct wm_random *random)
{
    struct queue queue = {.items = wm_ring_new(sizeof queue.items[0]),
                          .mask = WM_RING_FIRST_MASK,
                          .first = begin,
                          .end = begin};
    uint32_t put_number = 0, taken = 0;
    for (int step = 0; step < 2000; step++) {
        uint32_t most = step < 1000 ? 20 : LENGTH;
        if (put_number - taken < most && wm_random_below(random, 3) != 0)
            put(&queue, put_number++);
        else if (put_number != taken) {
            const struct item *item = &queue.items[queue.first++ & queue.mask];
            cr_assert_eq(item->number, taken++);
            cr_assert_eq(item->rest[2], 3);
        }
        cr_assert_leq(queue.end - queue.first, LENGTH);
        if (step == 999)
            cr_assert_eq(queue.mask, 31, "wide enough for 20, and no wider");
    }
    cr_assert_eq(queue.mask, LENGTH - 1);
    free(queue.items);
}

Test(ring, begins_with_a_line_of_the_host)
{
    uint32_t mask = WM_RING_FIRST_MASK;
    void *items = wm_ring_new(5);
    cr_assert_eq((uintptr_t)items % 64, 0);
    items = wm_ring_grow(items, 5, &mask, 3, 3);
    cr_assert_eq((uintptr_t)items % 64, 0);
    cr_assert_eq(mask, 2 * WM_RING_FIRST_LENGTH - 1);
    free(items);
}

Test(ring, keeps_order_while_it_grows)
{
    struct wm_random random;
    wm_random_init(&random, 7, "ring");
    for (uint32_t begin = 0; begin < 40; begin++) {
        check_queue(begin, &random);
        check_queue(UINT32_MAX - begin, &random);
    }
}
