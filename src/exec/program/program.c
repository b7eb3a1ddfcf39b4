// Loaded programs: the variables of their modules in device memory, their kernels decoded on first
// use.
#include "exec/decode/decoder.h"

#include "exec/program/linker.h"
#include "exec/texture/texture.h"
#include "exec/warp_width.h"

struct kernel_slot {
    const struct wm_ptx_function *function;
    struct wm_decoded_kernel *decoded; // NULL until first use
};

struct wm_program {
    struct wm_ptx_module **modules; // owned, with the modules
    uint32_t module_count;
    struct wm_device_memory *memory;
    struct wm_program_options options;
    struct wm_linker linker;
    struct wm_symbol_addresses addresses; // of variables and functions, by every symbol for them
    struct wm_function_table functions;
    const struct wm_ptx_symbol **variables; // the definitions, which own the memory
    uint32_t variable_count, constant_bytes;
    struct kernel_slot *kernels;
    uint32_t kernel_count;
};

// Texture and surface references have no bytes: their addresses are numbers of objects.
static bool is_reference(const struct wm_ptx_symbol *symbol)
{
    return symbol->type == WM_PTX_texref || symbol->type == WM_PTX_surfref;
}

// References have a place when the program's owner has a table of objects. Samplers apart from
// textures never have one: CUDA has no call that sets them.
static bool is_placed_variable(const struct wm_program *program, const struct wm_ptx_symbol *symbol)
{
    if (symbol->space != WM_PTX_global && symbol->space != WM_PTX_const)
        return false;
    return is_reference(symbol) ? program->options.textures != NULL
                                : symbol->type != WM_PTX_samplerref;
}

// --- variables ---

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "a program's modules");
}

static bool is_shared(const struct wm_program *program, const struct wm_ptx_symbol *symbol)
{
    return symbol->managed && program->options.shares;
}

static enum wm_status share_variable(struct wm_program *program, const struct wm_ptx_symbol *symbol,
                                     struct wm_error *error)
{
    const struct wm_program *shares = program->options.shares;
    uint64_t address;
    // Programs of the same modules list them in the same order.
    if (!wm_symbol_addresses_get(&shares->addresses, shares->variables[program->variable_count],
                                 &address) ||
        !wm_symbol_addresses_put(&program->addresses, symbol, address))
        return no_memory(error);
    program->variables[program->variable_count++] = symbol;
    return WM_OK;
}

static enum wm_status allocate_variable(struct wm_program *program,
                                        const struct wm_ptx_symbol *symbol, struct wm_error *error)
{
    char label[64];
    uint64_t address;
    snprintf(label, sizeof(label), "variable %s", symbol->name);
    if (is_shared(program, symbol))
        return share_variable(program, symbol, error);
    enum wm_status status =
        wm_device_memory_allocate_on(program->memory, program->options.gpu,
                                     symbol->size_bytes ? symbol->size_bytes : 1, symbol->alignment,
                                     symbol->managed                 ? WM_ALLOCATION_MANAGED
                                     : symbol->space == WM_PTX_const ? WM_ALLOCATION_CONSTANT
                                                                     : WM_ALLOCATION_VARIABLE,
                                     label, &address, error);
    if (status != WM_OK)
        return status;
    if (!wm_symbol_addresses_put(&program->addresses, symbol, address)) {
        wm_device_memory_release(program->memory, address, NULL);
        return no_memory(error);
    }
    program->variables[program->variable_count++] = symbol;
    if (symbol->space == WM_PTX_const)
        program->constant_bytes += (uint32_t)symbol->size_bytes;
    return WM_OK;
}

static enum wm_status number_reference(struct wm_program *program,
                                       const struct wm_ptx_symbol *symbol, struct wm_error *error)
{
    uint64_t number = wm_texture_objects_reserve(program->options.textures);
    if (number == 0 || !wm_symbol_addresses_put(&program->addresses, symbol, number))
        return no_memory(error);
    program->variables[program->variable_count++] = symbol;
    return WM_OK;
}

