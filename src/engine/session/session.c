#include "base/containers/array.h"
#include "engine/access/access_pattern.h"
#include "engine/access/unified_array.h"
#include "engine/session/session_state.h"

#include "base/host/large_pages.h"
#include "base/names/demangle.h"
#include "engine/check/check.h"
#include "engine/clock/clock.h"
#include "engine/record/recorder.h"
#include "engine/session/host_device_races.h"
#include "engine/session/live_work.h"
#include "engine/session/written_lines.h"
#include "engine/walk/walk_team.h"

#include <assert.h>
#include <inttypes.h>

// Dimensions that no CUDA device exceeds, whatever else it allows (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability").
static const uint32_t most_blocks[3] = {INT32_MAX, 65535, 65535};
static const uint32_t most_threads[3] = {1024, 1024, 64};
static const char axis_names[3] = {'x', 'y', 'z'};

static bool allocate_sms(struct wm_session *session)
{
    session->sms = WM_ARENA_ARRAY(&session->arena, struct wm_session_sm, wm_session_units(session));
    return session->sms != NULL &&
           wm_residency_init(session, &session->machine.sm, &session->arena, &session->residency);
}

// The SMs' own counters, then what the memory system declares.
static bool list_components(struct wm_session *session)
{
    size_t memory_count = 0;
    const struct wm_component_counters *memory_components =
        session->memory != NULL ? wm_memory_components(session->memory, &memory_count) : NULL;
    uint32_t sms = wm_session_units(session);
    uint32_t gpu_sms = sms - session->cores.count;
    uint32_t shared_count = session->options.explain ? gpu_sms : 0;
    bool estimates = session->machine.sm.machine_code == WM_MACHINE_CODE_ESTIMATED;
    uint32_t code_count = estimates ? gpu_sms : 0;
    session->component_count = sms + (uint32_t)memory_count + shared_count + code_count;
    if (session->clock != NULL)
        session->component_count += (uint32_t)wm_clock_component_count(session->clock);
    session->components =
        WM_ARENA_ARRAY(&session->arena, struct wm_component_counters, session->component_count);
    if (session->components == NULL)
        return false;
    for (uint32_t i = 0; i < sms; i++) {
        struct wm_component_counters *component = &session->components[i];
        bool core = i >= gpu_sms;
        wm_memory_graph_path(&session->graph, core ? session->graph.cores : session->graph.units,
                             core ? i - gpu_sms : i, NULL, component->path, sizeof component->path);
        component->set = &wm_sm_counter_set;
        component->values = (const uint64_t *)&session->sms[i].counters;
    }
    for (size_t i = 0; i < memory_count; i++)
        session->components[sms + i] = memory_components[i];
    for (uint32_t i = 0; i < shared_count; i++) {
        struct wm_component_counters *component = &session->components[sms + memory_count + i];
        wm_memory_graph_path(&session->graph, session->graph.units, i, "shared", component->path,
                             sizeof component->path);
        component->set = &wm_shared_counter_set;
        component->values = (const uint64_t *)&session->sms[i].shared;
    }
    for (uint32_t i = 0; i < code_count; i++) {
        struct wm_component_counters *component =
            &session->components[sms + memory_count + shared_count + i];
        wm_memory_graph_path(&session->graph, session->graph.units, i, "machine_code",
                             component->path, sizeof component->path);
        component->set = &wm_machine_code_counter_set;
        component->values = (const uint64_t *)&session->sms[i].machine_code;
    }
    session->component_count = sms + (uint32_t)memory_count + shared_count + code_count;
    if (session->clock != NULL)
        session->component_count += (uint32_t)wm_clock_list_components(
            session->clock, session->components + session->component_count);
    for (uint32_t i = 0; i < session->component_count; i++)
        session->value_count += session->components[i].set->count;
    session->values_at_begin = WM_ARENA_ARRAY(&session->arena, uint64_t, session->value_count);
    session->values_not_counted = WM_ARENA_ARRAY(&session->arena, uint64_t, session->value_count);
    return session->values_at_begin != NULL && session->values_not_counted != NULL &&
           (!session->options.per_launch || wm_launch_results_init(session));
}

