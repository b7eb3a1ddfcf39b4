// Loaded modules: their variables in device memory, their kernels decoded on first use.
#include "exec/decoder.h"

struct kernel_slot {
    const struct wm_ptx_function *function;
    struct wm_decoded_kernel *decoded; // NULL until first use
};

struct wm_program {
    struct wm_ptx_module *module;
    struct wm_device_memory *memory;
    struct wm_program_options options;
    struct wm_symbol_places variables;
    struct kernel_slot *kernels;
    uint32_t kernel_count;
};

static bool is_memory_variable(const struct wm_ptx_symbol *symbol)
{
    if (symbol->space != WM_PTX_global && symbol->space != WM_PTX_const)
        return false;
    // Texture references have no bytes; a kernel that names one is refused.
    return symbol->type != WM_PTX_texref && symbol->type != WM_PTX_samplerref &&
           symbol->type != WM_PTX_surfref;
}

static const struct wm_ptx_symbol *definition_of(const struct wm_ptx_module *module,
                                                 const char *name)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        if (module->items[i].kind != WM_PTX_ITEM_VARIABLE)
            continue;
        const struct wm_ptx_symbol *symbol = module->items[i].variable;
        if (symbol->linkage != WM_PTX_LINKAGE_EXTERN && strcmp(symbol->name, name) == 0)
            return symbol;
    }
    return NULL;
}

static enum wm_status allocate_variable(struct wm_program *program,
                                        const struct wm_ptx_symbol *symbol, struct wm_error *error)
{
    char label[64];
    uint64_t address;
    snprintf(label, sizeof(label), "variable %s", symbol->name);
    enum wm_status status = wm_device_memory_allocate(
        program->memory, symbol->size_bytes ? symbol->size_bytes : 1, symbol->alignment,
        symbol->managed ? WM_ALLOCATION_MANAGED : WM_ALLOCATION_VARIABLE, label, &address, error);
    if (status != WM_OK)
        return status;
    if (!wm_symbol_places_put(&program->variables, symbol, address)) {
        wm_device_memory_release(program->memory, address, NULL);
        return wm_fail(error, WM_NO_MEMORY, "out of memory for a module's variables");
    }
    return WM_OK;
}

static enum wm_status place_extern(struct wm_program *program, const struct wm_ptx_symbol *symbol,
                                   struct wm_error *error)
{
    uint64_t address;
    const struct wm_ptx_symbol *definition = definition_of(program->module, symbol->name);
    if (!definition || !wm_symbol_places_get(&program->variables, definition, &address)) {
        wm_fail(error, WM_UNSUPPORTED, "variable '%s' is defined in another module", symbol->name);
        wm_error_place(error, "%s:%u:%u", program->module->name, symbol->line, symbol->column);
        return wm_error_cure(error, "linking several modules is not supported yet");
    }
    if (!wm_symbol_places_put(&program->variables, symbol, address))
        return wm_fail(error, WM_NO_MEMORY, "out of memory for a module's variables");
    return WM_OK;
}

static enum wm_status place_variables(struct wm_program *program, struct wm_error *error)
{
    const struct wm_ptx_module *module = program->module;
    for (int externs = 0; externs < 2; externs++) {
        for (uint32_t i = 0; i < module->item_count; i++) {
            if (module->items[i].kind != WM_PTX_ITEM_VARIABLE)
                continue;
            const struct wm_ptx_symbol *symbol = module->items[i].variable;
            bool is_extern = symbol->linkage == WM_PTX_LINKAGE_EXTERN;
            if (!is_memory_variable(symbol) || is_extern != (externs == 1))
                continue;
            WM_TRY(is_extern ? place_extern(program, symbol, error)
                             : allocate_variable(program, symbol, error));
        }
    }
    return WM_OK;
}

// A generic address equals the address in the space for global and constant variables, which are
// the only ones an initialiser can name (PTX ISA 5.4.5). Addresses of functions stay 0: calls
// through them are refused.
static uint64_t initial_bits(const struct wm_program *program,
                             const struct wm_ptx_initializer *initializer)
{
    uint64_t address = 0;
    if (!initializer->symbol)
        return initializer->bits;
    if (!wm_symbol_places_get(&program->variables, initializer->symbol, &address)) {
        const struct wm_ptx_symbol *definition =
            definition_of(program->module, initializer->symbol->name);
        if (!definition || !wm_symbol_places_get(&program->variables, definition, &address))
            return 0;
    }
    address += (uint64_t)initializer->offset;
    return initializer->shift == 255 ? address : address >> (8 * initializer->shift) & 0xFF;
}

