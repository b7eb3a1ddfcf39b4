// Energy of a run: what its components counted, times what the structures of its machine cost
// (docs/energy.md). A model is made once for a machine; counts are added to it component by
// component, and priced.
//
// Thread rules: a model is read only once made; counts belong to one thread.
#ifndef WM_MEM_ENERGY_ENERGY_MODEL_H
#define WM_MEM_ENERGY_ENERGY_MODEL_H

#include "base/names/counters.h"
#include "mem/energy/energy_table.h"
#include "mem/system/memory_spec.h"

// Whose capacity is looked up: that of L2 as a whole, or that of each slice.
enum wm_energy_l2_unit { WM_ENERGY_L2_WHOLE, WM_ENERGY_L2_SLICE };

// What a machine file says of energy.
struct wm_energy_spec {
    struct wm_energy_table table; // without rows: energy is not computed
    enum wm_energy_l2_unit l2_unit;
    uint64_t distance_um;         // that a byte travels between an L1 and L2
    uint32_t header_bytes;        // of each message, besides what it carries
    uint32_t tracker_entry_bytes; // of a sharing tracker's entry, its tag aside
    uint64_t time_ps;             // that the run takes, for leakage; 0: not known
};

struct wm_energy_part {
    bool present;            // in the machine, and the table has rows of it
    uint32_t units;          // how many of them the machine has; 0 of the interconnect
    uint64_t capacity_bytes; // of each; of DRAM one access; 0 of the interconnect
    uint32_t fill_sectors;   // that one write of a fill brings
    struct wm_energy_cost cost;
};

enum { WM_ENERGY_MOST_UNCOUNTED = WM_ENERGY_STRUCTURES + 3 };

struct wm_energy_model {
    struct wm_energy_part parts[WM_ENERGY_STRUCTURES];
    uint32_t header_bytes;
    uint64_t time_ps;
    bool has_l2, has_tracker;
    // What the machine has and the table does not: static names.
    const char *uncounted[WM_ENERGY_MOST_UNCOUNTED];
    uint32_t uncounted_count;
};

// The specs must have passed their own checks. `unified_bytes` is the array that an L1 divides with
// shared memory: then L1 is that array, whatever its share; 0: it has one of its own. WM_INVALID
// when a structure's capacity lies outside the table, and `*structure` says which.
enum wm_status wm_energy_model_init(struct wm_energy_model *model,
                                    const struct wm_energy_spec *spec,
                                    const struct wm_memory_spec *memory, uint64_t unified_bytes,
                                    enum wm_energy_structure *structure, struct wm_error *error);

// Events of each structure; of the interconnect, bytes.
struct wm_energy_counts {
    uint64_t reads[WM_ENERGY_STRUCTURES];
    uint64_t writes[WM_ENERGY_STRUCTURES];
    uint64_t filled_sectors[WM_ENERGY_STRUCTURES];
};

// Adds one component's events: which counters are events of what is the table in events.c.
void wm_energy_count(const struct wm_energy_model *model, struct wm_energy_counts *counts,
                     const struct wm_counter_set *set, const uint64_t *values);

// One structure's events and energy. Of the interconnect, `reads` are bytes carried and `writes`
// bytes of headers.
struct wm_energy_line {
    enum wm_energy_structure structure;
    uint32_t units;
    uint64_t capacity_bytes;
    struct wm_energy_cost cost;
    uint64_t reads, writes;
    uint64_t dynamic_fj;
};

struct wm_energy_result {
    struct wm_energy_line lines[WM_ENERGY_STRUCTURES];
    uint32_t line_count;
    uint64_t dynamic_fj; // of all lines
    uint64_t leakage_nw, area_um2;
    uint64_t time_ps, leakage_fj; // 0: the time is not known
    const char *uncounted[WM_ENERGY_MOST_UNCOUNTED];
    uint32_t uncounted_count;
};

// Rounds each line's energy to femtojoules; totals are sums of what is rounded.
void wm_energy_price(const struct wm_energy_model *model, const struct wm_energy_counts *counts,
                     struct wm_energy_result *result);

#endif
