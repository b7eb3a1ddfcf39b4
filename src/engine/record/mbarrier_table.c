#include "engine/record/mbarrier_table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 8, BYTES_BITS = 21 };
// A file may say of any number of threads that they arrive.
#define MOST_EARLY (INT64_C(1) << 40)

void wm_mbarrier_table_release(struct wm_mbarrier_table *table)
{
    free(table->objects);
    *table = (struct wm_mbarrier_table){0};
}

void wm_mbarrier_table_clear(struct wm_mbarrier_table *table)
{
    if (table->count != 0)
        memset(table->objects, 0, table->capacity * sizeof *table->objects);
    table->count = 0;
}

// Where the object is, or would be: neighbours in memory are neighbours here.
static struct wm_mbarrier_phases *place_of(const struct wm_mbarrier_table *table, uint32_t object)
{
    for (uint32_t at = object;; at++) {
        struct wm_mbarrier_phases *place = &table->objects[at & (table->capacity - 1)];
        if (!place->used || place->object == object)
            return place;
    }
}

static bool grow(struct wm_mbarrier_table *table)
{
    struct wm_mbarrier_table grown = {.count = table->count,
                                      .capacity = table->capacity != 0 ? 2 * table->capacity
                                                                       : FIRST_PLACES};
    grown.objects = calloc(grown.capacity, sizeof *grown.objects);
    if (grown.objects == NULL)
        return false;
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->objects[i].used)
            *place_of(&grown, table->objects[i].object) = table->objects[i];
    free(table->objects);
    *table = grown;
    return true;
}

struct wm_mbarrier_phases *wm_mbarrier_table_get(struct wm_mbarrier_table *table, uint32_t object)
{
    // Half of the places are free, so that a search ends soon.
    if (2 * table->count >= table->capacity && !grow(table))
        return NULL;
    struct wm_mbarrier_phases *place = place_of(table, object);
    if (!place->used) {
        *place = (struct wm_mbarrier_phases){.object = object, .used = true};
        table->count++;
    }
    return place;
}

uint64_t wm_mbarrier_table_ended(const struct wm_mbarrier_table *table, uint32_t object)
{
    return table->capacity != 0 ? place_of(table, object)->ended : 0;
}

static void arrive(struct wm_mbarrier_phases *object, uint32_t threads, bool drops)
{
    object->pending -= threads;
    if (object->pending < -MOST_EARLY)
        object->pending = -MOST_EARLY;
    if (drops)
        object->expected -= threads < object->expected ? threads : object->expected;
}

static void add_bytes(struct wm_mbarrier_phases *object, uint32_t bytes)
{
    object->bytes = (object->bytes + bytes) & ((UINT32_C(1) << BYTES_BITS) - 1);
}

// Arrivals that were made in another order than this may be of later phases: then several end.
static bool complete(struct wm_mbarrier_phases *object)
{
    if (object->pending > 0 || object->bytes != 0)
        return false;
    uint64_t phases = 1;
    if (object->expected != 0)
        phases += (uint64_t)-object->pending / object->expected;
    object->pending += (int64_t)(phases * object->expected);
    object->ended += phases;
    return true;
}

static bool operate_once(struct wm_mbarrier_phases *object, enum wm_phase_operation operation,
                         uint32_t operand)
{
    switch (operation) {
    case WM_PHASE_INIT:
        object->pending = object->expected = operand;
        object->bytes = 0;
        return false;
    case WM_PHASE_EXPECT: add_bytes(object, operand); break;
    case WM_PHASE_COMPLETE: add_bytes(object, 0 - operand); break;
    case WM_PHASE_ARRIVE:
    case WM_PHASE_DROP: arrive(object, operand, operation == WM_PHASE_DROP); break;
    case WM_PHASE_EXPECT_ARRIVE:
    case WM_PHASE_EXPECT_DROP:
        add_bytes(object, operand);
        arrive(object, 1, operation == WM_PHASE_EXPECT_DROP);
        break;
    default: return false; // a test changes nothing
    }
    return complete(object);
}

bool wm_mbarrier_phases_operate(struct wm_mbarrier_phases *object,
                                enum wm_phase_operation operation, uint32_t operand, uint32_t lanes)
{
    bool ended = false;
    for (uint32_t lane = 0; lane < lanes; lane++)
        ended |= operate_once(object, operation, operand);
    return ended;
}
