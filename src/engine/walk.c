#include "engine/access_pattern.h"
#include "engine/walk_parts.h"

#include "base/demangle.h"
#include "base/large_pages.h"
#include "engine/check/check.h"
#include "engine/clock.h"
#include "engine/host_meetings.h"
#include "engine/live_work.h"
#include "engine/recorder.h"

#include <assert.h>
#include <inttypes.h>

// Dimensions that no CUDA device exceeds, whatever else it allows (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability").
static const uint32_t most_blocks[3] = {INT32_MAX, 65535, 65535};
static const uint32_t most_threads[3] = {1024, 1024, 64};
static const char axis_names[3] = {'x', 'y', 'z'};

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail(error, WM_NO_MEMORY, "out of memory");
}

static bool allocate_sms(struct wm_walk *walk)
{
    const struct wm_sm_spec *spec = &walk->machine.sm;
    walk->sms = WM_ARENA_ARRAY(&walk->arena, struct wm_walk_sm, spec->count);
    return walk->sms != NULL && wm_walk_seating_init(walk, &walk->arena, &walk->seating);
}

// The SMs' own counters, then what the memory system declares.
static bool list_components(struct wm_walk *walk)
{
    size_t memory_count = 0;
    const struct wm_component_counters *memory_components =
        walk->memory != NULL ? wm_memory_components(walk->memory, &memory_count) : NULL;
    uint32_t sms = walk->machine.sm.count;
    uint32_t shared_count = walk->options.explain ? sms : 0;
    walk->component_count = sms + (uint32_t)memory_count + shared_count;
    if (walk->clock != NULL)
        walk->component_count += (uint32_t)wm_clock_component_count(walk->clock);
    walk->components =
        WM_ARENA_ARRAY(&walk->arena, struct wm_component_counters, walk->component_count);
    if (walk->components == NULL)
        return false;
    for (uint32_t i = 0; i < sms; i++) {
        struct wm_component_counters *component = &walk->components[i];
        snprintf(component->path, sizeof component->path, "gpu0.sm[%" PRIu32 "]", i);
        component->set = &wm_sm_counter_set;
        component->values = (const uint64_t *)&walk->sms[i].counters;
    }
    for (size_t i = 0; i < memory_count; i++)
        walk->components[sms + i] = memory_components[i];
    for (uint32_t i = 0; i < shared_count; i++) {
        struct wm_component_counters *component = &walk->components[sms + memory_count + i];
        snprintf(component->path, sizeof component->path, "gpu0.sm[%" PRIu32 "].shared", i);
        component->set = &wm_shared_counter_set;
        component->values = (const uint64_t *)&walk->sms[i].shared;
    }
    walk->component_count = sms + (uint32_t)memory_count + shared_count;
    if (walk->clock != NULL)
        walk->component_count += (uint32_t)wm_clock_list_components(
            walk->clock, walk->components + walk->component_count);
    for (uint32_t i = 0; i < walk->component_count; i++)
        walk->value_count += walk->components[i].set->count;
    walk->values_at_begin = WM_ARENA_ARRAY(&walk->arena, uint64_t, walk->value_count);
    walk->values_beside = WM_ARENA_ARRAY(&walk->arena, uint64_t, walk->value_count);
    return walk->values_at_begin != NULL && walk->values_beside != NULL &&
           (!walk->options.per_launch || wm_walk_launches_init(walk));
}

// Where the channels count their bytes: asked for at every launch.
static bool list_dram_bytes(struct wm_walk *walk)
{
    walk->dram_bytes = WM_ARENA_ARRAY(&walk->arena, const uint64_t *, 2 * walk->component_count);
    if (walk->dram_bytes == NULL)
        return false;
    for (uint32_t i = 0; i < walk->component_count; i++) {
        const struct wm_component_counters *component = &walk->components[i];
        if (strcmp(component->set->kind, "dram") != 0)
            continue;
        static const char *const names[] = {"bytes_read", "bytes_written"};
        for (int n = 0; n < 2; n++) {
            size_t index = wm_counter_index(component->set, names[n]);
            assert(index < component->set->count);
            walk->dram_bytes[walk->dram_byte_count++] = &component->values[index];
        }
    }
    return true;
}

