// Findings: see faults.h.
#include "exec/faults.h"

#include "exec/memory/virtual_memory.h"
#include "exec/program/function_table.h"

static const struct wm_kernel_instruction *instruction_at(const struct wm_kernel *kernel,
                                                          uint32_t pc)
{
    return pc < kernel->instruction_count ? &kernel->instructions[pc] : NULL;
}

// "kernel scale, module.ptx:31 (scale.cu:7), block (0,0,0), thread (5,0,0)"
static void set_place(struct wm_finding *fault)
{
    const struct wm_kernel *kernel = fault->kernel;
    const struct wm_kernel_instruction *at = instruction_at(kernel, fault->pc);
    char source[160] = "";
    if (at && at->source_file)
        snprintf(source, sizeof(source), " (%s:%u)", at->source_file, at->source_line);
    wm_error_place(&fault->error, "kernel %s, %s:%u%s, block (%u,%u,%u), thread (%u,%u,%u)",
                   kernel->name, at ? at->function->symbol->module->name : kernel->module,
                   at ? at->ptx_line : 0, source, fault->block[0], fault->block[1], fault->block[2],
                   fault->thread[0], fault->thread[1], fault->thread[2]);
    if (!at)
        return;
    struct wm_text text;
    wm_text_init(&text);
    wm_ptx_print_instruction(at->function, at->instruction, &text);
    if (text.data)
        wm_error_excerpt(&fault->error, text.data, text.length, 1);
    wm_text_release(&text);
}

static void coordinates(const struct wm_warp *warp, unsigned lane, uint32_t block[3],
                        uint32_t thread[3])
{
    const struct wm_grid *grid = warp->grid;
    uint64_t index = warp->block->public.index;
    block[0] = (uint32_t)(index % grid->grid[0]);
    block[1] = (uint32_t)(index / grid->grid[0] % grid->grid[1]);
    block[2] = (uint32_t)(index / grid->grid[0] / grid->grid[1]);
    uint32_t number = warp->index * wm_width(warp) + lane;
    thread[0] = number % grid->block[0];
    thread[1] = number / grid->block[0] % grid->block[1];
    thread[2] = number / grid->block[0] / grid->block[1];
}

static struct wm_finding *begin(struct wm_warp *warp, const struct wm_op *op,
                                enum wm_fault_kind kind, unsigned lane)
{
    struct wm_grid *grid = warp->grid;
    struct wm_finding *fault = &grid->fault;
    *fault = (struct wm_finding){.kind = kind, .kernel = &grid->decoded->kernel, .pc = op->pc};
    coordinates(warp, lane, fault->block, fault->thread);
    grid->faulted = true;
    return fault;
}

static unsigned first_lane(const struct wm_warp *warp)
{
    return (unsigned)__builtin_ctzll(warp->mask);
}

static const char *access_name(const struct wm_memory_form *form)
{
    switch (form->kind) {
    case WM_ACCESS_LOAD: return "read";
    case WM_ACCESS_STORE: return "write";
    default: return "atomic access";
    }
}

// "8 bytes into cuMemAddressReserve #1 (…), where nothing is mapped"; false outside of
// reservations.
static bool describe_reserved(const struct wm_device_memory *memory, uint64_t address, char *text,
                              size_t size)
{
    const struct wm_virtual_memory *virtual_memory = wm_device_memory_virtual(memory);
    const struct wm_reservation *reserved = wm_virtual_reservation_of(virtual_memory, address);
    const struct wm_mapping *mapping = wm_virtual_mapping_of(virtual_memory, address);
    const struct wm_physical_memory *physical =
        mapping ? wm_virtual_physical(virtual_memory, mapping->handle) : NULL;
    if (!reserved)
        return false;
    snprintf(text, size, "%llu bytes into %s (%llu bytes at 0x%llx), where %s is mapped%s",
             (unsigned long long)(address - reserved->address), reserved->label,
             (unsigned long long)reserved->size_bytes, (unsigned long long)reserved->address,
             physical ? physical->label : "nothing", physical ? " without access" : "");
    return true;
}

static struct wm_finding *begin_access(struct wm_warp *warp, const struct wm_op *op,
                                       enum wm_fault_kind kind, unsigned lane, uint64_t address)
{
    struct wm_finding *fault = begin(warp, op, kind, lane);
    fault->address = address;
    fault->bytes = op->memory->bytes;
    fault->write = op->memory->kind != WM_ACCESS_LOAD;
    return fault;
}

