// Where a request enters: with or without L1, as the bypass entry says.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_ENTRY_H
#define WM_MEM_ACCESS_PATH_ENTRY_H

#include "mem/access_path/l1_pass.h"
#include "mem/bypass/bypass.h"
#include "mem/system/coherent_memory.h"

// A unit whose first level has no caches.
static void access_without_l1(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                              uint32_t full_sectors, struct access_context *context)
{
    const struct wm_cache_level *first = first_level(memory, context);
    switch (context->requester.kind) {
    case WM_ACCESS_LOAD:
        note_source(context, WM_SOURCE_BELOW_L1);
        request_below(memory, first, WM_CACHE_LOAD, address, sectors, 0, context);
        break;
    case WM_ACCESS_STORE:
        request_below(memory, first, WM_CACHE_STORE, address, sectors, full_sectors, context);
        break;
    case WM_ACCESS_ATOMIC:
    case WM_ACCESS_REDUCTION:
        note_source(context, WM_SOURCE_BELOW_L1);
        request_below(memory, first, WM_CACHE_ATOMIC, address, sectors, 0, context);
        break;
    }
}

// Returns the sectors that L1 did not have.
static inline uint32_t l1_load(struct wm_memory *memory, struct wm_cache *l1,
                               const struct line_place *place, uint32_t sectors, bool allocate,
                               struct access_context *context)
{
    const struct wm_cache_level *first = first_level(memory, context);
    uint32_t missing =
        level_access(memory, first, l1, WM_CACHE_LOAD, place, sectors, 0, allocate, context);
    if (missing == 0)
        return 0;
    context->result.lines_missed++;
    if (!has_tracker(memory, first)) // which has noted it
        note_source(context, WM_SOURCE_BELOW_L1);
    return missing;
}

// A load or a store, done as `decision` says (not WM_BYPASS_YES). Returns the sectors that were
// looked for in L1 and not there.
WM_CACHE_INLINE uint32_t decided(struct wm_memory *memory, struct wm_cache *l1,
                                 const struct line_place *place, uint32_t sectors,
                                 uint32_t full_sectors, enum wm_bypass_decision decision,
                                 struct access_context *context)
{
    bool allocate = decision != WM_BYPASS_ALLOCATION;
    if (context->requester.kind == WM_ACCESS_LOAD) {
        if (__builtin_expect(decision != WM_BYPASS_LOOKUP, 1))
            return l1_load(memory, l1, place, sectors, allocate, context);
        l1_bypass_load(memory, l1, place, sectors, context);
    } else {
        if (__builtin_expect(decision != WM_BYPASS_LOOKUP, 1))
            return level_access(memory, first_level(memory, context), l1, WM_CACHE_STORE, place,
                                sectors, full_sectors, allocate, context);
        l1_bypass_store(memory, l1, place, sectors, full_sectors, context);
    }
    return 0;
}

static struct wm_bypass_event bypass_event(uint64_t line, uint32_t sectors,
                                           const struct access_context *context)
{
    return (struct wm_bypass_event){.line = line,
                                    .sectors = sectors,
                                    .pc = context->requester.pc,
                                    .warp = context->requester.warp,
                                    .sm = context->requester.sm,
                                    .kind = context->requester.kind,
                                    .hint = context->requester.hint,
                                    .listed = (enum wm_bypass_list_entry)context->listed,
                                    .lines = context->lines,
                                    .resident_warps = context->resident_warps};
}

// The same, as the machine's bypass entry decides, whose hook `served` gets the outcome.
static void access_by_bypass_policy(struct wm_memory *memory, struct wm_cache *l1,
                                    const struct line_place *place, uint32_t sectors,
                                    uint32_t full_sectors, struct access_context *context)
{
    const struct wm_bypass_event event = bypass_event(place->line, sectors, context);
    enum wm_bypass_decision decision = wm_memory_bypass_decide(memory, &event);
    uint32_t missing = decided(memory, l1, place, sectors, full_sectors, decision, context);
    if (decision != WM_BYPASS_LOOKUP && memory->bypass->served != NULL)
        memory->bypass->served(wm_memory_bypass_state(memory, l1), &event, missing);
}

