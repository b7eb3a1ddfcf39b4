#include "study/file/study_file.h"

#include "base/numbers/hash.h"
#include "study/file/fields.h"
#include "study/file/file_text.h"
#include "study/file/metric_counters.h"
#include "study/file/plugin_section.h"
#include "study/file/workload_source.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

enum { LARGEST_FILE_BYTES = 1 << 20 };

void wm_study_hash(const void *data, size_t length, char hash[WM_STUDY_HASH_BYTES])
{
    snprintf(hash, WM_STUDY_HASH_BYTES, "%016" PRIx64, wm_hash_bytes(data, length));
}

// ---- Workloads ----------------------------------------------------------------------------------

// A value is cut at blanks; a list is as it is.
static enum wm_status take_words(const struct wm_study_reader *reader,
                                 const struct wm_yaml_node *node, struct wm_study_texts *words)
{
    if (!node)
        return WM_OK;
    if (node->kind != WM_YAML_SCALAR)
        return wm_study_list(reader, node, words);
    struct wm_arena *arena = &reader->study->arena;
    words->items = WM_ARENA_ARRAY(arena, const char *, strlen(node->value) / 2 + 1);
    for (const char *at = node->value; words->items && *at;) {
        size_t length = strcspn(at, " \n");
        if (length > 0 && !(words->items[words->count++] = wm_arena_copy_text(arena, at, length)))
            return wm_study_no_memory(reader);
        at += length + (at[length] != '\0');
    }
    return words->items ? WM_OK : wm_study_no_memory(reader);
}

