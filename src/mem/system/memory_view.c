#include "mem/system/memory_view.h"

#include "base/containers/array.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/system/memory_state.h"

#include <stdlib.h>

bool wm_memory_can_have_views(const struct wm_memory_spec *spec)
{
    return !wm_memory_needs_full(spec) && !spec->tlb.present;
}

uint32_t wm_memory_sms_together(const struct wm_memory_spec *spec)
{
    uint32_t together = 1;
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
        uint32_t each = spec->levels[level].units_each, step = together;
        if (level == WM_LEVEL_L2 || !spec->levels[level].cache.present || each < 2)
            continue;
        while (together % each != 0)
            together += step;
    }
    return together;
}

// --- Queues ---

// A chunk is a batch of the access path.
enum { CHUNK = WM_L2_QUEUE_ENTRIES, LINE_BYTES = 128 };

static void free_chunk(struct wm_l2_queue_chunk *chunk)
{
    free(chunk->entries);
    free(chunk->requesters);
    free(chunk);
}

static struct wm_l2_queue_chunk *new_chunk(bool sees_requester)
{
    struct wm_l2_queue_chunk *chunk = calloc(1, sizeof *chunk);
    if (chunk == NULL)
        return NULL;
    chunk->entries = malloc(CHUNK * sizeof *chunk->entries);
    chunk->requesters = sees_requester ? malloc(CHUNK * sizeof *chunk->requesters) : NULL;
    if (chunk->entries != NULL && (!sees_requester || chunk->requesters != NULL))
        return chunk;
    free_chunk(chunk);
    return NULL;
}

static bool give_room(struct wm_l2_queue *queue, bool sees_requester)
{
    queue->entries = malloc(CHUNK * sizeof *queue->entries);
    queue->requesters = sees_requester ? malloc(CHUNK * sizeof *queue->requesters) : NULL;
    queue->room = CHUNK;
    return queue->entries != NULL && (!sees_requester || queue->requesters != NULL);
}

enum wm_status wm_slice_queues_init(struct wm_slice_queues *queues, const struct wm_memory *memory,
                                    struct wm_error *error)
{
    *queues = (struct wm_slice_queues){0};
    if (memory->levels[WM_LEVEL_L2].caches == NULL)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(queues->of_slice, memory->levels[WM_LEVEL_L2].count, error,
                        "the requests of slices"));
    queues->slices = memory->levels[WM_LEVEL_L2].count;
    queues->sets = memory->levels[WM_LEVEL_L2].caches->sets;
    queues->set_index = memory->levels[WM_LEVEL_L2].caches->set_index;
    bool sees_requester = memory->l2_queues.of_slice->requesters != NULL;
    for (uint32_t i = 0; i < queues->slices; i++)
        if (!give_room(&queues->of_slice[i], sees_requester)) {
            wm_slice_queues_release(queues);
            return wm_fail_no_memory(error, "the requests of slices");
        }
    return WM_OK;
}

void wm_slice_queues_release(struct wm_slice_queues *queues)
{
    wm_slice_queues_clear(queues);
    for (struct wm_l2_queue_chunk *chunk = queues->spare, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free_chunk(chunk);
    }
    for (uint32_t i = 0; i < queues->slices; i++) {
        free(queues->of_slice[i].entries);
        free(queues->of_slice[i].requesters);
    }
    free(queues->of_slice);
    *queues = (struct wm_slice_queues){0};
}

void wm_slice_queues_link(struct wm_slice_queues *queues, const struct wm_slice_queues *behind)
{
    for (uint32_t i = 0; i < queues->slices; i++)
        queues->of_slice[i].next = &behind->of_slice[i];
}

void wm_slice_queues_clear(struct wm_slice_queues *queues)
{
    for (uint32_t i = 0; i < queues->slices; i++) {
        struct wm_l2_queue *queue = &queues->of_slice[i];
        queue->count = 0;
        if (queue->first == NULL)
            continue;
        queue->last->next = queues->spare;
        queues->spare = queue->first;
        queue->first = queue->last = NULL;
    }
}