// Where there is no bypass entry.
static inline enum wm_bypass_decision decision_by_operator(enum wm_cache_hint hint)
{
    return hint == WM_HINT_VOLATILE ? WM_BYPASS_LOOKUP : wm_bypass_by_operator(hint);
}

// A load of a coherent L1 in the way that the machine's bypass entry says.
static void load_coherent_by_policy(struct wm_memory *memory, const struct wm_cache_level *first,
                                    uint64_t address, uint32_t sectors,
                                    struct access_context *context)
{
    const struct wm_bypass_event event =
        bypass_event(address >> first->line_shift, sectors, context);
    enum wm_bypass_decision decision = wm_memory_bypass_decide(memory, &event);
    uint32_t missing =
        wm_coherent_request(memory, first, WM_CACHE_LOAD, address, sectors, decision, context);
    if (missing != 0)
        context->result.lines_missed++;
    if (decision != WM_BYPASS_LOOKUP && memory->bypass->served != NULL)
        memory->bypass->served(
            wm_memory_bypass_state(memory, wm_cache_of_unit(first, context->unit)), &event,
            missing);
}

// Operators alone say nothing to a coherent cache, which always has what was written last.
static void access_coherent(struct wm_memory *memory, const struct wm_cache_level *first,
                            uint64_t address, uint32_t sectors, struct access_context *context)
{
    enum wm_access_kind kind = context->requester.kind;
    enum wm_cache_client client = kind == WM_ACCESS_LOAD    ? WM_CACHE_LOAD
                                  : kind == WM_ACCESS_STORE ? WM_CACHE_STORE
                                                            : WM_CACHE_ATOMIC;
    bool has_entry = memory->bypass != NULL && first == &memory->levels[WM_LEVEL_L1];
    if (__builtin_expect(has_entry, 0) && kind == WM_ACCESS_LOAD &&
        context->requester.hint != WM_HINT_VOLATILE && !context->around_l1) {
        load_coherent_by_policy(memory, first, address, sectors, context);
        return;
    }
    uint32_t missing =
        wm_coherent_request(memory, first, client, address, sectors, WM_BYPASS_NO, context);
    if (kind == WM_ACCESS_LOAD && missing != 0)
        context->result.lines_missed++;
}

WM_CACHE_INLINE void access_inline(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                                   uint32_t full_sectors, struct access_context *context)
{
    enum wm_access_kind kind = context->requester.kind;
    enum wm_cache_hint hint = context->requester.hint;
    const struct wm_cache_level *first = first_level(memory, context);
    if (__builtin_expect(first->caches == NULL, 0)) {
        access_without_l1(memory, address, sectors, full_sectors, context);
        return;
    }
    if (WM_PATHS_FULL && first->is_coherent) {
        access_coherent(memory, first, address, sectors, context);
        return;
    }
    struct line_place place;
    struct wm_cache *l1 = place_at_first(memory, context, address, &place);
    bool has_policy = memory->bypass != NULL && hint != WM_HINT_VOLATILE && !context->around_l1;
    if (kind != WM_ACCESS_LOAD && kind != WM_ACCESS_STORE)
        l1_atomic(memory, l1, &place, sectors, context);
    else if (__builtin_expect(
                 has_policy && (!WM_PATHS_FULL || first == &memory->levels[WM_LEVEL_L1]), 0))
        access_by_bypass_policy(memory, l1, &place, sectors, full_sectors, context);
    else
        decided(memory, l1, &place, sectors, full_sectors, decision_by_operator(hint), context);
}

// On behalf of `who`, whichever line it requests.
static inline struct access_context access_context_of(struct wm_memory *memory,
                                                      const struct wm_request *who)
{
    return (struct access_context){
        .requester =
            {.sm = who->sm, .warp = who->warp, .pc = who->pc, .kind = who->kind, .hint = who->hint},
        .instruction_counters =
            who->instruction_counters != NULL ? who->instruction_counters : &memory->unattributed,
        .unit = who->sm,
        .around_l1 = who->around_l1,
        .listed = who->listed,
        .lines = 1,
        .resident_warps = who->resident_warps,
    };
}

#endif