const struct wm_op *wm_fault_global(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                    uint64_t address)
{
    const struct wm_allocation *near = wm_device_memory_nearest(warp->grid->memory, address);
    bool freed = near && near->freed && address >= near->address &&
                 address < near->address + near->size_bytes;
    struct wm_finding *fault =
        begin_access(warp, op, freed ? WM_FAULT_FREED : WM_FAULT_OUT_OF_BOUNDS, lane, address);
    char where[256] = "nothing is allocated";
    bool reserved = describe_reserved(warp->grid->memory, address, where, sizeof(where));
    // Far away from everything the distance means nothing.
    if (!reserved && near &&
        (address - near->address < UINT64_C(1) << 32 || near->address - address < UINT64_C(1)
                                                                                      << 32))
        wm_allocation_describe(near, address, where, sizeof(where));
    else if (!reserved && near)
        snprintf(where, sizeof(where), "no allocation is near");
    wm_fail(&fault->error, WM_FAULT, "%s of %u bytes at 0x%llx %s: %s", access_name(op->memory),
            fault->bytes, (unsigned long long)address, freed ? "in freed memory" : "out of bounds",
            where);
    set_place(fault);
    if (reserved)
        wm_error_hint(&fault->error,
                      "memory must be mapped there with cuMemMap, and cuMemSetAccess "
                      "must give the device access to it");
    if (address < 4096)
        wm_error_hint(&fault->error, "the address is almost zero: check for a null pointer, or a "
                                     "host variable used in device code");
    return NULL;
}

const struct wm_op *wm_fault_peer(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                  const struct wm_allocation *allocation)
{
    uint64_t address = warp->addresses[lane];
    struct wm_finding *fault = begin_access(warp, op, WM_FAULT_PEER, lane, address);
    uint32_t gpu = warp->grid->gpu, home = wm_device_memory_gpu_of(warp->grid->memory, allocation);
    wm_fail(&fault->error, WM_FAULT,
            "%s of %u bytes at 0x%llx in the memory of device %u (%s), to which device %u has no "
            "access",
            access_name(op->memory), fault->bytes, (unsigned long long)address, home,
            allocation->label, gpu);
    set_place(fault);
    wm_error_hint(&fault->error,
                  "call cudaDeviceEnablePeerAccess(%u, 0) with device %u current before the launch",
                  home, gpu);
    return NULL;
}

bool wm_fault_passes(struct wm_warp *warp, const struct wm_op *op, unsigned lane)
{
    struct wm_grid *grid = warp->grid;
    struct wm_stray_access access = {.pc = op->pc,
                                     .kind = op->memory->kind,
                                     .address = warp->addresses[lane],
                                     .bytes = op->memory->bytes};
    if (!grid->stray)
        return false;
    access.near = wm_device_memory_mapped_with(grid->memory, access.address, access.bytes);
    if (!access.near)
        return false;
    coordinates(warp, lane, access.block, access.thread);
    if (!grid->stray(grid->stray_context, &access))
        return false;
    if (access.kind != WM_ACCESS_LOAD)
        wm_device_memory_strayed(grid->memory);
    return true;
}

const struct wm_op *wm_fault_memory(struct wm_warp *warp, const struct wm_op *op,
                                    enum wm_fault_kind kind, unsigned lane, uint64_t address)
{
    struct wm_finding *fault = begin_access(warp, op, kind, lane, address);
    const char *what = access_name(op->memory);
    unsigned long long at = (unsigned long long)address;
    uint32_t bytes = fault->bytes;
    const struct wm_kernel *kernel = fault->kernel;
    switch (kind) {
    case WM_FAULT_MISALIGNED:
        wm_fail(&fault->error, WM_FAULT,
                "misaligned %s of %u bytes at 0x%llx, which is no multiple of %u", what, bytes, at,
                bytes);
        break;
    case WM_FAULT_SHARED_OUT_OF_BOUNDS:
        wm_fail(&fault->error, WM_FAULT,
                "%s of %u bytes at 0x%llx beyond the block's %llu bytes of shared memory (%u "
                "static, %u dynamic)",
                what, bytes, at, (unsigned long long)warp->shared.size_bytes,
                kernel->static_shared_bytes, warp->grid->dynamic_shared_bytes);
        break;
    case WM_FAULT_LOCAL_OUT_OF_BOUNDS:
        wm_fail(&fault->error, WM_FAULT,
                "%s of %u bytes at 0x%llx beyond the thread's %u bytes of local memory", what,
                bytes, at, warp->grid->local_bytes_per_thread);
        break;
    case WM_FAULT_READ_ONLY:
        wm_fail(&fault->error, WM_FAULT, "%s of %u bytes at 0x%llx in read-only memory", what,
                bytes, at);
        break;
    default:
        wm_fail(&fault->error, WM_FAULT, "%s of %u bytes at 0x%llx out of bounds", what, bytes, at);
        break;
    }
    set_place(fault);
    return NULL;
}

