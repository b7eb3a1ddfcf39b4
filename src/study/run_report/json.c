// JSON (docs/formats/results-json.md). jansson writes every value but components; the frame around
// them is written here so that a component or an instruction is one line, and only one of them is
// in memory at once.
#include "base/text/text.h"
#include "study/format/json_text.h"
#include "study/run_report/json_findings.h"
#include "study/run_report/load_servers.h"
#include "study/run_report/report.h"
#include "study/run_report/report_file.h"
#include "study/run_report/request_ratios.h"
#include "study/run_report/result_sums.h"
#include "study/run_report/written_line_data.h"
#include "study/tables/block_maps.h"
#include "study/tables/clock_reads.h"
#include "study/tables/energy.h"
#include "study/tables/failure.h"
#include "study/tables/launches.h"
#include "study/tables/level_columns.h"

#include <inttypes.h>
#include <jansson.h>

enum { FORMAT_VERSION = 2 };

struct writer {
    FILE *stream;
    bool good;
    uint32_t gpus; // of the machine
};

// jansson's integers are signed; a counter that passes 2^63 would take centuries to count.
static json_t *count_value(uint64_t count)
{
    return json_integer((json_int_t)count);
}

// Writes `value` on the current line and drops it; NULL, which every failed constructor gives, is
// remembered.
static void put(struct writer *writer, json_t *value)
{
    // Fifteen digits: a decimal number that was read is written as it was.
    size_t how = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15);
    if (value == NULL || json_dumpf(value, writer->stream, how) != 0)
        writer->good = false;
    json_decref(value);
}

static void member(struct writer *writer, const char *indent, const char *key, json_t *value,
                   bool last)
{
    fprintf(writer->stream, "%s\"%s\": ", indent, key);
    put(writer, value);
    fputs(last ? "\n" : ",\n", writer->stream);
}

