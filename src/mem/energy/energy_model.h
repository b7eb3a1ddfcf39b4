// Energy of a run: what its components counted, times what the structures of its machine cost
// (docs/energy.md). A model is made once for a machine; counts are added to it component by
// component, and priced.
//
// Thread rules: a model is read only once made; counts belong to one thread.
#ifndef WM_MEM_ENERGY_ENERGY_MODEL_H
#define WM_MEM_ENERGY_ENERGY_MODEL_H

#include "base/names/counters.h"
#include "mem/energy/energy_table.h"
#include "mem/system/instruction_counters.h"

// Whose capacity is looked up: that of L2 as a whole, or that of each slice.
enum wm_energy_l2_unit { WM_ENERGY_L2_WHOLE, WM_ENERGY_L2_SLICE };

// What a machine file says of energy.
struct wm_energy_spec {
    struct wm_energy_table table; // without rows: energy is not computed
    enum wm_energy_l2_unit l2_unit;
    uint64_t distance_um;           // that a byte travels between an L1 and L2
    uint32_t header_bytes;          // of each message, besides what it carries
    uint32_t tracker_entry_bytes;   // of a sharing tracker's entry, its tag aside
    uint32_t directory_entry_bytes; // of the directory at memory, with its tag
    uint64_t time_ps;               // that the run takes, for leakage; 0: not known
};

// A component, or the interconnect, that the machine has and the table has rows of.
struct wm_energy_part {
    char name[WM_ENERGY_NAME_BYTES];
    unsigned of;                          // enum wm_energy_of: which events it costs
    char counted[WM_LEVEL_COUNTER_BYTES]; // the kind of components whose counters are its own
    uint32_t units;                       // how many the machine has; 0 of the interconnect
    uint64_t capacity_bytes;              // of each; of DRAM one access; 0 of the interconnect
    uint32_t fill_sectors;                // that one write of a fill brings
    struct wm_energy_cost cost;
};

// Levels, their trackers and atomic buffers, the interconnect, the directory, memory.
enum { WM_ENERGY_MOST_PARTS = WM_MOST_LEVELS + 5, WM_ENERGY_MOST_NAMES = 48 };

struct wm_energy_names {
    char names[WM_ENERGY_MOST_NAMES][WM_ENERGY_NAME_BYTES];
    uint32_t count;
};
bool wm_energy_name_is_in(const struct wm_energy_names *names, const char *name);
// Unless it is there; as many as there is room for.
void wm_energy_name_add(struct wm_energy_names *names, const char *name);

// Adds what a table may have rows of for such a machine, from the units down.
void wm_energy_names_of(const struct wm_memory_spec *memory, struct wm_energy_names *names);

// The kinds of a coherent level and of the home of its lines; "": it is the root.
struct wm_energy_home {
    char level[WM_LEVEL_COUNTER_BYTES], home[WM_LEVEL_COUNTER_BYTES];
};

struct wm_energy_model {
    struct wm_energy_part parts[WM_ENERGY_MOST_PARTS]; // from the units down
    uint32_t part_count;
    uint32_t header_bytes;
    uint64_t time_ps;
    char below_link[WM_LEVEL_COUNTER_BYTES], sharers[WM_LEVEL_COUNTER_BYTES]; // kinds; "": none
    struct wm_energy_home homes[WM_MOST_LEVELS];
    uint32_t home_count;
    struct wm_energy_names uncounted; // what the machine has and the table does not
};

// The specs must have passed their own checks. `unified_bytes` is the array that an L1 divides with
// shared memory: then L1 is that array, whatever its share; 0: it has one of its own. WM_INVALID
// when a capacity lies outside the table, or a row is of what neither this machine nor any usual
// one has; `wrong` is the name that this is about.
enum wm_status wm_energy_model_init(struct wm_energy_model *model,
                                    const struct wm_energy_spec *spec,
                                    const struct wm_memory_spec *memory, uint64_t unified_bytes,
                                    char wrong[WM_ENERGY_NAME_BYTES], struct wm_error *error);

// Events of each part; of the interconnect, bytes.
struct wm_energy_counts {
    uint64_t reads[WM_ENERGY_MOST_PARTS];
    uint64_t writes[WM_ENERGY_MOST_PARTS];
    uint64_t beside[WM_ENERGY_MOST_PARTS]; // look-ups of tags alone; of memory rows opened
    uint64_t filled_sectors[WM_ENERGY_MOST_PARTS];
};

// Adds the events of one component, by its path: which counters are events of what is the table in
// events.c.
void wm_energy_count(const struct wm_energy_model *model, struct wm_energy_counts *counts,
                     const char *path, const struct wm_counter_set *set, const uint64_t *values);

// One part's events and energy. Of the interconnect, `reads` are bytes carried and `writes`
// bytes of headers.
struct wm_energy_line {
    char name[WM_ENERGY_NAME_BYTES];
    uint32_t units;
    uint64_t capacity_bytes;
    struct wm_energy_cost cost;
    uint64_t reads, writes;
    uint64_t beside; // as those of the counts
    uint64_t dynamic_fj;
};

struct wm_energy_result {
    struct wm_energy_line lines[WM_ENERGY_MOST_PARTS];
    uint32_t line_count;
    uint64_t dynamic_fj; // of all lines
    uint64_t leakage_nw, area_um2;
    uint64_t time_ps, leakage_fj; // 0: the time is not known
    struct wm_energy_names uncounted;
};

// Rounds each line's energy to femtojoules; totals are sums of what is rounded.
void wm_energy_price(const struct wm_energy_model *model, const struct wm_energy_counts *counts,
                     struct wm_energy_result *result);

#endif
