#include "trace/launch_order.h"

#include "base/containers/array.h"

#include <stdlib.h>
#include <string.h>

// Launches that are looked at to find out that one named is behind another: then the first need not
// be named. What is named in vain costs a byte.
enum { MOST_LOOKS = 256 };

// Numbers, from small to large where that is said.
struct list {
    uint64_t *items; // owned
    size_t count, capacity;
};

// Launches that a command is behind: most often one, which takes no memory of its own.
struct few {
    size_t count;
    union {
        uint64_t one;
        uint64_t *more; // owned; where the count is above 1
    };
};

// A launch that the host has not waited for, as far as it is known, and perhaps some that it has.
struct launch {
    struct few behind;
    bool ended;
};

struct wm_launch_order {
    struct few *fronts; // owned: by id from first_id on, the launches that a command ends with
    uint64_t first_id;
    size_t front_count, front_capacity;
    struct launch *launches; // owned: by number from first_launch on
    uint64_t first_launch;
    size_t launch_count, launch_capacity;
    struct list leaves; // sorted: not ended, and no launch is behind them
    struct list ended;  // that the host has waited for, since that was last written
    uint64_t written_below;
    struct list written_ended; // the last written
    uint64_t id;               // of the command
    struct list behind;        // sorted: what it is behind
    struct list stack;         // of launches to be looked at
};

// ---- Lists -------------------------------------------------------------------------------------

static bool add(struct list *list, uint64_t number)
{
    return WM_ARRAY_ADD(list->items, list->count, list->capacity, number);
}

static bool copy(struct list *to, const struct list *from)
{
    bool good = true;
    to->count = 0;
    for (size_t i = 0; i < from->count && good; i++)
        good = add(to, from->items[i]);
    return good;
}

static const uint64_t *items_of(const struct few *few)
{
    return few->count > 1 ? few->more : &few->one;
}

static void release_few(struct few *few)
{
    if (few->count > 1)
        free(few->more);
    few->count = 0;
}

// In place of what it had.
static bool put(struct few *few, const uint64_t *items, size_t count)
{
    uint64_t *more = count > 1 ? malloc(count * sizeof *more) : NULL;
    if (count > 1 && more == NULL)
        return false;
    release_few(few);
    if (count > 1)
        few->more = memcpy(more, items, count * sizeof *more);
    else if (count == 1)
        few->one = items[0];
    few->count = count;
    return true;
}

static void release(struct list *list)
{
    free(list->items);
    *list = (struct list){0};
}

static bool has(const struct list *list, uint64_t number)
{
    for (size_t i = list->count; i > 0; i--)
        if (list->items[i - 1] == number)
            return true;
    return false;
}

static void take_off(struct list *list, uint64_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] != number)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void sort_once_each(struct list *list)
{
    size_t kept = 0;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || list->items[kept - 1] != list->items[i])
            list->items[kept++] = list->items[i];
    list->count = kept;
}

// ---- The whole ---------------------------------------------------------------------------------

struct wm_launch_order *wm_launch_order_new(uint64_t launches)
{
    struct wm_launch_order *order = calloc(1, sizeof *order);
    if (order != NULL)
        order->first_launch = launches;
    return order;
}

void wm_launch_order_free(struct wm_launch_order *order)
{
    if (order == NULL)
        return;
    for (size_t i = 0; i < order->front_count; i++)
        release_few(&order->fronts[i]);
    for (size_t i = 0; i < order->launch_count; i++)
        release_few(&order->launches[i].behind);
    free(order->fronts);
    free(order->launches);
    release(&order->leaves);
    release(&order->ended);
    release(&order->written_ended);
    release(&order->behind);
    release(&order->stack);
    free(order);
}

// ---- Launches ----------------------------------------------------------------------------------

static struct launch *launch_of(const struct wm_launch_order *order, uint64_t number)
{
    return number < order->first_launch ? NULL : &order->launches[number - order->first_launch];
}

static bool has_ended(const struct wm_launch_order *order, uint64_t number)
{
    const struct launch *launch = launch_of(order, number);
    return launch == NULL || launch->ended;
}

// So have all that it was behind.
static bool end_launch(struct wm_launch_order *order, uint64_t number)
{
    bool good = true;
    if (has_ended(order, number))
        return true;
    order->stack.count = 0;
    good = add(&order->ended, number) && add(&order->stack, number);
    while (good && order->stack.count != 0) {
        uint64_t at = order->stack.items[--order->stack.count];
        struct launch *launch = launch_of(order, at);
        if (launch == NULL || launch->ended)
            continue;
        launch->ended = true;
        take_off(&order->leaves, at);
        for (size_t i = 0; i < launch->behind.count && good; i++)
            good = add(&order->stack, items_of(&launch->behind)[i]);
    }
    return good;
}

// Up to the first that has not ended, as far as the host knows.
static void forget_launches(struct wm_launch_order *order)
{
    size_t gone = 0, kept = 0;
    while (gone < order->launch_count && order->launches[gone].ended)
        release_few(&order->launches[gone++].behind);
    if (gone == 0)
        return;
    order->launch_count -= gone;
    order->first_launch += gone;
    memmove(order->launches, order->launches + gone, order->launch_count * sizeof *order->launches);
    for (size_t i = 0; i < order->ended.count; i++)
        if (order->ended.items[i] >= order->first_launch)
            order->ended.items[kept++] = order->ended.items[i];
    order->ended.count = kept;
}

// ---- Fronts ------------------------------------------------------------------------------------

static struct few *front_of(const struct wm_launch_order *order, uint64_t id)
{
    bool known = id >= order->first_id && id - order->first_id < order->front_count;
    return known ? &order->fronts[id - order->first_id] : NULL;
}

