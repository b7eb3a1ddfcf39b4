#include "cuda/image/binary_registry.h"

#include "base/containers/array.h"
#include "cuda/image/linked_image.h"
#include "cuda/image/loaded_image.h"
#include "cuda/process.h"
#include "source/program/fatbinary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// More translation units than this in one device-linked program are taken for a corrupt array.
enum { MAX_MODULES = 1 << 16 };

// ---- Registration ------------------------------------------------------------------------------

struct wm_cuda_binary *wm_cuda_registry_add_binary(struct wm_cuda_registry *registry,
                                                   const void *wrapper)
{
    struct wm_cuda_binary *binary = calloc(1, sizeof *binary);
    if (!binary)
        return NULL;
    binary->wrapper = wrapper;
    binary->index = registry->binary_count++;
    if (!registry->binary_tail)
        registry->binary_tail = &registry->binaries;
    *registry->binary_tail = binary;
    registry->binary_tail = &binary->next;
    return binary;
}

bool wm_cuda_registry_add_function(struct wm_cuda_registry *registry, struct wm_cuda_binary *binary,
                                   const void *host, const char *name)
{
    struct wm_cuda_function *function = calloc(1, sizeof *function);
    char *copy = strdup(name);
    if (!function || !copy ||
        !WM_ARRAY_RESERVE(registry->functions, registry->function_count,
                          registry->function_capacity, 1)) {
        free(function);
        free(copy);
        return false;
    }
    function->binary = binary;
    function->host = host;
    function->name = copy;
    function->preferred_carveout = -1;
    registry->functions[registry->function_count++] = function;
    registry->functions_sorted = false;
    return true;
}

bool wm_cuda_registry_add_variable(struct wm_cuda_registry *registry, struct wm_cuda_binary *binary,
                                   const void *host, void **managed_cell, const char *name,
                                   uint64_t size_bytes, bool constant)
{
    struct wm_cuda_variable *variable = calloc(1, sizeof *variable);
    char *copy = strdup(name);
    if (!variable || !copy ||
        !WM_ARRAY_RESERVE(registry->variables, registry->variable_count,
                          registry->variable_capacity, 1)) {
        free(variable);
        free(copy);
        return false;
    }
    *variable = (struct wm_cuda_variable){
        .binary = binary,
        .host = host,
        .managed_cell = managed_cell,
        .name = copy,
        .size_bytes = size_bytes,
        .constant = constant,
    };
    registry->variables[registry->variable_count++] = variable;
    registry->variables_sorted = false;
    return true;
}

// Kernels already queued keep what they use: only the names are removed, so that another object
// loaded at the same addresses does not find them.
void wm_cuda_registry_drop_binary(struct wm_cuda_registry *registry, struct wm_cuda_binary *binary)
{
    binary->unregistered = true;
    for (uint32_t i = 0; i < registry->function_count; i++)
        if (registry->functions[i]->binary == binary)
            registry->functions[i]->host = NULL;
    for (uint32_t i = 0; i < registry->variable_count; i++)
        if (registry->variables[i]->binary == binary)
            registry->variables[i]->host = NULL;
    registry->functions_sorted = registry->variables_sorted = false;
}

static int compare_addresses(const void *a, const void *b)
{
    return (a > b) - (a < b);
}

static int compare_functions(const void *a, const void *b)
{
    const struct wm_cuda_function *const *left = a, *const *right = b;
    return compare_addresses((*left)->host, (*right)->host);
}

static int compare_variables(const void *a, const void *b)
{
    const struct wm_cuda_variable *const *left = a, *const *right = b;
    return compare_addresses((*left)->host, (*right)->host);
}

struct wm_cuda_function *wm_cuda_registry_function(struct wm_cuda_registry *registry,
                                                   const void *host_or_handle)
{
    if (!host_or_handle || registry->function_count == 0)
        return NULL;
    if (!registry->functions_sorted)
        qsort(registry->functions, registry->function_count, sizeof *registry->functions,
              compare_functions);
    registry->functions_sorted = true;
    struct wm_cuda_function key = {.host = host_or_handle}, *wanted = &key;
    struct wm_cuda_function **found =
        bsearch(&wanted, registry->functions, registry->function_count, sizeof *registry->functions,
                compare_functions);
    if (found)
        return *found;
    for (uint32_t i = 0; i < registry->function_count; i++)
        if (registry->functions[i] == host_or_handle)
            return registry->functions[i]->host ? registry->functions[i] : NULL;
    return NULL;
}