// What a full queue has goes into a chunk, by exchange of the two's room.
void wm_memory_view_make_room(struct wm_memory *view, struct wm_l2_queue *queue)
{
    struct wm_l2_queue_chunk **spare = view->l2_queues.spare, *chunk = *spare;
    if (chunk != NULL)
        *spare = chunk->next;
    else
        chunk = new_chunk(queue->requesters != NULL);
    queue->count = 0;
    if (chunk == NULL) {
        view->l2_queues.failed = true;
        return;
    }
    const struct wm_l2_queue_chunk empty = *chunk;
    *chunk = (struct wm_l2_queue_chunk){.entries = queue->entries, .requesters = queue->requesters};
    queue->entries = empty.entries;
    queue->requesters = empty.requesters;
    if (queue->last != NULL)
        queue->last->next = chunk;
    else
        queue->first = chunk;
    queue->last = chunk;
}

// --- Views ---

// Threads do not write to one line of the host's caches.
static void *new_zeros(size_t bytes)
{
    bytes = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    void *zeros = aligned_alloc(LINE_BYTES, bytes + LINE_BYTES);
    if (zeros != NULL)
        memset(zeros, 0, bytes);
    return zeros;
}

enum wm_status wm_memory_view_new(const struct wm_memory *memory, struct wm_memory **view,
                                  struct wm_error *error)
{
    struct wm_memory *made = new_zeros(sizeof *made);
    if (made != NULL) {
        made->dram = new_zeros(memory->spec.dram.channels * sizeof *made->dram);
        made->l2_queues.busy = new_zeros(memory->l2_queues.words * sizeof *made->l2_queues.busy);
    }
    *view = made;
    if (made != NULL && made->dram != NULL && made->l2_queues.busy != NULL)
        return WM_OK;
    wm_memory_view_free(made);
    *view = NULL;
    return wm_fail_no_memory(error, "a thread's view of the memory system");
}

void wm_memory_view_free(struct wm_memory *view)
{
    if (view == NULL)
        return;
    free(view->dram);
    free(view->l2_queues.busy);
    free(view);
}

void wm_memory_view_begin(struct wm_memory *view, const struct wm_memory *memory,
                          struct wm_instruction_counters *counters_by_pc)
{
    struct wm_dram_counters *dram = view->dram;
    uint64_t *busy = view->l2_queues.busy;
    *view = *memory;
    view->dram = dram;
    view->l2_queues = (struct wm_l2_queues){.busy = busy,
                                            .words = memory->l2_queues.words,
                                            .defers = true,
                                            .charges = (uintptr_t)counters_by_pc};
}

void wm_memory_view_fill(struct wm_memory *view, struct wm_slice_queues *queues)
{
    view->l2_queues.of_slice = queues->of_slice;
    view->l2_queues.spare = &queues->spare;
}

void wm_memory_view_serve(struct wm_memory *view, uint32_t slice,
                          const struct wm_slice_queues *queues)
{
    const struct wm_l2_queue *queue = &queues->of_slice[slice];
    bool resets = queues->sets != view->levels[WM_LEVEL_L2].caches->sets ||
                  queues->set_index != view->levels[WM_LEVEL_L2].caches->set_index;
    view->paths->serve_queue(view, slice, queue, resets);
}

enum wm_status wm_memory_view_end(struct wm_memory *view, struct wm_memory *memory,
                                  struct wm_error *error)
{
    uint64_t *sums = (uint64_t *)memory->dram, *values = (uint64_t *)view->dram;
    size_t count = memory->spec.dram.channels * (sizeof *memory->dram / sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        sums[i] += values[i];
        values[i] = 0;
    }
    return view->l2_queues.failed ? wm_fail_no_memory(error, "the requests of slices") : WM_OK;
}

// --- Which memory systems have the same queues ---

static bool same_values(const struct wm_entry_values *a, const struct wm_entry_values *b)
{
    bool same = a->given == b->given;
    for (uint32_t i = 0; i < WM_MAX_PARAMETERS; i++)
        same &= (a->given >> i & 1) == 0 || a->values[i] == b->values[i];
    return same;
}

