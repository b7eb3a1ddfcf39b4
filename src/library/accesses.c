#include "library/handles.h"

#include <inttypes.h>

_Static_assert((int)WARPMEM_GLOBAL == WM_SPACE_GLOBAL && (int)WARPMEM_LOCAL == WM_SPACE_LOCAL &&
                   (int)WARPMEM_SHARED == WM_SPACE_SHARED &&
                   (int)WARPMEM_CONSTANT == WM_SPACE_CONSTANT &&
                   (int)WARPMEM_PARAMETER == WM_SPACE_PARAMETER &&
                   (int)WARPMEM_TEXTURE == WM_SPACE_TEXTURE,
               "spaces are the same numbers");
_Static_assert((int)WARPMEM_SECTOR_BYTES == WM_SECTOR_BYTES &&
                   WARPMEM_STREAM_STORE == WM_REFERENCE_STORE,
               "the header's numbers are the sources'");

// What a single access and a warp's have in common.
struct access_fields {
    unsigned kind, space, hint;
    uint32_t sm, pc;
};

static enum warpmem_status check_sm(const struct warpmem_memory *memory, uint32_t sm,
                                    const char *function, struct warpmem_error *error)
{
    uint32_t count = memory->machine->machine.memory.sm_count;
    if (sm < count)
        return WARPMEM_OK;
    return wm_library_refuse(function, WARPMEM_INVALID, error,
                             "SM %" PRIu32 " of a machine with %" PRIu32, sm, count);
}

static enum warpmem_status check_fields(const struct warpmem_memory *memory,
                                        const struct access_fields *fields, const char *function,
                                        struct warpmem_error *error)
{
    if (fields->kind > WM_ACCESS_REDUCTION)
        return wm_library_refuse(function, WARPMEM_INVALID, error, "there is no access kind %u",
                                 fields->kind);
    if (fields->space > WARPMEM_INSTRUCTION)
        return wm_library_refuse(function, WARPMEM_INVALID, error, "there is no space %u",
                                 fields->space);
    if (fields->hint > WM_HINT_NO_L1)
        return wm_library_refuse(function, WARPMEM_INVALID, error, "there is no cache hint %u",
                                 fields->hint);
    bool read_only = fields->space == WARPMEM_CONSTANT || fields->space == WARPMEM_TEXTURE ||
                     fields->space == WARPMEM_PARAMETER || fields->space == WARPMEM_INSTRUCTION;
    if (read_only && fields->kind != WM_ACCESS_LOAD)
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "only loads go to constant memory, parameters, textures and code");
    if (fields->pc >= memory->instructions) {
        enum warpmem_status status =
            wm_library_refuse(function, WARPMEM_INVALID, error,
                              "pc %" PRIu32 " is not below the %" PRIu32 " instructions",
                              fields->pc, memory->instructions);
        return wm_library_hint(status, error,
                               "raise the option \"instructions\" of the memory system");
    }
    return check_sm(memory, fields->sm, function, error);
}

// Of the lines that accesses to a space name; 0: nothing serves them.
static uint32_t line_bytes_of(const struct wm_front_end *front_end, enum warpmem_space space)
{
    if (space == WARPMEM_INSTRUCTION)
        return front_end->side_cache_line_bytes[WM_SIDE_CACHE_INSTRUCTION];
    if (space != WARPMEM_CONSTANT)
        return front_end->line_bytes;
    return front_end->serves_constants == WM_SIDE_CACHE_KINDS
               ? 0
               : front_end->side_cache_line_bytes[front_end->serves_constants];
}

