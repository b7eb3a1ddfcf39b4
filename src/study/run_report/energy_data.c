// Energy for scripts: JSON and CSV.
#include "study/tables/energy.h"

#include "base/text/units.h"
#include "study/format/csv_field.h"

enum { NUMBER_BYTES = 48 };

// Takes `value`. False when anything is NULL.
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

// A whole number of base units, `scale` of them in the unit of the key.
static json_t *number(uint64_t value, double scale)
{
    return json_real((double)value / scale);
}

// What stands on the chip: what leaks and has an area.
static bool is_array(const struct wm_energy_line *line)
{
    return wm_energy_sort_of(line->name) == WM_ENERGY_ARRAY;
}

// What the events beside reads and writes are called; NULL where the table does not price them.
static const char *beside_name(const struct wm_energy_line *line)
{
    if (line->cost.beside_aj == 0)
        return NULL;
    return is_array(line) ? "tag_lookups" : "activates";
}

// The number of such events and, of a whole run, what one costs.
static bool set_beside(json_t *object, const struct wm_energy_line *line, bool kernel)
{
    const char *name = beside_name(line);
    return name == NULL || (set(object, name, json_integer((json_int_t)line->beside)) &&
                            (kernel || set(object, is_array(line) ? "tag_pj" : "activate_pj",
                                           number(line->cost.beside_aj, 1e6))));
}

static json_t *line_value(const struct wm_energy_line *line, bool kernel)
{
    bool wire = wm_energy_sort_of(line->name) == WM_ENERGY_LINK;
    bool array = is_array(line);
    json_t *object = json_object();
    if (set(object, "structure", json_string(line->name)) &&
        (kernel || !array || set(object, "units", json_integer(line->units))) &&
        (kernel || wire ||
         set(object, "capacity_bytes", json_integer((json_int_t)line->capacity_bytes))) &&
        (kernel || set(object, "interpolated", json_boolean(line->cost.interpolated))) &&
        set(object, wire ? "payload_bytes" : "reads", json_integer((json_int_t)line->reads)) &&
        set(object, wire ? "header_bytes" : "writes", json_integer((json_int_t)line->writes)) &&
        (kernel || set(object, wire ? "byte_pj" : "read_pj", number(line->cost.read_aj, 1e6))) &&
        (kernel || wire || set(object, "write_pj", number(line->cost.write_aj, 1e6))) &&
        set_beside(object, line, kernel) &&
        set(object, "dynamic_pj", number(line->dynamic_fj, 1e3)) &&
        (kernel || !array || set(object, "leakage_mw", number(line->cost.leakage_nw, 1e6))) &&
        (kernel || !array || set(object, "area_mm2", number(line->cost.area_um2, 1e6))))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *lines_value(const struct wm_energy_result *energy, bool kernel)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < energy->line_count; i++)
        if (json_array_append_new(list, line_value(&energy->lines[i], kernel)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *uncounted_value(const struct wm_energy_result *energy)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < energy->uncounted.count; i++)
        if (json_array_append_new(list, json_string(energy->uncounted.names[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *wm_energy_json(const struct wm_energy_result *energy, bool kernel)
{
    bool timed = energy->time_ps != 0;
    json_t *object = json_object();
    if (set(object, "dynamic_pj", number(energy->dynamic_fj, 1e3)) &&
        (kernel || set(object, "leakage_mw", number(energy->leakage_nw, 1e6))) &&
        (kernel || set(object, "area_mm2", number(energy->area_um2, 1e6))) &&
        (kernel || !timed || set(object, "time_s", number(energy->time_ps, 1e12))) &&
        (kernel || !timed || set(object, "leakage_pj", number(energy->leakage_fj, 1e3))) &&
        set(object, "structures", lines_value(energy, kernel)) &&
        (kernel || set(object, "uncounted", uncounted_value(energy))))
        return object;
    json_decref(object);
    return NULL;
}

static void add_row(FILE *stream, const char *kernel, const char *structure, const char *counter,
                    uint64_t value, unsigned digits, const char *unit)
{
    char number_text[NUMBER_BYTES];
    wm_csv_field(stream, kernel);
    fprintf(stream, ",energy%s%s,%s,%s,%s,\n", structure[0] ? " " : "", structure, counter,
            wm_units_decimal(value, digits, number_text, sizeof number_text), unit);
}

static void add_line(FILE *stream, const char *kernel, const struct wm_energy_line *line)
{
    bool wire = wm_energy_sort_of(line->name) == WM_ENERGY_LINK;
    const char *name = line->name;
    add_row(stream, kernel, name, wire ? "payload_bytes" : "reads", line->reads, 0,
            wire ? "bytes" : "events");
    add_row(stream, kernel, name, wire ? "header_bytes" : "writes", line->writes, 0,
            wire ? "bytes" : "events");
    if (beside_name(line) != NULL)
        add_row(stream, kernel, name, beside_name(line), line->beside, 0, "events");
    add_row(stream, kernel, name, "dynamic", line->dynamic_fj, 3, "pJ");
    if (kernel[0])
        return;
    add_row(stream, kernel, name, wire ? "byte" : "read", line->cost.read_aj, 6, "pJ");
    if (!wire)
        add_row(stream, kernel, name, "write", line->cost.write_aj, 6, "pJ");
    if (beside_name(line) != NULL)
        add_row(stream, kernel, name, is_array(line) ? "tag" : "activate", line->cost.beside_aj, 6,
                "pJ");
    if (is_array(line)) {
        add_row(stream, kernel, name, "leakage", line->cost.leakage_nw, 6, "mW");
        add_row(stream, kernel, name, "area", line->cost.area_um2, 6, "mm2");
    }
    add_row(stream, kernel, name, "interpolated", line->cost.interpolated, 0, "switch");
}

void wm_energy_csv(const struct wm_energy_result *energy, const char *kernel, FILE *stream)
{
    add_row(stream, kernel, "", "dynamic", energy->dynamic_fj, 3, "pJ");
    if (!kernel[0]) {
        add_row(stream, kernel, "", "leakage", energy->leakage_nw, 6, "mW");
        add_row(stream, kernel, "", "area", energy->area_um2, 6, "mm2");
    }
    if (!kernel[0] && energy->time_ps != 0) {
        add_row(stream, kernel, "", "time", energy->time_ps, 12, "s");
        add_row(stream, kernel, "", "leakage_energy", energy->leakage_fj, 3, "pJ");
    }
    for (uint32_t i = 0; i < energy->line_count; i++)
        add_line(stream, kernel, &energy->lines[i]);
}