static enum wm_status start_clock(struct wm_walk *walk, struct wm_error *error)
{
    if (walk->options.recorder != NULL) {
        wm_fail(error, WM_UNSUPPORTED, "the clock engine does not record");
        return wm_error_cure(error, "record first, then replay with --engine clock");
    }
    return wm_clock_new(walk, &walk->clock, error);
}

enum wm_status wm_walk_new(const struct wm_machine *machine, struct wm_device_memory *device_memory,
                           const struct wm_walk_options *options, struct wm_walk **result,
                           struct wm_error *error)
{
    *result = NULL;
    WM_TRY(wm_engine_check(machine, options, error));
    // Islands by turns touch all of a machine's state, a program's walk little of it at a time.
    if (options->clock)
        wm_prefer_large_pages();
    struct wm_walk *walk = calloc(1, sizeof *walk);
    if (walk == NULL)
        return out_of_memory(error);
    wm_arena_init(&walk->arena);
    walk->machine = *machine;
    walk->options = *options;
    walk->options.explain = options->explain && options->memory;
    walk->device_memory = device_memory;
    walk->warp_order = wm_warp_order_find(machine->sm.warp_order);
    walk->block_dispatch = wm_block_dispatch_find(machine->sm.block_dispatch);
    enum wm_status status = WM_OK;
    if (options->memory)
        status = wm_memory_new(&walk->machine.memory, "gpu0", &walk->memory, error);
    if (status == WM_OK && walk->options.explain)
        status =
            (options->clock ? wm_memory_explain_in_time : wm_memory_explain)(walk->memory, error);
    if (status == WM_OK && options->clock)
        status = start_clock(walk, error);
    if (status == WM_OK && !options->clock)
        status = wm_walk_queue_init(&walk->queue, walk, error);
    if (device_memory != NULL && status == WM_OK &&
        (walk->meetings = wm_host_meetings_new(device_memory)) == NULL)
        status = out_of_memory(error);
    if (status == WM_OK && !(allocate_sms(walk) && list_components(walk) && list_dram_bytes(walk)))
        status = out_of_memory(error);
    if (status != WM_OK) {
        wm_walk_free(walk);
        return status;
    }
    wm_run_limit_init(&walk->limit, options->limit_instructions, options->limit_ns);
    wm_walk_tracer_init(&walk->tracer, &walk->machine, walk->memory);
    walk->tracer.footprint = &walk->footprint;
    if (walk->options.explain && !options->clock &&
        (walk->tracer.patterns = wm_access_patterns_new(1)) == NULL) {
        wm_walk_free(walk);
        return out_of_memory(error);
    }
    walk->counting = wm_walk_counts(walk);
    *result = walk;
    return WM_OK;
}

void wm_walk_free(struct wm_walk *walk)
{
    if (walk == NULL)
        return;
    wm_walk_sides_free(walk);
    wm_walk_queue_release(&walk->queue);
    wm_access_patterns_free(walk->tracer.patterns);
    wm_host_meetings_free(walk->meetings);
    wm_clock_free(walk->clock);
    wm_memory_free(walk->memory);
    for (uint32_t i = 0; i < walk->record_count; i++)
        wm_walk_record_free(walk->records[i]);
    free(walk->records);
    wm_walk_launches_release(&walk->launched_each);
    wm_string_map_release(&walk->choice.kernels);
    wm_arena_release(&walk->arena);
    free(walk);
}