// Where the channels count their bytes: read at every launch.
static bool list_dram_bytes(struct wm_session *session)
{
    session->dram_bytes =
        WM_ARENA_ARRAY(&session->arena, const uint64_t *, 2 * session->component_count);
    if (session->dram_bytes == NULL)
        return false;
    for (uint32_t i = 0; i < session->component_count; i++) {
        const struct wm_component_counters *component = &session->components[i];
        if (strcmp(component->set->kind, "dram") != 0)
            continue;
        static const char *const names[] = {"bytes_read", "bytes_written"};
        for (int n = 0; n < 2; n++) {
            size_t index = wm_counter_index(component->set, names[n]);
            assert(index < component->set->count);
            session->dram_bytes[session->dram_byte_count++] = &component->values[index];
        }
    }
    return true;
}

static enum wm_status start_clock(struct wm_session *session, struct wm_error *error)
{
    if (session->options.recorder != NULL) {
        wm_fail(error, WM_UNSUPPORTED, "the clock engine does not record");
        return wm_error_hint(error, "record first, then replay with --engine clock");
    }
    return wm_clock_new(session, &session->clock, error);
}

// A thread that a trace is of runs on each, and needs nothing but the core.
static void describe_cores(struct wm_session *session)
{
    session->cores = session->machine.sm;
    session->cores.count = session->machine.memory.core_count;
    session->cores.warp_width = session->cores.max_warps = session->cores.max_threads = 1;
    session->cores.max_blocks = session->cores.max_threads_per_block = 1;
    session->cores.schedulers = session->cores.active_warps = 1;
    session->cores.unified_bytes = session->cores.shared_bytes = 0;
    session->cores.shared_bytes_per_block = session->cores.shared_reserved_bytes = 0;
}

enum wm_status wm_session_new(const struct wm_machine *machine,
                              struct wm_device_memory *device_memory,
                              const struct wm_session_options *options, struct wm_session **result,
                              struct wm_error *error)
{
    *result = NULL;
    WM_TRY(wm_engine_check(machine, options, error));
    // Islands run in turn touch all of a machine's state, the walk engine little of it at a time.
    if (options->clock)
        wm_prefer_large_pages();
    struct wm_session *session;
    WM_TRY(WM_ARRAY_NEW(session, 1, error, "a launch"));
    wm_arena_init(&session->arena);
    session->machine = *machine;
    session->options = *options;
    session->options.explain = options->explain && options->memory;
    session->device_memory = device_memory;
    session->warp_scheduler = machine->sm.warp_scheduler;
    session->block_dispatch = machine->sm.block_dispatch;
    describe_cores(session);
    wm_memory_graph_make(&session->machine.memory, "gpu0", &session->graph);
    enum wm_status status = WM_OK;
    if (options->memory)
        status = wm_memory_new(&session->machine.memory, "gpu0", &session->memory, error);
    if (status == WM_OK && session->options.explain)
        status =
            (options->clock ? wm_memory_explain_timed : wm_memory_explain)(session->memory, error);
    if (status == WM_OK && options->clock)
        status = start_clock(session, error);
    if (status == WM_OK && !options->clock)
        status = wm_request_queue_init(&session->queue, session, error);
    if (device_memory != NULL && !options->host_in_turns && status == WM_OK &&
        (session->races = wm_host_device_races_new(device_memory)) == NULL)
        status = wm_fail_no_memory(error, "a launch");
    if (status == WM_OK &&
        !(allocate_sms(session) && list_components(session) && list_dram_bytes(session)))
        status = wm_fail_no_memory(error, "a launch");
    if (status != WM_OK) {
        wm_session_free(session);
        return status;
    }
    wm_run_limit_init(&session->limit, options->limit_instructions, options->limit_ns);
    wm_front_end_init(&session->front_end, &session->machine, session->memory);
    session->front_end.footprint = &session->footprint;
    if (session->options.explain && !options->clock &&
        (session->front_end.patterns = wm_access_patterns_new(1)) == NULL) {
        wm_session_free(session);
        return wm_fail_no_memory(error, "a launch");
    }
    status = wm_session_note_written_lines(session, error);
    if (status != WM_OK) {
        wm_session_free(session);
        return status;
    }
    session->counting = wm_session_is_counting(session);
    *result = session;
    return WM_OK;
}