static bool ends_in_cu(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

// "vecadd.cu --n 4096": the program, then its arguments.
static enum wm_status take_short_workload(const struct wm_study_reader *reader,
                                          const struct wm_yaml_node *node,
                                          struct wm_study_workload *workload)
{
    struct wm_study_texts words = {0};
    WM_TRY(take_words(reader, node, &words));
    if (words.count == 0) {
        wm_fail(reader->error, WM_INVALID, "workload %s names no program", node->key);
        wm_error_hint(reader->error, "as in \"%s: vecadd.cu --n 4096\"", node->key);
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    workload->program = words.items[0];
    *(ends_in_cu(words.items[0]) ? &workload->source : &workload->command) = words.items[0];
    workload->arguments = (struct wm_study_texts){words.items + 1, words.count - 1};
    return WM_OK;
}

static enum wm_status take_workload(const struct wm_study_reader *reader,
                                    const struct wm_yaml_node *node,
                                    struct wm_study_workload *workload)
{
    static const char *const keys[] = {"source", "command", "arguments", "options", NULL};
    WM_TRY(wm_study_label(reader, node));
    *workload = (struct wm_study_workload){.label = node->key, .node = node};
    if (node->kind == WM_YAML_SCALAR)
        return take_short_workload(reader, node, workload);
    WM_TRY(wm_study_keys(reader, node, keys));
    const char *source, *command;
    WM_TRY(wm_study_text(reader, node, "source", false, &source));
    WM_TRY(wm_study_text(reader, node, "command", false, &command));
    workload->source = source[0] ? source : NULL;
    workload->command = command[0] ? command : NULL;
    workload->program = source[0] ? source : command;
    bool compiles = workload->source != NULL;
    if (compiles == (workload->command != NULL) ||
        (!compiles && wm_yaml_find(node, "options") != NULL)) {
        wm_fail(reader->error, WM_INVALID,
                "workload %s has one of source (a .cu file, with options for warpmem cc) and "
                "command (a program)",
                node->key);
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    WM_TRY(take_words(reader, wm_yaml_find(node, "arguments"), &workload->arguments));
    return take_words(reader, wm_yaml_find(node, "options"), &workload->options);
}

static enum wm_status read_workloads(const struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section)
{
    struct wm_study *study = reader->study;
    WM_TRY(wm_study_group(reader, section, "workloads"));
    if (section->count > WM_STUDY_MOST_WORKLOADS) {
        wm_fail(reader->error, WM_LIMIT, "more than %d workloads", (int)WM_STUDY_MOST_WORKLOADS);
        return wm_yaml_point_key(&study->tree, section, reader->error);
    }
    const char **labels = WM_ARENA_ARRAY(&study->arena, const char *, section->count);
    study->workloads = WM_ARENA_ARRAY(&study->arena, struct wm_study_workload, section->count);
    if (!labels || !study->workloads)
        return wm_study_no_memory(reader);
    for (const struct wm_yaml_node *node = section->first; node; node = node->next) {
        labels[study->workload_count] = node->key;
        WM_TRY(take_workload(reader, node, &study->workloads[study->workload_count++]));
    }
    study->names.workloads = labels;
    study->names.workload_count = study->workload_count;
    return WM_OK;
}

uint32_t wm_study_workload_of(const struct wm_study *study, const char *label)
{
    uint32_t workload = 0;
    while (workload < study->workload_count && strcmp(study->workloads[workload].label, label) != 0)
        workload++;
    return workload;
}

// ---- Metrics ------------------------------------------------------------------------------------

static enum wm_status take_metric(struct wm_study_reader *reader, const struct wm_yaml_node *node,
                                  struct wm_study_metric *metric)
{
    static const char *const keys[] = {"value", "by", "title", "unit", NULL};
    struct wm_study *study = reader->study;
    const struct wm_yaml_node *value = node;
    *metric = (struct wm_study_metric){.name = node->key, .title = "", .unit = ""};
    if (!wm_expression_is_name(node->key)) {
        wm_fail(reader->error, WM_INVALID, "\"%s\" is no name of a metric", node->key);
        wm_error_hint(reader->error, "letters, digits and \"_\", and no word of the claims'");
        return wm_yaml_point_key(&study->tree, node, reader->error);
    }
    if (node->kind == WM_YAML_MAPPING) {
        WM_TRY(wm_study_keys(reader, node, keys));
        WM_TRY(wm_study_text(reader, node, "title", false, &metric->title));
        WM_TRY(wm_study_text(reader, node, "unit", false, &metric->unit));
        const struct wm_yaml_node *file = wm_yaml_find(node, "by");
        const char *name;
        WM_TRY(wm_study_text(reader, node, "value", file == NULL, &metric->text));
        if (file != NULL) {
            WM_TRY(wm_study_text(reader, node, "by", true, &name));
            if (metric->text[0] == '\0')
                return wm_study_read_numbers(reader, file, metric);
            wm_fail(reader->error, WM_INVALID, "metric %s has a value already", node->key);
            return wm_yaml_point_key(&study->tree, file, reader->error);
        }
        value = wm_yaml_find(node, "value");
    } else if (node->kind == WM_YAML_SEQUENCE) {
        wm_fail(reader->error, WM_INVALID, "metric %s takes an expression, not a list", node->key);
        return wm_yaml_point_node(&study->tree, node, reader->error);
    }
    metric->text = value->value;
    size_t offset = 0;
    if (wm_metric_parse(metric->text, &study->names, &study->arena, &metric->expression, &offset,
                        reader->error) != WM_OK)
        return wm_yaml_point_within(&study->tree, value, offset, reader->error);
    return wm_study_check_counters(study, metric->expression, value, reader->error);
}

enum wm_status wm_study_read_metrics(struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section)
{
    struct wm_study *study = reader->study;
    WM_TRY(wm_study_group(reader, section, "metrics"));
    if (section->count > WM_STUDY_MOST_METRICS) {
        wm_fail(reader->error, WM_LIMIT, "more than %d metrics", (int)WM_STUDY_MOST_METRICS);
        return wm_yaml_point_key(&study->tree, section, reader->error);
    }
    const char **names = WM_ARENA_ARRAY(&study->arena, const char *, section->count);
    study->metrics = WM_ARENA_ARRAY(&study->arena, struct wm_study_metric, section->count);
    if (!names || !study->metrics)
        return wm_study_no_memory(reader);
    study->names.metrics = names;
    for (const struct wm_yaml_node *node = section->first; node; node = node->next) {
        WM_TRY(take_metric(reader, node, &study->metrics[study->metric_count]));
        names[study->metric_count++] = node->key;
        study->names.metric_count = study->metric_count; // the next ones may use it
    }
    return WM_OK;
}

// ---- Claims -------------------------------------------------------------------------------------

static enum wm_status take_claim(const struct wm_study_reader *reader,
                                 const struct wm_yaml_node *node, struct wm_study_claim *claim)
{
    static const char *const keys[] = {"place", "text", "claim", "paper", NULL};
    struct wm_study *study = reader->study;
    claim->id = node->key;
    WM_TRY(wm_study_keys(reader, node, keys));
    WM_TRY(wm_study_text(reader, node, "place", false, &claim->place));
    WM_TRY(wm_study_text(reader, node, "text", true, &claim->text));
    WM_TRY(wm_study_text(reader, node, "claim", true, &claim->statement));
    WM_TRY(wm_study_text(reader, node, "paper", false, &claim->paper));
    size_t offset = 0;
    if (wm_claim_parse(claim->statement, &study->names, &study->arena, &claim->expression, &offset,
                       reader->error) == WM_OK)
        return WM_OK;
    return wm_yaml_point_within(&study->tree, wm_yaml_find(node, "claim"), offset, reader->error);
}

enum wm_status wm_study_read_claims(struct wm_study_reader *reader,
                                    const struct wm_yaml_node *section)
{
    struct wm_study *study = reader->study;
    if (!section)
        return WM_OK;
    WM_TRY(wm_study_group(reader, section, "claims"));
    study->claims = WM_ARENA_ARRAY(&study->arena, struct wm_study_claim, section->count);
    if (!study->claims)
        return wm_study_no_memory(reader);
    for (const struct wm_yaml_node *node = section->first; node; node = node->next)
        WM_TRY(take_claim(reader, node, &study->claims[study->claim_count++]));
    return WM_OK;
}

// ---- The file -----------------------------------------------------------------------------------

static enum wm_status read_order(const struct wm_study_reader *reader,
                                 const struct wm_yaml_node *root)
{
    const char *order;
    WM_TRY(wm_study_text(reader, root, "order", false, &order));
    reader->study->any_order = strcmp(order, "any") == 0;
    if (order[0] == 0 || reader->study->any_order || strcmp(order, "machine") == 0)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "order is \"%s\"", order);
    wm_error_hint(reader->error, "\"machine\", in the order of its warps, or \"any\", the fastest");
    return wm_yaml_point_node(&reader->study->tree, wm_yaml_find(root, "order"), reader->error);
}

static enum wm_status read_engine(const struct wm_study_reader *reader,
                                  const struct wm_yaml_node *root)
{
    const char *engine;
    WM_TRY(wm_study_text(reader, root, "engine", false, &engine));
    reader->study->clock = strcmp(engine, "clock") == 0;
    if (engine[0] == 0 || reader->study->clock || strcmp(engine, "walk") == 0)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "engine is \"%s\"", engine);
    wm_error_hint(reader->error, "\"walk\", or \"clock\", in time");
    return wm_yaml_point_node(&reader->study->tree, wm_yaml_find(root, "engine"), reader->error);
}

static enum wm_status read_points(const struct wm_study_reader *reader,
                                  const struct wm_yaml_node *root)
{
    const char *points;
    WM_TRY(wm_study_text(reader, root, "points", false, &points));
    reader->study->used_points = strcmp(points, "used") == 0;
    if (points[0] == 0 || reader->study->used_points || strcmp(points, "all") == 0)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "points is \"%s\"", points);
    wm_error_hint(reader->error, "\"all\", or \"used\", those that figures and claims are made of");
    return wm_yaml_point_node(&reader->study->tree, wm_yaml_find(root, "points"), reader->error);
}