struct wm_cuda_variable *wm_cuda_registry_variable(struct wm_cuda_registry *registry,
                                                   const void *host)
{
    if (!host || registry->variable_count == 0)
        return NULL;
    if (!registry->variables_sorted)
        qsort(registry->variables, registry->variable_count, sizeof *registry->variables,
              compare_variables);
    registry->variables_sorted = true;
    struct wm_cuda_variable key = {.host = host}, *wanted = &key;
    struct wm_cuda_variable **found =
        bsearch(&wanted, registry->variables, registry->variable_count, sizeof *registry->variables,
                compare_variables);
    return found ? *found : NULL;
}

// ---- Opening: from the wrapper to parsed modules -----------------------------------------------

static wm_cuda_status image_status(enum wm_status status)
{
    switch (status) {
    case WM_NOT_FOUND: return cudaErrorNoKernelImageForDevice;
    case WM_NO_MEMORY: return cudaErrorMemoryAllocation;
    default: return cudaErrorInvalidKernelImage;
    }
}

static wm_cuda_status parse_status(enum wm_status status)
{
    switch (status) {
    case WM_UNSUPPORTED: return cudaErrorUnsupportedPtxVersion;
    case WM_NO_MEMORY: return cudaErrorMemoryAllocation;
    default: return cudaErrorInvalidPtx;
    }
}

// The name of a module in messages and reports: "app.sm_75.ptx", numbered when there are several.
static void module_name(const struct wm_cuda_process *process, const struct wm_cuda_binary *binary,
                        uint32_t architecture, char *name, size_t size)
{
    char number[24] = "", target[24] = "";
    if (process->registry.binary_count > 1 || binary->module_count > 0)
        snprintf(number, sizeof number, ".%u.%u", (unsigned)binary->index,
                 (unsigned)binary->module_count);
    if (architecture)
        snprintf(target, sizeof target, ".sm_%u", (unsigned)architecture);
    snprintf(name, size, "%.160s%s%s.ptx", program_invocation_short_name, number, target);
}

static void free_text(struct wm_cuda_module *module)
{
    free(module->name);
    free(module->text);
    module->name = module->text = NULL;
}

// For the recording, which has the text of what was loaded, and for other devices. Takes `text`
// over.
static void keep_text(struct wm_cuda_module *module, const char *name, char *text, uint64_t bytes)
{
    module->name = strdup(name);
    module->text = text;
    module->text_bytes = bytes;
}

// Adds the module of one container; `status` keeps the first failure.
static void open_container(struct wm_cuda_process *process, struct wm_cuda_binary *binary,
                           uint64_t address, struct wm_error *error, wm_cuda_status *failure)
{
    const uint8_t *data = (const uint8_t *)(uintptr_t)address;
    uint32_t capability =
        process->machine.device.compute_major * 10 + process->machine.device.compute_minor;
    struct wm_fatbinary_entry entry;
    struct wm_ptx_module *parsed = NULL;
    struct wm_error why;
    wm_error_clear(&why);
    char *text = NULL;
    uint64_t text_bytes = 0;
    enum wm_status status =
        wm_fatbinary_choose_ptx(data, wm_cuda_readable_bytes(data), capability, &entry, &why);
    if (status == WM_OK)
        status = wm_fatbinary_extract(&entry, &text, &text_bytes, &why);
    wm_cuda_status code = status == WM_OK ? cudaSuccess : image_status(status);
    char name[256];
    if (status == WM_OK) {
        module_name(process, binary, entry.architecture, name, sizeof name);
        status = wm_ptx_parse(text, text_bytes, name, &parsed, &why);
        code = status == WM_OK ? cudaSuccess : parse_status(status);
    }
    if (status == WM_OK) {
        struct wm_cuda_module *module = &binary->modules[binary->module_count++];
        module->parsed = parsed;
        if (process->recorder || process->device_count > 1)
            keep_text(module, name, text, text_bytes);
        else
            free(text);
        return;
    }
    free(text);
    if (!why.place[0])
        wm_error_place(&why, "%s", program_invocation_short_name);
    if (*failure == cudaSuccess) {
        *failure = code;
        *error = why;
    }
}

