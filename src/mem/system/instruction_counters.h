// What one static instruction caused, all along the way: counters of no component, and a row for
// each level. Which rows a machine has, in which order and under which names, is made from its
// levels, so that reports name no level themselves.
#ifndef WM_MEM_SYSTEM_INSTRUCTION_COUNTERS_H
#define WM_MEM_SYSTEM_INSTRUCTION_COUNTERS_H

#include "base/names/counters.h"
#include "mem/explain/miss_counters.h"
#include "mem/system/memory_spec.h"

// Those that no component has.
#define WM_INSTRUCTION_COUNTERS(X)                                                                 \
    X(executions, "warp-instructions",                                                             \
      "times a warp executed it: its requests, as profilers count them")                           \
    X(lanes, "lanes", "lanes that took part, over all executions")                                 \
    X(bytes_requested, "bytes", "bytes the lanes requested (a byte requested twice counts twice)") \
    X(requests, "requests", "requests for a line each, after coalescing")                          \
    X(sectors, "sectors", "32-byte sectors touched, over all line requests")                       \
    X(atomic_conflicts, "lanes",                                                                   \
      "of an atomic or reduction, lanes behind another of their warp at the same address")

struct wm_level_counters {
    uint64_t hits, misses; // sectors that were looked for there
    uint64_t bytes;        // moved between it and what is above it, both ways
};

struct wm_instruction_counters {
    WM_INSTRUCTION_COUNTERS(WM_COUNTER_FIELD)
    struct wm_level_counters levels[WM_MOST_LEVELS]; // by number
    uint64_t memory_bytes;    // moved between memory and what is above it, both ways
    uint64_t tracker_sectors; // of what a level missed, sectors that another cache of it supplied
    uint64_t tlb_walks;       // page walks that its translations took
    // Of coherent caches: copies that its writes took, and lines that it missed as another's write
    // had taken them, each at each level.
    uint64_t copies_taken, coherence_misses;
};

enum { WM_LEVEL_COUNTER_BYTES = WM_LEVEL_FULL_NAME_BYTES };

// A level that a machine has.
struct wm_listed_level {
    char name[WM_LEVEL_COUNTER_BYTES]; // of its counters: the kind of its components
    uint8_t number;                    // in the spec
    uint8_t below;                     // its misses go to that place of the list; the count: memory
    bool data;                         // what units load and store as data goes through it
    bool from_above;                   // levels above it fetch from it
};

struct wm_level_list {
    uint32_t count;
    struct wm_listed_level levels[WM_MOST_LEVELS];
};

// The kind of a level's components, and so what its counters are called: "l1", "cpu_l1";
// "instruction_cache".
void wm_level_kind(const struct wm_memory_spec *spec, uint32_t level,
                   char kind[WM_LEVEL_COUNTER_BYTES]);

// The levels that are present, from the units down: each before what its misses go to, and else by
// number.
void wm_level_list_make(const struct wm_memory_spec *spec, struct wm_level_list *list);
// Whether some of them are those of CPU cores beside a GPU: then no launch goes through all.
bool wm_level_list_has_cpu(const struct wm_level_list *list);

// The row of a listed level, or of memory: of the latter the bytes alone.
struct wm_level_counters wm_listed_row(const struct wm_level_list *list, uint32_t place,
                                       const struct wm_instruction_counters *counters);

// For people: "L1" of "l1", "CPU L1" of "cpu_l1", "DRAM" of "dram", "constant" of "constant",
// "instruction" of "instruction_cache". Written to `title`, which is returned.
const char *wm_level_title(const char *name, char title[WM_LEVEL_COUNTER_BYTES]);

enum {
    WM_MOST_INSTRUCTION_COUNTERS = sizeof(struct wm_instruction_counters) / sizeof(uint64_t),
    WM_MOST_INSTRUCTION_VALUES =
        sizeof(struct wm_instruction_misses) / sizeof(uint64_t), // of either
    WM_INSTRUCTION_COUNTER_BYTES = WM_LEVEL_COUNTER_BYTES + sizeof "_accesses_unallocated",
    WM_INSTRUCTION_SENTENCE_BYTES = 128,
};

// What is counted at the memory instructions of a machine, from the units down: "executions",
// "l1.hits", "tracker.remote_sectors", "l2.bytes", "dram.bytes". Or why what was missed was not
// there: "l1_cold", "l2_capacity", "shared_passes". Texts are its own, so it stays where it was
// made.
struct wm_instruction_counter_set {
    struct wm_level_list levels;
    struct wm_counter_set set; // kind "instruction" or "cause_explained"
    struct wm_counter_declaration declarations[WM_MOST_INSTRUCTION_VALUES];
    uint16_t words[WM_MOST_INSTRUCTION_VALUES]; // of the struct
    bool is_side[WM_MOST_INSTRUCTION_VALUES]; // of the first side cache, to which others' are added
    char names[WM_MOST_INSTRUCTION_VALUES][WM_INSTRUCTION_COUNTER_BYTES];
    char sentences[WM_MOST_INSTRUCTION_VALUES][WM_INSTRUCTION_SENTENCE_BYTES];
};

// The spec is only read here. Its levels' names differ from each other.
void wm_instruction_counter_set_make(const struct wm_memory_spec *spec,
                                     struct wm_instruction_counter_set *made);
// The same of misses that were explained: those of L1, the side caches and L2, present or not, and
// of each other level.
void wm_instruction_miss_set_make(const struct wm_memory_spec *spec,
                                  struct wm_instruction_counter_set *made);

// What an instruction counted, in the order of the set; set.count of them. `counters`: a struct
// wm_instruction_counters, or wm_instruction_misses of a set of misses.
void wm_instruction_counter_values(const struct wm_instruction_counter_set *of,
                                   const void *counters,
                                   uint64_t values[WM_MOST_INSTRUCTION_VALUES]);

#endif
