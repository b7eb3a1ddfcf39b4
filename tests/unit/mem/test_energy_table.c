// Energy: what lies between the rows of a table.
#include "energy_rows.h"

#include <string.h>

// Of L2: 8 pJ and 3 mW at 64 KiB, 16 pJ and 9 mW at 256 KiB.
static struct wm_energy_table two_rows(void)
{
    struct wm_energy_table table = {0};
    add_row(&table, (struct wm_energy_row){.name = "l2",
                                           .capacity_bytes = 256 * KIB,
                                           .read_aj = 16 * PJ,
                                           .write_aj = 20 * PJ,
                                           .leakage_nw = 9 * MW,
                                           .area_um2 = 4 * MM2});
    add_row(&table, (struct wm_energy_row){.name = "l2",
                                           .capacity_bytes = 64 * KIB,
                                           .read_aj = 8 * PJ,
                                           .write_aj = 10 * PJ,
                                           .leakage_nw = 3 * MW,
                                           .area_um2 = 2 * MM2});
    return table;
}

Test(energy_table, a_rows_own_capacity_is_exact)
{
    struct wm_energy_table table = two_rows();
    struct wm_energy_cost cost;
    cr_assert_eq(wm_energy_table_cost(&table, "l2", 1, 64 * KIB, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.read_aj, 8 * PJ);
    cr_expect_eq(cost.write_aj, 10 * PJ);
    cr_expect_eq(cost.leakage_nw, 3 * MW);
    cr_expect_eq(cost.area_um2, 2 * MM2);
    cr_expect_not(cost.interpolated);
}

// 128 KiB is half way between 64 and 256 in the logarithm; 96 KiB is log2(1.5) / 2 of the way.
Test(energy_table, between_rows_it_is_linear_in_the_logarithm)
{
    struct wm_energy_table table = two_rows();
    struct wm_energy_cost cost;
    cr_assert_eq(wm_energy_table_cost(&table, "l2", 1, 128 * KIB, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.read_aj, 12 * PJ);
    cr_expect_eq(cost.write_aj, 15 * PJ);
    cr_expect_eq(cost.leakage_nw, 6 * MW);
    cr_expect_eq(cost.area_um2, 3 * MM2);
    cr_expect(cost.interpolated);
    cr_assert_eq(wm_energy_table_cost(&table, "l2", 1, 96 * KIB, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.read_aj, 10339850, "%llu", (unsigned long long)cost.read_aj); // 8 + 2.33985
}

Test(energy_table, outside_it_says_the_range)
{
    struct wm_energy_table table = two_rows();
    struct wm_energy_cost cost;
    struct wm_error error;
    static const uint64_t outside[] = {64 * KIB - 32, 256 * KIB + 32, 1};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        cr_expect_eq(wm_energy_table_cost(&table, "l2", 1, outside[i], 1, &cost, &error),
                     WM_INVALID);
        cr_expect(strstr(error.message, "64KiB to 256KiB"), "%s", error.message);
        cr_expect(strncmp(error.message, "l2 has ", 7) == 0, "%s", error.message);
        cr_expect_neq(error.hint[0], '\0');
    }
    cr_expect_eq(wm_energy_table_cost(&table, "l1", 1, KIB, 1, &cost, &error), WM_NOT_FOUND);
}

// A row's leakage is of its units together: 16 of 160 mW, the machine has 4, so 40.
Test(energy_table, leakage_and_area_are_of_the_machines_units)
{
    struct wm_energy_table table = {0};
    struct wm_energy_cost cost;
    add_row(&table, (struct wm_energy_row){.name = "l1",
                                           .units = 16,
                                           .capacity_bytes = KIB,
                                           .read_aj = PJ,
                                           .write_aj = PJ,
                                           .leakage_nw = 160 * MW,
                                           .area_um2 = 8 * MM2});
    cr_assert_eq(wm_energy_table_cost(&table, "l1", 1, KIB, 4, &cost, NULL), WM_OK);
    cr_expect_eq(cost.leakage_nw, 40 * MW);
    cr_expect_eq(cost.area_um2, 2 * MM2);
    cr_expect_eq(cost.read_aj, PJ);
}

Test(energy_table, rows_of_the_ports_wanted_else_of_the_fewest)
{
    struct wm_energy_table table = {0};
    struct wm_energy_cost cost;
    for (uint32_t ports = 2; ports <= 3; ports++)
        add_row(&table,
                (struct wm_energy_row){
                    .name = "l1", .ports = ports, .capacity_bytes = KIB, .read_aj = ports * PJ});
    cr_assert_eq(wm_energy_table_cost(&table, "l1", 3, KIB, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.read_aj, 3 * PJ);
    cr_assert_eq(wm_energy_table_cost(&table, "l1", 1, KIB, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.read_aj, 2 * PJ);
    struct wm_error error;
    cr_expect_eq(wm_energy_table_cost(&table, "l1", 3, 32, 1, &cost, &error), WM_INVALID);
    cr_expect(strstr(error.message, "has it with 3 ports of 1KiB alone"), "%s", error.message);
}

Test(energy_table, no_row_twice_and_not_too_many)
{
    struct wm_energy_table table = {0};
    struct wm_error error;
    struct wm_energy_row row = {.name = "l2", .units = 1, .ports = 1};
    for (uint64_t i = 0; i < WM_ENERGY_MAX_ROWS; i++) {
        row.capacity_bytes = (i + 1) * KIB;
        cr_assert_eq(wm_energy_table_add(&table, &row, &error), WM_OK);
    }
    cr_expect_eq(wm_energy_table_add(&table, &row, &error), WM_INVALID);
    cr_expect(strstr(error.message, "twice"), "%s", error.message);
    row.capacity_bytes = 100 * KIB;
    cr_expect_eq(wm_energy_table_add(&table, &row, &error), WM_INVALID);
    cr_expect(strstr(error.message, "more than 64 rows"), "%s", error.message);
    cr_expect_eq(table.count, WM_ENERGY_MAX_ROWS);
}

// Tags between two rows: half way in the logarithm of the capacity.
Test(energy_table, tags_lie_between_rows_as_reads_do)
{
    struct wm_energy_table table = two_rows();
    struct wm_energy_cost cost;
    table.rows[0].beside_aj = 3 * PJ;
    table.rows[1].beside_aj = PJ;
    cr_assert_eq(wm_energy_table_cost(&table, "l2", 1, 128 * KIB, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.beside_aj, 2 * PJ);
}