static enum warpmem_status check_access(const struct warpmem_memory *memory,
                                        const struct warpmem_access *access, const char *function,
                                        struct warpmem_error *error)
{
    const struct access_fields fields = {access->kind, access->space, access->hint, access->sm,
                                         access->pc};
    enum warpmem_status status = check_fields(memory, &fields, function, error);
    if (status != WARPMEM_OK)
        return status;
    if (access->space == WARPMEM_SHARED || access->space == WARPMEM_PARAMETER)
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "shared memory and parameters have no lines");
    uint32_t line_bytes = line_bytes_of(&memory->front_end, access->space);
    if (line_bytes == 0)
        return wm_library_refuse(function, WARPMEM_UNSUPPORTED, error,
                                 "this machine has no %s cache",
                                 access->space == WARPMEM_CONSTANT ? "constant" : "instruction");
    if (access->address % line_bytes != 0 || access->address >= WARPMEM_ADDRESS_LIMIT) {
        status =
            wm_library_refuse(function, WARPMEM_INVALID, error,
                              "address %#" PRIx64 " is not that of a line of %" PRIu32 " bytes",
                              access->address, line_bytes);
        return wm_library_hint(status, error,
                               "give a multiple of %" PRIu32 " below WARPMEM_ADDRESS_LIMIT",
                               line_bytes);
    }
    uint32_t all = UINT32_MAX >> (32 - line_bytes / WARPMEM_SECTOR_BYTES);
    if (access->sectors == 0 || (access->sectors & ~all) != 0)
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "sectors %#" PRIx32 " are not some of a line's %#" PRIx32,
                                 access->sectors, all);
    if (access->kind == WM_ACCESS_STORE && (access->full_sectors & ~access->sectors) != 0)
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "full_sectors %#" PRIx32 " are not all of sectors %#" PRIx32,
                                 access->full_sectors, access->sectors);
    return WARPMEM_OK;
}

// The texture cache's lines are at most as long as those that accesses name.
static void load_texture(const struct warpmem_memory *memory, const struct wm_request *request)
{
    uint32_t line_bytes = memory->front_end.side_cache_line_bytes[WM_SIDE_CACHE_TEXTURE];
    uint32_t line_sectors = line_bytes / WM_SECTOR_BYTES;
    uint32_t all = UINT32_MAX >> (32 - line_sectors);
    struct wm_request part = *request;
    for (uint64_t rest = request->sectors; rest != 0; rest >>= line_sectors) {
        part.sectors = (uint32_t)rest & all;
        if (part.sectors != 0)
            wm_memory_side_load(memory->memory, WM_SIDE_CACHE_TEXTURE, &part);
        part.address += line_bytes;
        if (part.bytes)
            part.bytes += line_sectors;
    }
}

// Without translation, as in the walk engine, and charged to no instruction.
static void fetch_instructions(const struct warpmem_memory *memory,
                               const struct warpmem_access *access)
{
    const struct wm_request request = {
        .address = access->address,
        .sectors = access->sectors,
        .sm = access->sm,
        .warp = access->warp,
        .pc = access->pc,
        .block = access->block,
    };
    wm_memory_side_load(memory->memory, WM_SIDE_CACHE_INSTRUCTION, &request);
}

static void serve_line(struct warpmem_memory *memory, const struct warpmem_access *access)
{
    struct wm_instruction_counters *instruction_counters = &memory->counters_by_pc[access->pc];
    bool around = wm_front_end_skips_l1(&memory->front_end, (enum wm_address_space)access->space,
                                        access->hint);
    const struct wm_request request = {
        .address = access->address,
        .sectors = access->sectors,
        .full_sectors = access->kind == WM_ACCESS_STORE ? access->full_sectors : 0,
        .bytes = access->bytes,
        .kind = access->kind,
        .hint = around ? WM_HINT_L2_ONLY : access->hint,
        .around_l1 = around,
        .listed = memory->listed[access->pc],
        .sm = access->sm,
        .warp = access->warp,
        .pc = access->pc,
        .instruction_counters = instruction_counters,
        .block = access->block,
        .explained = memory->explained ? &memory->explained[access->pc] : NULL,
    };
    instruction_counters->requests++;
    instruction_counters->sectors += (uint64_t)__builtin_popcount(access->sectors);
    bool read_only = access->space == WARPMEM_TEXTURE ||
                     (access->space == WARPMEM_GLOBAL && access->kind == WM_ACCESS_LOAD &&
                      access->hint == WM_HINT_READ_ONLY);
    wm_memory_translate(memory->memory, &request, &access->address, 1);
    if (access->space == WARPMEM_CONSTANT)
        wm_memory_side_load(memory->memory, memory->front_end.serves_constants, &request);
    else if (read_only && memory->front_end.side_cache_line_bytes[WM_SIDE_CACHE_TEXTURE] != 0)
        load_texture(memory, &request);
    else
        wm_memory_access(memory->memory, &request);
}

enum warpmem_status warpmem_memory_access(struct warpmem_memory *memory,
                                          const struct warpmem_access *access,
                                          struct warpmem_error *error)
{
    if (!memory || !access)
        return wm_library_refuse_null(__func__, error, memory ? "access" : "memory");
    enum warpmem_status status = check_access(memory, access, __func__, error);
    if (status != WARPMEM_OK)
        return status;
    if (access->space == WARPMEM_INSTRUCTION)
        fetch_instructions(memory, access);
    else
        serve_line(memory, access);
    return wm_library_good(error);
}

