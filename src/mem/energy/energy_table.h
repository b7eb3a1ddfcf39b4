// What a structure costs, from a table of structures of several sizes: the energy of a read and of
// a write, leakage, area. Plain data, and what lies between its rows (docs/energy.md).
#ifndef WM_MEM_ENERGY_ENERGY_TABLE_H
#define WM_MEM_ENERGY_ENERGY_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// What a table may have rows of. Names are those of machine files and results.
enum wm_energy_structure {
    WM_ENERGY_L1,
    WM_ENERGY_TRACKER,
    WM_ENERGY_CONSTANT,
    WM_ENERGY_TEXTURE,
    WM_ENERGY_SCALAR,
    WM_ENERGY_INSTRUCTION,
    WM_ENERGY_L2,
    WM_ENERGY_ATOMIC_BUFFER,
    WM_ENERGY_INTERCONNECT, // one row: the energy of a byte that moves a millimetre, as its read
    WM_ENERGY_DRAM,         // by the bytes of one access
    WM_ENERGY_STRUCTURES,
};

extern const char *const wm_energy_names[WM_ENERGY_STRUCTURES];

// Energies are attojoules, leakage nanowatts, areas square micrometres: whole numbers, so that a
// table prints and reads back the same.
// Without padding: tables are compared as bytes.
struct wm_energy_row {
    enum wm_energy_structure structure;
    uint32_t ports;          // that read and write; at least 1
    uint64_t units;          // that leakage and area are of, together; at least 1
    uint64_t capacity_bytes; // of one unit; of DRAM one access; 0 of the interconnect
    uint64_t read_aj, write_aj;
    uint64_t leakage_nw, area_um2;
};

_Static_assert(sizeof(struct wm_energy_row) == 7 * sizeof(uint64_t), "a row has padding");

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
    uint64_t leakage_nw, area_um2; // of all units
    bool interpolated;             // between the two neighbouring rows
};

// Appends a row. WM_INVALID when the table is full, or has a row for that structure, capacity and
// number of ports.
enum wm_status wm_energy_table_add(struct wm_energy_table *table, const struct wm_energy_row *row,
                                   struct wm_error *error);

bool wm_energy_table_has(const struct wm_energy_table *table, enum wm_energy_structure structure);

// What `units` structures of `capacity_bytes` each cost: a row's values, or, between two rows,
// linear in the logarithm of the capacity, rounded to whole units of the table. Rows of `ports`
// ports when the table has any of the structure, else those of the fewest. WM_NOT_FOUND when there
// are none; WM_INVALID, with the range that the rows span, when the capacity lies outside.
enum wm_status wm_energy_table_cost(const struct wm_energy_table *table,
                                    enum wm_energy_structure structure, uint32_t ports,
                                    uint64_t capacity_bytes, uint32_t units,
                                    struct wm_energy_cost *cost, struct wm_error *error);

#endif