const struct wm_op *wm_fault_trap(struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_TRAP, first_lane(warp));
    wm_fail(&fault->error, WM_FAULT, "the kernel executed a trap instruction");
    set_place(fault);
    return NULL;
}

const struct wm_op *wm_fault_assert(struct wm_warp *warp, const struct wm_op *op,
                                    const struct wm_failed_assertion *failed)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_ASSERT, first_lane(warp));
    struct wm_failed_assertion *assertion = &fault->assertion;
    *assertion = *failed;
    uint32_t block[3];
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1)
        coordinates(warp, (unsigned)__builtin_ctzll(rest), block,
                    assertion->threads[assertion->thread_count++]);
    wm_fail(&fault->error, WM_FAULT, "%s: assertion `%s` failed", failed->place,
            failed->expression);
    set_place(fault);
    return NULL;
}

const struct wm_op *wm_fault_runtime(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                     uint64_t address, const char *format)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_OUT_OF_BOUNDS, lane);
    char text[160];
    fault->address = address;
    snprintf(text, sizeof(text), format, (unsigned long long)address);
    wm_fail(&fault->error, WM_FAULT, "%s", text);
    set_place(fault);
    return NULL;
}

const struct wm_op *wm_fault_texture(struct wm_warp *warp, const struct wm_op *op,
                                     enum wm_fault_kind kind, unsigned lane, uint64_t address,
                                     const char *format, ...)
{
    struct wm_finding *fault = begin(warp, op, kind, lane);
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fault->address = address;
    wm_fail(&fault->error, WM_FAULT, "%s", text);
    set_place(fault);
    return NULL;
}

const struct wm_op *wm_fault_branch(struct wm_warp *warp, const struct wm_op *op, uint32_t index,
                                    uint32_t count)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_TRAP, first_lane(warp));
    wm_fail(&fault->error, WM_FAULT, "branch target number %u of %u", index, count);
    set_place(fault);
    return NULL;
}

const struct wm_op *wm_fault_call(struct wm_warp *warp, const struct wm_op *op, uint64_t address)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_ILLEGAL_CALL, first_lane(warp));
    const struct wm_ptx_function *function = wm_function_at(op->indirect->table, address);
    fault->address = address;
    wm_fail(&fault->error, WM_FAULT, "call through 0x%llx, %s%s%s", (unsigned long long)address,
            function       ? "where '"
            : address == 0 ? "a null pointer"
                           : "where no function is",
            function ? function->name : "",
            function ? "' is, which is none of what this call may reach" : "");
    set_place(fault);
    if (function)
        wm_error_hint(&fault->error,
                      "check that the function's parameters are those that the pointer was "
                      "declared with");
    else
        wm_error_hint(&fault->error,
                      "check that device code has set the pointer: the address that host code sees "
                      "of a device function is another one");
    return NULL;
}

const struct wm_op *wm_fault_refused(struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_UNSUPPORTED, first_lane(warp));
    wm_fail(&fault->error, WM_UNSUPPORTED, "%s", op->refusal);
    set_place(fault);
    return NULL;
}

const struct wm_op *wm_fault_stack_overflow(struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_LOCAL_OUT_OF_BOUNDS, first_lane(warp));
    wm_fail(&fault->error, WM_FAULT,
            "function calls too deep: the thread's stack of %u bytes is full",
            warp->grid->local_bytes_per_thread);
    set_place(fault);
    wm_error_hint(&fault->error, "look for a recursion without an end; "
                                 "cudaDeviceSetLimit(cudaLimitStackSize, bytes) gives more stack");
    return NULL;
}

const struct wm_op *wm_fault_alloca(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                    uint64_t bytes)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_LOCAL_OUT_OF_BOUNDS, lane);
    wm_fail(&fault->error, WM_FAULT, "alloca of %llu bytes: the thread's stack has %u, %u in use",
            (unsigned long long)bytes, warp->grid->local_bytes_per_thread,
            warp->grid->local_bytes_per_thread - warp->stack_tops[lane] + warp->local_base);
    set_place(fault);
    wm_error_hint(&fault->error, "cudaDeviceSetLimit(cudaLimitStackSize, bytes) gives more stack");
    return NULL;
}

const struct wm_op *wm_fault_barrier(struct wm_warp *warp, const struct wm_op *op,
                                     const char *format, uint32_t value)
{
    struct wm_finding *fault = begin(warp, op, WM_FAULT_ILLEGAL_BARRIER, first_lane(warp));
    char text[160];
    snprintf(text, sizeof(text), format, value);
    wm_fail(&fault->error, WM_FAULT, "%s", text);
    set_place(fault);
    return NULL;
}
