// The annotation as JSON (docs/formats/annotate-json.md).
#include "mem/system/memory_components.h"
#include "study/annotate/annotate.h"
#include "study/annotate/cells.h"
#include "study/format/json_text.h"
#include "study/run_report/load_servers.h"
#include "study/run_report/report_file.h"
#include "study/run_report/request_ratios.h"
#include "study/run_report/result_sums.h"
#include "study/run_report/written_line_data.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

enum { FORMAT_VERSION = 2 };

static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

// Bytes that are no UTF-8 are dropped: source files may hold any.
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    struct wm_text safe;
    wm_text_init(&safe);
    wm_text_add(&safe, "");
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x80)
            wm_text_append(&safe, text, 1);
    value = safe.failed ? NULL : json_string(safe.data != NULL ? safe.data : "");
    wm_text_release(&safe);
    return value;
}

static json_t *counters_value(const struct wm_counter_set *counters, const uint64_t *values)
{
    json_t *object = json_object();
    for (size_t i = 0; i < counters->count; i++)
        if (!set(object, counters->declarations[i].name, json_integer((json_int_t)values[i]))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *caused_value(const struct wm_instruction_counter_set *counted, const void *counters)
{
    uint64_t values[WM_MOST_INSTRUCTION_VALUES];
    wm_instruction_counter_values(counted, counters, values);
    return counters_value(&counted->set, values);
}

// What moved at a level, under the name that its counter has at instructions.
static bool set_bytes(json_t *object, const char *level, uint64_t bytes)
{
    char key[WM_INSTRUCTION_COUNTER_BYTES];
    snprintf(key, sizeof key, "%s.bytes", level);
    return set(object, key, json_integer((json_int_t)bytes));
}

static json_t *figures_value(const struct wm_trial_figures *figures)
{
    json_t *object = json_object();
    bool good =
        set_bytes(object, figures->below_l1, figures->below_l1_bytes) &&
        set_bytes(object, wm_dram_counter_set.kind, figures->memory_bytes) &&
        (figures->cycles == 0 || set(object, "cycles", json_integer((json_int_t)figures->cycles)));
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *settings_value(const char *settings)
{
    json_t *list = json_array();
    while (*settings != '\0') {
        size_t length = strcspn(settings, "\n");
        if (json_array_append_new(list, json_stringn(settings, length)) != 0) {
            json_decref(list);
            return NULL;
        }
        settings += length + (settings[length] == '\n');
    }
    return list;
}

static json_t *trial_value(const struct wm_advice_trial *trial)
{
    static const char *const kinds[] = {[WM_TRIAL_ALONE] = "bypass",
                                        [WM_TRIAL_TOGETHER] = "bypass-together",
                                        [WM_TRIAL_BLOCKS] = "blocks",
                                        [WM_TRIAL_PRIORITY] = "priority"};
    json_t *object = json_object();
    bool good = set(object, "what", json_string(kinds[trial->kind])) &&
                set(object, "settings", settings_value(trial->settings)) &&
                set(object, "before", figures_value(&trial->before)) &&
                set(object, "after", figures_value(&trial->after)) &&
                set(object, "gains", json_boolean(trial->gains));
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

// Nothing where nothing was measured.
static bool put_trials(json_t *object, const struct wm_advice *advice)
{
    json_t *list = json_array();
    bool good = true;
    for (uint32_t i = 0; good && i < advice->trial_count; i++)
        good = !advice->trials[i].measured ||
               json_array_append_new(list, trial_value(&advice->trials[i])) == 0;
    good = good && (json_array_size(list) == 0 || set(object, "trials", json_incref(list)));
    json_decref(list);
    return good;
}

static json_t *advice_value(const struct wm_advice *advice)
{
    struct wm_text sentence;
    wm_text_init(&sentence);
    advice->rule->say(&advice->view, &sentence);
    wm_advice_saving_text(advice, &sentence);
    json_t *object = json_object();
    bool good = !sentence.failed && set(object, "rule", json_string(advice->rule->name)) &&
                set(object, "kind", json_string(wm_access_kind_name(advice->view.kind))) &&
                set(object, "instructions", json_integer(advice->instructions)) &&
                set(object, "basis", json_string(wm_advice_basis(advice))) &&
                set(object, "sentence", json_string(sentence.data)) && put_trials(object, advice);
    wm_text_release(&sentence);
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

// Nothing where nothing was tried in vain.
static bool put_tried(json_t *object, const struct wm_annotated_line *line)
{
    json_t *list = json_array();
    bool good = true;
    for (uint32_t i = 0; good && i < line->tried_count; i++)
        good = json_array_append_new(list, advice_value(&line->tried[i])) == 0;
    good = good && (line->tried_count == 0 || set(object, "without_gain", json_incref(list)));
    json_decref(list);
    return good;
}

// Nothing where no sector was touched.
static bool put_ratios(json_t *object, const struct wm_instruction_counters *counters)
{
    struct wm_request_ratios ratios;
    return !wm_request_ratios_of(counters, &ratios) ||
           set(object, "ratios", wm_json_numbers(&wm_request_ratio_set, (const double *)&ratios));
}

// Nothing where no function was inlined.
static bool put_chains(json_t *object, const struct wm_annotated_line *line)
{
    json_t *list = json_array();
    bool good = true;
    for (uint32_t i = 0; good && i < line->inlined_count; i++)
        good = json_array_append_new(list, wm_json_places(line->inlined[i]->inlined,
                                                          line->inlined[i]->inlined_count)) == 0;
    good = good && (line->inlined_count == 0 || set(object, "inlined", json_incref(list)));
    json_decref(list);
    return good;
}

// Nothing where no time passes, and where no load was done.
static bool put_times(json_t *object, const struct wm_results *results,
                      const struct wm_annotated_line *line)
{
    return line->timed.loads == 0 ||
           (set(object, "timed",
                counters_value(&wm_load_counter_set, (const uint64_t *)&line->timed)) &&
            set(object, "served", wm_json_load_servers(&results->counted->levels, &line->served)));
}

static json_t *line_value(const struct wm_results *results, const struct wm_annotated_line *line)
{
    json_t *object = json_object(), *advice = json_array();
    bool good = set(object, "line", json_integer(line->number)) &&
                set(object, "text", text_value(line->text));
    for (uint32_t i = 0; i < line->advice_count; i++)
        good = good && json_array_append_new(advice, advice_value(&line->advice[i])) == 0;
    if (line->has_memory)
        good = good && set(object, "accesses", json_integer((json_int_t)line->accesses)) &&
               set(object, "counters", caused_value(results->counted, &line->counters)) &&
               set(object, "explained", caused_value(results->missed, &line->explained)) &&
               put_times(object, results, line) && put_ratios(object, &line->counters) &&
               put_chains(object, line) && set(object, "advice", json_incref(advice)) &&
               put_tried(object, line);
    json_decref(advice);
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

// Writes `value` and drops it; NULL is a constructor that failed.
static bool put(FILE *stream, json_t *value)
{
    bool good =
        value != NULL &&
        json_dumpf(value, stream, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) == 0;
    json_decref(value);
    return good;
}

static bool put_section(FILE *stream, const struct wm_results *results,
                        const struct wm_annotated_section *section)
{
    fputs("        {\"file\": ", stream);
    bool good = put(stream, section->file != NULL ? text_value(section->file) : json_null());
    fputs(", \"lines\": [", stream);
    for (uint32_t i = 0; i < section->line_count && good; i++) {
        fputs(i > 0 ? ",\n          " : "\n          ", stream);
        good = put(stream, line_value(results, &section->lines[i]));
    }
    fputs("\n        ]}", stream);
    return good;
}

// Nothing where such lines were not noted.
static bool put_written_lines(FILE *stream, const struct wm_results *results)
{
    if (results->notes_written_lines)
        fputs(",\n  ", stream);
    return wm_written_lines_json(results, stream);
}

static bool put_kernel(FILE *stream, const struct wm_results *results,
                       const struct wm_annotated_kernel *kernel)
{
    fputs("    {\"name\": ", stream);
    bool good = put(stream, text_value(kernel->kernel->name));
    fputs(", \"signature\": ", stream);
    good = good && put(stream, text_value(kernel->kernel->signature));
    if (results->gpus > 1)
        fprintf(stream, ", \"gpu\": %" PRIu32, kernel->kernel->gpu);
    fputs(", \"sections\": [", stream);
    for (uint32_t i = 0; i < kernel->section_count && good; i++) {
        fputs(i > 0 ? ",\n" : "\n", stream);
        good = put_section(stream, results, &kernel->sections[i]);
    }
    fputs("\n      ]}", stream);
    return good;
}

// By which engine advice was measured, or why not; nothing where there was nothing to measure.
static bool put_measured(FILE *stream, const struct wm_measured_advice *measured)
{
    const char *reason = wm_measured_advice_reason(measured);
    bool clock, any = wm_measured_advice_any(measured, &clock);
    if (any)
        fprintf(stream, ",\n  \"measured\": \"%s\"", clock ? "clock" : "walk");
    if (reason == NULL)
        return true;
    fputs(",\n  \"not_measured\": ", stream);
    return put(stream, text_value(reason));
}

enum wm_status wm_annotate_json(const struct wm_results *results,
                                const struct wm_measured_advice *measured, const char *path,
                                struct wm_error *error)
{
    struct wm_report_file file;
    struct wm_annotation annotation;
    WM_TRY(wm_report_file_open(&file, path, error));
    bool good = wm_annotation_init(&annotation, results, measured);
    fprintf(file.stream,
            "{\n  \"format\": \"warpmem-annotation\",\n  \"version\": %d,\n  \"machine\": ",
            (int)FORMAT_VERSION);
    good = good && put(file.stream, text_value(results->machine_name));
    good = good && put_measured(file.stream, measured);
    fputs(",\n  \"kernels\": [", file.stream);
    for (uint32_t i = 0; good && i < annotation.kernel_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", file.stream);
        good = put_kernel(file.stream, results, &annotation.kernels[i]);
    }
    fputs("\n  ]", file.stream);
    good = good && put_written_lines(file.stream, results);
    fputs("\n}\n", file.stream);
    wm_annotation_release(&annotation);
    return wm_report_file_close(&file, good, error);
}