// A key that is "true", as that option of a command, or "false".
static enum wm_status read_flag(const struct wm_study_reader *reader,
                                const struct wm_yaml_node *root, const char *key,
                                const char *option, bool *flag)
{
    const char *value;
    WM_TRY(wm_study_text(reader, root, key, false, &value));
    *flag = strcmp(value, "true") == 0;
    if (value[0] == 0 || *flag || strcmp(value, "false") == 0)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID, "%s is \"%s\"", key, value);
    wm_error_hint(reader->error, "\"true\", as %s, or \"false\"", option);
    return wm_yaml_point_node(&reader->study->tree, wm_yaml_find(root, key), reader->error);
}

// Programs whose threads run on CPU cores run anew for each point, in their own order.
static enum wm_status read_host_threads(const struct wm_study_reader *reader,
                                        const struct wm_yaml_node *root)
{
    struct wm_study *study = reader->study;
    WM_TRY(read_flag(reader, root, "host_threads", "run --host-threads", &study->host_threads));
    if (!study->host_threads || !study->any_order)
        return WM_OK;
    wm_fail(reader->error, WM_UNSUPPORTED, "host_threads goes with no order: any");
    wm_error_hint(reader->error, "leave the order out: nothing is recorded");
    return wm_yaml_point_node(&study->tree, wm_yaml_find(root, "order"), reader->error);
}

static enum wm_status read_head(const struct wm_study_reader *reader)
{
    static const char *const keys[] = {
        "study",    "title",        "paper",   "order",   "engine",    "explain",
        "profiled", "host_threads", "points",  "plugins", "workloads", "machines",
        "choices",  "metrics",      "figures", "claims",  NULL};
    struct wm_study *study = reader->study;
    const struct wm_yaml_node *root = study->tree.root;
    WM_TRY(wm_study_keys(reader, root, keys));
    WM_TRY(wm_study_text(reader, root, "study", true, &study->name));
    WM_TRY(wm_study_text(reader, root, "title", false, &study->title));
    WM_TRY(wm_study_text(reader, root, "paper", false, &study->paper));
    WM_TRY(read_order(reader, root));
    WM_TRY(read_engine(reader, root));
    WM_TRY(read_points(reader, root));
    WM_TRY(read_flag(reader, root, "explain", "replay --explain", &study->explain));
    WM_TRY(read_flag(reader, root, "profiled", "replay --profiled", &study->profiled));
    WM_TRY(read_host_threads(reader, root));
    for (const char *at = study->name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-_", *at)) {
            wm_fail(reader->error, WM_INVALID, "\"%s\" is no name of a study", study->name);
            wm_error_hint(reader->error, "letters, digits, \"-\" and \"_\"; the title is for more");
            return wm_yaml_point_node(&study->tree, wm_yaml_find(root, "study"), reader->error);
        }
    for (size_t i = 0; i < 3; i++) {
        static const char *const required[] = {"workloads", "machines", "metrics"};
        if (wm_yaml_find(root, required[i]))
            continue;
        wm_fail(reader->error, WM_INVALID, "the study has no %s", required[i]);
        wm_error_hint(reader->error, "add a section \"%s:\"", required[i]);
        return wm_yaml_point_key(&study->tree, root, reader->error);
    }
    return WM_OK;
}

