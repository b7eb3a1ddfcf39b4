// How many SMs read each line in one launch, and what kind of sharing it is. The kinds are those of
// N. S. Anssari's thesis ("Using hybrid shared and distributed caching for mixed-coherency GPU
// workloads", University of Illinois, section 2.2): private ("partitioned") data, boundary sharing
// as of stencils' halos, broadcast (full, or partial as of a tiled matrix product), and dynamic
// sharing by indirection. The thesis names them by reading the programs; here they are computed
// from who read what (docs/misses.md), the first that fits:
//
//   private    one SM read the line
//   boundary   its readers are neighbours: their blocks span at most 4 in each dimension of the
//              grid, and neither all of a dimension of 4 or more blocks nor the whole grid
//   broadcast  3/4 of the SMs that touched memory in the launch read it (of 4 or more); or its
//              readers, 4 blocks or more, fill 3/4 of a regular part of the grid: a box, in steps
//              that may be larger than one
//   dynamic    any other
//
// Up to eight blocks are counted exactly, more with a hash of 256 bits a line (linear counting:
// K.-Y. Whang et al., "A linear-time probabilistic counting algorithm", ACM Transactions on
// Database Systems 15(2), 1990), within a few per cent up to about a thousand; above 1024 all
// counts are alike. Private to mem/explain/.
#ifndef WM_MEM_EXPLAIN_LINE_SHARING_H
#define WM_MEM_EXPLAIN_LINE_SHARING_H

#include "base/containers/key_table.h"
#include "mem/explain/miss_counters.h"

#include <stdbool.h>

// In the order of WM_READS_COUNTERS, and of the lines_ counters.
enum wm_sharing_class {
    WM_SHARING_PRIVATE,
    WM_SHARING_BOUNDARY,
    WM_SHARING_BROADCAST,
    WM_SHARING_DYNAMIC,
};

struct wm_shared_line;
struct wm_line_reads;

struct wm_line_sharing {
    struct wm_key_table table;
    uint64_t *readers;            // owned: by index of the table, `words` of bits each: SMs
    struct wm_shared_line *lines; // owned: by index of the table
    uint32_t capacity, words;
    struct wm_line_reads *reads; // owned: who read a line how often, in lists
    uint32_t read_count, read_capacity;
    uint64_t *ran; // owned: the SMs that touched memory in this launch
    uint64_t first_block;
    uint32_t grid[3];
    bool failed; // memory ran out
    struct wm_sharing_counters counters;
};

// False when memory ran out.
bool wm_line_sharing_init(struct wm_line_sharing *sharing, uint32_t sm_count);
void wm_line_sharing_release(struct wm_line_sharing *sharing);
// A launch begins: nothing has been read; counters stay. Its blocks are numbered from
// `first_block`, x first; a NULL `grid` is an endless row.
void wm_line_sharing_launch(struct wm_line_sharing *sharing, uint64_t first_block,
                            const uint32_t *grid);
// `sm` touches memory.
void wm_line_sharing_ran(struct wm_line_sharing *sharing, uint32_t sm);
// `block`, which runs on `sm`, reads `line`. `charge` holds the instruction's WM_READS_COUNTERS and
// may be NULL; it must live until wm_line_sharing_classify.
void wm_line_sharing_read(struct wm_line_sharing *sharing, uint64_t line, uint32_t sm,
                          uint64_t block, uint64_t *charge);
// The launch has ended: its lines get their classes and are counted. Once a launch.
void wm_line_sharing_classify(struct wm_line_sharing *sharing);

#endif
