// Misses of coherent levels explained in time, and who shares their lines (docs/misses.md, "In
// time"). All of it is on one thread: instructions count in one copy.
#include "engine/clock/coherent_parts.h"
#include "mem/explain/written_lines.h"

enum { LOCAL_ADDRESS_BITS = 40 }; // of local memory, from WM_LOCAL_BASE on

struct wm_instruction_misses *wm_clock_coherent_explains(void *context,
                                                         const struct wm_requester *requester)
{
    const struct wm_clock *clock = context;
    for (uint32_t i = 0; i < clock->segment_count; i++) {
        const struct wm_explained_segment *segment = &clock->explained[i];
        if (requester->pc - segment->base < segment->count)
            return segment->counters + (requester->pc - segment->base);
    }
    return NULL;
}

// Of an instruction that has accessed several spaces the address says which this is.
static bool is_global(const struct wm_clock_sm *sm, const struct wm_request *request)
{
    uint64_t local = request->address - WM_LOCAL_BASE;
    return (sm->spaces[request->pc] >> WM_SPACE_GLOBAL & 1) != 0 &&
           (sm->cpu != NULL || local >> LOCAL_ADDRESS_BITS != 0);
}

void wm_clock_coherent_explain(const struct wm_clock_sm *sm, const struct wm_request *request,
                               struct wm_coherent_access *access)
{
    access->block = (uint32_t)request->block;
    access->bytes = request->bytes;
    access->is_shared = is_global(sm, request);
}

void wm_clock_note_written_lines(struct wm_clock *clock, struct wm_written_lines *lines,
                                 const uint32_t *coherent_caches)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    coherent->written_lines = lines;
    wm_coherent_caches_note_written_lines(coherent->tree.caches, lines);
    // What an L1 without coherence holds is accessed without the tree: as it is executed.
    for (uint32_t i = 0; i < clock->unit_count; i++) {
        struct wm_front_end *front_end = &clock->sms[i].front_end;
        front_end->written_lines = coherent->node_of_unit[i] == WM_NO_NODE ? lines : NULL;
        front_end->coherent_caches = coherent_caches;
    }
}

void wm_clock_coherent_note(const struct wm_clock_sm *sm, enum wm_access_kind kind,
                            uint64_t address, uint32_t bytes)
{
    struct wm_clock_coherent *coherent = sm->clock->coherent;
    if (coherent == NULL || coherent->written_lines == NULL)
        return;
    const struct wm_written_access access = {.address = address,
                                             .bytes = bytes,
                                             .cache = coherent->node_of_unit[sm->index],
                                             .unit = sm->index,
                                             .writes = kind != WM_ACCESS_LOAD,
                                             .instruction = &coherent->not_counted};
    wm_written_lines_access(coherent->written_lines, &access);
}
