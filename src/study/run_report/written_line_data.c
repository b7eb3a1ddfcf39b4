#include "study/run_report/written_line_data.h"

#include "study/format/csv_field.h"
#include "study/format/json_text.h"
#include "study/run_report/result_sums.h"

#include <inttypes.h>

// In the order of line_values and place_values.
static const struct wm_counter_declaration line_declarations[] = {
    {"caches", "caches", "coherent caches that accessed the line"},
    {"writers", "caches", "coherent caches that wrote the line"},
    {"copies_taken", "lines", "copies of the line that the writes of another cache took"},
    {"true_misses", "misses",
     "misses of endless caches for the line, which another's write had taken, after which a byte "
     "was accessed that another had written: true sharing"},
    {"false_misses", "misses",
     "misses of endless caches for the line, which another's write had taken, after which no such "
     "byte was accessed: false sharing"},
};
static const struct wm_counter_declaration place_declarations[] = {
    {"units", "units", "SMs or CPU cores that executed the instruction so, up to 64"},
    {"copies_taken", "lines", "copies of the line that its writes took from other caches"},
    {"true_misses", "misses", "its misses of the line that were true sharing"},
    {"false_misses", "misses", "its misses of the line that were false sharing"},
};
#define SET(kind, title, declarations)                                          \
    {                                                                           \
        kind, title, declarations, sizeof declarations / sizeof declarations[0] \
    }
const struct wm_counter_set wm_written_line_set =
    SET("written_line", "line that several caches access and one writes", line_declarations);
const struct wm_counter_set wm_written_place_set =
    SET("written_line_place", "instruction at such a line", place_declarations);

enum { MOST_VALUES = sizeof line_declarations / sizeof line_declarations[0], ADDRESS_BYTES = 24 };

static void line_values(const struct wm_written_line_result *line, uint64_t values[MOST_VALUES])
{
    values[0] = line->caches;
    values[1] = line->writers;
    values[2] = line->copies_taken;
    values[3] = line->true_misses;
    values[4] = line->false_misses;
}

static void place_values(const struct wm_written_place_result *place, uint64_t values[MOST_VALUES])
{
    values[0] = place->units;
    values[1] = place->copies_taken;
    values[2] = place->true_misses;
    values[3] = place->false_misses;
}

void wm_written_line_names(const struct wm_written_line_result *line, uint32_t most,
                           struct wm_text *text)
{
    uint32_t shown = line->name_count < most ? line->name_count : most;
    for (uint32_t i = 0; i < shown; i++) {
        const struct wm_written_name_result *it = &line->names[i];
        wm_text_format(text, "%s%s", i > 0 ? ", " : "", it->name);
        if (it->offset != 0)
            wm_text_format(text, "+0x%" PRIx64, it->offset);
    }
    if (shown < line->name_count)
        wm_text_format(text, ", %" PRIu32 " more", line->name_count - shown);
}

// --- JSON ---

static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool set_values(json_t *object, const struct wm_counter_set *counters,
                       const uint64_t *values)
{
    bool good = true;
    for (size_t i = 0; i < counters->count && good; i++)
        good = set(object, counters->declarations[i].name, json_integer((json_int_t)values[i]));
    return good;
}

