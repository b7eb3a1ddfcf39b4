#include "base/containers/array.h"
#include "base/names/demangle.h"
#include "engine/check/check.h"
#include "engine/clock/clock.h"
#include "engine/session/host_device_races.h"
#include "engine/session/session_state.h"
#include "engine/session/written_lines.h"

static const char *copy_text(struct wm_results *results, const char *text)
{
    return text == NULL ? NULL : wm_arena_copy_text(&results->arena, text, strlen(text));
}

// `values` are all components' counters, flat, in the session's order.
static struct wm_component_result *copy_components(struct wm_results *results,
                                                   const struct wm_session *session,
                                                   const uint64_t *values)
{
    struct wm_component_result *list =
        WM_ARENA_ARRAY(&results->arena, struct wm_component_result, session->component_count);
    uint64_t *copy = WM_ARENA_ARRAY(&results->arena, uint64_t, session->value_count);
    if (list == NULL || copy == NULL)
        return NULL;
    memcpy(copy, values, session->value_count * sizeof *copy);
    for (uint32_t i = 0; i < session->component_count; i++) {
        const struct wm_component_counters *component = &session->components[i];
        memcpy(list[i].path, component->path, sizeof list[i].path);
        list[i].set = component->set;
        list[i].values = copy;
        copy += component->set->count;
    }
    return list;
}

// What all copies have at `pc`; NULL when out of memory.
static struct wm_instruction_misses *copy_explained(struct wm_results *results,
                                                    const struct wm_kernel_record *record,
                                                    uint32_t pc)
{
    struct wm_instruction_misses *copy =
        WM_ARENA_NEW(&results->arena, struct wm_instruction_misses);
    size_t each = record->instruction_count + UINT64_C(1);
    for (uint32_t i = 0; copy != NULL && i < record->explained_copies; i++)
        wm_instruction_misses_add(copy, &record->explained[i * each + pc]);
    return copy;
}

static const struct wm_source_location *copy_places(struct wm_results *results,
                                                    const struct wm_instruction_record *from)
{
    struct wm_source_location *places = NULL;
    if (from->inlined_count != 0)
        places = WM_ARENA_ARRAY(&results->arena, struct wm_source_location, from->inlined_count);
    for (uint32_t i = 0; places != NULL && i < from->inlined_count; i++)
        places[i] = (struct wm_source_location){copy_text(results, from->inlined[i].file),
                                                from->inlined[i].line};
    return places;
}

static void copy_instruction(struct wm_results *results, const struct wm_kernel_record *record,
                             uint32_t pc, struct wm_instruction_result *to)
{
    const struct wm_instruction_record *from = &record->details[pc];
    to->pc = pc;
    to->ptx_line = from->ptx_line;
    to->text = copy_text(results, from->text);
    to->source_file = copy_text(results, from->source_file);
    to->source_line = from->source_line;
    to->inlined = copy_places(results, from);
    to->inlined_count = to->inlined != NULL ? from->inlined_count : 0;
    to->kind = from->kind;
    to->space = from->space;
    // A generic access may have gone to several: those beyond the SM come first.
    if (from->generic && record->spaces[pc] != 0)
        to->space = (enum wm_address_space)__builtin_ctz(record->spaces[pc]);
    to->counters = record->counters_by_pc[pc];
    if (record->explained != NULL)
        to->explained = copy_explained(results, record, pc);
    if (record->loads != NULL && record->loads[pc].loads != 0) {
        struct wm_load_counters *copy = WM_ARENA_NEW(&results->arena, struct wm_load_counters);
        if (copy != NULL)
            *copy = record->loads[pc];
        to->timed = copy;
    }
    if (to->timed != NULL && record->servers != NULL) {
        struct wm_load_servers *copy = WM_ARENA_NEW(&results->arena, struct wm_load_servers);
        if (copy != NULL)
            *copy = record->servers[pc];
        to->served = copy;
    }
}

static bool is_whole(const struct wm_kernel_record *record, uint32_t pc,
                     const struct wm_instruction_result *copy)
{
    return copy->text != NULL && copy->inlined_count == record->details[pc].inlined_count &&
           (record->explained == NULL || copy->explained != NULL) &&
           (record->loads == NULL || record->loads[pc].loads == 0 || copy->timed != NULL) &&
           (copy->timed == NULL || record->servers == NULL || copy->served != NULL);
}

