// What a memory system is made of, as data: a table of components and a table of the links between
// them, made from its description alone (docs/decisions/0015). Component names come from here:
// what builds, counts or draws a part of the machine takes its path from wm_memory_graph_path.
//
// The tables are for reading; nothing runs through them.
#ifndef WM_MEM_GRAPH_MEMORY_GRAPH_H
#define WM_MEM_GRAPH_MEMORY_GRAPH_H

#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_memory_component_kind {
    WM_COMPONENT_UNITS,         // what executes: SMs, or CPU cores
    WM_COMPONENT_LEVEL,         // a cache
    WM_COMPONENT_VICTIM,        // a victim cache of a level
    WM_COMPONENT_TLB,           //
    WM_COMPONENT_TRACKER,       // a sharing tracker
    WM_COMPONENT_ATOMIC_BUFFER, // of a level's slices
    WM_COMPONENT_NETWORK,       // one direction of an interconnect
    WM_COMPONENT_MEMORY,        // channels
};

// How the indices of a component's paths (wm_memory_graph_path) appear in them.
enum wm_memory_numbering {
    WM_NUMBERED_NOT,      // "tlb": there is one of it, or one in what it is inside of
    WM_NUMBERED,          // "l2[2]"
    WM_NUMBERED_TO_PARTS, // "tracker[0].bank[3]"
};

enum {
    WM_NO_COMPONENT = UINT8_MAX,
    // Levels with their victim caches and atomic buffers; units of two kinds, two TLBs, a tracker,
    // two networks, memory.
    WM_MEMORY_GRAPH_COMPONENTS = 3 * WM_MOST_LEVELS + 8,
    // To a component from units, and from it to what is below.
    WM_MEMORY_GRAPH_LINKS = 2 * WM_MEMORY_GRAPH_COMPONENTS,
    WM_MEMORY_GRAPH_PREFIX_BYTES = 16,
    WM_COMPONENT_TITLE_BYTES = 24,
};
_Static_assert(WM_MEMORY_GRAPH_COMPONENTS <= 64, "masks of components are 64 bits");

struct wm_memory_component {
    enum wm_memory_component_kind kind;
    char name[WM_LEVEL_NAME_BYTES];       // in paths: "l1", "constant", "tlb"
    char title[WM_COMPONENT_TITLE_BYTES]; // for people, of one: "L1", "constant cache"
    enum wm_level_place place;            // what its path begins with, and whose units reach it
    uint32_t level;                       // that it is, or is a part of; WM_MOST_LEVELS: of none
    uint32_t instances;
    uint32_t units_each;    // consecutive units of each instance, of the last maybe fewer; 0: all
    uint32_t parts;         // of each instance, all alike: slices, banks, channels, stages; or 1
    const char *part_title; // "slice"; NULL: it has no parts
    uint64_t bytes, all_bytes; // of data in one instance and in all; 0: not of such a kind
    uint32_t entries;          // of one instance: a TLB's pages, a tracker's lines, a buffer's
                               // sectors; 0: not of such a kind
    uint64_t line_bytes;       // of a TLB: a page's. 0: it has none
    uint32_t sector_bytes;     // fetched on a miss; the line's when it is not sectored
    uint32_t ways;             // 0: it has none
    unsigned serves;           // enum wm_level_serves; 0: everything, or the rest
    uint32_t latency;          // cycles of the clock engine, until data or a miss leaves; 0: none
    uint64_t clock_hz;         // of these cycles; 0: the clock of the SMs
    uint64_t bytes_per_second; // memory: peak of all channels, by its description; else 0
    uint32_t below;            // where its misses go; WM_NO_COMPONENT: to none
    uint64_t above;            // bit i: component i has a link to it

    uint32_t inside; // the component that its path begins with; WM_NO_COMPONENT: its place
    uint32_t stride; // of that component's indices, from one instance to the next
    enum wm_memory_numbering numbering;
};

enum wm_link_topology { WM_LINK_WIRE, WM_LINK_CROSSBAR, WM_LINK_BUTTERFLY };

// Joins two components; data flow in both directions, at the rate below in each.
struct wm_memory_link {
    uint32_t from, to;          // from above to below
    uint32_t requests, replies; // the networks that it goes through; of a wire WM_NO_COMPONENT
    enum wm_link_topology topology;
    uint32_t latency;         // cycles from one end to the other
    uint64_t clock_hz;        // of these cycles; 0: the clock of the SMs
    uint32_t bytes_per_cycle; // of one port; 0: it sets no limit
    uint32_t ports_above, ports_below;
};

// Of a machine with several GPUs, which are alike: what one of them has.
struct wm_memory_graph {
    char prefix[WM_MEMORY_GRAPH_PREFIX_BYTES]; // "gpu0"; of several "gpu", before their numbers
    uint32_t gpus;                             // how many, 1 and more
    // Units first, then in the order in which components' counters are listed.
    struct wm_memory_component components[WM_MEMORY_GRAPH_COMPONENTS];
    struct wm_memory_link links[WM_MEMORY_GRAPH_LINKS];
    uint32_t component_count, link_count;
    // Which component is which; WM_NO_COMPONENT where the machine has none. By number of the level:
    // levels, victim caches and atomic buffers.
    uint32_t units, cores, levels[WM_MOST_LEVELS], victims[WM_MOST_LEVELS], l1_tlb, l2_tlb, tracker;
    uint32_t requests, replies, atomic_buffers[WM_MOST_LEVELS], memory;
};

// Fills the graph from a spec that has passed wm_memory_spec_check. `prefix` is copied, at most
// WM_MEMORY_GRAPH_PREFIX_BYTES - 1 bytes of it; of several GPUs it ends in a digit, in place of
// which each has its number.
void wm_memory_graph_make(const struct wm_memory_spec *spec, const char *prefix,
                          struct wm_memory_graph *graph);

// How many paths a component has: instances times parts, in the order of GPUs, of instances and, in
// each, of parts. 0 for WM_NO_COMPONENT, and for a network without stages.
uint32_t wm_memory_graph_path_count(const struct wm_memory_graph *graph, uint32_t component);

// The path of one of them: "gpu0.sm[3].l1", "gpu0.l2[2]", "gpu0.sm[8].cluster_l2[1]",
// "cpu0.core[1].l2", "llc[3]", "gpu0.tracker[0].bank[3]", "gpu0.tlb", "gpu0.dram[1]". `within`
// names what is counted apart in it ("timing": "gpu0.l2[2].timing"); NULL: the component itself.
// `component` is not WM_NO_COMPONENT.
void wm_memory_graph_path(const struct wm_memory_graph *graph, uint32_t component, uint32_t index,
                          const char *within, char *path, size_t size);

// The path of what goes from one GPU to another: "gpu0.link.gpu1". `within` likewise.
void wm_memory_graph_peer_path(const struct wm_memory_graph *graph, uint32_t from, uint32_t to,
                               const char *within, char *path, size_t size);

// What a link carries at most in each direction, in bytes a second: a port moves its bytes in each
// cycle, whichever side has fewer ports. `sm_hz` is the clock of the SMs. 0: it sets no limit.
double wm_memory_link_peak(const struct wm_memory_link *link, uint64_t sm_hz);

// The first link through the interconnect: its ports, width and peak are those of all that go
// through it. Borrowed from the graph; NULL where there is none: where no level of all SMs is below
// what each or some of them have.
const struct wm_memory_link *wm_memory_graph_interconnect(const struct wm_memory_graph *graph);

#endif
