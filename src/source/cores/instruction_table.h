// The instructions that traces of cores execute, each once: a recording lists them before anything
// is executed (docs/formats/cores.md). Numbered in order of their addresses, so that what runs in
// a line has consecutive numbers. Private to source/cores/.
#ifndef WM_SOURCE_CORES_INSTRUCTION_TABLE_H
#define WM_SOURCE_CORES_INSTRUCTION_TABLE_H

#include "source/cores/reader.h"

// More are refused: reports and counters keep each.
enum { WM_CORE_MOST_INSTRUCTIONS = 1 << 20, WM_CORE_PLACE_SHIFT = 2 };

struct wm_core_instruction {
    // Of its code; anonymous: 0 for loads, 1 for stores, 2 for locked ones, behind its place's
    // number (WM_CORE_PLACE_SHIFT).
    uint64_t address;
    uint32_t bytes; // of it, the most seen; 0: anonymous
    uint32_t core;
    bool continues;            // what the instruction of that address does beyond one step
    bool loads, stores, locks; // one at most
    uint32_t pc, slot;         // once numbered; `slot` counts the memory instructions before it
};

struct wm_core_table {
    struct wm_core_instruction *instructions; // owned; once numbered, by pc
    uint32_t count, capacity;
    uint32_t *buckets; // owned; open addressing: index + 1, 0 is empty
    uint32_t bucket_count;
};

void wm_core_table_release(struct wm_core_table *table);
// Adds the step's instruction, or what it has not done before. `core` keeps instructions of
// several programs apart. WM_NO_MEMORY; WM_LIMIT beyond WM_CORE_MOST_INSTRUCTIONS.
enum wm_status wm_core_table_add(struct wm_core_table *table, uint32_t core,
                                 const struct wm_core_step *step, struct wm_error *error);
// Of an anonymous one, as wm_core_reader.places numbers it; 0: not known.
static inline uint32_t wm_core_instruction_place(const struct wm_core_instruction *it)
{
    return it->bytes != 0 ? 0 : (uint32_t)(it->address >> WM_CORE_PLACE_SHIFT);
}
// Whether the instruction goes to memory.
static inline bool wm_core_instruction_is_memory(const struct wm_core_instruction *it)
{
    return it->loads || it->stores || it->locks;
}

// Gives the numbers. Nothing is added after.
void wm_core_table_number(struct wm_core_table *table);
// The step's instruction; NULL when it was not added.
const struct wm_core_instruction *wm_core_table_find(const struct wm_core_table *table,
                                                     uint32_t core,
                                                     const struct wm_core_step *step);

#endif