// The whole kernel, for annotations.
static bool copy_listing(struct wm_results *results, const struct wm_kernel_record *record,
                         struct wm_kernel_result *kernel)
{
    if (record->explained == NULL)
        return true;
    kernel->listing =
        WM_ARENA_ARRAY(&results->arena, struct wm_listing_line, record->instruction_count);
    if (kernel->listing == NULL)
        return false;
    for (uint32_t pc = 0; pc < record->instruction_count; pc++) {
        const struct wm_instruction_record *from = &record->details[pc];
        if (from->text == NULL)
            continue;
        struct wm_listing_line *line = &kernel->listing[kernel->listing_count++];
        *line = (struct wm_listing_line){.pc = pc,
                                         .ptx_line = from->ptx_line,
                                         .text = copy_text(results, from->text),
                                         .source_file = copy_text(results, from->source_file),
                                         .source_line = from->source_line};
        if (line->text == NULL)
            return false;
    }
    return true;
}

static bool copy_instructions(struct wm_results *results, const struct wm_kernel_record *record,
                              struct wm_kernel_result *kernel)
{
    uint32_t count = 0;
    for (uint32_t pc = 0; pc < record->instruction_count; pc++)
        count += record->details[pc].is_memory;
    kernel->instructions = WM_ARENA_ARRAY(&results->arena, struct wm_instruction_result, count);
    if (kernel->instructions == NULL)
        return false;
    for (uint32_t pc = 0; pc < record->instruction_count; pc++)
        if (record->details[pc].is_memory) {
            struct wm_instruction_result *to = &kernel->instructions[kernel->instruction_count++];
            copy_instruction(results, record, pc, to);
            if (!is_whole(record, pc, to))
                return false;
        }
    return true;
}

static const char *signature_of(struct wm_results *results, const char *name)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_demangle(name, &text);
    const char *copy = text.failed || text.data == NULL ? NULL : copy_text(results, text.data);
    wm_text_release(&text);
    return copy;
}

static bool copy_kernel(struct wm_results *results, const struct wm_session *session,
                        const struct wm_kernel_record *record, struct wm_kernel_result *kernel)
{
    kernel->on_cores = record->gpu == WM_ON_CORES;
    kernel->gpu = kernel->on_cores ? 0 : record->gpu;
    kernel->name = copy_text(results, record->name);
    kernel->signature = signature_of(results, record->name);
    kernel->module = copy_text(results, record->module);
    kernel->launches = record->launches;
    memcpy(kernel->grid, record->grid, sizeof kernel->grid);
    memcpy(kernel->block, record->block, sizeof kernel->block);
    kernel->dynamic_shared_bytes = record->dynamic_shared_bytes;
    kernel->static_shared_bytes = record->static_shared_bytes;
    kernel->clocks = !record->reads_clock          ? WM_CLOCKS_NONE
                     : record->clocks_count_cycles ? WM_CLOCKS_CYCLES
                                                   : WM_CLOCKS_INSTRUCTIONS;
    kernel->registers_per_thread = record->registers_per_thread;
    kernel->blocks_per_sm = record->occupancy.blocks;
    kernel->occupancy_limiter = record->occupancy.limiter; // a literal
    kernel->shared_bytes = record->occupancy.shared_bytes;
    kernel->l1_bytes = record->l1_bytes;
    kernel->warp_instructions = record->warp_instructions;
    kernel->thread_instructions = record->thread_instructions;
    kernel->cycles = record->cycles;
    kernel->fetches = record->fetches;
    if (record->latency != NULL) {
        struct wm_load_latency *copy = WM_ARENA_NEW(&results->arena, struct wm_load_latency);
        if (copy == NULL)
            return false;
        *copy = *record->latency;
        kernel->load_latency = copy;
    }
    if (record->fetches_explained != NULL) {
        kernel->fetches_explained = copy_explained(results, record, record->instruction_count);
        if (kernel->fetches_explained == NULL)
            return false;
    }
    kernel->components = copy_components(results, session, record->component_values);
    kernel->component_count = session->component_count;
    return kernel->name != NULL && kernel->signature != NULL && kernel->module != NULL &&
           kernel->components != NULL && copy_instructions(results, record, kernel) &&
           copy_listing(results, record, kernel);
}

