#include "engine/session/live_work.h"

#include "base/numbers/hash.h"

#include <string.h>

// Enough to distinguish two kernels of one name; equal code gives equal fingerprints.
static uint64_t fingerprint_of(const struct wm_kernel *kernel)
{
    uint64_t hash = wm_hash_u64(kernel->instruction_count);
    for (uint32_t pc = 0; pc < kernel->instruction_count; pc++) {
        const struct wm_kernel_instruction *it = &kernel->instructions[pc];
        hash = wm_hash_u64(hash ^ ((uint64_t)it->ptx_line << 32 | it->source_line));
        if (it->instruction == NULL)
            continue;
        hash = wm_hash_u64(hash ^ ((uint64_t)it->instruction->opcode << 16 |
                                   (uint64_t)it->instruction->operand_count << 8 |
                                   it->instruction->modifier_count));
        hash ^= wm_hash_bytes(it->instruction->modifiers, it->instruction->modifier_count);
    }
    return hash;
}

static enum wm_access_kind kind_of(const struct wm_ptx_instruction *instruction)
{
    unsigned traits = wm_ptx_opcode_traits(instruction->opcode);
    if (traits & WM_PTX_TRAIT_STORE)
        return WM_ACCESS_STORE;
    if (traits & WM_PTX_TRAIT_ATOMIC)
        return WM_ACCESS_ATOMIC;
    return traits & WM_PTX_TRAIT_REDUCTION ? WM_ACCESS_REDUCTION : WM_ACCESS_LOAD;
}

// Which has no space of its own in its text, and goes to one all the same.
static bool is_image(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_opcode_traits(instruction->opcode) & WM_PTX_TRAIT_IMAGE;
}

static bool is_texture(const struct wm_ptx_instruction *instruction)
{
    return is_image(instruction) && kind_of(instruction) == WM_ACCESS_LOAD;
}

// As the instruction says. A generic one is called global until it has run.
static enum wm_address_space space_of(const struct wm_ptx_instruction *instruction)
{
    if (is_texture(instruction))
        return WM_SPACE_TEXTURE;
    switch (instruction->space) {
    case WM_PTX_shared: return WM_SPACE_SHARED;
    case WM_PTX_local: return WM_SPACE_LOCAL;
    case WM_PTX_const: return WM_SPACE_CONSTANT;
    case WM_PTX_param: return WM_SPACE_PARAMETER;
    default: return WM_SPACE_GLOBAL;
    }
}

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    const struct wm_live_work *live = work;
    const struct wm_kernel_instruction *from = &live->kernel->instructions[pc];
    *facts = (struct wm_instruction_facts){.ptx_line = from->ptx_line,
                                           .source_line = from->source_line,
                                           .source_file = from->source_file,
                                           .inlined = from->inlined,
                                           .inlined_count = from->inlined_count,
                                           .module = from->function->symbol->module->name,
                                           .exists = from->instruction != NULL,
                                           .is_memory = from->is_memory};
    if (from->instruction == NULL)
        return;
    if (from->instruction->guard != WM_PTX_NO_REGISTER)
        facts->guard = from->function->registers[from->instruction->guard].name;
    facts->reads_clock = wm_ptx_reads_clock(from->instruction);
    facts->generic = from->instruction->space == WM_PTX_none && !is_image(from->instruction);
    facts->kind = kind_of(from->instruction);
    facts->space = space_of(from->instruction);
    if (text != NULL)
        wm_ptx_print_instruction(from->function, from->instruction, text);
}

static uint64_t ptx_hash(const void *work)
{
    const struct wm_live_work *live = work;
    const struct wm_ptx_module *module = live->kernel->function->symbol->module;
    return wm_hash_bytes(module->source, module->source_length);
}

static char *copy_ptx(const void *work)
{
    const struct wm_live_work *live = work;
    const struct wm_ptx_module *module = live->kernel->function->symbol->module;
    return strndup(module->source, module->source_length);
}

static enum wm_status start_block(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                  struct wm_block **block, struct wm_error *error)
{
    const struct wm_live_work *live = work;
    return wm_grid_start_block(live->grid, index, sm, slot, block, error);
}

static void finish_block(void *work, struct wm_block *block)
{
    const struct wm_live_work *live = work;
    wm_grid_finish_block(live->grid, block);
}

static void run(void *work, struct wm_block *block, uint32_t warp, uint64_t budget,
                enum wm_run_until until, const struct wm_access_sink *sink,
                struct wm_run_result *result)
{
    (void)work;
    wm_warp_run(block, warp, budget, until, sink, result);
}

static bool next_pc(void *work, struct wm_block *block, uint32_t warp, uint32_t *pc)
{
    (void)work;
    return wm_warp_next_pc(block, warp, pc);
}

static enum wm_status fault(const void *work, struct wm_error *error)
{
    const struct wm_live_work *live = work;
    const struct wm_finding *finding = wm_grid_fault(live->grid);
    if (finding == NULL)
        return WM_OK;
    if (error != NULL)
        *error = finding->error;
    return finding->error.status;
}

static enum wm_status deadlock(void *work, struct wm_block *const *blocks, uint32_t count,
                               struct wm_error *error)
{
    const struct wm_live_work *live = work;
    return wm_grid_deadlock(live->grid, blocks, count, error);
}

static const struct wm_work_ops live_ops = {
    .describe = describe,
    .ptx_hash = ptx_hash,
    .copy_ptx = copy_ptx,
    .start_block = start_block,
    .finish_block = finish_block,
    .run = run,
    .next_pc = next_pc,
    .fault = fault,
    .deadlock = deadlock,
};

enum wm_status wm_live_work_init(struct wm_live_work *live, const struct wm_launch *launch,
                                 struct wm_device_memory *memory, struct wm_error *error)
{
    const struct wm_kernel *kernel = launch->kernel;
    *live = (struct wm_live_work){.kernel = kernel};
    WM_TRY(wm_grid_new(launch, memory, &live->grid, error));
    live->work = (struct wm_work){
        .ops = &live_ops,
        .kernel = kernel->name,
        .module = kernel->module != NULL ? kernel->module : "",
        .fingerprint = fingerprint_of(kernel),
        .instruction_count = kernel->instruction_count,
        .warps_per_block = wm_grid_warps_per_block(live->grid),
        .gpu = launch->gpu,
        .local_bytes_per_block = wm_grid_local_bytes_per_block(live->grid),
        .static_shared_bytes = kernel->static_shared_bytes,
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .registers_per_thread = kernel->registers_per_thread,
        .preferred_carveout = launch->preferred_carveout,
        .clocks_count_cycles = launch->time != NULL,
    };
    memcpy(live->work.grid, launch->grid, sizeof launch->grid);
    memcpy(live->work.block, launch->block, sizeof launch->block);
    return WM_OK;
}

void wm_live_work_release(struct wm_live_work *live)
{
    wm_grid_free(live->grid);
    live->grid = NULL;
}
