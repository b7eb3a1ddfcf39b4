// Where a request enters: with or without L1, as the bypass entry says.
#ifndef WM_MEM_PATHS_PATH_ENTRY_H
#define WM_MEM_PATHS_PATH_ENTRY_H

#include "mem/bypass/bypass.h"
#include "mem/paths/path_l1.h"

static void without_l1(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                       uint32_t full_sectors, struct errand *errand)
{
    switch (errand->origin.kind) {
    case WM_ACCESS_LOAD: l2_read(memory, address, sectors, errand); break;
    case WM_ACCESS_STORE:
        l2_write(memory, WM_CACHE_STORE, address, sectors, full_sectors, errand);
        break;
    case WM_ACCESS_ATOMIC:
    case WM_ACCESS_REDUCTION: l2_write(memory, WM_CACHE_ATOMIC, address, sectors, 0, errand); break;
    }
}

// A load or a store, done as `decision` says (not WM_BYPASS_YES). Returns the sectors that were
// looked for in L1 and not there.
WM_CACHE_INLINE uint32_t decided(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 uint32_t sectors, uint32_t full_sectors,
                                 enum wm_bypass_decision decision, struct errand *errand)
{
    bool allocate = decision != WM_BYPASS_ALLOCATION;
    if (errand->origin.kind == WM_ACCESS_LOAD) {
        if (__builtin_expect(decision != WM_BYPASS_LOOKUP, 1))
            return l1_load(memory, l1, address, sectors, allocate, errand);
        l1_bypass_load(memory, l1, address, sectors, errand);
    } else {
        if (__builtin_expect(decision != WM_BYPASS_LOOKUP, 1))
            return l1_store(memory, l1, address, sectors, full_sectors, allocate, errand);
        l1_bypass_store(memory, l1, address, sectors, full_sectors, errand);
    }
    return 0;
}

// The same, asking the machine's bypass entry, which is told what became of it.
static void asked_of_entry(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                           uint32_t sectors, uint32_t full_sectors, struct errand *errand)
{
    struct wm_bypass_event event = {.line = address >> l1->line_shift,
                                    .sectors = sectors,
                                    .pc = errand->origin.pc,
                                    .warp = errand->origin.warp,
                                    .sm = errand->origin.sm,
                                    .kind = errand->origin.kind,
                                    .hint = errand->origin.hint,
                                    .listed = (enum wm_listed)errand->listed,
                                    .lines = errand->lines,
                                    .resident_warps = errand->resident_warps};
    enum wm_bypass_decision decision = wm_memory_bypass_decide(memory, &event);
    uint32_t missing = decided(memory, l1, address, sectors, full_sectors, decision, errand);
    if (decision != WM_BYPASS_LOOKUP && memory->bypass->served != NULL)
        memory->bypass->served(wm_memory_bypass_state(memory, l1), &event, missing);
}

// Where no entry is asked.
static inline enum wm_bypass_decision decision_of(enum wm_cache_hint hint)
{
    return hint == WM_HINT_VOLATILE ? WM_BYPASS_LOOKUP : wm_bypass_by_operator(hint);
}

WM_CACHE_INLINE void access_inline(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                                   uint32_t full_sectors, struct errand *errand)
{
    enum wm_access_kind kind = errand->origin.kind;
    enum wm_cache_hint hint = errand->origin.hint;
    if (__builtin_expect(memory->l1 == NULL, 0)) {
        without_l1(memory, address, sectors, full_sectors, errand);
        return;
    }
    struct wm_cache *l1 = memory->l1_of_sm[errand->origin.sm];
    if (kind != WM_ACCESS_LOAD && kind != WM_ACCESS_STORE)
        l1_atomic(memory, l1, address, sectors, errand);
    else if (__builtin_expect(
                 memory->bypass != NULL && hint != WM_HINT_VOLATILE && !errand->around_l1, 0))
        asked_of_entry(memory, l1, address, sectors, full_sectors, errand);
    else
        decided(memory, l1, address, sectors, full_sectors, decision_of(hint), errand);
}

// On behalf of `who`, whichever line it asks for.
static inline struct errand errand_of(struct wm_memory *memory, const struct wm_request *who)
{
    return (struct errand){
        .origin =
            {.sm = who->sm, .warp = who->warp, .pc = who->pc, .kind = who->kind, .hint = who->hint},
        .cause = who->cause != NULL ? who->cause : &memory->nobody,
        .around_l1 = who->around_l1,
        .listed = who->listed,
        .lines = 1,
        .resident_warps = who->resident_warps,
    };
}

#endif
