#include "cli/bypass/all_sets.h"
#include "cli/bypass/formats.h"
#include "cli/bypass/partition.h"

#include "study/format/json_text.h"
#include "study/run_report/report_file.h"

#include <inttypes.h>
#include <jansson.h>

// Takes the reference of `value`; false, for good, where something was out of memory.
static bool add(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

// The value; NULL, and the value is freed, where part of it was out of memory.
static json_t *whole(json_t *value, bool good)
{
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

static json_t *number_of(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *counts_json(const struct wm_load_set_counts *counts)
{
    return json_pack("{s:I, s:I, s:I}", "hits", (json_int_t)counts->hits, "misses",
                     (json_int_t)counts->misses, "bytes", (json_int_t)counts->bytes);
}

static json_t *efficiency_json(const struct wm_load_efficiency *efficiency)
{
    if (!efficiency->known)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "on", efficiency->on, "off", efficiency->off,
                     "sectors_per_line", efficiency->sectors);
}

static json_t *efficiencies_json(const struct wm_bypass_load *load)
{
    json_t *object = json_object();
    bool good = object != NULL;
    for (int i = 0; i < WM_EFFICIENCY_SOURCES && good; i++)
        good = add(object, wm_efficiency_source_names[i], efficiency_json(&load->efficiency[i]));
    return whole(object, good);
}

static const char *forced_word(enum wm_bypass_forced forced)
{
    return forced == WM_BYPASS_FREE ? NULL : forced == WM_BYPASS_FORCED_CACHED ? "ca" : "cg";
}

static json_t *load_json(const struct wm_bypass_load *load, enum wm_bypass_forced forced)
{
    const struct wm_load_record *profiled = load->profiled;
    return json_pack(
        "{s:I, s:I, s:I, s:s, s:s?, s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s?, s:o, s:o}",
        "number", (json_int_t)load->number, "pc", (json_int_t)profiled->pc, "ptx_line",
        (json_int_t)profiled->ptx_line, "text", load->text, "source_file", load->source_file,
        "source_line", (json_int_t)load->source_line, "pattern",
        wm_load_pattern_names[load->shape.pattern], "executions", (json_int_t)profiled->executions,
        "bytes_requested", (json_int_t)profiled->bytes_requested, "lines",
        (json_int_t)profiled->lines, "sectors", (json_int_t)profiled->sectors, "bytes_per_thread",
        (json_int_t)load->bytes, "hits_together", (json_int_t)profiled->hits_together,
        "misses_together", (json_int_t)profiled->misses_together, "forced", forced_word(forced),
        "alone", counts_json(&profiled->alone), "efficiency", efficiencies_json(load));
}

static json_t *solution_json(const struct wm_bypass_kernel *kernel,
                             const struct wm_bypass_solution *solution)
{
    json_t *cached = json_array();
    bool good = cached != NULL;
    for (uint32_t i = 0; i < kernel->profiled->load_count && good; i++)
        if (solution->cached[i])
            good = json_array_append_new(cached, number_of(kernel->loads[i].number)) == 0;
    return json_pack("{s:o, s:f}", "cached", whole(cached, good), "saved_bytes", solution->saved);
}

static json_t *edges_json(const struct wm_traffic_graph *graph)
{
    json_t *edges = json_array();
    bool good = edges != NULL;
    for (uint32_t a = 0; a < graph->count && good; a++)
        for (uint32_t b = a + 1; b < graph->count && good; b++)
            if (wm_traffic_graph_edge(graph, a, b) != 0)
                good = json_array_append_new(
                           edges, json_pack("[I, I, f]", (json_int_t)a + 1, (json_int_t)b + 1,
                                            wm_traffic_graph_edge(graph, a, b))) == 0;
    return whole(edges, good);
}

static json_t *view_json(const struct wm_bypass_kernel *kernel, const struct wm_bypass_view *view)
{
    json_t *nodes = json_array(), *object = json_object();
    bool good = nodes != NULL && object != NULL;
    for (uint32_t i = 0; i < view->graph.count && good; i++)
        good = json_array_append_new(nodes, json_real(view->graph.nodes[i])) == 0;
    good = good && add(object, "nodes", nodes) && add(object, "edges", edges_json(&view->graph));
    for (int i = 0; i < WM_BYPASS_SOLVERS && good; i++)
        good = add(object, wm_bypass_solver_names[i], solution_json(kernel, &view->solutions[i]));
    const struct wm_bypass_solution *exact = &view->solutions[WM_BYPASS_EXACT];
    good = good && add(object, "bound_bytes", json_real(exact->bound)) &&
           add(object, "proved", json_boolean(exact->proved));
    return whole(object, good);
}

static json_t *measured_json(const struct wm_bypass_report *report,
                             const struct wm_bypass_measured *measured)
{
    json_t *object = json_object();
    bool good = object != NULL;
    for (int i = 0; i < WM_BYPASS_SOLVERS && good; i++) {
        const struct wm_bypass_counts *counts = &measured->solvers[i];
        json_t *each = json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)counts->bytes, "hits",
                                 (json_int_t)counts->hits, "misses", (json_int_t)counts->misses);
        good = each != NULL && (!report->clock || add(each, "cycles", number_of(counts->cycles))) &&
               add(object, wm_bypass_solver_names[i], each);
    }
    return whole(object, good);
}

