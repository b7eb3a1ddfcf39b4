// Growing arrays: elements stay as the array grows, each type of a room has its end, and where the
// host has no memory, or a size cannot be said, an array is as it was.
#include "base/containers/array.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

static bool refuses; // the host has no memory
static unsigned calls;

void *__wrap_realloc(void *memory, size_t bytes)
{
    calls++;
    return refuses ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return refuses ? NULL : __real_calloc(count, bytes);
}

struct pair {
    uint64_t number;
    uint8_t rest[3];
};

struct pairs {
    struct pair *items; // owned
    uint32_t count, room;
};

Test(array, keeps_elements_and_doubles)
{
    struct pairs pairs = {0};
    calls = 0;
    for (uint32_t i = 0; i < 100000; i++)
        cr_assert(WM_ARRAY_ADD(pairs.items, pairs.count, pairs.room,
                               (struct pair){.number = i, .rest = {1, 2, 3}}));
    cr_assert_eq(pairs.count, 100000);
    cr_assert_leq(pairs.room, 200000);
    cr_assert_leq(calls, 17);
    for (uint32_t i = 0; i < pairs.count; i++) {
        cr_assert_eq(pairs.items[i].number, i);
        cr_assert_eq(pairs.items[i].rest[2], 3);
    }
    free(pairs.items);
}

// The value is read before the array moves.
Test(array, adds_an_element_of_its_own)
{
    struct pairs pairs = {0};
    cr_assert(WM_ARRAY_ADD(pairs.items, pairs.count, pairs.room, {.number = 7}));
    for (int i = 0; i < 1000; i++)
        cr_assert(WM_ARRAY_ADD(pairs.items, pairs.count, pairs.room, pairs.items[0]));
    for (uint32_t i = 0; i < pairs.count; i++)
        cr_assert_eq(pairs.items[i].number, 7);
    free(pairs.items);
}

Test(array, pushes_zeros)
{
    struct pairs pairs = {0};
    for (int round = 0; round < 3; round++) {
        pairs.count = 0;
        for (int i = 0; i < 100; i++) {
            struct pair *pushed = WM_ARRAY_PUSH(pairs.items, pairs.count, pairs.room);
            cr_assert_eq(pushed, &pairs.items[i]);
            cr_assert_eq(pushed->number, 0);
            cr_assert_eq(pushed->rest[1], 0);
            memset(pushed, 0xff, sizeof *pushed);
        }
    }
    free(pairs.items);
}

Test(array, reserves_for_many_at_once)
{
    uint16_t *items = NULL;
    size_t room = 0;
    calls = 0;
    cr_assert(WM_ARRAY_RESERVE(items, 0, room, 0));
    cr_assert_eq(calls, 0);
    cr_assert(WM_ARRAY_RESERVE(items, 0, room, 1000));
    cr_assert_eq(room, 1000);
    cr_assert(WM_ARRAY_RESERVE(items, 400, room, 600));
    cr_assert_eq(calls, 1);
    cr_assert(WM_ARRAY_RESERVE(items, 400, room, 601));
    cr_assert_eq(room, 2000);
    free(items);
}

Test(array, resizes_exactly_and_extends_with_zeros)
{
    uint32_t *items = NULL;
    cr_assert(WM_ARRAY_EXTEND(items, 0, 3));
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(items[i], 0);
        items[i] = 5;
    }
    cr_assert(WM_ARRAY_EXTEND(items, 3, 1000));
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(items[i], i < 3 ? 5 : 0);
    cr_assert(WM_ARRAY_RESIZE(items, 2));
    cr_assert_eq(items[1], 5);
    cr_assert(WM_ARRAY_RESIZE(items, 0));
    cr_assert_neq(items, NULL);
    free(items);
}

Test(array, stays_as_it_was_without_memory)
{
    struct pairs pairs = {0};
    refuses = true;
    cr_assert_not(WM_ARRAY_ADD(pairs.items, pairs.count, pairs.room, {.number = 1}));
    cr_assert(pairs.items == NULL && pairs.count == 0 && pairs.room == 0);
    refuses = false;
    while (pairs.count < 4 || pairs.count < pairs.room)
        cr_assert(WM_ARRAY_ADD(pairs.items, pairs.count, pairs.room, {.number = pairs.count}));
    struct pairs before = pairs;
    refuses = true;
    cr_expect_not(WM_ARRAY_ADD(pairs.items, pairs.count, pairs.room, {.number = 1}));
    cr_expect_eq((void *)WM_ARRAY_PUSH(pairs.items, pairs.count, pairs.room), NULL);
    cr_expect_not(WM_ARRAY_RESIZE(pairs.items, 1000));
    cr_expect_not(WM_ARRAY_EXTEND(pairs.items, pairs.count, 1000));
    refuses = false;
    cr_assert(pairs.items == before.items && pairs.count == before.count &&
              pairs.room == before.room);
    for (uint32_t i = 0; i < pairs.count; i++)
        cr_assert_eq(pairs.items[i].number, i);
    free(pairs.items);
}

Test(array, ends_where_the_type_of_its_room_does)
{
    uint16_t *items = NULL;
    uint8_t count = 0, room = 0;
    for (uint16_t i = 0; i < 255; i++)
        cr_assert(WM_ARRAY_ADD(items, count, room, i));
    cr_assert_eq(room, 255);
    calls = 0;
    cr_assert_not(WM_ARRAY_ADD(items, count, room, 1));
    cr_assert(count == 255 && room == 255 && calls == 0);
    cr_assert_eq(items[254], 254);
    free(items);
}

// Neither count + more nor the bytes wrap to something small.
Test(array, refuses_what_has_no_size)
{
    struct pair *items = NULL;
    size_t room = 0;
    uint32_t room32 = 0;
    calls = 0;
    cr_assert_not(WM_ARRAY_RESERVE(items, 0, room, SIZE_MAX / sizeof *items + 1));
    cr_assert_not(WM_ARRAY_RESERVE(items, 0, room, SIZE_MAX));
    cr_assert_not(WM_ARRAY_RESERVE(items, 0, room32, (size_t)UINT32_MAX + 1));
    cr_assert_not(WM_ARRAY_RESIZE(items, SIZE_MAX / sizeof *items + 2));
    cr_assert(items == NULL && room == 0 && room32 == 0 && calls == 0);
    size_t full = SIZE_MAX;
    cr_assert_eq(wm_array_grow(NULL, SIZE_MAX - 1, &full, 2, SIZE_MAX, 1), NULL);
    cr_assert(full == SIZE_MAX && calls == 0);
}

static enum wm_status make(uint32_t **items, size_t count, struct wm_error *error)
{
    WM_TRY(WM_ARRAY_NEW(*items, count, error, "the %s of a test", "numbers"));
    return WM_OK;
}

Test(array, new_ones_are_zeros_or_one_error)
{
    struct wm_error error = {.status = WM_OK};
    uint32_t *items = NULL;
    cr_assert_eq(make(&items, 1000, &error), WM_OK);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(items[i], 0);
    free(items);
    cr_assert_eq(make(&items, 0, &error), WM_OK);
    cr_assert_neq(items, NULL);
    free(items);
    cr_assert_eq(error.status, WM_OK);
    refuses = true;
    cr_assert_eq(make(&items, 1, &error), WM_NO_MEMORY);
    refuses = false;
    cr_assert_eq(items, NULL);
    cr_assert_str_eq(error.message, "out of host memory for the numbers of a test");
    cr_assert_eq(make(&items, SIZE_MAX, NULL), WM_NO_MEMORY);
    cr_assert_eq(items, NULL);
}
