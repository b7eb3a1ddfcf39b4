#include "mem/memory_asks.h"

#include "mem/divergence/divergence_aware.h"
#include "mem/memory_state.h"

#include <assert.h>
#include <stdlib.h>

void wm_asks_release(struct wm_asks *asks)
{
    free(asks->asks);
    *asks = (struct wm_asks){0};
}

bool wm_asks_grow(struct wm_asks *asks)
{
    uint32_t room = asks->room == 0 ? 4096 : 2 * asks->room;
    struct wm_ask *grown = asks->failed ? NULL : realloc(asks->asks, room * sizeof *grown);
    asks->failed = grown == NULL;
    if (asks->failed)
        return false;
    asks->asks = grown;
    asks->room = room;
    return true;
}

void wm_kept_rows_release(struct wm_kept_rows *kept)
{
    free(kept->waits);
    free(kept->rows);
    *kept = (struct wm_kept_rows){0};
}

// The table with room for `wanted` at least; NULL, and the old one stays, when memory ran out.
static void *grown(void *table, uint32_t *room, uint32_t wanted, size_t size)
{
    uint32_t more = 2 * *room > wanted ? 2 * *room : wanted;
    void *larger = wanted <= *room ? table : realloc(table, more * size);
    if (larger != NULL && wanted > *room)
        *room = more;
    return larger;
}

bool wm_kept_rows_grow(struct wm_kept_rows *kept, uint32_t count)
{
    struct wm_kept_row *rows = grown(kept->rows, &kept->room, kept->count + 1, sizeof *rows);
    kept->rows = rows != NULL ? rows : kept->rows;
    struct wm_l2_wait *waits =
        grown(kept->waits, &kept->wait_room, kept->wait_count + count, sizeof *waits);
    kept->waits = waits != NULL ? waits : kept->waits;
    kept->failed |= rows == NULL || waits == NULL;
    return !kept->failed;
}

// --- Who asks the same ---

static bool same_values(const struct wm_entry_values *a, const struct wm_entry_values *b)
{
    bool same = a->given == b->given;
    for (uint32_t i = 0; i < WM_MAX_PARAMETERS; i++)
        same &= (a->given >> i & 1) == 0 || a->values[i] == b->values[i];
    return same;
}

// Field by field, as specs have padding and values that do not count; that none is forgotten, here
// and in wm_memory_same_l1s, is what tests/unit/engine/test_same_l1s.c is for.
static bool same_cache(const struct wm_cache_spec *a, const struct wm_cache_spec *b)
{
    return a->present == b->present && a->size_bytes == b->size_bytes && a->ways == b->ways &&
           a->line_bytes == b->line_bytes && a->sector_bytes == b->sector_bytes &&
           a->write_policy == b->write_policy && a->write_allocate == b->write_allocate &&
           a->write_fetch == b->write_fetch && a->replacement == b->replacement &&
           same_values(&a->replacement_values, &b->replacement_values) &&
           a->set_index == b->set_index;
}

// Lines that are never dirty leave L1 without a word, whenever the host or a launch makes them.
static bool l1_stands_alone(const struct wm_memory_spec *spec)
{
    return spec->l1.present && spec->l1.write_policy != WM_WRITE_BACK && !spec->tlb.present &&
           !wm_memory_needs_full(spec) && !wm_divergence_is_asked_for(&spec->l1_divergence);
}

bool wm_memory_same_l1s(const struct wm_memory_spec *a, const struct wm_memory_spec *b)
{
    return l1_stands_alone(a) && l1_stands_alone(b) && same_cache(&a->l1, &b->l1) &&
           a->sm_count == b->sm_count && a->l1_sms_each == b->l1_sms_each &&
           a->l1_allocation == b->l1_allocation && a->l1_bypass == b->l1_bypass &&
           same_values(&a->l1_bypass_values, &b->l1_bypass_values) &&
           a->l1_bypass_means == b->l1_bypass_means &&
           a->l1_flush_at_kernel == b->l1_flush_at_kernel;
}

bool wm_memory_same_rows(const struct wm_memory_spec *leads, const struct wm_memory_spec *follows)
{
    return leads->l2.present && follows->l2.present && leads->l2_slices == follows->l2_slices &&
           leads->l2_interleave_bytes == follows->l2_interleave_bytes &&
           leads->l2.line_bytes == follows->l2.line_bytes &&
           !wm_replacement_sees_origin(follows->l2.replacement);
}

// --- Keeping and serving ---

void wm_memory_keep_asks(struct wm_memory *memory, struct wm_asks *asks)
{
    assert(asks == NULL || l1_stands_alone(&memory->spec));
    memory->kept_asks = asks;
}

void wm_memory_serve_asks(struct wm_memory *memory, const struct wm_ask *asks, uint32_t count,
                          struct wm_cause_counters *causes)
{
    memory->paths->serve_asks(memory, asks, count, causes);
}

void wm_memory_keep_rows(struct wm_memory *memory, struct wm_kept_rows *kept,
                         const struct wm_cause_counters *causes)
{
    assert(kept == NULL || (l1_stands_alone(&memory->spec) && memory->l2 != NULL));
    memory->kept_rows = kept;
    if (kept == NULL)
        return;
    kept->sets = memory->l2->sets;
    kept->set_index = memory->l2->set_index;
    kept->causes = causes;
}

void wm_memory_serve_rows(struct wm_memory *memory, const struct wm_kept_rows *kept, uint32_t first,
                          uint32_t end, struct wm_cause_counters *causes)
{
    memory->paths->serve_rows(memory, kept, first, end, causes);
}

uint32_t wm_memory_l1_count(const struct wm_memory *memory)
{
    return memory->l1_count;
}

void wm_memory_save_l1_counters(const struct wm_memory *memory, struct wm_cache_counters *saved)
{
    for (uint32_t i = 0; i < memory->l1_count; i++)
        saved[i] = memory->l1[i].counters;
}

void wm_memory_load_l1_counters(struct wm_memory *memory, const struct wm_cache_counters *saved)
{
    for (uint32_t i = 0; i < memory->l1_count; i++)
        memory->l1[i].counters = saved[i];
}