static json_t *loads_json(const struct wm_bypass_kernel *kernel)
{
    json_t *loads = json_array();
    bool good = loads != NULL;
    for (uint32_t i = 0; i < kernel->profiled->load_count && good; i++)
        good = json_array_append_new(loads, load_json(&kernel->loads[i], kernel->forced[i])) == 0;
    return whole(loads, good);
}

static json_t *fixed_json(const struct wm_bypass_kernel *kernel)
{
    json_t *fixed = json_array();
    bool good = fixed != NULL;
    for (uint32_t i = 0; i < kernel->fixed_count && good; i++)
        good = json_array_append_new(fixed, json_pack("{s:I, s:s}", "ptx_line",
                                                      (json_int_t)kernel->fixed[i].statement->line,
                                                      "why", kernel->fixed[i].why)) == 0;
    return whole(fixed, good);
}

static json_t *hint_counts_json(const struct wm_bypass_report *report,
                                const struct wm_hint_counts *counts)
{
    json_t *object = json_pack("{s:I, s:I}", "l1.bytes_below", (json_int_t)counts->l1_l2,
                               "l2.bytes_below", (json_int_t)counts->dram);
    return whole(object, object != NULL &&
                             (!report->clock || add(object, "cycles", number_of(counts->cycles))));
}

static json_t *hint_json(struct wm_load_hint hint)
{
    return json_pack("[s, s]", wm_load_word_name(hint.l1), wm_load_word_name(hint.l2));
}

// Of a load: its hints before and after, and the kernel's counts when it was tried.
static json_t *hinted_load_json(const struct wm_bypass_report *report,
                                const struct wm_bypass_load *load,
                                const struct wm_hinted_load *hinted)
{
    static const char *const levels[] = {"l1", "l2"};
    json_t *object = json_pack("{s:I, s:o, s:o}", "number", (json_int_t)load->number, "own",
                               hint_json(hinted->own), "says", hint_json(hinted->chosen));
    bool good = object != NULL;
    for (int level = 0; level < 2 && good; level++) {
        const struct wm_hint_trial *trial = &hinted->trials[level];
        if (trial->tried)
            good = add(object, levels[level],
                       json_pack("{s:o, s:o}", "before", hint_counts_json(report, &trial->before),
                                 "after", hint_counts_json(report, &trial->after)));
    }
    return whole(object, good);
}

