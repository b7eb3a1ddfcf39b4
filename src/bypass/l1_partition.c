#include "bypass/l1_partition.h"

#include "base/text/units.h"
#include "bypass/program.h"
#include "engine/profile/variants.h"
#include "engine/session/component_sum.h"
#include "sm/occupancy.h"

#include <stdlib.h>
#include <string.h>

// A launch that counts, as far as its occupancy goes.
struct launch {
    uint32_t code; // of the recording
    struct wm_block_resources needs;
};

struct exploring {
    struct wm_recording *recording;
    const struct wm_machine *machine;
    const struct wm_plugins *plugins;
    const struct wm_partition_options *options;
    struct wm_partitions *partitions;
    struct launch *launches; // owned
    uint64_t launch_count;
    uint32_t candidates[WM_MAX_CARVEOUTS], candidate_count;
};

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "the partitions of L1 and shared memory");
}

enum wm_status wm_partitions_check(const struct wm_machine *machine, struct wm_error *error)
{
    if (machine->sm.unified_bytes != 0 && machine->sm.carveouts.count > 1)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "machine %s has L1 and shared memory %s", machine->name,
            machine->sm.unified_bytes == 0 ? "of their own: there is nothing to divide"
                                           : "in one partition alone");
    return wm_error_hint(error, "choose one whose gpu.sm.unified is an array that gpu.sm.carveouts "
                                "divide, as -m liang-2015 or -m v100");
}

// --- Launches ---

static void add_launch(struct exploring *it, const struct wm_recorded_launch *recorded)
{
    const struct wm_recorded_code *code = &it->recording->codes[recorded->code];
    struct launch *launch = &it->launches[it->launch_count++];
    *launch = (struct launch){
        .code = recorded->code,
        .needs = {.threads = recorded->block[0] * recorded->block[1] * recorded->block[2],
                  .registers_per_thread = code->registers_per_thread,
                  .shared_bytes =
                      (uint64_t)code->static_shared_bytes + recorded->dynamic_shared_bytes,
                  .preferred_carveout = recorded->preferred_carveout}};
    wm_occupancy_limit_registers(&it->machine->sm, &launch->needs);
}

static enum wm_status none_counts(const struct exploring *it, struct wm_error *error)
{
    const struct wm_launch_filter *filter = it->options->filter;
    wm_fail(error, WM_NOT_FOUND, "no launch counts");
    wm_error_place(error, "%s", it->recording->file.path);
    return filter != NULL ? wm_error_hint(error, "%s leaves none", filter->text) : WM_NOT_FOUND;
}

// Those that the filter takes, of the whole recording.
static enum wm_status read_launches(struct exploring *it, struct wm_error *error)
{
    struct wm_launch_choice choice = {0};
    struct wm_recorded_event event;
    enum wm_status status = WM_OK;
    it->launches = calloc(it->recording->launch_count + 1, sizeof *it->launches);
    if (it->launches == NULL)
        return out_of_memory(error);
    wm_recording_rewind(it->recording);
    for (bool more = true; more && status == WM_OK;) {
        status = wm_recording_next(it->recording, &event, &more, error);
        if (status != WM_OK || !more || event.kind != WM_RECORDED_LAUNCH)
            continue;
        const struct wm_recorded_launch *launch = &it->recording->launch;
        if (it->options->filter == NULL ||
            wm_launch_filter_takes(it->options->filter, &choice,
                                   it->recording->codes[launch->code].name, launch->number,
                                   &it->partitions->arena))
            add_launch(it, launch);
    }
    wm_string_map_release(&choice.kernels);
    wm_recording_rewind(it->recording);
    if (status == WM_OK && it->launch_count == 0)
        return none_counts(it, error);
    return status;
}

// --- What fits ---

static const char *name_of(struct exploring *it, const struct launch *launch)
{
    const char *name = it->recording->codes[launch->code].name;
    return wm_arena_copy_text(&it->partitions->arena, name, strlen(name));
}

static enum wm_status occupancy_of(const struct exploring *it, const struct launch *launch,
                                   uint64_t shared_bytes, struct wm_occupancy *occupancy,
                                   struct wm_error *error)
{
    struct wm_sm_spec spec = it->machine->sm;
    spec.default_carveout_bytes = shared_bytes;
    return wm_occupancy_of(&spec, &launch->needs, occupancy, error);
}

