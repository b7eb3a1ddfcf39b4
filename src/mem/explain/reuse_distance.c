#include "mem/explain/reuse_distance.h"

#include "base/containers/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 1024 };

void wm_reuse_release(struct wm_reuse *reuse)
{
    wm_key_table_release(&reuse->table);
    free(reuse->last);
    free(reuse->tree);
    free(reuse->user);
    *reuse = (struct wm_reuse){0};
}

void wm_reuse_clear(struct wm_reuse *reuse)
{
    wm_key_table_clear(&reuse->table);
    if (reuse->now != 0) {
        memset(reuse->tree, 0, ((size_t)reuse->size + 1) * sizeof *reuse->tree);
        memset(reuse->user, 0, ((size_t)reuse->size + 1) * sizeof *reuse->user);
    }
    reuse->now = 0;
}

// --- The tree (P. M. Fenwick, "A new data structure for cumulative frequency tables", Software:
// Practice and Experience 24(3), 1994) ---

static void tree_add(struct wm_reuse *reuse, uint32_t time, uint32_t amount)
{
    for (; time <= reuse->size; time += time & -time)
        reuse->tree[time] += amount;
}

static uint32_t tree_sum(const struct wm_reuse *reuse, uint32_t time)
{
    uint32_t sum = 0;
    for (; time != 0; time -= time & -time)
        sum += reuse->tree[time];
    return sum;
}

// Numbers the last uses anew from 1, in order, in room for twice as many times and more.
static bool compact(struct wm_reuse *reuse)
{
    uint32_t size = reuse->size == 0 ? FIRST_SIZE : reuse->size;
    if (reuse->table.count > size / 2)
        size *= 2;
    uint32_t *tree = calloc((size_t)size + 1, sizeof *tree);
    uint32_t *user = calloc((size_t)size + 1, sizeof *user);
    if (tree == NULL || user == NULL) {
        free(tree);
        free(user);
        return false;
    }
    uint32_t next = 0;
    for (uint32_t time = 1; time <= reuse->now; time++)
        if (reuse->user[time] != 0) {
            user[++next] = reuse->user[time];
            reuse->last[user[next] - 1] = next;
        }
    free(reuse->tree);
    free(reuse->user);
    reuse->tree = tree;
    reuse->user = user;
    reuse->size = size;
    reuse->now = next;
    for (uint32_t time = 1; time <= next; time++)
        tree_add(reuse, time, 1);
    return true;
}

static bool make_room(struct wm_reuse *reuse)
{
    if (reuse->last_capacity < reuse->table.capacity) {
        if (!WM_ARRAY_RESIZE(reuse->last, reuse->table.capacity))
            return false;
        reuse->last_capacity = reuse->table.capacity;
    }
    return reuse->now < reuse->size || compact(reuse);
}

uint64_t wm_reuse_use(struct wm_reuse *reuse, uint64_t line)
{
    uint64_t distance = WM_REUSE_FIRST;
    uint32_t before = reuse->table.count;
    uint32_t index = wm_key_table_add(&reuse->table, line);
    if (index == WM_NO_INDEX || !make_room(reuse))
        return WM_REUSE_FAILED;
    if (index < before) {
        uint32_t last = reuse->last[index];
        distance = before - tree_sum(reuse, last);
        tree_add(reuse, last, UINT32_MAX); // less one
        reuse->user[last] = 0;
    }
    reuse->last[index] = ++reuse->now;
    reuse->user[reuse->now] = index + 1;
    tree_add(reuse, reuse->now, 1);
    return distance;
}
