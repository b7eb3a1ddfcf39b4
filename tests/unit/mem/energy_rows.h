// Rows of energy tables that tests write.
#ifndef WM_TESTS_ENERGY_ROWS_H
#define WM_TESTS_ENERGY_ROWS_H

#include "mem/energy/energy_table.h"

#include <criterion/criterion.h>

#define PJ UINT64_C(1000000)  // in aJ
#define MW UINT64_C(1000000)  // in nW
#define MM2 UINT64_C(1000000) // in um2
#define KIB UINT64_C(1024)

// Of one unit and one port where the row does not say how many it has.
static inline void add_row(struct wm_energy_table *table, struct wm_energy_row row)
{
    struct wm_error error;
    row.units = row.units ? row.units : 1;
    row.ports = row.ports ? row.ports : 1;
    cr_assert_eq(wm_energy_table_add(table, &row, &error), WM_OK, "%s", error.message);
}

#endif