static bool is_over(const struct wm_launch_order *order, const struct few *front)
{
    for (size_t i = 0; i < front->count; i++)
        if (!has_ended(order, items_of(front)[i]))
            return false;
    return true;
}

static void forget_fronts(struct wm_launch_order *order)
{
    size_t gone = 0;
    while (gone < order->front_count && is_over(order, &order->fronts[gone]))
        release_few(&order->fronts[gone++]);
    if (gone == 0)
        return;
    order->front_count -= gone;
    order->first_id += gone;
    memmove(order->fronts, order->fronts + gone, order->front_count * sizeof *order->fronts);
}

// The launches that a command ends with.
static bool put_front(struct wm_launch_order *order, uint64_t id, const uint64_t *launches,
                      size_t count)
{
    if (id == 0)
        return true;
    if (order->front_count == 0)
        order->first_id = id;
    while (order->first_id + order->front_count <= id) {
        if (!WM_ARRAY_ADD(order->fronts, order->front_count, order->front_capacity,
                          (struct few){0}))
            return false;
    }
    struct few *front = front_of(order, id);
    return front != NULL && put(front, launches, count);
}

static bool end_front(struct wm_launch_order *order, const struct few *front)
{
    bool good = true;
    for (size_t i = 0; front != NULL && i < front->count && good; i++)
        good = end_launch(order, items_of(front)[i]);
    return good;
}

// What the host has waited for, since the last command.
static bool end_waited(struct wm_launch_order *order, const struct wm_order_command *command)
{
    bool good = true;
    for (size_t i = 0;
         i < order->front_count && order->first_id + i <= command->ended_up_to && good; i++)
        good = end_front(order, &order->fronts[i]);
    for (size_t i = 0; i < command->ended_count && good; i++)
        good = end_front(order, front_of(order, command->ended[i]));
    forget_launches(order);
    forget_fronts(order);
    return good;
}

// ---- Commands ----------------------------------------------------------------------------------

static bool add_front(struct wm_launch_order *order, const struct few *front)
{
    bool good = true;
    for (size_t i = 0; front != NULL && i < front->count && good; i++)
        if (!has_ended(order, items_of(front)[i]))
            good = add(&order->behind, items_of(front)[i]);
    return good;
}

// Takes off what the launch is behind.
static bool take_off_earlier(struct wm_launch_order *order, uint64_t number, uint32_t *looks)
{
    order->stack.count = 0;
    if (!add(&order->stack, number))
        return false;
    while (order->stack.count != 0 && order->behind.count > 1 && *looks != 0) {
        const struct launch *launch = launch_of(order, order->stack.items[--order->stack.count]);
        --*looks;
        for (size_t i = 0; launch != NULL && i < launch->behind.count; i++) {
            uint64_t at = items_of(&launch->behind)[i];
            if (at < order->behind.items[0])
                continue;
            if (has(&order->behind, at))
                take_off(&order->behind, at);
            else if (!add(&order->stack, at))
                return false;
        }
    }
    return true;
}

static bool reduce(struct wm_launch_order *order)
{
    uint32_t looks = MOST_LOOKS;
    bool good = true;
    sort_once_each(&order->behind);
    // From the last on; what is taken off lies before.
    for (size_t back = 1; back < order->behind.count && good; back++)
        good = take_off_earlier(order, order->behind.items[order->behind.count - back], &looks);
    return good;
}

bool wm_launch_order_command(struct wm_launch_order *order, const struct wm_order_command *command)
{
    bool good = end_waited(order, command);
    order->id = command->id;
    order->behind.count = 0;
    if (command->behind_all)
        good = good && copy(&order->behind, &order->leaves);
    for (size_t i = 0; i < command->behind_count && !command->behind_all && good; i++)
        good = add_front(order, front_of(order, command->behind[i]));
    return good && (command->behind_all || reduce(order)) &&
           put_front(order, command->id, order->behind.items, order->behind.count);
}

bool wm_launch_order_write(struct wm_launch_order *order, struct wm_recorded_order *order_out)
{
    *order_out = (struct wm_recorded_order){0};
    for (size_t i = 0; i < order->leaves.count && !order_out->concurrent; i++)
        order_out->concurrent = !has(&order->behind, order->leaves.items[i]);
    // What is behind all has waited, too.
    if (!order_out->concurrent)
        return true;
    order_out->behind = (struct wm_recorded_numbers){.items = order->behind.items,
                                                     .count = (uint32_t)order->behind.count};
    order_out->waited = order->ended.count != 0 || order->written_below != order->first_launch;
    if (!order_out->waited)
        return true;
    sort_once_each(&order->ended);
    if (!copy(&order->written_ended, &order->ended))
        return false;
    order->ended.count = 0;
    order->written_below = order->first_launch;
    order_out->ended_below = order->first_launch;
    order_out->ended = (struct wm_recorded_numbers){.items = order->written_ended.items,
                                                    .count = (uint32_t)order->written_ended.count};
    return true;
}

bool wm_launch_order_launched(struct wm_launch_order *order)
{
    uint64_t number = order->first_launch + order->launch_count;
    struct launch *launch =
        WM_ARRAY_PUSH(order->launches, order->launch_count, order->launch_capacity);
    if (launch == NULL || !put(&launch->behind, order->behind.items, order->behind.count) ||
        !add(&order->leaves, number))
        return false;
    for (size_t i = 0; i < order->behind.count; i++)
        take_off(&order->leaves, order->behind.items[i]);
    return put_front(order, order->id, &number, 1);
}
