// Lines that several caches access and at least one writes: which accesses take copies of others,
// which miss for it, and whether that was for bytes that another had written (true sharing) or
// not (false sharing), after Dubois, Skeppstedt, Ricciulli, Ramamurthy and Stenström, "The
// Detection and Elimination of Useless Misses in Multiprocessors", ISCA 1993: caches are endless, a
// miss is of a line that the cache had until another wrote it, and it is true sharing where the
// cache, until it loses the line again, accesses a byte that others have written while it did not
// have it.
//
// Thread rules: one thread at a time. Memory in use grows with the lines that are accessed.
#ifndef WM_MEM_EXPLAIN_WRITTEN_LINES_H
#define WM_MEM_EXPLAIN_WRITTEN_LINES_H

#include "mem/explain/miss_counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_written_lines;

// Bytes of one lane's access, or of a core's.
struct wm_written_access {
    uint64_t address;
    uint32_t bytes; // at least 1; they may lie in two lines
    uint32_t cache, unit;
    bool writes; // a locked operation or an atomic, too
    // Of the instruction: true_sharing and false_sharing are counted there, once they are certain.
    // Stays where it is.
    struct wm_instruction_misses *instruction;
};

// What an instruction did to a line, over all units.
struct wm_written_place {
    const struct wm_instruction_misses *instruction;
    uint32_t first_unit;   // that executed it with any of these effects
    uint32_t units;        // how many did, up to WM_WRITTEN_MOST_UNITS
    uint64_t copies_taken; // of other caches, by its writes
    uint64_t true_misses, false_misses;
};

enum { WM_WRITTEN_MOST_UNITS = 64, WM_WRITTEN_MOST_PLACES = 16 };

struct wm_written_line {
    uint64_t address;
    uint32_t caches, writers; // that have accessed it, and written it
    uint64_t copies_taken, true_misses, false_misses;
    const uint64_t *accessed; // borrowed: a bit for each byte that was
    uint32_t place_count; // at most WM_WRITTEN_MOST_PLACES; effects of others are in the sums alone
    const struct wm_written_place *places; // borrowed, in order of their first effect
};

// For lines of `line_bytes`, a power of two. NULL without memory.
struct wm_written_lines *wm_written_lines_new(uint32_t line_bytes);
void wm_written_lines_free(struct wm_written_lines *lines); // NULL is allowed
void wm_written_lines_access(struct wm_written_lines *lines,
                             const struct wm_written_access *access);
// No memory was there for some of it.
bool wm_written_lines_failed(const struct wm_written_lines *lines);

// The run is over: misses that are not yet certain were false sharing. Then the lines of which any
// copy was taken, in order of their addresses: how many there are, and each.
size_t wm_written_lines_finish(struct wm_written_lines *lines);
struct wm_written_line wm_written_line_at(const struct wm_written_lines *lines, size_t index);

#endif