static json_t *place_value(const struct wm_written_place_result *place)
{
    const struct wm_instruction_result *it = place->instruction;
    json_t *object = json_object();
    uint64_t values[MOST_VALUES];
    place_values(place, values);
    bool good = set(object, "kernel", wm_json_text(place->kernel->name)) &&
                set(object, "on_cores", json_boolean(place->kernel->on_cores)) &&
                set(object, "pc", json_integer(it->pc)) &&
                set(object, "text", wm_json_text(it->text)) &&
                set(object, "kind", json_string(wm_access_kind_name(it->kind))) &&
                (it->source_file == NULL || (set(object, "file", wm_json_text(it->source_file)) &&
                                             set(object, "line", json_integer(it->source_line)))) &&
                set_values(object, &wm_written_place_set, values);
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *names_value(const struct wm_written_line_result *line)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < line->name_count; i++) {
        const struct wm_written_name_result *it = &line->names[i];
        json_t *object = json_object();
        bool good = set(object, "name", wm_json_text(it->name)) &&
                    set(object, "offset", json_integer((json_int_t)it->offset)) &&
                    set(object, "at", json_integer(it->at)) &&
                    set(object, "bytes", json_integer(it->bytes));
        good = json_array_append_new(list, object) == 0 && good;
        if (!good) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *line_value(const struct wm_written_line_result *line)
{
    char address[ADDRESS_BYTES];
    json_t *object = json_object(), *places = json_array();
    uint64_t values[MOST_VALUES];
    line_values(line, values);
    snprintf(address, sizeof address, "0x%" PRIx64, line->address);
    bool good = set(object, "address", json_string(address)) &&
                set(object, "names", names_value(line)) &&
                set_values(object, &wm_written_line_set, values);
    for (uint32_t i = 0; good && i < line->place_count; i++)
        good = json_array_append_new(places, place_value(&line->places[i])) == 0;
    good = good && set(object, "places", json_incref(places));
    json_decref(places);
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

bool wm_written_lines_json(const struct wm_results *results, FILE *stream)
{
    bool good = true;
    if (!results->notes_written_lines)
        return true;
    fprintf(stream,
            "\"written_lines\": {\"line_bytes\": %" PRIu32 ", \"total\": %" PRIu64 ", \"lines\": [",
            results->written_line_bytes, results->written_line_total);
    for (uint32_t i = 0; good && i < results->written_line_count; i++) {
        json_t *value = line_value(&results->written_lines[i]);
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        good = value != NULL && json_dumpf(value, stream, JSON_COMPACT) == 0;
        json_decref(value);
    }
    fputs("\n  ]}", stream);
    return good;
}

// --- CSV ---

static void add_rows(FILE *stream, const char *kernel, const char *where,
                     const struct wm_counter_set *counters, const uint64_t *values,
                     const char *source)
{
    for (size_t i = 0; i < counters->count; i++) {
        const struct wm_counter_declaration *counter = &counters->declarations[i];
        wm_csv_field(stream, kernel);
        fprintf(stream, ",%s,%s,%" PRIu64 ",%s,", where, counter->name, values[i], counter->unit);
        wm_csv_field(stream, source);
        fputc('\n', stream);
    }
}

static void add_place(FILE *stream, const struct wm_written_line_result *line,
                      const struct wm_written_place_result *place)
{
    const struct wm_instruction_result *it = place->instruction;
    char where[ADDRESS_BYTES + 24];
    uint64_t values[MOST_VALUES];
    struct wm_text source;
    wm_text_init(&source);
    if (it->source_file != NULL)
        wm_text_format(&source, "%s:%" PRIu32 " ", it->source_file, it->source_line);
    wm_text_add(&source, it->text);
    snprintf(where, sizeof where, "line 0x%" PRIx64 " pc %" PRIu32, line->address, it->pc);
    place_values(place, values);
    add_rows(stream, place->kernel->name, where, &wm_written_place_set, values,
             source.data != NULL ? source.data : "");
    wm_text_release(&source);
}

void wm_written_lines_csv(const struct wm_results *results, FILE *stream)
{
    for (uint32_t i = 0; i < results->written_line_count; i++) {
        const struct wm_written_line_result *line = &results->written_lines[i];
        char where[ADDRESS_BYTES + 8];
        uint64_t values[MOST_VALUES];
        struct wm_text names;
        wm_text_init(&names);
        wm_written_line_names(line, UINT32_MAX, &names);
        snprintf(where, sizeof where, "line 0x%" PRIx64, line->address);
        line_values(line, values);
        add_rows(stream, "", where, &wm_written_line_set, values,
                 names.data != NULL ? names.data : "");
        wm_text_release(&names);
        for (uint32_t p = 0; p < line->place_count; p++)
            add_place(stream, line, &line->places[p]);
    }
}