static enum wm_status read_tree(struct wm_study *study, struct wm_error *error)
{
    static const struct wm_yaml_form form = {"a study file", "study", NULL};
    study->tree.form = &form;
    WM_TRY(wm_yaml_read(&study->tree, &study->arena, error));
    const struct wm_yaml_node *root = study->tree.root;
    if (root && root->kind == WM_YAML_MAPPING)
        return WM_OK;
    wm_fail(error, WM_INVALID, root ? "a study file holds keys" : "the file holds no keys");
    wm_error_hint(error, root ? "begin with \"study: NAME\""
                              : "\"warpmem study --help\" names an example to start from");
    return root ? wm_yaml_point_node(&study->tree, root, error)
                : wm_yaml_point(&study->tree, 1, 1, error);
}

static enum wm_status read_sections(struct wm_study *study, const char *workload_folder,
                                    const struct wm_study_texts *plugins, bool with_sources,
                                    struct wm_error *error)
{
    struct wm_study_reader reader = {study, error};
    WM_TRY(read_tree(study, error));
    const struct wm_yaml_node *root = study->tree.root;
    WM_TRY(read_head(&reader));
    if (with_sources)
        WM_TRY(wm_study_read_plugins(&reader, wm_yaml_find(root, "plugins"), plugins));
    WM_TRY(read_workloads(&reader, wm_yaml_find(root, "workloads")));
    WM_TRY(wm_study_read_machines(&reader, wm_yaml_find(root, "machines")));
    WM_TRY(wm_study_read_choices(&reader, wm_yaml_find(root, "choices")));
    WM_TRY(wm_study_read_metrics(&reader, wm_yaml_find(root, "metrics")));
    WM_TRY(wm_study_read_figures(&reader, wm_yaml_find(root, "figures")));
    WM_TRY(wm_study_read_claims(&reader, wm_yaml_find(root, "claims")));
    for (uint32_t i = 0; with_sources && i < study->workload_count; i++)
        WM_TRY(wm_workload_source_find(study, &study->workloads[i], workload_folder, error));
    return WM_OK;
}

static enum wm_status begin(struct wm_study *study, const char *text, size_t length,
                            const char *path)
{
    memset(study, 0, sizeof *study);
    wm_arena_init(&study->arena);
    const char *slash = strrchr(path, '/');
    study->tree.file = wm_arena_copy_text(&study->arena, path, strlen(path));
    study->tree.text = wm_arena_copy_text(&study->arena, text, length);
    study->tree.length = length;
    study->folder = slash == path ? "/"
                    : slash       ? wm_arena_copy_text(&study->arena, path, (size_t)(slash - path))
                                  : ".";
    wm_study_hash(text, length, study->hash);
    return study->tree.file && study->tree.text && study->folder ? WM_OK : WM_NO_MEMORY;
}

enum wm_status wm_study_read_text(struct wm_study *study, const char *text, size_t length,
                                  const char *path, struct wm_error *error)
{
    struct wm_error unread;
    error = error ? error : &unread;
    wm_error_clear(error);
    if (begin(study, text, length, path) != WM_OK)
        return wm_fail_no_memory(error, "the study");
    return read_sections(study, NULL, NULL, false, error);
}

enum wm_status wm_study_read(struct wm_study *study, const char *path, const char *workload_folder,
                             const struct wm_study_texts *plugins, struct wm_error *error)
{
    static const struct wm_study_texts none;
    struct wm_error unread;
    struct wm_text text;
    error = error ? error : &unread;
    wm_error_clear(error);
    memset(study, 0, sizeof *study);
    wm_arena_init(&study->arena);
    wm_text_init(&text);
    enum wm_status status = wm_study_file_text(path, LARGEST_FILE_BYTES, &text, error);
    if (status == WM_OK && begin(study, text.data ? text.data : "", text.length, path) != WM_OK)
        status = wm_fail_no_memory(error, "the study");
    if (status == WM_OK)
        status = read_sections(study, workload_folder, plugins ? plugins : &none, true, error);
    wm_text_release(&text);
    return status;
}

void wm_study_release(struct wm_study *study)
{
    wm_plugins_release(&study->loaded);
    wm_arena_release(&study->arena);
}