static void initialize_variables(const struct wm_program *program)
{
    for (uint32_t v = 0; v < program->variables.capacity; v++) {
        const struct wm_ptx_symbol *symbol = program->variables.slots[v].symbol;
        if (!symbol || symbol->linkage == WM_PTX_LINKAGE_EXTERN)
            continue;
        char *bytes = (char *)(uintptr_t)program->variables.slots[v].value;
        uint64_t size = wm_ptx_type_bytes(symbol->type);
        for (uint64_t i = 0; i < symbol->initializer_count && (i + 1) * size <= symbol->size_bytes;
             i++) {
            uint64_t bits = initial_bits(program, &symbol->initializers[i]);
            memcpy(bytes + i * size, &bits, size < 8 ? size : 8);
        }
    }
}

static enum wm_status list_kernels(struct wm_program *program, struct wm_error *error)
{
    const struct wm_ptx_module *module = program->module;
    program->kernels = calloc(module->item_count + 1, sizeof(program->kernels[0]));
    if (!program->kernels)
        return wm_fail(error, WM_NO_MEMORY, "out of memory for a module's kernels");
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_item *item = &module->items[i];
        if (item->kind == WM_PTX_ITEM_FUNCTION && item->function->entry && item->function->defined)
            program->kernels[program->kernel_count++].function = item->function;
    }
    return WM_OK;
}

enum wm_status wm_program_load(struct wm_ptx_module *module, struct wm_device_memory *memory,
                               const struct wm_program_options *options, struct wm_program **result,
                               struct wm_error *error)
{
    *result = NULL;
    struct wm_program *program = calloc(1, sizeof(*program));
    if (!program) {
        wm_ptx_module_free(module);
        return wm_fail(error, WM_NO_MEMORY, "out of memory for a module");
    }
    program->module = module;
    program->memory = memory;
    program->options = *options;
    enum wm_status status = WM_OK;
    if (options->warp_width != 32 && options->warp_width != 64) {
        wm_fail(error, WM_UNSUPPORTED, "no CUDA program runs on a machine with %s",
                options->warp_width == 1 ? "CPU cores" : "such warps");
        status = wm_error_cure(error, "take a machine whose gpu.sm.warp_width is 32 or 64");
    }
    if (status == WM_OK)
        status = list_kernels(program, error);
    if (status == WM_OK)
        status = place_variables(program, error);
    if (status != WM_OK) {
        wm_program_free(program);
        return status;
    }
    initialize_variables(program);
    *result = program;
    return WM_OK;
}

void wm_program_free(struct wm_program *program)
{
    if (!program)
        return;
    for (uint32_t k = 0; k < program->kernel_count; k++)
        wm_decoded_kernel_free(program->kernels[k].decoded);
    for (uint32_t v = 0; v < program->variables.capacity; v++) {
        const struct wm_symbol_place *place = &program->variables.slots[v];
        if (place->symbol && place->symbol->linkage != WM_PTX_LINKAGE_EXTERN)
            wm_device_memory_release(program->memory, place->value, NULL);
    }
    wm_symbol_places_release(&program->variables);
    free(program->kernels);
    wm_ptx_module_free(program->module);
    free(program);
}

static enum wm_status decode(struct wm_program *program, struct kernel_slot *slot,
                             struct wm_error *error)
{
    struct wm_decoder decoder = {.module = program->module,
                                 .variables = &program->variables,
                                 .isa = program->options.isa,
                                 .width = program->options.warp_width,
                                 .share_registers = !program->options.private_registers,
                                 .error = error};
    WM_TRY(wm_decode_kernel(&decoder, slot->function, &slot->decoded));
    slot->decoded->kernel.program = program;
    slot->decoded->kernel.module = program->module->name;
    return WM_OK;
}

enum wm_status wm_program_kernel(struct wm_program *program, const char *name,
                                 const struct wm_kernel **kernel, struct wm_error *error)
{
    *kernel = NULL;
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        struct kernel_slot *slot = &program->kernels[k];
        if (strcmp(slot->function->name, name) != 0)
            continue;
        if (!slot->decoded)
            WM_TRY(decode(program, slot, error));
        *kernel = &slot->decoded->kernel;
        return WM_OK;
    }
    return wm_fail(error, WM_NOT_FOUND, "module %s has no kernel '%s'", program->module->name,
                   name);
}

uint32_t wm_program_kernel_count(const struct wm_program *program)
{
    return program->kernel_count;
}

const char *wm_program_kernel_name(const struct wm_program *program, uint32_t index)
{
    return index < program->kernel_count ? program->kernels[index].function->name : NULL;
}

bool wm_program_variable(const struct wm_program *program, const char *name, uint64_t *address,
                         uint64_t *size_bytes)
{
    const struct wm_ptx_symbol *symbol = definition_of(program->module, name);
    if (!symbol || !wm_symbol_places_get(&program->variables, symbol, address))
        return false;
    *size_bytes = symbol->size_bytes;
    return true;
}
