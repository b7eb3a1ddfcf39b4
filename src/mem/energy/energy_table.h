// What a structure costs, from a table of structures of several sizes: the energy of a read, of a
// write and of what takes less than either, leakage, area. Plain data, and what lies between its
// rows (docs/energy.md).
#ifndef WM_MEM_ENERGY_ENERGY_TABLE_H
#define WM_MEM_ENERGY_ENERGY_TABLE_H

#include "base/error.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stdint.h>

// What a row is of goes by its name, which is that of a component or a link in machine files and
// results: a level ("l1", "llc"), "tracker", "atomic_buffer"; "interconnect", which has one row:
// the energy of a byte that moves a millimetre, as its read; memory ("dram"), by the bytes of one
// access.
enum { WM_ENERGY_NAME_BYTES = WM_LEVEL_FULL_NAME_BYTES };
#define WM_ENERGY_LINK_NAME "interconnect"
#define WM_ENERGY_MEMORY_NAME "dram"

enum wm_energy_sort {
    WM_ENERGY_ARRAY,  // of a capacity; stands on the chip, leaks and has an area
    WM_ENERGY_LINK,   //
    WM_ENERGY_MEMORY, //
};
enum wm_energy_sort wm_energy_sort_of(const char *name);

// Energies are attojoules, leakage nanowatts, areas square micrometres: whole numbers, so that a
// table prints and reads back the same.
// Without padding: tables are compared as bytes.
struct wm_energy_row {
    char name[WM_ENERGY_NAME_BYTES]; // zeros behind its end
    uint32_t ports;                  // that read and write; at least 1
    uint32_t units;                  // that leakage and area are of, together; at least 1
    uint64_t capacity_bytes;         // of one unit; of DRAM one access; 0 of the interconnect
    uint64_t read_aj, write_aj;
    // Of an event beside reads and writes: of an array a look-up of its tags alone, of memory the
    // opening of a row, with its closing; 0: such events are not priced.
    uint64_t beside_aj;
    uint64_t leakage_nw, area_um2;
};

_Static_assert(sizeof(struct wm_energy_row) == WM_ENERGY_NAME_BYTES + 7 * sizeof(uint64_t),
               "a row has padding");

enum { WM_ENERGY_MAX_ROWS = 64 };

// In the order in which they were given; zero past the count. No row twice.
struct wm_energy_table {
    uint64_t count;
    struct wm_energy_row rows[WM_ENERGY_MAX_ROWS];
};

// The most that a row may hold of each.
#define WM_ENERGY_MOST_BYTES (UINT64_C(1) << 32)
#define WM_ENERGY_MOST_AJ UINT64_C(1000000000000) // 1 uJ
#define WM_ENERGY_MOST_NW UINT64_C(1000000000000) // 1 kW
#define WM_ENERGY_MOST_UM2 UINT64_C(100000000000) // 1000 cm2
enum { WM_ENERGY_MOST_UNITS = 4096, WM_ENERGY_MOST_PORTS = 64 };

// What `units` structures of one capacity cost.
struct wm_energy_cost {
    uint64_t read_aj, write_aj;    // of one event
    uint64_t beside_aj;            // the same, as in a row
    uint64_t leakage_nw, area_um2; // of all units
    bool interpolated;             // between the two neighbouring rows
};

// Appends a row. WM_INVALID when the table is full, or has a row for that name, capacity and
// number of ports.
enum wm_status wm_energy_table_add(struct wm_energy_table *table, const struct wm_energy_row *row,
                                   struct wm_error *error);

bool wm_energy_table_has(const struct wm_energy_table *table, const char *name);

// What `units` of `name` and of `capacity_bytes` each cost: a row's values, or, between two rows,
// linear in the logarithm of the capacity, rounded to whole units of the table. Rows of `ports`
// ports when the table has any of that name, else those of the fewest. WM_NOT_FOUND when there
// are none; WM_INVALID, with the range that the rows span, when the capacity lies outside.
enum wm_status wm_energy_table_cost(const struct wm_energy_table *table, const char *name,
                                    uint32_t ports, uint64_t capacity_bytes, uint32_t units,
                                    struct wm_energy_cost *cost, struct wm_error *error);

#endif