enum wm_status wm_walk_check_dimensions(const uint32_t grid[3], const uint32_t block[3],
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

enum wm_status wm_walk_find_occupancy(const struct wm_walk *walk, const struct wm_work *work,
                                      struct wm_block_needs *needs, struct wm_occupancy *occupancy,
                                      struct wm_error *error)
{
    needs->threads = work->block[0] * work->block[1] * work->block[2];
    needs->shared_bytes = (uint64_t)work->static_shared_bytes + work->dynamic_shared_bytes;
    needs->registers_per_thread = work->registers_per_thread;
    needs->preferred_carveout = work->preferred_carveout;
    wm_occupancy_limit_registers(&walk->machine.sm, needs);
    return wm_occupancy_of(&walk->machine.sm, needs, occupancy, error);
}

// "kernel vecadd": without parameters, which would not fit.
void wm_walk_begin_progress(const struct wm_work *work, uint64_t blocks,
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

enum wm_status wm_walk_drive(struct wm_walk *walk, struct wm_walk_run *run,
                             struct wm_walk_record *record, struct wm_progress *progress,
                             struct wm_error *error)
{
    if (walk->clock == NULL)
        return wm_walk_run_work(walk, run, progress, error);
    uint64_t cycles;
    enum wm_status status = wm_clock_run_work(walk->clock, run, record, progress, &cycles, error);
    record->cycles += cycles;
    walk->cycles = wm_clock_cycles(walk->clock);
    return status;
}

static enum wm_status run_work(struct wm_walk *walk, struct wm_walk_run *run,
                               struct wm_walk_record *record, struct wm_error *error)
{
    if (!walk->options.progress)
        return wm_walk_drive(walk, run, record, NULL, error);
    struct wm_progress progress;
    wm_walk_begin_progress(run->work, run->block_count, &progress);
    enum wm_status status = wm_walk_drive(walk, run, record, &progress, error);
    wm_progress_finish(&progress);
    return status;
}

enum wm_status wm_walk_at_kernel(enum wm_status status, const char *kernel, struct wm_error *error)
{
    if (status != WM_OK && error != NULL && error->place[0] == '\0')
        wm_error_place(error, "kernel %s", kernel);
    return status;
}

static void note_launch(struct wm_walk_record *record, const struct wm_work *work,
                        const struct wm_block_needs *needs, const struct wm_occupancy *occupancy)
{
    record->launches++;
    memcpy(record->grid, work->grid, sizeof record->grid);
    memcpy(record->block, work->block, sizeof record->block);
    record->dynamic_shared_bytes = work->dynamic_shared_bytes;
    record->static_shared_bytes = work->static_shared_bytes;
    record->registers_per_thread = needs->registers_per_thread;
    record->occupancy = *occupancy;
}

void wm_walk_trace_into(struct wm_walk *walk, const struct wm_work *work,
                        struct wm_walk_record *record, uint64_t first_block)
{
    walk->tracer.causes = record->causes;
    walk->tracer.spaces = record->spaces;
    walk->tracer.listed = record->listed;
    walk->tracer.explained = record->explained;
    walk->tracer.code_address = record->code_address;
    walk->tracer.code_places = work->code_places;
    walk->tracer.fetches = &record->fetches;
    walk->tracer.fetches_explained = record->fetches_explained;
    if (walk->tracer.patterns != NULL)
        wm_access_patterns_launch(walk->tracer.patterns, first_block);
}

enum wm_status wm_walk_record_launch(struct wm_walk *walk, const struct wm_work *work,
                                     const struct wm_block_needs *needs,
                                     const struct wm_occupancy *occupancy, bool first,
                                     struct wm_walk_launch *launch, struct wm_walk_record **result,
                                     struct wm_error *error)
{
    walk->launched = NULL;
    wm_walk_choose(walk, work);
    launch->chosen = walk->in_chosen;
    walk->launch = launch;
    struct wm_walk_record *record = wm_walk_record_of(walk, work, error);
    if (record == NULL)
        return error != NULL ? error->status : WM_NO_MEMORY;
    if (first)
        WM_TRY(
            wm_walk_divide_array(&walk->machine, occupancy, walk->memory, &walk->l1_bytes, error));
    record->l1_bytes = walk->l1_bytes;
    note_launch(record, work, needs, occupancy);
    wm_walk_trace_into(walk, work, record, walk->blocks);
    // What emptying a write-back L1 sends down is an earlier kernel's, and no instruction's here.
    if (walk->memory != NULL) {
        wm_memory_explain_grid(walk->memory, walk->blocks, work->grid);
        if (first || walk->clock == NULL)
            wm_memory_kernel_begin(walk->memory);
        wm_memory_prioritise(walk->memory, record->priorities.l1, record->priorities.l2);
    }
    walk->blocks += wm_work_blocks(work);
    walk->launches_beside += record->beside;
    wm_walk_record_begin(walk);
    wm_walk_recount(walk);
    wm_walk_launch_note(walk, work, record, launch);
    walk->several_streams |= walk->launches != 0 && work->stream != walk->last_stream;
    walk->last_stream = work->stream;
    walk->launches++;
    walk->launched = record;
    *result = record;
    return WM_OK;
}

static enum wm_status begin_launch(struct wm_walk *walk, const struct wm_work *work,
                                   struct wm_block_needs *needs, struct wm_occupancy *occupancy,
                                   struct wm_walk_record **record, struct wm_error *error)
{
    *occupancy = (struct wm_occupancy){0};
    WM_TRY(wm_walk_check_dimensions(work->grid, work->block, error));
    WM_TRY(wm_walk_find_occupancy(walk, work, needs, occupancy, error));
    return wm_walk_record_launch(walk, work, needs, occupancy, true, &walk->only_launch, record,
                                 error);
}

enum wm_status wm_walk_launch_begin(struct wm_walk *walk, const struct wm_work *work,
                                    struct wm_occupancy *occupancy, struct wm_walk_record **record,
                                    struct wm_error *error)
{
    struct wm_block_needs needs;
    enum wm_status status = begin_launch(walk, work, &needs, occupancy, record, error);
    if (status != WM_OK)
        wm_walk_launch_forget(walk);
    return wm_walk_at_kernel(status, work->kernel, error);
}

void wm_walk_launch_end(struct wm_walk *walk, struct wm_walk_record *record)
{
    if (walk->memory != NULL) {
        wm_memory_kernel_end(walk->memory);
        wm_memory_prioritise(walk->memory, NULL, NULL);
    }
    wm_walk_record_end(walk, record);
    wm_walk_launch_close(walk, record, &walk->only_launch);
    wm_walk_launch_forget(walk);
}

enum wm_status wm_walk_run(struct wm_walk *walk, struct wm_work *work, struct wm_error *error)
{
    uint64_t first_block = walk->blocks;
    struct wm_occupancy occupancy;
    struct wm_walk_record *record;
    WM_TRY(wm_walk_launch_begin(walk, work, &occupancy, &record, error));
    struct wm_walk_run run;
    wm_walk_run_begin(walk, &walk->seating, work, &occupancy, &run);
    run.first_block = first_block;
    if (walk->options.recorder != NULL)
        wm_recorder_launch_begin(walk->options.recorder, work, walk->machine.sm.count);
    enum wm_status status = run_work(walk, &run, record, error);
    if (walk->options.recorder != NULL)
        wm_recorder_launch_end(walk->options.recorder, status == WM_OK);
    wm_walk_launch_end(walk, record);
    return wm_walk_at_kernel(status, work->kernel, error);
}

enum wm_status wm_walk_launch(struct wm_walk *walk, const struct wm_launch *launch,
                              struct wm_finding *finding, struct wm_error *error)
{
    if (finding != NULL)
        memset(finding, 0, sizeof *finding);
    struct wm_checker *checker = walk->options.checker;
    struct wm_launch placed = *launch;
    placed.sm_count = walk->machine.sm.count; // %nsmid, and where local memory lies
    placed.stray = checker ? wm_checker_stray : NULL;
    placed.stray_context = checker;
    placed.time = walk->clock != NULL ? wm_clock_time(walk->clock) : NULL;
    struct wm_live_work live;
    enum wm_status status = wm_walk_check_dimensions(launch->grid, launch->block, error);
    if (status == WM_OK)
        status = wm_live_work_init(&live, &placed, walk->device_memory, error);
    if (status != WM_OK)
        return wm_walk_at_kernel(status, launch->kernel->name, error);
    struct wm_work *work =
        checker ? wm_checker_launch_begin(checker, &live.work, walk->machine.sm.count) : &live.work;
    struct wm_work *observed = work ? wm_host_meetings_begin(walk->meetings, work) : NULL;
    status = observed ? wm_walk_run(walk, observed, error)
                      : wm_fail(error, WM_NO_MEMORY, "no memory to check a launch");
    if (observed)
        wm_host_meetings_end(walk->meetings, observed);
    if (checker)
        wm_checker_launch_end(checker);
    const struct wm_finding *found = wm_grid_finding(live.grid);
    if (found != NULL && finding != NULL)
        *finding = *found;
    wm_live_work_release(&live);
    return status;
}

// Before the host, or a copy, moves counters.
static void record_event(struct wm_walk *walk, enum wm_recorded_event_kind kind, uint64_t address,
                         uint64_t from, uint64_t bytes)
{
    wm_walk_sides_settle(walk);
    if (walk->options.recorder != NULL)
        wm_recorder_event(walk->options.recorder, kind, address, from, bytes);
}

void wm_walk_host_write(struct wm_walk *walk, uint64_t address, uint64_t size_bytes)
{
    record_event(walk, WM_RECORDED_HOST_WRITE, address, 0, size_bytes);
    if (walk->options.checker != NULL)
        wm_checker_written(walk->options.checker, address, size_bytes);
    walk->host_to_device_bytes += wm_walk_counts(walk) ? size_bytes : 0;
    if (walk->memory != NULL)
        wm_memory_host_write(walk->memory, address, size_bytes);
}

void wm_walk_host_read(struct wm_walk *walk, uint64_t address, uint64_t size_bytes)
{
    record_event(walk, WM_RECORDED_HOST_READ, address, 0, size_bytes);
    walk->device_to_host_bytes += wm_walk_counts(walk) ? size_bytes : 0;
    if (walk->memory != NULL)
        wm_memory_host_read(walk->memory, address, size_bytes);
}

void wm_walk_device_copy(struct wm_walk *walk, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    record_event(walk, WM_RECORDED_DEVICE_COPY, to, from, size_bytes);
    if (walk->options.checker != NULL)
        wm_checker_copied(walk->options.checker, to, from, size_bytes);
    walk->device_to_device_bytes += wm_walk_counts(walk) ? size_bytes : 0;
    if (walk->memory == NULL)
        return;
    wm_memory_host_read(walk->memory, from, size_bytes);
    wm_memory_host_write(walk->memory, to, size_bytes);
}

void wm_walk_device_fill(struct wm_walk *walk, uint64_t address, uint64_t size_bytes)
{
    record_event(walk, WM_RECORDED_DEVICE_FILL, address, 0, size_bytes);
    if (walk->options.checker != NULL)
        wm_checker_written(walk->options.checker, address, size_bytes);
    if (walk->memory != NULL)
        wm_memory_host_write(walk->memory, address, size_bytes);
}

void wm_walk_finish(struct wm_walk *walk)
{
    wm_walk_sides_settle(walk);
    if (walk->memory != NULL)
        wm_memory_drain(walk->memory);
}

struct wm_walk_totals wm_walk_totals(struct wm_walk *walk)
{
    wm_walk_sides_settle(walk);
    if (walk->clock != NULL)
        walk->cycles = wm_clock_cycles(walk->clock);
    struct wm_walk_totals totals = {.warp_instructions = walk->warp_instructions,
                                    .cycles = walk->cycles};
    for (uint32_t i = 0; i < walk->dram_byte_count; i++)
        totals.dram_bytes += *walk->dram_bytes[i];
    return totals;
}