static enum warpmem_status check_warp_access(const struct warpmem_memory *memory,
                                             const struct warpmem_warp_access *access,
                                             const char *function, struct warpmem_error *error)
{
    const struct access_fields fields = {access->kind, access->space, access->hint, access->sm,
                                         access->pc};
    enum warpmem_status status = check_fields(memory, &fields, function, error);
    if (status != WARPMEM_OK)
        return status;
    uint32_t lanes = memory->machine->machine.sm.warp_width, bytes = access->bytes_per_lane;
    if (access->space == WARPMEM_INSTRUCTION)
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "code is fetched by lines, not by lanes");
    if (bytes == 0 || bytes > 32 || (bytes & (bytes - 1)) != 0)
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "bytes_per_lane is %" PRIu32 ", not 1, 2, 4, 8, 16 or 32", bytes);
    if (access->active == 0 || (lanes < 64 && access->active >> lanes != 0))
        return wm_library_refuse(function, WARPMEM_INVALID, error,
                                 "active %#" PRIx64 " are not some of a warp's %" PRIu32 " lanes",
                                 access->active, lanes);
    if (!access->addresses)
        return wm_library_refuse_null(function, error, "addresses");
    uint64_t any = 0;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        any |= access->addresses[__builtin_ctzll(rest)];
    uint32_t alignment = access->space == WARPMEM_LOCAL && bytes > 4 ? 4 : bytes;
    // Below the limit and aligned, an element ends below the limit too (in local memory by words).
    if (any % alignment == 0 && any < WARPMEM_ADDRESS_LIMIT)
        return WARPMEM_OK;
    status = wm_library_refuse(function, WARPMEM_INVALID, error,
                               "a lane's address is not aligned to %" PRIu32 " bytes or not below "
                               "WARPMEM_ADDRESS_LIMIT",
                               alignment);
    return wm_library_hint(status, error, "all lanes' addresses together have the bits %#" PRIx64,
                           any);
}

enum warpmem_status warpmem_memory_warp_access(struct warpmem_memory *memory,
                                               const struct warpmem_warp_access *access,
                                               struct warpmem_error *error)
{
    if (!memory || !access)
        return wm_library_refuse_null(__func__, error, memory ? "access" : "memory");
    enum warpmem_status status = check_warp_access(memory, access, __func__, error);
    if (status != WARPMEM_OK)
        return status;
    const struct wm_warp_access own = {
        .kind = access->kind,
        .space = (enum wm_address_space)access->space,
        .hint = access->hint,
        .pc = access->pc,
        .bytes_per_lane = access->bytes_per_lane,
        .lanes = memory->machine->machine.sm.warp_width,
        .active = access->active,
        .addresses = access->addresses,
    };
    memory->front_end.sm = access->sm;
    memory->front_end.warp = access->warp;
    memory->front_end.block = access->block;
    memory->front_end.shared = memory->shared ? &memory->shared[access->sm] : NULL;
    wm_front_end_access(&memory->front_end, &own);
    return wm_library_good(error);
}

enum warpmem_status warpmem_memory_stream(struct warpmem_memory *memory, uint32_t sm,
                                          const uint64_t *references, size_t count,
                                          struct warpmem_error *error)
{
    if (!memory || (!references && count > 0))
        return wm_library_refuse_null(__func__, error, memory ? "references" : "memory");
    enum warpmem_status status = check_sm(memory, sm, __func__, error);
    if (status != WARPMEM_OK)
        return status;
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= references[i];
    if ((any & ~WARPMEM_STREAM_STORE) >= WARPMEM_ADDRESS_LIMIT)
        return wm_library_refuse(__func__, WARPMEM_INVALID, error,
                                 "a reference is not below WARPMEM_ADDRESS_LIMIT");
    bool around = memory->front_end.global_around_l1;
    const struct wm_request who = {.sm = sm,
                                   .hint = around ? WM_HINT_L2_ONLY : WM_HINT_DEFAULT,
                                   .around_l1 = around,
                                   .listed = memory->listed[0]};
    wm_memory_access_references(memory->memory, &who, references, count);
    return wm_library_good(error);
}
