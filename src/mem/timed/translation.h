// Translations in time (docs/memory-system.md, R11): before an instruction's requests its pages are
// looked up in the TLBs, all at once; what no TLB holds is walked for, entry by entry, each a load
// that waits for the one before, and the requests wait for all of it. A page that is being walked
// for is not walked for again: it has its entry in the TLBs, as in the walk, and others wait.
//
// Thread rules: as the units that share TLBs. Private to mem/timed/.
#ifndef WM_MEM_TIMED_TRANSLATION_H
#define WM_MEM_TIMED_TRANSLATION_H

#include "mem/timed/outbox.h"
#include "mem/timed/timed_cache.h"

struct wm_timed_walk {
    uint64_t page;
    uint32_t left; // entries that are still to be read
    struct wm_requester who;
};

// Of the units that share TLBs: the walks under way.
struct wm_timed_walks {
    struct wm_timed_walk *walks; // owned
    uint32_t count, room;
};

// Of one unit: what its next requests wait for.
struct wm_timed_translation {
    struct wm_outbox *out;                          // borrowed: where walks leave
    struct wm_instruction_counters *counters_by_pc; // borrowed: pay for walks; by pc
    struct wm_timed_walks own, *walks; // the latter borrowed: its own, or those of another unit
    uint64_t pages[WM_MAX_LINE_REQUESTS];
    uint32_t count;
    bool begun;
    uint64_t ready; // a cycle; when the TLBs have answered
};

// The pages of the lines, of one access of an instruction, on behalf of `who`, whose address and
// sectors are not read. It is called in each cycle until it is WM_STALL_NONE; of WM_STALL_PAGE,
// `*again` is the cycle in which that is so, if it is known, else 0.
enum wm_stall wm_timed_translate(struct wm_timed_translation *translation, uint64_t cycle,
                                 const struct wm_request *who, const struct wm_line_request *lines,
                                 uint32_t count, uint64_t *again);
// An entry of the page table has come.
void wm_timed_walk_on(struct wm_timed_translation *translation, uint64_t cycle,
                      const struct wm_packet *reply);

#endif