// Takes `value`. False when anything is NULL.
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *counters_value(const struct wm_counter_set *counters, const uint64_t *values)
{
    json_t *object = json_object();
    for (size_t i = 0; i < counters->count; i++)
        if (!set(object, counters->declarations[i].name, count_value(values[i]))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

// What an instruction caused, or why what it missed was not there, by name.
static json_t *caused_value(const struct wm_instruction_counter_set *counted, const void *counters)
{
    uint64_t values[WM_MOST_INSTRUCTION_VALUES];
    wm_instruction_counter_values(counted, counters, values);
    return counters_value(&counted->set, values);
}

static json_t *source_value(const struct wm_instruction_result *it)
{
    if (it->source_file == NULL)
        return json_null();
    return wm_json_place(it->source_file, it->source_line);
}

// Nothing where no sector was touched.
static bool set_ratios(json_t *object, const struct wm_instruction_counters *counters)
{
    struct wm_request_ratios ratios;
    return !wm_request_ratios_of(counters, &ratios) ||
           set(object, "ratios", wm_json_numbers(&wm_request_ratio_set, (const double *)&ratios));
}

// By kind, of the accesses beyond the SM.
static json_t *requests_value(const struct wm_kernel_result *kernel)
{
    json_t *kinds = json_object();
    bool good = true;
    for (int i = 0; i < WM_REQUEST_KINDS && good; i++) {
        enum wm_access_kind kind = (enum wm_access_kind)i;
        struct wm_instruction_counters counters = wm_kernel_requests(kernel, kind);
        json_t *object = counters.executions != 0 ? json_object() : NULL;
        if (counters.executions == 0)
            continue;
        good = set(object, "requests", count_value(counters.executions)) &&
               set(object, "sectors", count_value(counters.sectors)) &&
               set(object, "bytes_requested", count_value(counters.bytes_requested)) &&
               set_ratios(object, &counters);
        good = set(kinds, wm_access_kind_name(kind), object) && good;
    }
    if (good)
        return kinds;
    json_decref(kinds);
    return NULL;
}

static json_t *instruction_value(const struct wm_results *results,
                                 const struct wm_instruction_result *it)
{
    json_t *object = json_object();
    if (set(object, "pc", count_value(it->pc)) &&
        set(object, "ptx_line", count_value(it->ptx_line)) &&
        set(object, "text", wm_json_text(it->text)) && set(object, "source", source_value(it)) &&
        (it->inlined_count == 0 ||
         set(object, "inlined", wm_json_places(it->inlined, it->inlined_count))) &&
        set(object, "kind", wm_json_text(wm_access_kind_name(it->kind))) &&
        set(object, "space", wm_json_text(wm_space_name(it->space))) &&
        set(object, "counters", caused_value(results->counted, &it->counters)) &&
        set_ratios(object, &it->counters) &&
        (it->explained == NULL ||
         set(object, "explained", caused_value(results->missed, it->explained))) &&
        (it->timed == NULL ||
         set(object, "timed", counters_value(&wm_load_counter_set, (const uint64_t *)it->timed))) &&
        (it->served == NULL ||
         set(object, "served", wm_json_load_servers(&results->counted->levels, it->served))))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *served_value(const char *name, const struct wm_served_loads *level)
{
    json_t *object = json_object(), *buckets = json_array();
    bool good = true;
    for (uint32_t i = 0; i < WM_LATENCY_BUCKETS && good; i++)
        good = json_array_append_new(buckets, count_value(level->buckets[i])) == 0;
    if (set(object, "level", wm_json_text(name)) &&
        set(object, "loads", count_value(level->loads)) &&
        set(object, "cycles", count_value(level->cycles)) && set(object, "buckets", buckets) &&
        good)
        return object;
    json_decref(object);
    return NULL;
}

// Nearest first.
static json_t *latency_value(const struct wm_level_list *levels,
                             const struct wm_load_latency *latency)
{
    json_t *list = json_array();
    enum wm_server servers[WM_SERVERS];
    uint32_t count = wm_servers_of(levels, servers);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = wm_load_server_name(levels, i);
        if (json_array_append_new(list, served_value(name, &latency->by[servers[i]])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *fetches_value(const struct wm_results *results,
                             const struct wm_kernel_result *kernel)
{
    json_t *object = json_object();
    if (set(object, "counters", caused_value(results->counted, &kernel->fetches)) &&
        (kernel->fetches_explained == NULL ||
         set(object, "explained", caused_value(results->missed, kernel->fetches_explained))))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *shape_value(const uint32_t dimensions[3])
{
    return json_pack("[I,I,I]", (json_int_t)dimensions[0], (json_int_t)dimensions[1],
                     (json_int_t)dimensions[2]);
}

// Machines have a thousand components of dozens of counters each. Their paths, kinds and names are
// ours and need no escapes, so the line is put together without a tree of values, which took as
// long as a tenth of the run; and what stands before each number is put together once a kind.
enum { MOST_DIGITS = 20, MOST_KINDS = 32 };

struct component_keys {
    const struct wm_counter_set *counters;
    struct wm_text text; // all of them, each behind the one before
    size_t *ends;        // owned
};

struct component_writer {
    struct component_keys kinds[MOST_KINDS];
    uint32_t count;
    struct wm_text line;
};

static bool make_keys(struct component_keys *keys, const struct wm_counter_set *counters)
{
    *keys = (struct component_keys){.counters = counters};
    keys->ends = malloc((counters->count + 1) * sizeof *keys->ends);
    for (size_t i = 0; keys->ends != NULL && i < counters->count; i++) {
        wm_text_add(&keys->text, i > 0 ? ",\"" : "\"");
        wm_text_add(&keys->text, counters->declarations[i].name);
        wm_text_add(&keys->text, "\":");
        keys->ends[i] = keys->text.length;
    }
    return keys->ends != NULL && !keys->text.failed;
}

static void free_keys(struct component_keys *keys)
{
    wm_text_release(&keys->text);
    free(keys->ends);
}

// NULL when out of memory. More kinds than there is room for take the last one's place.
static const struct component_keys *keys_of(struct component_writer *to,
                                            const struct wm_counter_set *counters)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (to->kinds[i].counters == counters)
            return &to->kinds[i];
    if (to->count == MOST_KINDS)
        free_keys(&to->kinds[--to->count]);
    return make_keys(&to->kinds[to->count++], counters) ? &to->kinds[to->count - 1] : NULL;
}

static char *put_number(char *at, uint64_t number)
{
    char digits[MOST_DIGITS], *end = digits + sizeof digits, *first = end;
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    memcpy(at, first, (size_t)(end - first));
    return at + (end - first);
}

static bool add_counters(struct wm_text *text, const struct component_keys *keys,
                         const uint64_t *values)
{
    size_t count = keys->counters->count, begin = 0;
    char *at = wm_text_reserve(text, keys->text.length + count * MOST_DIGITS);
    if (at == NULL)
        return false;
    for (size_t i = 0; i < count; begin = keys->ends[i++]) {
        size_t length = keys->ends[i] - begin;
        memcpy(at, keys->text.data + begin, length);
        at = put_number(at + length, values[i]);
    }
    text->length = (size_t)(at - text->data);
    return true;
}

static bool add_component(struct component_writer *to, const struct wm_component_result *component)
{
    const struct component_keys *keys = keys_of(to, component->set);
    struct wm_text *text = &to->line;
    if (keys == NULL)
        return false;
    wm_text_add(text, "{\"path\":\"");
    wm_text_add(text, component->path);
    wm_text_add(text, "\",\"kind\":\"");
    wm_text_add(text, component->set->kind);
    wm_text_add(text, "\",\"counters\":{");
    bool added = add_counters(text, keys, component->values);
    wm_text_add(text, "}}");
    return added && !text->failed;
}

static void put_components(struct writer *writer, const char *indent,
                           const struct wm_component_result *components, uint32_t count, bool last)
{
    struct component_writer to = {.count = 0};
    fprintf(writer->stream, "%s\"components\": [", indent);
    for (uint32_t i = 0; i < count && writer->good; i++) {
        to.line.length = 0;
        wm_text_add(&to.line, i > 0 ? ",\n" : "\n");
        wm_text_add(&to.line, indent);
        wm_text_add(&to.line, "  ");
        writer->good = add_component(&to, &components[i]);
        if (writer->good)
            fwrite(to.line.data, 1, to.line.length, writer->stream);
    }
    fprintf(writer->stream, "\n%s]%s\n", indent, last ? "" : ",");
    for (uint32_t i = 0; i < to.count; i++)
        free_keys(&to.kinds[i]);
    wm_text_release(&to.line);
}

static void put_kernel(struct writer *writer, const struct wm_results *results,
                       const struct wm_kernel_result *kernel)
{
    const char *indent = "      ", *clocks = wm_report_clock_unit(kernel);
    member(writer, indent, "name", wm_json_text(kernel->name), false);
    member(writer, indent, "signature", wm_json_text(kernel->signature), false);
    member(writer, indent, "module", wm_json_text(kernel->module), false);
    if (writer->gpus > 1)
        member(writer, indent, "gpu", count_value(kernel->gpu), false);
    if (kernel->on_cores)
        member(writer, indent, "on_cores", json_true(), false);
    member(writer, indent, "launches", count_value(kernel->launches), false);
    member(writer, indent, "grid", shape_value(kernel->grid), false);
    member(writer, indent, "block", shape_value(kernel->block), false);
    member(writer, indent, "static_shared_bytes", count_value(kernel->static_shared_bytes), false);
    member(writer, indent, "dynamic_shared_bytes", count_value(kernel->dynamic_shared_bytes),
           false);
    member(writer, indent, "registers_per_thread", count_value(kernel->registers_per_thread),
           false);
    member(writer, indent, "blocks_per_sm", count_value(kernel->blocks_per_sm), false);
    member(writer, indent, "occupancy_limiter", wm_json_text(kernel->occupancy_limiter), false);
    member(writer, indent, "shared_bytes_per_sm", count_value(kernel->shared_bytes), false);
    member(writer, indent, "l1_bytes", count_value(kernel->l1_bytes), false);
    member(writer, indent, "warp_instructions", count_value(kernel->warp_instructions), false);
    member(writer, indent, "thread_instructions", count_value(kernel->thread_instructions), false);
    if (kernel->cycles != 0)
        member(writer, indent, "cycles", count_value(kernel->cycles), false);
    member(writer, indent, "requests", requests_value(kernel), false);
    if (clocks != NULL)
        member(writer, indent, "clock_unit", wm_json_text(clocks), false);
    if (kernel->load_latency != NULL)
        member(writer, indent, "load_latency",
               latency_value(&results->counted->levels, kernel->load_latency), false);
    put_components(writer, indent, kernel->components, kernel->component_count, false);
    if (kernel->energy != NULL)
        member(writer, indent, "energy", wm_energy_json(kernel->energy, true), false);
    if (kernel->fetches.requests != 0)
        member(writer, indent, "fetches", fetches_value(results, kernel), false);
    fprintf(writer->stream, "%s\"instructions\": [", indent);
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        fprintf(writer->stream, "%s\n%s  ", i > 0 ? "," : "", indent);
        put(writer, instruction_value(results, &kernel->instructions[i]));
    }
    fprintf(writer->stream, "\n%s]\n", indent);
}

static json_t *declaration_value(const struct wm_counter_declaration *declaration)
{
    json_t *object = json_object();
    if (set(object, "unit", wm_json_text(declaration->unit)) &&
        set(object, "sentence", wm_json_text(declaration->sentence)))
        return object;
    json_decref(object);
    return NULL;
}

static void put_declaration_set(struct writer *writer, const struct wm_counter_set *counters,
                                const char *kind, bool last)
{
    fprintf(writer->stream, "    \"%s\": {\n", kind);
    member(writer, "      ", "title", wm_json_text(counters->title), false);
    fputs("      \"counters\": {\n", writer->stream);
    for (size_t i = 0; i < counters->count; i++)
        member(writer, "        ", counters->declarations[i].name,
               declaration_value(&counters->declarations[i]), i + 1 == counters->count);
    fprintf(writer->stream, "      }\n    }%s\n", last ? "" : ",");
}

// Every kind of component once, in order of appearance, then the instructions' own counters.
static void put_declarations(struct writer *writer, const struct wm_results *results)
{
    fputs("  \"counters\": {\n", writer->stream);
    for (uint32_t i = 0; i < results->component_count; i++) {
        const struct wm_counter_set *counters = results->components[i].set;
        bool seen = false;
        for (uint32_t j = 0; j < i && !seen; j++)
            seen = results->components[j].set == counters;
        if (!seen)
            put_declaration_set(writer, counters, counters->kind, false);
    }
    bool timed = results->rates.sms != 0;
    put_declaration_set(writer, &results->counted->set, results->counted->set.kind, false);
    put_declaration_set(writer, &wm_request_ratio_set, wm_request_ratio_set.kind,
                        !results->explained && !timed);
    if (timed)
        put_declaration_set(writer, &wm_load_counter_set, "instruction_timed",
                            !results->explained && results->timeline == NULL);
    if (results->timeline != NULL)
        put_declaration_set(writer, &wm_sample_set, "samples", !results->explained);
    if (results->notes_written_lines) {
        put_declaration_set(writer, &wm_written_line_set, wm_written_line_set.kind, false);
        put_declaration_set(writer, &wm_written_place_set, wm_written_place_set.kind, false);
    }
    if (results->explained)
        put_declaration_set(writer, &results->missed->set, "instruction_explained", true);
    fputs("  },\n", writer->stream);
}

// The columns once, then a row a sample: a line each.
static void put_samples(struct writer *writer, const struct wm_timeline *timeline)
{
    fprintf(writer->stream, "  \"samples\": {\"cycles\": %" PRIu64 ", \"columns\": [",
            timeline->sample_cycles);
    for (size_t i = 0; i < wm_sample_set.count; i++)
        fprintf(writer->stream, "%s\"%s\"", i > 0 ? ", " : "", wm_sample_set.declarations[i].name);
    fputs("], \"rows\": [", writer->stream);
    for (uint64_t i = 0; i < timeline->sample_count; i++) {
        const uint64_t *values = (const uint64_t *)&timeline->samples[i];
        fprintf(writer->stream, "%s\n    [", i > 0 ? "," : "");
        for (size_t c = 0; c < wm_sample_set.count; c++)
            fprintf(writer->stream, "%s%" PRIu64, c > 0 ? "," : "", values[c]);
        fputs("]", writer->stream);
    }
    fputs("\n  ]},\n", writer->stream);
}

static json_t *command_value(const char *const *command)
{
    if (command == NULL)
        return json_null();
    json_t *list = json_array();
    for (; *command != NULL; command++)
        if (json_array_append_new(list, wm_json_text(*command)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

// From the units down; `below` is a level's name, or that of memory's counters.
static json_t *levels_value(const struct wm_level_list *levels)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < levels->count; i++) {
        const struct wm_listed_level *level = &levels->levels[i];
        const char *below = wm_level_place_name(levels, level->below);
        if (json_array_append_new(list, json_pack("{s:s,s:s,s:b}", "name", level->name, "below",
                                                  below, "data", level->data)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *machine_value(const struct wm_results *results)
{
    json_t *object = json_object();
    if (set(object, "name", wm_json_text(results->machine_name)) &&
        set(object, "title", wm_json_text(results->machine_title)) &&
        set(object, "levels", levels_value(&results->counted->levels)) &&
        set(object, "description", wm_json_text(results->machine_yaml)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *rates_value(const struct wm_results *results)
{
    const struct wm_timed_rates *rates = &results->rates;
    json_t *object = json_object();
    if (set(object, "clock_hz", count_value(results->clock_hz)) &&
        set(object, "sms", count_value(rates->sms)) &&
        (results->elapsed_cycles == 0 ||
         set(object, "elapsed_cycles", count_value(results->elapsed_cycles))) &&
        set(object, "flit_bytes", count_value(rates->flit_bytes)) &&
        set(object, "link_bytes_per_second", json_real(rates->link_bytes_per_second)) &&
        set(object, "dram_bytes_per_second", json_real(rates->dram_bytes_per_second)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *ranges_value(const struct wm_results *results)
{
    json_t *object = json_object();
    if (set(object, "ranges", count_value(results->ranges)) &&
        set(object, "launches_not_counted", count_value(results->launches_not_counted)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *chosen_value(const struct wm_results *results)
{
    json_t *object = json_object();
    if (set(object, "options", wm_json_text(results->filter)) &&
        set(object, "launches_not_counted", count_value(results->launches_not_counted)))
        return object;
    json_decref(object);
    return NULL;
}

static void put_head(struct writer *writer, const struct wm_results *results)
{
    const char *indent = "  ";
    member(writer, indent, "format", wm_json_text("warpmem-results"), false);
    member(writer, indent, "version", count_value(FORMAT_VERSION), false);
    member(writer, indent, "engine", wm_json_text(results->engine), false);
    member(writer, indent, "machine", machine_value(results), false);
    if (results->rates.sms != 0)
        member(writer, indent, "rates", rates_value(results), false);
    if (results->profiled)
        member(writer, indent, "profiled", ranges_value(results), false);
    if (results->filter != NULL)
        member(writer, indent, "chosen", chosen_value(results), false);
    member(writer, indent, "command", command_value(results->command), false);
    member(writer, indent, "host_to_device_bytes", count_value(results->host_to_device_bytes),
           false);
    member(writer, indent, "device_to_host_bytes", count_value(results->device_to_host_bytes),
           false);
    member(writer, indent, "device_to_device_bytes", count_value(results->device_to_device_bytes),
           false);
}

// Nothing where such lines were not noted.
static void put_written_lines(struct writer *writer, const struct wm_results *results)
{
    if (!results->notes_written_lines)
        return;
    fputs("  ", writer->stream);
    writer->good &= wm_written_lines_json(results, writer->stream);
    fputs(",\n", writer->stream);
}

bool wm_report_json_stream(const struct wm_results *results, FILE *stream)
{
    struct writer writer = {stream, true, results->gpus};
    fputs("{\n", stream);
    put_head(&writer, results);
    put_declarations(&writer, results);
    if (results->timeline != NULL)
        put_samples(&writer, results->timeline);
    fputs("  \"kernels\": [", stream);
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        fprintf(stream, "%s\n    {\n", i > 0 ? "," : "");
        put_kernel(&writer, results, &results->kernels[i]);
        fputs("    }", stream);
    }
    fputs("\n  ],\n", stream);
    wm_launches_json(results, stream);
    wm_block_maps_json(results, stream);
    put_written_lines(&writer, results);
    if (results->serial_streams)
        member(&writer, "  ", "serial_streams", json_true(), false);
    if (results->race_count != 0)
        member(&writer, "  ", "host_device_races", wm_json_races(results), false);
    if (results->checks != 0 || results->finding_count != 0)
        member(&writer, "  ", "findings", wm_json_findings(results), false);
    if (results->failure != NULL)
        member(&writer, "  ", "failure", wm_failure_json(results), false);
    if (results->energy != NULL)
        member(&writer, "  ", "energy", wm_energy_json(results->energy, false), false);
    put_components(&writer, "  ", results->components, results->component_count, true);
    fputs("}\n", stream);
    return writer.good || ferror(stream) != 0;
}

enum wm_status wm_report_json(const struct wm_results *results, const char *path,
                              struct wm_error *error)
{
    struct wm_report_file file;
    WM_TRY(wm_report_file_open(&file, path, error));
    bool good = wm_report_json_stream(results, file.stream);
    return wm_report_file_close(&file, good, error);
}