// Counts the NULL-terminated array of a version-2 wrapper, inside its mapping.
static enum wm_status count_prelinked(const struct wm_fatbinary_wrapper *wrapper, uint32_t *count,
                                      struct wm_error *error)
{
    const uint8_t *array = (const uint8_t *)(uintptr_t)wrapper->prelinked;
    uint64_t room = wm_cuda_readable_bytes(array) / sizeof(uint64_t);
    for (uint32_t i = 0; i < room && i < MAX_MODULES; i++) {
        uint64_t address;
        memcpy(&address, array + i * sizeof address, sizeof address);
        if (address == 0) {
            *count = i;
            return WM_OK;
        }
    }
    return wm_fail(error, WM_INVALID, "fat binary wrapper's list of translation units has no end");
}

static bool is_wrapper(const void *image)
{
    uint32_t magic;
    if (wm_cuda_readable_bytes(image) < sizeof magic)
        return true; // to be refused as one
    memcpy(&magic, image, sizeof magic);
    return magic == WM_FATBINARY_WRAPPER_MAGIC;
}

static wm_cuda_status open_image(struct wm_cuda_process *process, struct wm_cuda_binary *binary)
{
    wm_cuda_status failure = cudaSuccess;
    const void *image = binary->wrapper;
    uint32_t linked = wm_linked_image_count(image, wm_cuda_readable_bytes(image));
    binary->modules = calloc(linked + 1, sizeof *binary->modules);
    if (!binary->modules)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < linked; i++)
        open_container(process, binary, (uint64_t)(uintptr_t)wm_linked_image_text(image, i),
                       &binary->error, &failure);
    if (linked == 0)
        open_container(process, binary, (uint64_t)(uintptr_t)image, &binary->error, &failure);
    return failure;
}

static wm_cuda_status open_modules(struct wm_cuda_process *process, struct wm_cuda_binary *binary)
{
    if (binary->image && !is_wrapper(binary->wrapper))
        return open_image(process, binary);
    struct wm_fatbinary_wrapper wrapper;
    uint32_t count = 0;
    enum wm_status status = wm_fatbinary_wrapper_read(
        binary->wrapper, wm_cuda_readable_bytes(binary->wrapper), &wrapper, &binary->error);
    if (status == WM_OK && wrapper.prelinked)
        status = count_prelinked(&wrapper, &count, &binary->error);
    if (status != WM_OK)
        return cudaErrorInvalidKernelImage;
    binary->modules = calloc(count + 1, sizeof *binary->modules);
    if (!binary->modules)
        return cudaErrorMemoryAllocation;
    wm_cuda_status failure = cudaSuccess;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t address;
        memcpy(&address, (const uint8_t *)(uintptr_t)wrapper.prelinked + i * sizeof address,
               sizeof address);
        open_container(process, binary, address, &binary->error, &failure);
    }
    if (count == 0)
        open_container(process, binary, wrapper.container, &binary->error, &failure);
    // One translation unit without PTX does not keep the others' kernels from running.
    return failure;
}

static void open_binary(struct wm_cuda_process *process, struct wm_cuda_binary *binary)
{
    if (binary->opened)
        return;
    binary->opened = true;
    wm_error_clear(&binary->error);
    if (binary->unregistered) {
        wm_fail(&binary->error, WM_INVALID, "device code was unregistered before its first use");
        binary->failure = cudaErrorInvalidKernelImage;
        return;
    }
    binary->failure = open_modules(process, binary);
    if (binary->failure != cudaSuccess)
        wm_cuda_print_error(&binary->error);
}

// ---- Loading -----------------------------------------------------------------------------------

static void fill_managed_cells(struct wm_cuda_process *process, struct wm_cuda_binary *binary,
                               const struct wm_program *program)
{
    for (uint32_t i = 0; i < process->registry.variable_count; i++) {
        struct wm_cuda_variable *variable = process->registry.variables[i];
        uint64_t address, size_bytes;
        if (variable->binary == binary && variable->managed_cell &&
            wm_program_variable(program, variable->name, &address, &size_bytes))
            *variable->managed_cell = (void *)(uintptr_t)address;
    }
}