void wm_session_free(struct wm_session *session)
{
    if (session == NULL)
        return;
    wm_concurrent_launches_free(session);
    wm_request_queue_release(&session->queue);
    wm_access_patterns_free(session->front_end.patterns);
    wm_session_release_written_lines(session);
    wm_host_device_races_free(session->races);
    wm_clock_free(session->clock);
    wm_memory_free(session->memory);
    for (uint32_t i = 0; i < session->record_count; i++)
        wm_kernel_record_free(session->records[i]);
    free(session->records);
    wm_launch_results_release(&session->launched_each);
    wm_block_maps_release(&session->block_maps);
    wm_string_map_release(&session->choice.kernels);
    wm_arena_release(&session->arena);
    free(session);
}

enum wm_status wm_session_check_dimensions(const uint32_t grid[3], const uint32_t block[3],
                                           struct wm_error *error)
{
    for (int axis = 0; axis < 3; axis++) {
        if (grid[axis] > most_blocks[axis])
            return wm_fail(error, WM_LIMIT,
                           "a grid of %" PRIu32 " blocks in %c exceeds the %" PRIu32
                           " that CUDA allows",
                           grid[axis], axis_names[axis], most_blocks[axis]);
        if (block[axis] > most_threads[axis])
            return wm_fail(error, WM_LIMIT,
                           "a block of %" PRIu32 " threads in %c exceeds the %" PRIu32
                           " that CUDA allows",
                           block[axis], axis_names[axis], most_threads[axis]);
    }
    return WM_OK;
}

enum wm_status wm_session_check_gpu(const struct wm_machine *machine, uint32_t gpu,
                                    struct wm_error *error)
{
    uint32_t gpus = wm_memory_gpus(&machine->memory);
    if (gpu < gpus || (gpu == WM_ON_CORES && machine->memory.core_count != 0))
        return WM_OK;
    wm_fail(error, WM_LIMIT, "a launch is of GPU %" PRIu32 ", and machine %s has %" PRIu32, gpu,
            machine->name, gpus);
    return wm_error_hint(error, "give --set gpu.count=%" PRIu32, gpu + 1);
}

enum wm_status wm_session_find_occupancy(const struct wm_session *session,
                                         const struct wm_work *work,
                                         struct wm_block_resources *needs,
                                         struct wm_occupancy *occupancy, struct wm_error *error)
{
    needs->threads = work->block[0] * work->block[1] * work->block[2];
    needs->shared_bytes = (uint64_t)work->static_shared_bytes + work->dynamic_shared_bytes;
    needs->registers_per_thread = work->registers_per_thread;
    needs->preferred_carveout = work->preferred_carveout;
    const struct wm_sm_spec *sm = wm_session_sm(session, work->gpu);
    wm_occupancy_limit_registers(sm, needs);
    return wm_occupancy_of(sm, needs, occupancy, error);
}

// "kernel vecadd": without parameters, which would not fit.
void wm_session_begin_progress(const struct wm_work *work, uint64_t blocks,
                               struct wm_progress *progress)
{
    struct wm_text label, signature;
    wm_text_init(&label);
    wm_text_init(&signature);
    wm_demangle(work->kernel, &signature);
    size_t length = 0;
    const char *name = signature.failed ? "" : wm_demangled_name(signature.data, &length);
    wm_text_add(&label, "kernel ");
    wm_text_append(&label, name, length);
    bool failed = label.failed || signature.failed;
    wm_progress_init(progress, failed ? work->kernel : label.data, blocks);
    wm_text_release(&label);
    wm_text_release(&signature);
}

