#include "library/handles.h"

#include "engine/access/access_pattern.h"
#include "engine/access/unified_array.h"
#include "mem/graph/memory_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_INSTRUCTIONS = 65536 };

void warpmem_memory_free(struct warpmem_memory *memory)
{
    if (!memory)
        return;
    wm_memory_free(memory->memory);
    free(memory->counters_by_pc);
    free(memory->explained);
    wm_access_patterns_free(memory->patterns);
    free(memory->spaces);
    free(memory->listed);
    wm_eviction_priorities_release(&memory->priorities);
    free(memory->shared);
    free(memory->components);
    free(memory->kinds);
    warpmem_machine_free(memory->machine);
    free(memory);
}

static bool allocate_tables(struct warpmem_memory *memory)
{
    size_t count = memory->instructions;
    memory->counters_by_pc = calloc(count, sizeof *memory->counters_by_pc);
    memory->spaces = calloc(count, sizeof *memory->spaces);
    memory->listed = calloc(count, sizeof *memory->listed);
    if (memory->explain) {
        memory->explained = calloc(count, sizeof *memory->explained);
        memory->shared = calloc(memory->machine->machine.sm.count, sizeof *memory->shared);
        memory->patterns = wm_access_patterns_new(1);
        if (!memory->explained || !memory->shared || !memory->patterns)
            return false;
    }
    return memory->counters_by_pc && memory->spaces && memory->listed;
}

static bool list_components(struct warpmem_memory *memory)
{
    size_t count;
    const struct wm_component_counters *own = wm_memory_components(memory->memory, &count);
    uint32_t shared = memory->explain ? memory->machine->machine.sm.count : 0;
    memory->component_count = count + shared;
    memory->components = calloc(memory->component_count, sizeof *memory->components);
    memory->kinds = calloc(memory->component_count, sizeof *memory->kinds);
    if (!memory->components || !memory->kinds)
        return false;
    memcpy(memory->components, own, count * sizeof *own);
    struct wm_memory_graph graph;
    wm_memory_graph_make(&memory->machine->machine.memory, "gpu0", &graph);
    for (uint32_t sm = 0; sm < shared; sm++) {
        struct wm_component_counters *component = &memory->components[count + sm];
        wm_memory_graph_path(&graph, graph.units, sm, "shared", component->path,
                             sizeof component->path);
        component->set = &wm_shared_counter_set;
        component->values = (const uint64_t *)&memory->shared[sm];
    }
    wm_library_find_kinds(memory);
    return true;
}

// False when the host is out of memory.
static bool name_listed(struct warpmem_memory *memory, const char *kernel)
{
    const struct wm_machine *machine = &memory->machine->machine;
    const char *list = machine->bypass_list;
    struct wm_bypass_selector selector;
    bool counts = wm_bypass_list_counts(&machine->memory), good = true;
    memset(memory->listed, 0, memory->instructions);
    wm_eviction_priorities_release(&memory->priorities);
    // There is no PTX here: hashes in the list are not looked at.
    while (good && (list = wm_bypass_list_next(list, &selector)) != NULL) {
        const struct wm_bypass_word *says = selector.says;
        if (selector.place != WM_BYPASS_PC || selector.number >= memory->instructions ||
            !wm_bypass_means_kernel(&selector, kernel ? kernel : ""))
            continue;
        if (!says->l2)
            memory->listed[selector.number] = (uint8_t)says->listed;
        if (counts && !says->keeps)
            good = wm_walk_priorities_set(&memory->priorities, memory->instructions,
                                          selector.number, says->l2, says->priority);
    }
    wm_memory_set_eviction_priorities(memory->memory, memory->priorities.l1, memory->priorities.l2);
    return good;
}

static enum wm_status build(struct warpmem_memory *memory, struct wm_error *error)
{
    const struct wm_machine *machine = &memory->machine->machine;
    if (wm_memory_gpus(&machine->memory) > 1) {
        wm_fail(error, WM_UNSUPPORTED, "machine %s has %u GPUs: accesses name SMs of one",
                machine->name, (unsigned)wm_memory_gpus(&machine->memory));
        return wm_error_hint(error, "set gpu.count=1");
    }
    WM_TRY(wm_memory_new(&machine->memory, "gpu0", &memory->memory, error));
    if (memory->explain)
        WM_TRY(wm_memory_explain(memory->memory, error));
    if (!allocate_tables(memory) || !list_components(memory))
        return wm_fail_no_memory(error, "a memory system");
    wm_instruction_counter_set_make(&machine->memory, &memory->counted);
    wm_instruction_miss_set_make(&machine->memory, &memory->missed);
    memory->l1_bytes = machine->memory.levels[WM_LEVEL_L1].cache.present
                           ? machine->memory.levels[WM_LEVEL_L1].cache.size_bytes
                           : 0;
    wm_front_end_init(&memory->front_end, machine, memory->memory);
    memory->front_end.counters = &memory->sm_counters;
    memory->front_end.counters_by_pc = memory->counters_by_pc;
    memory->front_end.spaces = memory->spaces;
    memory->front_end.listed = memory->listed;
    memory->front_end.explained = memory->explained;
    memory->front_end.patterns = memory->patterns;
    return name_listed(memory, NULL) ? WM_OK : wm_fail_no_memory(error, "a bypass list");
}