static void record_modules(struct wm_cuda_process *process, struct wm_cuda_binary *binary)
{
    for (uint32_t i = 0; i < binary->module_count; i++) {
        struct wm_cuda_module *module = &binary->modules[i];
        if (process->recorder && module->name && module->text)
            wm_recorder_module(process->recorder, module->name, module->text, module->text_bytes);
        if (process->device_count == 1)
            free_text(module);
    }
}

// The module, for a program to take: parsed again for a second one.
static enum wm_status take_module(struct wm_cuda_module *module, struct wm_ptx_module **parsed,
                                  struct wm_error *error)
{
    *parsed = module->parsed;
    module->parsed = NULL;
    if (*parsed)
        return WM_OK;
    if (!module->name || !module->text)
        return wm_fail_no_memory(error, "a program's modules");
    return wm_ptx_parse(module->text, module->text_bytes, module->name, parsed, error);
}

static enum wm_status link_modules(struct wm_cuda_process *process, struct wm_cuda_binary *binary,
                                   uint32_t device)
{
    struct wm_program_options options = {
        .warp_width = process->machine.sm.warp_width,
        .isa = wm_host_best_isa(),
        .gpu = device,
        .number = binary->index,
        .textures = &process->textures,
        .shares = binary->program,
    };
    struct wm_error *error = &binary->load_error;
    struct wm_ptx_module **parsed = calloc(binary->module_count, sizeof(struct wm_ptx_module *));
    if (!parsed)
        return wm_fail_no_memory(error, "a program's modules");
    enum wm_status status = WM_OK;
    uint32_t taken = 0;
    while (taken < binary->module_count && status == WM_OK)
        status = take_module(&binary->modules[taken], &parsed[taken], error), taken++;
    // They are with the program, or gone with the attempt.
    if (status == WM_OK)
        status = wm_program_link(parsed, binary->module_count, process->memory, &options,
                                 &binary->programs[device], error);
    else
        for (uint32_t i = 0; i < taken; i++)
            wm_ptx_module_free(parsed[i]);
    free(parsed);
    return status;
}

// Loading allocates the modules' variables, so a running kernel stands still meanwhile, and this
// host thread is alone with the registry.
static void load_paused(struct wm_cuda_process *process, struct wm_cuda_binary *binary,
                        uint32_t device)
{
    uint32_t bit = UINT32_C(1) << device;
    if (binary->programs[device] || (binary->load_failed & bit))
        return;
    wm_error_clear(&binary->load_error);
    enum wm_status status = link_modules(process, binary, device);
    if (status != WM_OK) {
        binary->load_failed |= bit;
        binary->load_error.status = status;
        wm_cuda_print_error(&binary->load_error);
        return;
    }
    if (binary->program)
        return;
    binary->program = binary->programs[device];
    fill_managed_cells(process, binary, binary->program);
    record_modules(process, binary);
}

// All modules of the binary that could be opened, linked: what one uses may be in any other.
static wm_cuda_status load_binary(struct wm_cuda_process *process, struct wm_cuda_binary *binary,
                                  struct wm_program **program)
{
    uint32_t device = wm_cuda_thread()->device;
    open_binary(process, binary);
    *program = NULL;
    if (binary->module_count == 0)
        return binary->failure;
    if (!binary->programs[device]) {
        wm_cuda_queue_pause_begin(&process->queue);
        load_paused(process, binary, device);
        wm_cuda_queue_pause_end(&process->queue);
    }
    *program = binary->programs[device];
    return *program ? cudaSuccess : wm_cuda_status_of(&binary->load_error);
}