enum wm_status wm_session_drive_launch(struct wm_session *session, struct wm_launch_state *run,
                                       struct wm_kernel_record *record,
                                       struct wm_progress *progress, struct wm_error *error)
{
    if (session->clock == NULL)
        return wm_walk_run_work(session, run, progress, error);
    uint64_t cycles;
    enum wm_status status =
        wm_clock_run_work(session->clock, run, record, progress, &cycles, error);
    record->cycles += cycles;
    session->cycles = wm_clock_cycles(session->clock);
    return status;
}

static enum wm_status run_work(struct wm_session *session, struct wm_launch_state *run,
                               struct wm_kernel_record *record, struct wm_error *error)
{
    if (!session->options.progress)
        return wm_session_drive_launch(session, run, record, NULL, error);
    struct wm_progress progress;
    wm_session_begin_progress(run->work, run->block_count, &progress);
    enum wm_status status = wm_session_drive_launch(session, run, record, &progress, error);
    wm_progress_finish(&progress);
    return status;
}

enum wm_status wm_session_name_kernel(enum wm_status status, const char *kernel,
                                      struct wm_error *error)
{
    if (status != WM_OK && error != NULL && error->place[0] == '\0')
        wm_error_place(error, "kernel %s", kernel);
    return status;
}

static void note_launch(struct wm_kernel_record *record, const struct wm_work *work,
                        const struct wm_block_resources *needs,
                        const struct wm_occupancy *occupancy)
{
    record->launches++;
    memcpy(record->grid, work->grid, sizeof record->grid);
    memcpy(record->block, work->block, sizeof record->block);
    record->dynamic_shared_bytes = work->dynamic_shared_bytes;
    record->static_shared_bytes = work->static_shared_bytes;
    record->registers_per_thread = needs->registers_per_thread;
    record->occupancy = *occupancy;
}

void wm_session_count_into(struct wm_session *session, const struct wm_work *work,
                           struct wm_kernel_record *record, uint64_t first_block)
{
    session->counts_into = record;
    session->front_end.counters_by_pc = record->counters_by_pc;
    session->front_end.spaces = record->spaces;
    session->front_end.listed = record->listed;
    session->front_end.machine_slots = record->machine_slots;
    session->front_end.orders = record->orders;
    session->front_end.explained = record->explained;
    session->front_end.code_address = record->code_address;
    session->front_end.code_places = work->code_places;
    session->front_end.fetches = &record->fetches;
    session->front_end.fetches_explained = record->fetches_explained;
    if (session->front_end.patterns != NULL)
        wm_access_patterns_launch(session->front_end.patterns, first_block);
}

enum wm_status wm_kernel_record_launch(struct wm_session *session, const struct wm_work *work,
                                       const struct wm_block_resources *needs,
                                       const struct wm_occupancy *occupancy, bool first,
                                       struct wm_launch_accounting *launch,
                                       struct wm_kernel_record **result, struct wm_error *error)
{
    session->launched = NULL;
    wm_session_apply_filter(session, work);
    launch->chosen = session->in_chosen;
    session->launch = launch;
    struct wm_kernel_record *record = wm_kernel_record_of(session, work, error);
    if (record == NULL)
        return error != NULL ? error->status : WM_NO_MEMORY;
    uint64_t *l1_bytes = &session->divided[work->gpu].l1_bytes;
    bool on_gpu = work->gpu != WM_ON_CORES;
    if (first && on_gpu)
        WM_TRY(wm_divide_unified_array(&session->machine, occupancy, session->memory, work->gpu,
                                       l1_bytes, error));
    record->l1_bytes = *l1_bytes;
    note_launch(record, work, needs, occupancy);
    wm_session_count_into(session, work, record, session->blocks);
    // What emptying a write-back L1 sends down is an earlier kernel's, and no instruction's here.
    if (session->memory != NULL) {
        wm_memory_explain_grid(session->memory, session->blocks, work->grid);
        if (on_gpu && (first || session->clock == NULL))
            wm_memory_kernel_begin_on(session->memory, work->gpu);
        wm_memory_set_eviction_priorities(session->memory, record->priorities.l1,
                                          record->priorities.l2);
    }
    session->blocks += wm_work_blocks(work);
    session->launches_not_counted += record->not_counted;
    wm_kernel_record_begin(session);
    wm_session_update_counting(session);
    wm_launch_accounting_begin(session, work, record, launch);
    session->several_streams |= session->launches != 0 && work->stream != session->last_stream;
    session->last_stream = work->stream;
    session->launches++;
    session->launched = record;
    *result = record;
    return WM_OK;
}

