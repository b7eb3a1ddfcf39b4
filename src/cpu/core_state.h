// What a core's window and store buffer hold. Private to cpu/.
#ifndef WM_CPU_CORE_STATE_H
#define WM_CPU_CORE_STATE_H

#include "cpu/core.h"

#include "base/numbers/clock_domain.h"

enum { WM_CORE_STORE_TAG = INT32_MIN }; // set in the tags of stores

// Of the window: an operation, or instructions that make no access and were dispatched together.
struct wm_core_entry {
    uint64_t ready; // when it is complete, of what is known so far
    uint64_t dispatched;
    uint64_t address;
    uint64_t number; // of an operation, counted from 0
    uint32_t bytes, pc;
    uint32_t count;   // of plain instructions; of an operation whether it is an instruction
    uint8_t kind;     // enum wm_core_kind
    uint8_t unsent;   // parts that have not been sent
    uint8_t underway; // parts that have been, and will be completed
    bool forwarded;
    bool is_old; // of a load: its line has left L1 since it was read
};

struct wm_core_store {
    uint64_t address;
    uint64_t number;
    uint64_t written; // when it is, of what is known so far
    uint32_t bytes, pc;
    uint8_t unsent, underway; // likewise
};

static inline struct wm_core_entry *wm_core_entry_at(const struct wm_core *core, uint32_t at)
{
    return &core->entries[at & core->mask];
}

static inline struct wm_core_store *wm_core_store_at(const struct wm_core *core, uint32_t at)
{
    return &core->stores[at & core->store_mask];
}

// Of the number of a line, or of a word. Lines of one set of a cache, of which one displaces
// another, have the same lowest bits: Fibonacci hashing (Knuth, "The Art of Computer Programming",
// volume 3, section 6.4) spreads them.
static inline uint32_t wm_core_hash(uint64_t number)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - WM_CORE_FILTER_BITS));
}

// In how many lines an operation lies.
static inline uint32_t wm_core_parts(const struct wm_core *core, uint64_t address, uint32_t bytes)
{
    uint64_t within = address & (core->line_bytes - 1);
    return within + bytes > core->line_bytes ? 2 : 1;
}

// core_memory.c. Stores that have been written leave the store buffer; stores that have retired are
// sent; a locked operation, the oldest, is sent; loads are sent. A store enters the store buffer.
void wm_core_write_stores(struct wm_core *core, uint64_t cycle);
void wm_core_send_stores(struct wm_core *core, uint64_t cycle);
void wm_core_send_locked(struct wm_core *core, struct wm_core_entry *entry, uint64_t cycle);
void wm_core_send_loads(struct wm_core *core, uint64_t cycle);
void wm_core_add_store(struct wm_core *core, const struct wm_core_operation *op, uint64_t number);
// When stores or loads are sent, or written, next, from `cycle` on, as far as that is known.
uint64_t wm_core_memory_next(const struct wm_core *core, uint64_t cycle);
// loads_made_again.c: loads that are old, and have all their data, are unsent again.
void wm_core_make_again(struct wm_core *core);
// Adds `change` to the numbers of loads that read an operation's lines.
void wm_core_count_read(struct wm_core *core, uint64_t address, uint32_t bytes, uint32_t change);

#endif