// A declaration lies where its definition does; without one, only kernels that use it are refused.
static enum wm_status place_declaration(struct wm_program *program,
                                        const struct wm_ptx_symbol *symbol, struct wm_error *error)
{
    uint64_t address;
    const struct wm_ptx_symbol *definition = wm_linker_definition(&program->linker, symbol);
    if (definition == symbol || !wm_symbol_addresses_get(&program->addresses, definition, &address))
        return WM_OK;
    return wm_symbol_addresses_put(&program->addresses, symbol, address) ? WM_OK : no_memory(error);
}

static bool is_definition(const struct wm_program *program, const struct wm_ptx_symbol *symbol)
{
    return wm_symbol_defines(symbol) && wm_linker_definition(&program->linker, symbol) == symbol;
}

static enum wm_status add_function(struct wm_program *program, const struct wm_ptx_symbol *symbol,
                                   struct wm_error *error)
{
    uint64_t address;
    if (wm_symbol_addresses_get(&program->addresses, symbol, &address))
        return WM_OK; // declared before
    // An alias is a second name of one function.
    const struct wm_ptx_symbol *own = symbol->function->symbol;
    bool known = wm_symbol_addresses_get(&program->addresses, own, &address);
    if (!known && !wm_function_table_add(&program->functions, symbol->function, &address))
        return no_memory(error);
    return wm_symbol_addresses_put(&program->addresses, own, address) &&
                   wm_symbol_addresses_put(&program->addresses, symbol, address)
               ? WM_OK
               : no_memory(error);
}

static bool has_address(const struct wm_program *program, const struct wm_ptx_symbol *symbol)
{
    if (!symbol || symbol->kind == WM_PTX_SYMBOL_VARIABLE)
        return symbol && is_placed_variable(program, symbol);
    // A kernel's is what another kernel launches it by.
    return true;
}

static enum wm_status place_definition(struct wm_program *program,
                                       const struct wm_ptx_symbol *symbol, struct wm_error *error)
{
    if (symbol->kind == WM_PTX_SYMBOL_FUNCTION)
        return add_function(program, symbol, error);
    return is_reference(symbol) ? number_reference(program, symbol, error)
                                : allocate_variable(program, symbol, error);
}

static enum wm_status place_module(struct wm_program *program, const struct wm_ptx_module *module,
                                   bool declarations, struct wm_error *error)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_symbol *symbol = wm_item_symbol(&module->items[i]);
        if (!has_address(program, symbol) || is_definition(program, symbol) == declarations)
            continue;
        WM_TRY(declarations ? place_declaration(program, symbol, error)
                            : place_definition(program, symbol, error));
    }
    return WM_OK;
}

static enum wm_status place_symbols(struct wm_program *program, struct wm_error *error)
{
    uint32_t most = 1;
    for (uint32_t m = 0; m < program->module_count; m++)
        most += program->modules[m]->item_count;
    program->variables = calloc(most, sizeof(const struct wm_ptx_symbol *));
    if (!program->variables)
        return no_memory(error);
    for (int declarations = 0; declarations < 2; declarations++)
        for (uint32_t m = 0; m < program->module_count; m++)
            WM_TRY(place_module(program, program->modules[m], declarations == 1, error));
    return WM_OK;
}

// A generic address equals the address in the space for global and constant variables, which are
// the only ones an initialiser can name besides functions (PTX ISA 5.4.5).
static uint64_t initial_bits(const struct wm_program *program,
                             const struct wm_ptx_initializer *initializer)
{
    uint64_t address = 0;
    if (!initializer->symbol)
        return initializer->bits;
    if (!wm_symbol_addresses_get(&program->addresses, initializer->symbol, &address))
        return 0;
    address += (uint64_t)initializer->offset;
    return initializer->shift == 255 ? address : address >> (8 * initializer->shift) & 0xFF;
}

static void initialize_variable(const struct wm_program *program,
                                const struct wm_ptx_symbol *symbol)
{
    uint64_t address = 0, size = wm_ptx_type_bytes(symbol->type);
    (void)wm_symbol_addresses_get(&program->addresses, symbol, &address);
    char *bytes = (char *)(uintptr_t)address;
    for (uint64_t i = 0; i < symbol->initializer_count && (i + 1) * size <= symbol->size_bytes;
         i++) {
        uint64_t bits = initial_bits(program, &symbol->initializers[i]);
        memcpy(bytes + i * size, &bits, size < 8 ? size : 8);
    }
}