static json_t *hints_json(const struct wm_bypass_report *report, uint32_t number)
{
    const struct wm_bypass_kernel *kernel = &report->program->kernels[number];
    const struct wm_hinted_kernel *found = &report->hints->kernels[number];
    json_t *loads = json_array(), *tried = json_array(), *left_out = json_array();
    bool good = loads != NULL && tried != NULL && left_out != NULL;
    for (uint32_t i = 0; i < kernel->profiled->load_count && good; i++)
        good = json_array_append_new(
                   loads, hinted_load_json(report, &kernel->loads[i], &found->loads[i])) == 0;
    for (int word = 0; word < WM_LOAD_WORDS && good; word++)
        if (found->tries[word])
            good = json_array_append_new(
                       tried, json_string(wm_load_word_name((enum wm_load_word)word))) == 0;
    for (uint32_t i = 0; i < found->left_out_count && good; i++)
        good = json_array_append_new(left_out, json_string(found->left_out[i])) == 0;
    json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o}", "tried", tried, "left_out", left_out,
                               "loads", loads, "before", hint_counts_json(report, &found->before),
                               "after", hint_counts_json(report, &found->after));
    return whole(object, good);
}

// Of the whole run, and the settings that they count with.
static json_t *run_hints_json(const struct wm_bypass_report *report)
{
    const struct wm_bypass_hints *hints = report->hints;
    json_t *settings = json_array();
    bool good = settings != NULL;
    for (uint32_t i = 0; i < hints->setting_count && good; i++)
        good = json_array_append_new(settings, json_string(hints->settings[i])) == 0;
    json_t *object =
        json_pack("{s:o, s:I, s:o, s:o}", "settings", settings, "replays",
                  (json_int_t)hints->replays, "before", hint_counts_json(report, &hints->before),
                  "after", hint_counts_json(report, &hints->after));
    return whole(object, good);
}

static json_t *kernel_json(const struct wm_bypass_report *report, uint32_t number)
{
    const struct wm_bypass_kernel *kernel = &report->program->kernels[number];
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, kernel->ptx_hash);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "name", kernel->profiled->name, "module",
        kernel->profiled->module, "ptx_hash", hash, "launches",
        (json_int_t)kernel->profiled->launches, "l1_bytes", (json_int_t)kernel->profiled->l1_bytes,
        "loads", loads_json(kernel), "fixed", fixed_json(kernel), "none",
        counts_json(&kernel->profiled->none), "all", counts_json(&kernel->profiled->all));
    bool good = object != NULL;
    for (int i = 0; i < WM_EFFICIENCY_SOURCES && good; i++)
        good = add(object, wm_efficiency_source_names[i], view_json(kernel, &kernel->views[i]));
    if (good && report->measured != NULL)
        good = add(object, "measured", measured_json(report, &report->measured[number]));
    if (good && report->all_sets != NULL)
        good = add(object, "all_sets", wm_bypass_sets_json(report, number));
    if (good && report->hints != NULL)
        good = add(object, "hints", hints_json(report, number));
    return whole(object, good);
}

enum wm_status wm_bypass_json(const struct wm_bypass_report *report, const char *path,
                              struct wm_error *error)
{
    const struct wm_bypass_program *program = report->program;
    json_t *kernels = json_array();
    bool good = kernels != NULL;
    for (uint32_t k = 0; k < program->kernel_count && good; k++)
        good = json_array_append_new(kernels, kernel_json(report, k)) == 0;
    json_t *root =
        json_pack("{s:s, s:s, s:I, s:s, s:s, s:o, s:o}", "format", "warpmem-bypass-2", "machine",
                  report->machine->name, "line_bytes", (json_int_t)program->profile->line_bytes,
                  "efficiency", wm_efficiency_source_names[program->source], "solver",
                  wm_bypass_solver_names[report->solver], "partition",
                  wm_bypass_partition_json(report), "kernels", kernels);
    if (report->hints != NULL)
        good = good && root != NULL && add(root, "hints", run_hints_json(report));
    struct wm_report_file file;
    enum wm_status status = wm_report_file_open(&file, path, error);
    if (status == WM_OK) {
        good = good && root != NULL &&
               (json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 ||
                ferror(file.stream));
        fputc('\n', file.stream);
        status = wm_report_file_close(&file, good, error);
    }
    json_decref(root);
    return status;
}
