// TLBs (docs/memory-system.md, R11): which pages' translations the SMs hold, and what a page walk
// reads where none holds one. An L1 TLB for each group of SMs, and an L2 TLB for all. A TLB is an
// array as caches are (mem/cache/cache.h) with a page for a line.
//
// Nothing is translated: addresses stay what they are. The question is only which reads the
// translation costs. Private to mem/.
#ifndef WM_MEM_TRANSLATION_TLB_H
#define WM_MEM_TRANSLATION_TLB_H

#include "mem/cache/cache.h"

// clang-format off
#define WM_TLB_COUNTERS(X)                                                                         \
    X(lookups, "pages", "pages looked for")                                                        \
    X(hits, "pages", "pages whose translation was held")                                           \
    X(misses, "pages", "pages whose translation was not held")                                     \
    X(walks, "walks", "of misses, those that walked the page table: no TLB behind it held the page") \
    X(walk_reads, "reads", "entries of the page table, of 8 bytes, that the walks read")           \
    X(bytes, "bytes", "bytes that the walks read (whole sectors)")
// clang-format on

struct wm_tlb_counters {
    WM_TLB_COUNTERS(WM_COUNTER_FIELD)
};

struct wm_tlb {
    struct wm_cache entries;
    struct wm_tlb_counters counters;
};

enum { WM_TLB_MOST_LEVELS = 6, WM_TLB_MOST_ENTRIES = 65536 };

struct wm_tlbs {
    uint32_t sms_each, page_shift, walk_levels;
    uint32_t l1_count, l2_count;
    uint32_t sms;      // of a GPU; they share an L2 TLB
    struct wm_tlb *l1; // owned; l1_count, one each group of SMs
    struct wm_tlb *l2; // owned; l2_count, one each GPU; or NULL
};

struct wm_memory_graph; // mem/graph/memory_graph.h

// Builds empty TLBs of a spec that is present and has passed wm_memory_spec_check, as many and of
// the names that the graph of its memory system has. WM_NO_MEMORY.
enum wm_status wm_tlbs_new(const struct wm_tlb_spec *spec, const struct wm_memory_graph *graph,
                           struct wm_tlbs **tlbs, struct wm_error *error);
// NULL is allowed.
void wm_tlbs_free(struct wm_tlbs *tlbs);

// The TLB that an SM's pages are looked up in first.
struct wm_tlb *wm_tlbs_first(const struct wm_tlbs *tlbs, uint32_t sm);
// Looks one page up for an SM, and keeps it in every TLB that was looked up. Returns the TLB that
// walks for it, having counted the walk; NULL when one of them held it.
struct wm_tlb *wm_tlbs_look_up(struct wm_tlbs *tlbs, uint64_t page,
                               const struct wm_requester *requester);

// Where a walk for `page` reads at `level`, 0 being the entry of the page itself. The table is a
// tree of 512 entries of 8 bytes a node; the nodes of a level lie one after the other in the order
// of their pages, above WM_PAGE_TABLE_BASE, where no device address lies.
#define WM_PAGE_TABLE_BASE (UINT64_C(1) << 62)
uint64_t wm_page_table_address(uint64_t page, uint32_t level);

#endif