// --- loading ---

static enum wm_status list_kernels(struct wm_program *program, struct wm_error *error)
{
    uint32_t most = 1;
    for (uint32_t m = 0; m < program->module_count; m++)
        most += program->modules[m]->item_count;
    program->kernels = calloc(most, sizeof(program->kernels[0]));
    if (!program->kernels)
        return no_memory(error);
    for (uint32_t m = 0; m < program->module_count; m++) {
        const struct wm_ptx_module *module = program->modules[m];
        for (uint32_t i = 0; i < module->item_count; i++) {
            const struct wm_ptx_item *item = &module->items[i];
            if (item->kind == WM_PTX_ITEM_FUNCTION && item->function->entry &&
                item->function->defined && is_definition(program, item->function->symbol))
                program->kernels[program->kernel_count++].function = item->function;
        }
    }
    return WM_OK;
}

enum wm_status wm_program_check_width(unsigned warp_width, struct wm_error *error)
{
    if (warp_width == 32 || warp_width == 64)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "no CUDA program runs on a machine with %s",
            warp_width == 1 ? "CPU cores" : "such warps");
    return wm_error_hint(error, "take a machine whose gpu.sm.warp_width is 32 or 64%s",
                         warp_width == 1 ? "; CPU cores run traces: see warpmem import" : "");
}

static enum wm_status load(struct wm_program *program, struct wm_error *error)
{
    WM_TRY(wm_program_check_width(program->options.warp_width, error));
    WM_TRY(wm_linker_link(&program->linker, program->modules, program->module_count, error));
    WM_TRY(list_kernels(program, error));
    WM_TRY(place_symbols(program, error));
    for (uint32_t v = 0; v < program->variable_count; v++)
        if (!is_reference(program->variables[v]) && !is_shared(program, program->variables[v]))
            initialize_variable(program, program->variables[v]);
    return WM_OK;
}

enum wm_status wm_program_link(struct wm_ptx_module *const *modules, uint32_t count,
                               struct wm_device_memory *memory,
                               const struct wm_program_options *options, struct wm_program **result,
                               struct wm_error *error)
{
    *result = NULL;
    struct wm_program *program = calloc(1, sizeof(*program));
    struct wm_ptx_module **kept = calloc(count + UINT64_C(1), sizeof(*kept));
    if (!program || !kept) {
        for (uint32_t m = 0; m < count; m++)
            wm_ptx_module_free(modules[m]);
        free(program);
        free(kept);
        return no_memory(error);
    }
    memcpy(kept, modules, count * sizeof(*kept));
    *program = (struct wm_program){
        .modules = kept,
        .module_count = count,
        .memory = memory,
        .options = *options,
        .functions = {.base = WM_CODE_WINDOW + options->number * WM_CODE_PROGRAM_BYTES,
                      .modules = kept,
                      .module_count = count,
                      .addresses = &program->addresses},
    };
    enum wm_status status = load(program, error);
    if (status != WM_OK) {
        wm_program_free(program);
        return status;
    }
    *result = program;
    return WM_OK;
}

enum wm_status wm_program_load(struct wm_ptx_module *module, struct wm_device_memory *memory,
                               const struct wm_program_options *options, struct wm_program **result,
                               struct wm_error *error)
{
    return wm_program_link(&module, 1, memory, options, result, error);
}

enum wm_status wm_program_check_link(struct wm_ptx_module *const *modules, uint32_t count,
                                     struct wm_error *error)
{
    struct wm_linker linker = {0};
    enum wm_status status = wm_linker_link(&linker, modules, count, error);
    wm_linker_release(&linker);
    return status;
}

void wm_program_free(struct wm_program *program)
{
    if (!program)
        return;
    for (uint32_t k = 0; k < program->kernel_count; k++)
        wm_decoded_kernel_free(program->kernels[k].decoded);
    for (uint32_t v = 0; v < program->variable_count; v++) {
        uint64_t address;
        if (!is_reference(program->variables[v]) && !is_shared(program, program->variables[v]) &&
            wm_symbol_addresses_get(&program->addresses, program->variables[v], &address))
            wm_device_memory_release(program->memory, address, NULL);
    }
    wm_symbol_addresses_release(&program->addresses);
    wm_linker_release(&program->linker);
    wm_function_table_release(&program->functions);
    for (uint32_t m = 0; m < program->module_count; m++)
        wm_ptx_module_free(program->modules[m]);
    free(program->modules);
    free(program->variables);
    free(program->kernels);
    free(program);
}