static enum wm_status begin_launch(struct wm_session *session, const struct wm_work *work,
                                   struct wm_block_resources *needs, struct wm_occupancy *occupancy,
                                   struct wm_kernel_record **record, struct wm_error *error)
{
    *occupancy = (struct wm_occupancy){0};
    WM_TRY(wm_session_check_dimensions(work->grid, work->block, error));
    WM_TRY(wm_session_check_gpu(&session->machine, work->gpu, error));
    WM_TRY(wm_session_find_occupancy(session, work, needs, occupancy, error));
    return wm_kernel_record_launch(session, work, needs, occupancy, true, &session->only_launch,
                                   record, error);
}

enum wm_status wm_session_launch_begin(struct wm_session *session, const struct wm_work *work,
                                       struct wm_occupancy *occupancy,
                                       struct wm_kernel_record **record, struct wm_error *error)
{
    struct wm_block_resources needs;
    enum wm_status status = begin_launch(session, work, &needs, occupancy, record, error);
    if (status != WM_OK)
        wm_session_count_for_no_launch(session);
    return wm_session_name_kernel(status, work->kernel, error);
}

void wm_session_launch_end(struct wm_session *session, struct wm_kernel_record *record)
{
    if (session->memory != NULL) {
        wm_memory_kernel_end(session->memory);
        wm_memory_set_eviction_priorities(session->memory, NULL, NULL);
    }
    wm_kernel_record_end(session, record);
    wm_launch_accounting_end(session, record, &session->only_launch);
    wm_session_count_for_no_launch(session);
}

enum wm_status wm_session_run_work(struct wm_session *session, struct wm_work *work,
                                   struct wm_error *error)
{
    uint64_t first_block = session->blocks;
    struct wm_occupancy occupancy;
    struct wm_kernel_record *record;
    WM_TRY(wm_session_launch_begin(session, work, &occupancy, &record, error));
    if (session->team != NULL)
        wm_walk_team_launch_begin(session->team, work);
    struct wm_launch_state run;
    wm_launch_state_begin(session, &session->residency, work, &occupancy, &run);
    run.first_block = first_block;
    wm_block_maps_begin(session, &run);
    if (session->options.recorder != NULL)
        wm_recorder_launch_begin(session->options.recorder, work, session->machine.sm.count);
    enum wm_status status = run_work(session, &run, record, error);
    if (session->options.recorder != NULL)
        wm_recorder_launch_end(session->options.recorder, status == WM_OK);
    wm_session_launch_end(session, record);
    if (session->team != NULL)
        wm_walk_team_launch_end(session->team);
    return wm_session_name_kernel(status, work->kernel, error);
}