static bool copy_kernels(struct wm_results *results, const struct wm_session *session)
{
    results->kernels =
        WM_ARENA_ARRAY(&results->arena, struct wm_kernel_result, session->kernel_count);
    if (results->kernels == NULL)
        return false;
    results->kernel_count = session->kernel_count;
    bool good = true;
    struct wm_kernel_result *kernel = results->kernels;
    for (uint32_t i = 0; i < session->record_count && good; i++)
        if (!session->records[i]->not_counted)
            good = copy_kernel(results, session, session->records[i], kernel++);
    return good;
}

bool wm_results_name_kernels(struct wm_results *results)
{
    uint32_t count = results->kernel_count;
    const char **signatures = WM_ARENA_ARRAY(&results->arena, const char *, count);
    struct wm_kernel_name *names = WM_ARENA_ARRAY(&results->arena, struct wm_kernel_name, count);
    if (signatures == NULL || names == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        signatures[i] = results->kernels[i].signature;
    bool good = wm_kernel_names_find(signatures, count, &results->arena, names);
    for (uint32_t i = 0; i < count && good; i++)
        results->kernels[i].shown = names[i];
    for (uint32_t i = 0; results->gpus > 1 && i < count && good; i++)
        good = wm_kernel_name_on_gpu(&results->kernels[i].shown, results->kernels[i].gpu,
                                     &results->arena);
    return good;
}

// The kernels of launches that were not counted, to be named where nothing was counted.
static bool copy_left_out(struct wm_results *results, const struct wm_session *session)
{
    uint32_t most = session->record_count - session->kernel_count;
    const char **signatures = WM_ARENA_ARRAY(&results->arena, const char *, most);
    struct wm_kernel_name *names = WM_ARENA_ARRAY(&results->arena, struct wm_kernel_name, most);
    if (signatures == NULL || names == NULL)
        return false;
    for (uint32_t i = 0; i < session->record_count; i++)
        if (session->records[i]->not_counted) {
            const char *name = signature_of(results, session->records[i]->name);
            if (name == NULL)
                return false;
            signatures[results->left_out_count++] = name;
        }
    results->left_out = names;
    return wm_kernel_names_find(signatures, results->left_out_count, &results->arena, names);
}

static bool copy_run(struct wm_results *results, const struct wm_session *session)
{
    uint64_t *values = WM_ARENA_ARRAY(&results->arena, uint64_t, session->value_count);
    if (values == NULL)
        return false;
    wm_session_counted_values(session, values);
    results->components = copy_components(results, session, values);
    results->component_count = session->component_count;
    results->host_to_device_bytes = session->host_to_device_bytes;
    results->device_to_host_bytes = session->device_to_host_bytes;
    results->device_to_device_bytes = session->device_to_device_bytes;
    return results->components != NULL;
}

static bool copy_head(struct wm_results *results, const struct wm_session *session,
                      const char *const *command)
{
    struct wm_text yaml;
    wm_text_init(&yaml);
    wm_machine_print(&session->machine, &yaml);
    results->machine_name = copy_text(results, session->machine.name);
    results->machine_title = copy_text(results, session->machine.device.title);
    results->machine_yaml =
        yaml.failed ? NULL : copy_text(results, yaml.data != NULL ? yaml.data : "");
    wm_text_release(&yaml);
    struct wm_instruction_counter_set *counted =
        WM_ARENA_ARRAY(&results->arena, struct wm_instruction_counter_set, 2);
    if (counted == NULL)
        return false;
    wm_instruction_counter_set_make(&session->machine.memory, &counted[0]);
    wm_instruction_miss_set_make(&session->machine.memory, &counted[1]);
    results->counted = &counted[0];
    results->missed = &counted[1];
    results->line_bytes = session->front_end.sm_line_bytes;
    results->gpus = wm_session_gpus(session);
    results->explained = session->options.explain;
    results->profiled = session->options.profiled;
    results->ranges = session->ranges;
    results->launches_not_counted = session->launches_not_counted;
    results->serial_streams =
        session->several_streams && session->sides == NULL && !session->options.serial_streams;
    if (session->options.filter != NULL &&
        (results->filter = copy_text(results, session->options.filter->text)) == NULL)
        return false;
    results->engine = session->clock != NULL ? "clock" : session->memory != NULL ? "walk" : "none";
    results->clock_hz = session->machine.device.clock_hz;
    if (session->clock != NULL)
        results->rates = wm_clock_rates(session->clock);
    if (command != NULL) {
        size_t count = 0;
        while (command[count] != NULL)
            count++;
        const char **copy = WM_ARENA_ARRAY(&results->arena, const char *, count + 1);
        for (size_t i = 0; i < count && copy != NULL; i++)
            if ((copy[i] = copy_text(results, command[i])) == NULL)
                return false;
        if ((results->command = copy) == NULL)
            return false;
    }
    return results->machine_name != NULL && results->machine_title != NULL &&
           results->machine_yaml != NULL;
}

static bool is_met(const struct wm_kernel_record *record, const struct wm_bypass_selector *selector)
{
    for (uint32_t pc = 0; pc < record->instruction_count; pc++)
        if (record->counters_by_pc[pc].executions != 0 &&
            wm_bypass_means_place(selector, pc, record->details[pc].ptx_line,
                                  record->details[pc].source_line))
            return true;
    return false;
}

// By selector of the list.
static void find_met(const struct wm_session *session, const char *list, bool *met)
{
    for (uint32_t i = 0; i < session->record_count; i++) {
        const struct wm_kernel_record *record = session->records[i];
        struct wm_bypass_reader reader;
        struct wm_bypass_selector selector;
        wm_bypass_reader_init(&reader, list, record->name, record->ptx_hash);
        while (wm_bypass_reader_next(&reader, &selector))
            met[reader.number] = met[reader.number] || is_met(record, &selector);
    }
}

static bool copy_unmet(struct wm_results *results, const struct wm_session *session)
{
    struct wm_bypass_selector selector;
    const char *list = session->memory != NULL ? session->machine.bypass_list : "";
    uint32_t most = 0, number = 0;
    for (const char *rest = list; (rest = wm_bypass_list_next(rest, &selector)) != NULL;)
        most++;
    const char **unmet = WM_ARENA_ARRAY(&results->arena, const char *, most + 1);
    bool *met = WM_ARENA_ARRAY(&results->arena, bool, most + 1);
    if (unmet == NULL || met == NULL)
        return false;
    find_met(session, list, met);
    for (const char *rest = list; (rest = wm_bypass_list_next(rest, &selector)) != NULL;) {
        if (met[number++] || selector.place == WM_BYPASS_HASH)
            continue;
        char *text = wm_arena_copy_text(&results->arena, selector.text, selector.length);
        if (text == NULL)
            return false;
        unmet[results->unmet_bypass_count++] = text;
    }
    results->unmet_bypasses = unmet;
    return true;
}

enum wm_status wm_session_results(struct wm_session *session, const char *const *command,
                                  struct wm_results **out, struct wm_error *error)
{
    *out = NULL;
    if (session->memory != NULL && wm_memory_explain_failed(session->memory))
        return wm_fail_no_memory(error, "explaining the misses of so many lines");
    if (!wm_session_finish_written_lines(session))
        return wm_fail_no_memory(error, "the lines that several write");
    if (session->memory != NULL && wm_memory_opt_failed(session->memory))
        return wm_fail_no_memory(error, "the lines of a cache under opt");
    struct wm_results *results;
    WM_TRY(WM_ARRAY_NEW(results, 1, error, "results"));
    wm_arena_init(&results->arena);
    if (!copy_head(results, session, command) || !copy_kernels(results, session) ||
        !wm_results_name_kernels(results) || !copy_left_out(results, session) ||
        !copy_run(results, session) || !copy_unmet(results, session) ||
        !wm_session_copy_written_lines(session, results) ||
        !wm_launch_results_copy(session, results) || !wm_block_maps_copy(session, results) ||
        (session->races != NULL && !wm_host_device_races_copy(session->races, results))) {
        wm_results_free(results);
        return wm_fail_no_memory(error, "the results");
    }
    if (session->clock != NULL && session->options.filter == NULL && !session->options.profiled)
        results->elapsed_cycles = wm_session_totals(session, 0).cycles;
    enum wm_status status = wm_session_energy(session, results, error);
    if (status == WM_OK && session->clock != NULL)
        status = wm_clock_copy_timeline(session->clock, &results->arena, &results->timeline, error);
    if (status != WM_OK) {
        wm_results_free(results);
        return status;
    }
    if (session->options.checker != NULL) {
        results->checks = wm_checker_checks(session->options.checker);
        results->findings = wm_checker_findings(session->options.checker, &results->finding_count);
    }
    *out = results;
    return WM_OK;
}

void wm_results_free(struct wm_results *results)
{
    if (results == NULL)
        return;
    wm_arena_release(&results->arena);
    free(results);
}