static wm_cuda_status find_kernel(struct wm_cuda_process *process,
                                  struct wm_cuda_function *function,
                                  const struct wm_kernel **kernel)
{
    struct wm_cuda_binary *binary = function->binary;
    struct wm_program *program;
    wm_cuda_status code = load_binary(process, binary, &program);
    if (!program && code != cudaSuccess)
        return code;
    enum wm_status status = WM_NOT_FOUND;
    if (program)
        status = wm_program_kernel(program, function->name, kernel, &function->error);
    if (status == WM_OK) {
        function->kernel = *kernel;
        function->ptx_architecture =
            function->kernel->function->symbol->module->target_architecture;
        return cudaSuccess;
    }
    *kernel = NULL;
    // It may be in a module that could not be opened, which has been said.
    if (status == WM_NOT_FOUND && binary->failure != cudaSuccess)
        return binary->failure;
    if (status == WM_NOT_FOUND)
        wm_fail(&function->error, WM_NOT_FOUND, "kernel \"%s\" is not in the program's PTX",
                function->name);
    function->error.status = status;
    wm_cuda_print_error(&function->error);
    return wm_cuda_status_of(&function->error);
}

wm_cuda_status wm_cuda_function_kernel(struct wm_cuda_process *process,
                                       struct wm_cuda_function *function,
                                       const struct wm_kernel **kernel)
{
    uint32_t device = wm_cuda_thread()->device;
    if (!function->kernels[device] && function->failures[device] == cudaSuccess)
        function->failures[device] = find_kernel(process, function, &function->kernels[device]);
    *kernel = function->kernels[device];
    return function->failures[device];
}

wm_cuda_status wm_cuda_binary_load(struct wm_cuda_process *process, struct wm_cuda_binary *binary)
{
    struct wm_program *program;
    wm_cuda_status status = load_binary(process, binary, &program);
    return status != cudaSuccess ? status : binary->failure;
}

bool wm_cuda_binary_has(const struct wm_cuda_binary *binary, const struct wm_program *program)
{
    for (uint32_t device = 0; device < WM_MOST_GPUS; device++)
        if (binary->programs[device] == program)
            return true;
    return false;
}

wm_cuda_status wm_cuda_variable_address(struct wm_cuda_process *process,
                                        struct wm_cuda_variable *variable, uint64_t *address,
                                        uint64_t *size_bytes)
{
    struct wm_cuda_binary *binary = variable->binary;
    struct wm_program *program;
    wm_cuda_status status = load_binary(process, binary, &program);
    if (status != cudaSuccess)
        return status;
    if (program && wm_program_variable(program, variable->name, address, size_bytes))
        return cudaSuccess;
    return binary->failure != cudaSuccess ? binary->failure : cudaErrorInvalidSymbol;
}

static void retire(struct wm_cuda_registry *registry, struct wm_program *program)
{
    // Without memory the program stays all the same.
    (void)WM_ARRAY_ADD(registry->retired, registry->retired_count, registry->retired_room, program);
}

static void close_binary(struct wm_cuda_binary *binary)
{
    for (uint32_t i = 0; i < binary->module_count; i++) {
        wm_ptx_module_free(binary->modules[i].parsed);
        free_text(&binary->modules[i]);
    }
    free(binary->modules);
    binary->modules = NULL;
    binary->module_count = 0;
    binary->opened = false;
    binary->unregistered |= binary->image;
    binary->failure = cudaSuccess;
}

static void unload_binary(struct wm_cuda_registry *registry, struct wm_cuda_binary *binary,
                          uint32_t device)
{
    if (binary->programs[device])
        retire(registry, binary->programs[device]);
    binary->programs[device] = binary->program = NULL;
    binary->load_failed &= ~(UINT32_C(1) << device);
    for (uint32_t other = WM_MOST_GPUS; other-- > 0;)
        if (binary->programs[other])
            binary->program = binary->programs[other];
    if (!binary->program)
        close_binary(binary);
}

void wm_cuda_registry_unload(struct wm_cuda_registry *registry, uint32_t device)
{
    for (struct wm_cuda_binary *binary = registry->binaries; binary; binary = binary->next)
        unload_binary(registry, binary, device);
    for (uint32_t i = 0; i < registry->function_count; i++) {
        struct wm_cuda_function *function = registry->functions[i];
        function->kernels[device] = function->kernel = NULL;
        function->failures[device] = cudaSuccess;
        for (uint32_t other = 0; other < WM_MOST_GPUS && !function->kernel; other++)
            function->kernel = function->kernels[other];
    }
}