// Field by field, as specs have padding and values that do not count; that none is forgotten, here
// and in wm_memory_same_queues, is what tests/unit/engine/test_same_queues.c is for.
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
    return spec->levels[WM_LEVEL_L1].cache.present &&
           spec->levels[WM_LEVEL_L1].cache.write_policy != WM_WRITE_BACK &&
           spec->levels[WM_LEVEL_L1].coherence == WM_LEVEL_INCOHERENT &&
           wm_memory_can_have_views(spec) &&
           !wm_divergence_is_enabled(&spec->levels[WM_LEVEL_L1].divergence);
}

static bool same_prefetchers(const struct wm_level_spec *a, const struct wm_level_spec *b)
{
    return a->prefetch == b->prefetch && same_values(&a->prefetch_values, &b->prefetch_values);
}

// Side caches, and what is between them and L2.
static bool same_side_caches(const struct wm_memory_spec *a, const struct wm_memory_spec *b)
{
    bool same = true;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_level_spec *left = &a->levels[i], *right = &b->levels[i];
        if (!wm_level_is_side(i) && i < WM_LEVELS_NAMED)
            continue;
        same &= left->cache.present == right->cache.present;
        same &= !left->cache.present ||
                (left->units_each == right->units_each && left->below == right->below &&
                 left->flush_at_kernel == right->flush_at_kernel && same_prefetchers(left, right) &&
                 same_cache(&left->cache, &right->cache));
    }
    return same;
}

static bool same_l1s(const struct wm_memory_spec *a, const struct wm_memory_spec *b)
{
    return same_cache(&a->levels[WM_LEVEL_L1].cache, &b->levels[WM_LEVEL_L1].cache) &&
           a->sm_count == b->sm_count &&
           a->levels[WM_LEVEL_L1].units_each == b->levels[WM_LEVEL_L1].units_each &&
           a->levels[WM_LEVEL_L1].allocation == b->levels[WM_LEVEL_L1].allocation &&
           a->levels[WM_LEVEL_L1].bypass == b->levels[WM_LEVEL_L1].bypass &&
           same_values(&a->levels[WM_LEVEL_L1].bypass_values,
                       &b->levels[WM_LEVEL_L1].bypass_values) &&
           a->levels[WM_LEVEL_L1].bypass_means == b->levels[WM_LEVEL_L1].bypass_means &&
           a->levels[WM_LEVEL_L1].flush_at_kernel == b->levels[WM_LEVEL_L1].flush_at_kernel;
}

bool wm_memory_same_queues(const struct wm_memory_spec *leads, const struct wm_memory_spec *follows)
{
    return l1_stands_alone(leads) && l1_stands_alone(follows) && same_l1s(leads, follows) &&
           same_prefetchers(&leads->levels[WM_LEVEL_L1], &follows->levels[WM_LEVEL_L1]) &&
           same_prefetchers(&leads->levels[WM_LEVEL_L2], &follows->levels[WM_LEVEL_L2]) &&
           same_side_caches(leads, follows) && leads->levels[WM_LEVEL_L2].cache.present &&
           follows->levels[WM_LEVEL_L2].cache.present &&
           leads->levels[WM_LEVEL_L2].slices == follows->levels[WM_LEVEL_L2].slices &&
           leads->levels[WM_LEVEL_L2].interleave_bytes ==
               follows->levels[WM_LEVEL_L2].interleave_bytes &&
           leads->levels[WM_LEVEL_L2].interleave_hash ==
               follows->levels[WM_LEVEL_L2].interleave_hash &&
           leads->levels[WM_LEVEL_L2].cache.line_bytes ==
               follows->levels[WM_LEVEL_L2].cache.line_bytes &&
           !wm_replacement_sees_requester(follows->levels[WM_LEVEL_L2].cache.replacement);
}

static void copy_counters(struct wm_cache_level *to, const struct wm_cache_level *from)
{
    for (uint32_t i = 0; i < to->count; i++)
        to->caches[i].counters = from->caches[i].counters;
}

void wm_memory_copy_sm_caches_counters(struct wm_memory *to, const struct wm_memory *from)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (i != WM_LEVEL_L2)
            copy_counters(&to->levels[i], &from->levels[i]);
}