static enum wm_status look_at(struct exploring *it, struct wm_l1_partition *partition,
                              struct wm_error *error)
{
    for (uint64_t i = 0; i < it->launch_count && partition->too_small_for == NULL; i++) {
        const struct launch *launch = &it->launches[i];
        struct wm_occupancy occupancy;
        WM_TRY(occupancy_of(it, launch, partition->shared_bytes, &occupancy, error));
        if (occupancy.shared_bytes == partition->shared_bytes)
            continue;
        const char **kernel = launch->needs.preferred_carveout != 0 ? &it->partitions->prefers
                                                                    : &partition->too_small_for;
        if (*kernel == NULL)
            *kernel = name_of(it, launch);
        if (*kernel == NULL)
            return out_of_memory(error);
    }
    return WM_OK;
}

static enum wm_status list_partitions(struct exploring *it, struct wm_error *error)
{
    const struct wm_sm_spec *spec = &it->machine->sm;
    struct wm_partitions *partitions = it->partitions;
    partitions->items =
        WM_ARENA_ARRAY(&partitions->arena, struct wm_l1_partition, spec->carveouts.count);
    if (partitions->items == NULL)
        return out_of_memory(error);
    for (uint64_t i = spec->carveouts.count; i-- > 0;) {
        uint64_t shared = spec->carveouts.bytes[i];
        struct wm_l1_partition *partition = &partitions->items[partitions->count];
        *partition = (struct wm_l1_partition){.shared_bytes = shared,
                                              .l1_bytes = spec->unified_bytes - shared};
        WM_TRY(look_at(it, partition, error));
        if (partition->too_small_for == NULL)
            it->candidates[it->candidate_count++] = partitions->count;
        partitions->count++;
    }
    if (it->candidate_count != 0)
        return WM_OK;
    // Kernels need different ones of them, as some set a preference of their own.
    return wm_fail(error, WM_LIMIT, "no partition of machine %s holds a block of every kernel",
                   it->machine->name);
}

// --- What is measured ---

static double rate_of(const struct wm_results *results)
{
    uint64_t hits = 0, misses = 0;
    for (uint32_t k = 0; k < results->kernel_count; k++) {
        const struct wm_kernel_result *kernel = &results->kernels[k];
        hits += wm_component_sum(kernel->components, kernel->component_count, "l1", "load_hits");
        misses +=
            wm_component_sum(kernel->components, kernel->component_count, "l1", "load_misses");
    }
    return hits + misses != 0 ? (double)hits / (double)(hits + misses) : 0;
}

// The launches of the results are those that were read, in order.
static enum wm_status weigh_occupancy(const struct exploring *it, const struct wm_results *results,
                                      struct wm_l1_partition *partition, struct wm_error *error)
{
    double sum = 0, weights = 0;
    for (uint64_t i = 0; i < it->launch_count && i < results->launch_count; i++) {
        struct wm_occupancy occupancy;
        WM_TRY(occupancy_of(it, &it->launches[i], partition->shared_bytes, &occupancy, error));
        double weight = (double)results->launches[i].warp_instructions;
        sum += weight * occupancy.warps / it->machine->sm.max_warps;
        weights += weight;
    }
    partition->occupancy = weights != 0 ? sum / weights : 0;
    return WM_OK;
}

static enum wm_status take_results(const struct exploring *it, const struct wm_results *results,
                                   bool clock, struct wm_l1_partition *partition,
                                   struct wm_error *error)
{
    for (uint32_t k = 0; k < results->kernel_count && clock; k++)
        partition->cycles += results->kernels[k].cycles;
    if (clock)
        return WM_OK;
    partition->hit_rate = rate_of(results);
    return weigh_occupancy(it, results, partition, error);
}

static enum wm_status measure(const struct exploring *it, bool clock, struct wm_error *error)
{
    struct wm_variant variants[WM_MAX_CARVEOUTS] = {0};
    char settings[WM_MAX_CARVEOUTS][64], bytes[32];
    const char *words[WM_MAX_CARVEOUTS][2];
    for (uint32_t i = 0; i < it->candidate_count; i++) {
        uint64_t shared = it->partitions->items[it->candidates[i]].shared_bytes;
        snprintf(settings[i], sizeof settings[i], "gpu.sm.default_carveout=%s",
                 wm_units_print(shared, WM_QUANTITY_BYTES, bytes, sizeof bytes));
        words[i][0] = settings[i];
        words[i][1] = "gpu.l1.bypass=none";
        variants[i] = (struct wm_variant){.settings = words[i], .setting_count = 2};
    }
    const struct wm_session_options options = {.memory = true,
                                               .clock = clock,
                                               .per_launch = !clock,
                                               .filter = it->options->filter,
                                               .no_host_threads = true,
                                               .progress = it->options->progress};
    enum wm_status status =
        wm_variants_measure(it->recording, it->machine, it->plugins, variants, it->candidate_count,
                            it->options->threads, &options, error);
    for (uint32_t i = 0; i < it->candidate_count; i++) {
        if (status == WM_OK)
            status = take_results(it, variants[i].results, clock,
                                  &it->partitions->items[it->candidates[i]], error);
        wm_results_free(variants[i].results);
    }
    return status;
}