static enum wm_status decode(struct wm_program *program, struct kernel_slot *slot,
                             struct wm_error *error)
{
    struct wm_decoder decoder = {.linker = &program->linker,
                                 .addresses = &program->addresses,
                                 .functions = &program->functions,
                                 .isa = program->options.isa,
                                 .width = program->options.warp_width,
                                 .share_registers = !program->options.private_registers,
                                 .error = error};
    WM_TRY(wm_decode_kernel(&decoder, slot->function, &slot->decoded));
    slot->decoded->kernel.program = program;
    slot->decoded->kernel.module = slot->function->symbol->module->name;
    slot->decoded->kernel.constant_bytes = program->constant_bytes;
    return WM_OK;
}

static enum wm_status kernel_of(struct wm_program *program, struct kernel_slot *slot,
                                const struct wm_kernel **kernel, struct wm_error *error)
{
    if (!slot->decoded)
        WM_TRY(decode(program, slot, error));
    *kernel = &slot->decoded->kernel;
    return WM_OK;
}

enum wm_status wm_program_kernel_at(struct wm_program *program, uint64_t address,
                                    const struct wm_kernel **kernel, struct wm_error *error)
{
    *kernel = NULL;
    const struct wm_ptx_function *function = wm_function_at(&program->functions, address);
    for (uint32_t k = 0; function && k < program->kernel_count; k++)
        if (program->kernels[k].function == function)
            return kernel_of(program, &program->kernels[k], kernel, error);
    return wm_fail(error, WM_NOT_FOUND, "0x%llx is the address of no kernel of the program",
                   (unsigned long long)address);
}

enum wm_status wm_program_kernel(struct wm_program *program, const char *name,
                                 const struct wm_kernel **kernel, struct wm_error *error)
{
    *kernel = NULL;
    for (uint32_t k = 0; k < program->kernel_count; k++)
        if (strcmp(program->kernels[k].function->name, name) == 0)
            return kernel_of(program, &program->kernels[k], kernel, error);
    return wm_fail(error, WM_NOT_FOUND, "module %s has no kernel '%s'",
                   program->module_count ? program->modules[0]->name : "", name);
}

uint32_t wm_program_kernel_count(const struct wm_program *program)
{
    return program->kernel_count;
}

const char *wm_program_kernel_name(const struct wm_program *program, uint32_t index)
{
    return index < program->kernel_count ? program->kernels[index].function->name : NULL;
}

static const struct wm_ptx_symbol *find_variable(const struct wm_program *program, const char *name)
{
    const struct wm_ptx_symbol *symbol = wm_linker_find(&program->linker, name);
    if (symbol)
        return symbol;
    for (uint32_t v = 0; v < program->variable_count; v++)
        if (strcmp(program->variables[v]->name, name) == 0)
            return program->variables[v];
    return NULL;
}

bool wm_program_variable(const struct wm_program *program, const char *name, uint64_t *address,
                         uint64_t *size_bytes)
{
    const struct wm_ptx_symbol *symbol = find_variable(program, name);
    if (!symbol || symbol->kind != WM_PTX_SYMBOL_VARIABLE || is_reference(symbol) ||
        !wm_symbol_addresses_get(&program->addresses, symbol, address))
        return false;
    *size_bytes = symbol->size_bytes;
    return true;
}

uint64_t wm_program_reference(const struct wm_program *program, const char *name, bool surface)
{
    uint64_t number;
    const struct wm_ptx_symbol *symbol = find_variable(program, name);
    if (!symbol || symbol->kind != WM_PTX_SYMBOL_VARIABLE ||
        symbol->type != (surface ? WM_PTX_surfref : WM_PTX_texref) ||
        !wm_symbol_addresses_get(&program->addresses, symbol, &number))
        return 0;
    return number;
}