enum wm_status wm_session_launch(struct wm_session *session, const struct wm_launch *launch,
                                 struct wm_finding *finding, struct wm_error *error)
{
    if (finding != NULL)
        memset(finding, 0, sizeof *finding);
    struct wm_checked_launch *checked = NULL;
    if (session->options.checker != NULL) {
        checked = wm_checked_launch_new(session->options.checker);
        if (checked == NULL)
            return wm_fail_no_memory(error, "checking a launch");
    }
    struct wm_launch placed = *launch;
    placed.sm_count = session->machine.sm.count; // %nsmid, and where local memory lies
    placed.local_offset = wm_work_first_local(launch->gpu);
    placed.stray = checked ? wm_checked_launch_stray : NULL;
    placed.stray_context = checked;
    placed.time = session->clock != NULL ? wm_clock_time(session->clock) : NULL;
    struct wm_live_work live;
    enum wm_status status = wm_session_check_dimensions(launch->grid, launch->block, error);
    if (status == WM_OK)
        status = wm_live_work_init(&live, &placed, session->device_memory, error);
    if (status != WM_OK) {
        wm_checked_launch_free(checked);
        return wm_session_name_kernel(status, launch->kernel->name, error);
    }
    struct wm_work *work = wm_checked_launch_begin(checked, &live.work, session->machine.sm.count);
    struct wm_work *observed = work ? wm_host_device_races_begin(session->races, work) : NULL;
    status = observed ? wm_session_run_work(session, observed, error)
                      : wm_fail_no_memory(error, "checking a launch");
    if (observed)
        wm_host_device_races_end(session->races, observed);
    wm_checked_launch_free(checked);
    const struct wm_finding *found = wm_grid_fault(live.grid);
    if (found != NULL && finding != NULL)
        *finding = *found;
    wm_live_work_release(&live);
    return status;
}

// Before the host, or a copy, moves counters.
static void record_event(struct wm_session *session, enum wm_recorded_event_kind kind,
                         uint64_t address, uint64_t from, uint64_t bytes)
{
    wm_concurrent_launches_attribute(session);
    if (session->options.recorder != NULL)
        wm_recorder_event(session->options.recorder, kind, address, from, bytes);
}

void wm_session_host_write(struct wm_session *session, uint64_t address, uint64_t size_bytes)
{
    record_event(session, WM_RECORDED_HOST_WRITE, address, 0, size_bytes);
    if (session->options.checker != NULL)
        wm_checker_written(session->options.checker, address, size_bytes);
    session->host_to_device_bytes += wm_session_is_counting(session) ? size_bytes : 0;
    if (session->memory != NULL)
        wm_memory_host_write(session->memory, address, size_bytes);
}

void wm_session_host_read(struct wm_session *session, uint64_t address, uint64_t size_bytes)
{
    record_event(session, WM_RECORDED_HOST_READ, address, 0, size_bytes);
    session->device_to_host_bytes += wm_session_is_counting(session) ? size_bytes : 0;
    if (session->memory != NULL)
        wm_memory_host_read(session->memory, address, size_bytes);
}

void wm_session_device_copy(struct wm_session *session, uint64_t to, uint64_t from,
                            uint64_t size_bytes)
{
    record_event(session, WM_RECORDED_DEVICE_COPY, to, from, size_bytes);
    if (session->options.checker != NULL)
        wm_checker_copied(session->options.checker, to, from, size_bytes);
    session->device_to_device_bytes += wm_session_is_counting(session) ? size_bytes : 0;
    if (session->memory == NULL)
        return;
    wm_memory_host_read(session->memory, from, size_bytes);
    wm_memory_host_write(session->memory, to, size_bytes);
    wm_memory_peer_copy(session->memory, to, from, size_bytes);
}

void wm_session_device_fill(struct wm_session *session, uint64_t address, uint64_t size_bytes)
{
    record_event(session, WM_RECORDED_DEVICE_FILL, address, 0, size_bytes);
    if (session->options.checker != NULL)
        wm_checker_written(session->options.checker, address, size_bytes);
    if (session->memory != NULL)
        wm_memory_host_write(session->memory, address, size_bytes);
}

void wm_session_finish(struct wm_session *session)
{
    wm_concurrent_launches_attribute(session);
    if (session->memory != NULL)
        wm_memory_write_back_all(session->memory);
}

struct wm_session_totals wm_session_totals(struct wm_session *session, uint32_t gpu)
{
    wm_concurrent_launches_attribute(session);
    if (session->clock != NULL)
        session->cycles = wm_clock_cycles(session->clock);
    struct wm_session_totals totals = {.warp_instructions = session->warp_instructions[gpu],
                                       .cycles = session->cycles};
    uint32_t each = session->dram_byte_count / wm_session_gpus(session); // GPU by GPU
    for (uint32_t i = gpu * each; i < (gpu + 1) * each; i++)
        totals.dram_bytes += *session->dram_bytes[i];
    return totals;
}
