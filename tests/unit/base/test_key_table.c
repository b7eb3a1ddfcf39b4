#include "base/containers/key_table.h"
#include "base/numbers/random.h"

#include <criterion/criterion.h>
#include <string.h>

Test(key_table, indices_are_given_in_order_of_appearance)
{
    struct wm_key_table table = {0};
    cr_expect_eq(wm_key_table_find(&table, 7), WM_NO_INDEX);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 5000; i++)
            cr_assert_eq(wm_key_table_add(&table, i * i * 64), i);
        for (uint64_t i = 0; i < 5000; i++) {
            cr_assert_eq(wm_key_table_add(&table, i * i * 64), i);
            cr_assert_eq(wm_key_table_find(&table, i * i * 64), i);
            cr_assert_eq(wm_key_table_find(&table, i * i * 64 + 1), WM_NO_INDEX);
        }
        cr_assert_eq(table.count, 5000);
        wm_key_table_clear(&table);
        cr_expect_eq(wm_key_table_find(&table, 0), WM_NO_INDEX);
    }
    wm_key_table_release(&table);
}

enum { KEYS = 600, STEPS = 200000 };

// All keys there are and the index of each, looked through from the begin.
struct model {
    uint32_t indices[KEYS]; // by number of the key; WM_NO_INDEX: not in the table
    bool used[KEYS];        // by index
    uint32_t count;
};

static void check_add(struct wm_key_table *table, struct model *model, uint32_t number,
                      uint64_t key)
{
    uint32_t index = wm_key_table_add(table, key);
    if (model->indices[number] != WM_NO_INDEX) {
        cr_assert_eq(index, model->indices[number]);
        return;
    }
    cr_assert_lt(index, (uint32_t)KEYS);
    cr_assert_not(model->used[index], "index %u is another key's", index);
    model->indices[number] = index;
    model->used[index] = true;
    model->count++;
}

static void check_remove(struct wm_key_table *table, struct model *model, uint32_t number,
                         uint64_t key)
{
    uint32_t index = model->indices[number];
    cr_assert_eq(wm_key_table_remove(table, key), index);
    model->indices[number] = WM_NO_INDEX;
    model->used[index] = false;
    model->count--;
}

// Keys that lie close, far apart, and at both ends of the numbers there are: all of a few buckets'.
static uint64_t key_of(uint32_t number, uint64_t seed)
{
    static const uint64_t steps[] = {1, 64, UINT64_C(1) << 40, UINT64_C(0x0101010101010101)};
    return seed % 8 < 4 ? number * steps[seed % 4] : UINT64_MAX - number * steps[seed % 4];
}

static void run(uint64_t seed, bool reserves)
{
    struct wm_key_table table = {0};
    struct model model;
    struct wm_random random;
    memset(&model, 0, sizeof model);
    memset(model.indices, 0xff, sizeof model.indices);
    wm_random_init(&random, seed, "key table");
    cr_assert(!reserves || wm_key_table_reserve(&table, KEYS));
    const uint64_t *keys = table.keys;
    for (int step = 0; step < STEPS; step++) {
        // The table fills, and empties again.
        bool grows = step / 5000 % 2 == 0;
        uint32_t number = (uint32_t)wm_random_below(&random, KEYS);
        uint64_t key = key_of(number, seed), kind = wm_random_below(&random, 8);
        if (kind < (grows ? 5u : 1u))
            check_add(&table, &model, number, key);
        else if (kind < 6 && model.indices[number] != WM_NO_INDEX)
            check_remove(&table, &model, number, key);
        else
            cr_assert_eq(wm_key_table_find(&table, key), model.indices[number]);
        cr_assert_eq(table.count, model.count);
    }
    for (uint32_t number = 0; number < KEYS; number++)
        cr_assert_eq(wm_key_table_find(&table, key_of(number, seed)), model.indices[number]);
    cr_expect(!reserves || table.keys == keys, "what was reserved is enough");
    wm_key_table_release(&table);
}

Test(key_table, agrees_with_a_list)
{
    for (uint64_t seed = 0; seed < 16; seed++)
        run(seed, seed % 3 == 0);
}

Test(key_table, refuses_more_than_it_can_number)
{
    struct wm_key_table table = {0};
    cr_expect_not(wm_key_table_reserve(&table, (UINT64_C(1) << 30) + 1));
    cr_expect_eq(wm_key_table_add(&table, 5), 0, "and is as before");
    wm_key_table_release(&table);
}
