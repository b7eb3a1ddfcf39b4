#include "mem/energy/energy_table.h"

#include "base/text/units.h"

#include <math.h>
#include <string.h>

enum wm_energy_sort wm_energy_sort_of(const char *name)
{
    return strcmp(name, WM_ENERGY_LINK_NAME) == 0     ? WM_ENERGY_LINK
           : strcmp(name, WM_ENERGY_MEMORY_NAME) == 0 ? WM_ENERGY_MEMORY
                                                      : WM_ENERGY_ARRAY;
}

enum { PRINTED = 32 };

enum wm_status wm_energy_table_add(struct wm_energy_table *table, const struct wm_energy_row *row,
                                   struct wm_error *error)
{
    char bytes[PRINTED];
    for (uint64_t i = 0; i < table->count; i++) {
        const struct wm_energy_row *other = &table->rows[i];
        if (strcmp(other->name, row->name) != 0 || other->ports != row->ports ||
            other->capacity_bytes != row->capacity_bytes)
            continue;
        wm_units_print(row->capacity_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes);
        wm_fail(error, WM_INVALID, "the energy table has %s of %s twice", row->name,
                wm_energy_sort_of(row->name) == WM_ENERGY_LINK ? "any length" : bytes);
        return wm_error_hint(error, "keep one row for each name, capacity and ports");
    }
    if (table->count == WM_ENERGY_MAX_ROWS) {
        wm_fail(error, WM_INVALID, "the energy table has more than %d rows", WM_ENERGY_MAX_ROWS);
        return wm_error_hint(error, "keep the rows around the capacities of your machines");
    }
    table->rows[table->count++] = *row;
    return WM_OK;
}

bool wm_energy_table_has(const struct wm_energy_table *table, const char *name)
{
    for (uint64_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return true;
    return false;
}

// The rows around a capacity, each NULL when there is none on its side; the same row when there is
// one of just that capacity. And the ends of the range that the rows span.
struct neighbours {
    const struct wm_energy_row *below, *above, *least, *most;
};

static struct neighbours find(const struct wm_energy_table *table, const char *name, uint32_t ports,
                              uint64_t capacity_bytes)
{
    struct neighbours found = {0};
    for (uint64_t i = 0; i < table->count; i++) {
        const struct wm_energy_row *row = &table->rows[i];
        if (strcmp(row->name, name) != 0 || row->ports != ports)
            continue;
        uint64_t bytes = row->capacity_bytes;
        if (bytes <= capacity_bytes && (!found.below || bytes > found.below->capacity_bytes))
            found.below = row;
        if (bytes >= capacity_bytes && (!found.above || bytes < found.above->capacity_bytes))
            found.above = row;
        if (!found.least || bytes < found.least->capacity_bytes)
            found.least = row;
        if (!found.most || bytes > found.most->capacity_bytes)
            found.most = row;
    }
    return found;
}

// The number of ports to look for: `wanted` when the name has such rows, else the least.
static uint32_t choose_ports(const struct wm_energy_table *table, const char *name, uint32_t wanted)
{
    uint32_t least = UINT32_MAX;
    for (uint64_t i = 0; i < table->count; i++) {
        const struct wm_energy_row *row = &table->rows[i];
        if (strcmp(row->name, name) == 0 && row->ports == wanted)
            return wanted;
        if (strcmp(row->name, name) == 0 && row->ports < least)
            least = row->ports;
    }
    return least;
}

static enum wm_status outside(const char *name, uint64_t capacity_bytes,
                              const struct neighbours *found, struct wm_error *error)
{
    char wanted[PRINTED], least[PRINTED], most[PRINTED], ports[PRINTED] = "";
    if (found->least->ports > 1)
        snprintf(ports, sizeof ports, " with %u ports", found->least->ports);
    wm_units_print(capacity_bytes, WM_QUANTITY_BYTES, wanted, sizeof wanted);
    wm_units_print(found->least->capacity_bytes, WM_QUANTITY_BYTES, least, sizeof least);
    wm_units_print(found->most->capacity_bytes, WM_QUANTITY_BYTES, most, sizeof most);
    if (found->least == found->most)
        wm_fail(error, WM_INVALID, "%s has %s, and the energy table has it%s of %s alone", name,
                wanted, ports, least);
    else
        wm_fail(error, WM_INVALID, "%s has %s, and the energy table has it%s of %s to %s", name,
                wanted, ports, least, most);
    return wm_error_hint(error, "add a row of %s %s%s, name another table, or change the capacity",
                         name, wanted, ports);
}

// Rounded to a whole unit: the last bit of a logarithm, which hosts may differ in, does not show.
static uint64_t between(double low, double high, double part)
{
    return (uint64_t)llround(low + (high - low) * part);
}

static double each(uint64_t of_all, const struct wm_energy_row *row)
{
    return (double)of_all / (double)row->units;
}

enum wm_status wm_energy_table_cost(const struct wm_energy_table *table, const char *name,
                                    uint32_t ports, uint64_t capacity_bytes, uint32_t units,
                                    struct wm_energy_cost *cost, struct wm_error *error)
{
    ports = choose_ports(table, name, ports);
    struct neighbours found = find(table, name, ports, capacity_bytes);
    if (!found.least)
        return wm_fail(error, WM_NOT_FOUND, "the energy table has no row of %s", name);
    const struct wm_energy_row *low = found.below, *high = found.above;
    if (!low || !high)
        return outside(name, capacity_bytes, &found, error);
    double part = 0;
    if (low != high)
        part = log2((double)capacity_bytes / (double)low->capacity_bytes) /
               log2((double)high->capacity_bytes / (double)low->capacity_bytes);
    *cost = (struct wm_energy_cost){
        .read_aj = between((double)low->read_aj, (double)high->read_aj, part),
        .write_aj = between((double)low->write_aj, (double)high->write_aj, part),
        .beside_aj = between((double)low->beside_aj, (double)high->beside_aj, part),
        .leakage_nw =
            between(units * each(low->leakage_nw, low), units * each(high->leakage_nw, high), part),
        .area_um2 =
            between(units * each(low->area_um2, low), units * each(high->area_um2, high), part),
        .interpolated = low != high,
    };
    return WM_OK;
}