enum warpmem_status warpmem_memory_new(struct warpmem_machine *machine,
                                       const struct warpmem_memory_options *options,
                                       struct warpmem_memory **result, struct warpmem_error *error)
{
    static const struct warpmem_memory_options none;
    if (result)
        *result = NULL;
    if (!machine || !result)
        return wm_library_refuse_null(__func__, error, machine ? "memory" : "machine");
    if (!options)
        options = &none;
    if (options->instructions > WARPMEM_MOST_INSTRUCTIONS)
        return wm_library_refuse(__func__, WARPMEM_INVALID, error,
                                 "%" PRIu32 " instructions are more than %d", options->instructions,
                                 WARPMEM_MOST_INSTRUCTIONS);
    struct warpmem_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return wm_library_refuse(__func__, WARPMEM_NO_MEMORY, error,
                                 WM_NO_MEMORY_FOR "a memory system");
    memory->machine = wm_library_machine_keep(machine);
    memory->explain = options->explain;
    memory->instructions = options->instructions ? options->instructions : USUAL_INSTRUCTIONS;
    struct wm_error own;
    wm_error_clear(&own);
    if (build(memory, &own) != WM_OK) {
        warpmem_memory_free(memory);
        return wm_library_report(&own, __func__, error);
    }
    *result = memory;
    return wm_library_good(error);
}

static enum wm_status divide(struct warpmem_memory *memory, const struct warpmem_kernel *kernel,
                             struct wm_error *error)
{
    const struct wm_block_resources needs = {
        .threads = kernel->threads_per_block,
        .registers_per_thread = kernel->registers_per_thread,
        .shared_bytes = kernel->shared_bytes_per_block,
    };
    const struct wm_machine *machine = &memory->machine->machine;
    struct wm_occupancy occupancy;
    WM_TRY(wm_occupancy_of(&machine->sm, &needs, &occupancy, error));
    return wm_divide_unified_array(machine, &occupancy, memory->memory, 0, &memory->l1_bytes,
                                   error);
}

enum warpmem_status wm_library_check_memory(const struct warpmem_memory *memory,
                                            const char *function, struct warpmem_error *error)
{
    if (memory->explain && wm_memory_explain_failed(memory->memory))
        return wm_library_refuse(function, WARPMEM_NO_MEMORY, error,
                                 "the memory that explaining misses takes has run out");
    if (wm_memory_opt_failed(memory->memory))
        return wm_library_refuse(function, WARPMEM_NO_MEMORY, error,
                                 "the memory for the lines of a cache under opt has run out");
    return wm_library_good(error);
}

enum warpmem_status warpmem_memory_kernel_begin(struct warpmem_memory *memory,
                                                const struct warpmem_kernel *kernel,
                                                struct warpmem_error *error)
{
    if (!memory)
        return wm_library_refuse_null(__func__, error, "memory");
    if (wm_library_check_memory(memory, __func__, error) != WARPMEM_OK)
        return WARPMEM_NO_MEMORY;
    if (kernel && kernel->threads_per_block > 0) {
        struct wm_error own;
        wm_error_clear(&own);
        if (divide(memory, kernel, &own) != WM_OK)
            return wm_library_report(&own, __func__, error);
    }
    static const struct warpmem_kernel unknown;
    if (!kernel)
        kernel = &unknown;
    if (!name_listed(memory, kernel->name))
        return wm_library_refuse(__func__, WARPMEM_NO_MEMORY, error,
                                 WM_NO_MEMORY_FOR "a bypass list");
    wm_memory_kernel_end(memory->memory);
    wm_memory_explain_grid(memory->memory, kernel->first_block, kernel->grid);
    wm_memory_kernel_begin(memory->memory);
    if (memory->patterns)
        wm_access_patterns_launch(memory->patterns, ++memory->kernels);
    return wm_library_good(error);
}

enum warpmem_status warpmem_memory_kernel_end(struct warpmem_memory *memory,
                                              struct warpmem_error *error)
{
    if (!memory)
        return wm_library_refuse_null(__func__, error, "memory");
    wm_memory_kernel_end(memory->memory);
    return wm_library_check_memory(memory, __func__, error);
}

uint64_t warpmem_memory_l1_bytes(const struct warpmem_memory *memory)
{
    return memory ? memory->l1_bytes : 0;
}

static enum warpmem_status check_range(const struct warpmem_memory *memory, uint64_t address,
                                       uint64_t size_bytes, const char *function,
                                       struct warpmem_error *error)
{
    if (!memory)
        return wm_library_refuse_null(function, error, "memory");
    if (address > WARPMEM_ADDRESS_LIMIT || size_bytes > WARPMEM_ADDRESS_LIMIT - address)
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "%" PRIu64 " bytes from address %#" PRIx64
                                 " on end beyond WARPMEM_ADDRESS_LIMIT",
                                 size_bytes, address);
    return wm_library_good(error);
}

enum warpmem_status warpmem_memory_host_write(struct warpmem_memory *memory, uint64_t address,
                                              uint64_t size_bytes, struct warpmem_error *error)
{
    enum warpmem_status status = check_range(memory, address, size_bytes, __func__, error);
    if (status == WARPMEM_OK && size_bytes > 0)
        wm_memory_host_write(memory->memory, address, size_bytes);
    return status;
}

enum warpmem_status warpmem_memory_host_read(struct warpmem_memory *memory, uint64_t address,
                                             uint64_t size_bytes, struct warpmem_error *error)
{
    enum warpmem_status status = check_range(memory, address, size_bytes, __func__, error);
    if (status == WARPMEM_OK && size_bytes > 0)
        wm_memory_host_read(memory->memory, address, size_bytes);
    return status;
}

enum warpmem_status warpmem_memory_drain(struct warpmem_memory *memory, struct warpmem_error *error)
{
    if (!memory)
        return wm_library_refuse_null(__func__, error, "memory");
    wm_memory_kernel_end(memory->memory);
    wm_memory_write_back_all(memory->memory);
    return wm_library_check_memory(memory, __func__, error);
}