// --- Choosing ---

static void predict(const struct exploring *it)
{
    struct wm_partitions *partitions = it->partitions;
    partitions->chosen = it->candidates[0];
    partitions->modelled = it->options->model != NULL;
    for (uint32_t i = 0; i < it->candidate_count && partitions->modelled; i++) {
        struct wm_l1_partition *partition = &partitions->items[it->candidates[i]];
        partition->predicted =
            wm_partition_predict(it->options->model, partition->occupancy, partition->hit_rate);
        if (partition->predicted > partitions->items[partitions->chosen].predicted)
            partitions->chosen = it->candidates[i];
    }
}

static enum wm_status explore(struct exploring *it, struct wm_error *error)
{
    WM_TRY(wm_partitions_check(it->machine, error));
    if (it->options->clock && it->recording->header.memory_only) {
        wm_fail(error, WM_INVALID,
                "the recording has memory instructions alone, and cannot be measured in time");
        wm_error_place(error, "%s", it->recording->file.path);
        return wm_error_hint(error, "record the program without --memory-only");
    }
    WM_TRY(read_launches(it, error));
    WM_TRY(list_partitions(it, error));
    WM_TRY(measure(it, false, error));
    if (it->options->clock)
        WM_TRY(measure(it, true, error));
    predict(it);
    return WM_OK;
}

enum wm_status wm_partitions_explore(struct wm_recording *recording,
                                     const struct wm_machine *machine,
                                     const struct wm_plugins *plugins,
                                     const struct wm_partition_options *options,
                                     struct wm_partitions *partitions, struct wm_error *error)
{
    *partitions = (struct wm_partitions){0};
    wm_arena_init(&partitions->arena);
    struct exploring it = {.recording = recording,
                           .machine = machine,
                           .plugins = plugins,
                           .options = options,
                           .partitions = partitions};
    enum wm_status status = explore(&it, error);
    free(it.launches);
    return status;
}

void wm_partitions_release(struct wm_partitions *partitions)
{
    wm_arena_release(&partitions->arena);
}

static enum wm_status no_room(const struct wm_l1_partition *partition, struct wm_error *error)
{
    struct wm_text kernel;
    char bytes[32];
    wm_text_init(&kernel);
    wm_bypass_symbol_title(partition->too_small_for, &kernel);
    wm_fail(error, WM_LIMIT, "%s of shared memory hold no block of kernel %s",
            wm_units_print(partition->shared_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes),
            kernel.failed ? partition->too_small_for : kernel.data);
    wm_text_release(&kernel);
    return WM_LIMIT;
}

enum wm_status wm_partitions_choose(struct wm_partitions *partitions, uint64_t shared_bytes,
                                    struct wm_error *error)
{
    struct wm_text sizes;
    char bytes[32];
    wm_text_init(&sizes);
    for (uint32_t i = 0; i < partitions->count; i++) {
        const struct wm_l1_partition *partition = &partitions->items[i];
        wm_units_print(partition->shared_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes);
        wm_text_format(&sizes, "%s%s", i > 0 ? ", " : "", bytes);
        if (partition->shared_bytes != shared_bytes)
            continue;
        wm_text_release(&sizes);
        partitions->chosen = i;
        if (partition->too_small_for == NULL)
            return WM_OK;
        return no_room(partition, error);
    }
    wm_fail(error, WM_NOT_FOUND, "no partition has %s of shared memory",
            wm_units_print(shared_bytes, WM_QUANTITY_BYTES, bytes, sizeof bytes));
    wm_error_hint(error, "choose one of %s",
                  sizes.failed ? "those that the machine has" : sizes.data);
    wm_text_release(&sizes);
    return WM_NOT_FOUND;
}
