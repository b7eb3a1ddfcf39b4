// Where misses are explained: what each look-up is, and each loss of a copy, is said by what says
// it in the walk (mem/explain/coherent_misses.h). What differs is when: a look-up is one when the
// access gets its way or finds it, and an access is over, for what its bytes say of sharing, when
// its line has the state that it needs.
#include "mem/explain/coherent_misses.h"

#include "base/containers/array.h"
#include "mem/explain/explain.h"
#include "mem/explain/written_lines.h"
#include "mem/timed/coherent/caches_parts.h"

#include <stdlib.h>
#include <string.h>

// --- Bytes of accesses that are under way ---

// Rows are numbered from 1.
static struct wm_coherent_row *row_at(const struct wm_coherent_caches *caches, uint32_t number)
{
    return &caches->rows.items[number - 1];
}

void wm_coherent_rows_release(struct wm_coherent_rows *rows)
{
    free(rows->items);
}

bool wm_coherent_keep_bytes(struct wm_coherent_caches *caches, struct wm_coherent_event *event,
                            const struct wm_coherent_access *access)
{
    struct wm_coherent_rows *rows = &caches->rows;
    event->block = access->block;
    if (access->bytes == NULL)
        return true;
    if (rows->free == 0) {
        if (!WM_ARRAY_RESERVE(rows->items, rows->count, rows->room, 1))
            return false;
        rows->items[rows->count++].next_free = 0;
        rows->free = rows->count;
    }
    event->row = rows->free;
    struct wm_coherent_row *row = row_at(caches, event->row);
    rows->free = row->next_free;
    row->is_shared = access->is_shared;
    memcpy(row->bytes, access->bytes,
           caches->spec.line_bytes / WM_SECTOR_BYTES * sizeof *row->bytes);
    return true;
}

void wm_coherent_drop_bytes(struct wm_coherent_caches *caches, uint32_t row)
{
    if (row == 0)
        return;
    row_at(caches, row)->next_free = caches->rows.free;
    caches->rows.free = row;
}

// --- On whose behalf ---

static struct wm_instruction_misses *explains(const struct wm_coherent_caches *caches,
                                              const struct wm_coherent_event *event)
{
    const struct wm_coherent_caches_spec *spec = &caches->spec;
    return event->uncharged ? NULL : spec->explains(spec->context, &event->requester);
}

static struct wm_request cause_of(const struct wm_coherent_caches *caches,
                                  const struct wm_coherent_event *event)
{
    return (struct wm_request){
        .sm = event->requester.sm,
        .warp = event->requester.warp,
        .pc = event->requester.pc,
        .block = event->block,
        .bytes = event->row != 0 ? row_at(caches, event->row)->bytes : NULL,
        .explained = explains(caches, event),
    };
}

// --- Misses ---

void wm_coherent_explain_lookup(const struct wm_coherent_caches *caches,
                                const struct wm_coherent_event *event,
                                const struct wm_coherent_lookup *lookup)
{
    const struct wm_request cause = cause_of(caches, event);
    wm_explain_coherent_lookup(caches->spec.explained, lookup, &cause);
}

void wm_coherent_explain_passed(const struct wm_coherent_caches *caches,
                                const struct wm_coherent_slice *slice,
                                const struct wm_coherent_event *event)
{
    const struct wm_request cause = cause_of(caches, event);
    wm_explain_passed(caches->spec.explained, slice->cache, slice->cache->all_sectors, &cause);
}

void wm_coherent_explain_loss(const struct wm_coherent_step *step)
{
    const struct wm_coherent_caches *caches = step->caches;
    // A shared copy that is being upgraded and that another's write takes is fetched again, which
    // is no miss: the line keeps its way.
    if (step->line->cache == WM_COHERENCE_CACHE_IM)
        return;
    const struct wm_request cause = cause_of(caches, step->event);
    wm_explain_coherent_loss(caches->spec.explained, step->slice->cache, step->event->line,
                             step->event->recalls, &cause);
}

// --- Sharing ---

void wm_coherent_caches_note_written_lines(struct wm_coherent_caches *caches,
                                           struct wm_written_lines *lines)
{
    caches->written_lines = lines;
}

// Bytes of the line that follow each other are one access.
static void note_bytes(const struct wm_coherent_caches *caches, struct wm_written_access *access,
                       const uint32_t *bytes)
{
    uint32_t end = caches->spec.line_bytes, first = 0;
    uint64_t line = access->address;
    while (first < end) {
        uint32_t word = bytes[first / WM_SECTOR_BYTES] >> first % WM_SECTOR_BYTES, count = 0;
        if (word == 0) {
            first += WM_SECTOR_BYTES - first % WM_SECTOR_BYTES;
            continue;
        }
        first += (uint32_t)__builtin_ctz(word);
        word = bytes[first / WM_SECTOR_BYTES] >> first % WM_SECTOR_BYTES;
        count = word == UINT32_MAX ? WM_SECTOR_BYTES : (uint32_t)__builtin_ctz(~word);
        access->address = line + first;
        access->bytes = count;
        wm_written_lines_access(caches->written_lines, access);
        first += count;
    }
}

void wm_coherent_explain_done(struct wm_coherent_caches *caches,
                              const struct wm_coherent_slice *slice,
                              const struct wm_coherent_event *event)
{
    struct wm_instruction_misses *instruction = explains(caches, event);
    const struct wm_coherent_row *row = row_at(caches, event->row);
    struct wm_written_access access = {.address = event->line * caches->spec.line_bytes,
                                       .cache = slice->node,
                                       .unit = event->requester.sm,
                                       .writes = event->kind != WM_COHERENCE_LOAD,
                                       .instruction = instruction};
    if (caches->written_lines != NULL && row->is_shared && instruction != NULL)
        note_bytes(caches, &access, row->bytes);
    wm_coherent_drop_bytes(caches, event->row);
}
