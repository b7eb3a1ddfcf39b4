// The allocator behind the simulated device's addresses: one reserved range, first fit, records of
// what was freed kept until their bytes are handed out again.
#include "exec/memory/device_memory.h"

#include "base/containers/array.h"
#include "exec/memory/device_memory_parts.h"
#include "exec/memory/virtual_memory.h"

#include <assert.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MINIMUM_ALIGNMENT = 256, // as the runtime promises (CUDA C++ Programming Guide, 5.3)
    // Unowned bytes after each allocation, so that running over an end is never a neighbour's data.
    RED_ZONE_BYTES = 256,
    // Pinned and managed memory does not take device capacity, but takes addresses.
    RANGE_PER_CAPACITY = 4,
};

static const uint64_t minimum_range_bytes = UINT64_C(1) << 36;

static bool takes_capacity(enum wm_allocation_kind kind)
{
    return kind == WM_ALLOCATION_DEVICE || kind == WM_ALLOCATION_VARIABLE ||
           kind == WM_ALLOCATION_CONSTANT;
}

// The addresses of one GPU, or the host's.
static enum wm_status reserve_range(struct wm_device_memory *self, uint64_t address,
                                    struct wm_error *error)
{
    // PROT_NONE: addresses alone, which no overcommit policy counts.
    void *base = mmap(address_pointer(address), self->range_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (base == address_pointer(address)) {
        self->ranges[self->range_count++] = (struct wm_address_range){.base = address};
        return WM_OK;
    }
    int reason = errno;
    if (base != MAP_FAILED)
        munmap(base, self->range_bytes);
    return wm_fail(error, WM_NO_MEMORY, "cannot reserve the device's addresses from 0x%llx: %s",
                   (unsigned long long)address, strerror(reason));
}

static enum wm_status reserve(struct wm_device_memory *self, struct wm_error *error)
{
    for (uint32_t gpu = 0; gpu < self->gpus; gpu++)
        WM_TRY(reserve_range(self, WM_DEVICE_BASE + gpu * WM_GPU_ADDRESSES, error));
    if (self->gpus > 1)
        WM_TRY(reserve_range(self, WM_HOST_BASE, error));
    uint64_t end = self->ranges[self->gpus - 1].base + self->range_bytes;
    self->virtual_memory = wm_virtual_memory_new(self, end);
    return self->virtual_memory ? WM_OK : wm_fail_no_memory(error, "the device memory's table");
}

enum wm_status wm_device_memory_new_of_gpus(uint64_t capacity_bytes, uint32_t gpus,
                                            struct wm_device_memory **memory,
                                            struct wm_error *error)
{
    *memory = NULL;
    uint64_t most = gpus > 1 ? WM_GPU_ADDRESSES : UINT64_C(1) << 44;
    if (capacity_bytes == 0 || capacity_bytes > most)
        return wm_fail(error, WM_INVALID, "a device memory of %llu bytes is out of range",
                       (unsigned long long)capacity_bytes);
    struct wm_device_memory *self;
    WM_TRY(WM_ARRAY_NEW(self, 1, error, "the device memory's table"));
    self->shared_file = -1;
    self->gpus = gpus;
    self->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    self->capacity_bytes = capacity_bytes;
    self->range_bytes = align_up(capacity_bytes, self->page_bytes) * RANGE_PER_CAPACITY;
    if (self->range_bytes < minimum_range_bytes)
        self->range_bytes = minimum_range_bytes;
    if (gpus > 1 && self->range_bytes > WM_GPU_ADDRESSES)
        self->range_bytes = WM_GPU_ADDRESSES;
    enum wm_status status = reserve(self, error);
    if (status != WM_OK) {
        wm_device_memory_free(self);
        return status;
    }
    *memory = self;
    return WM_OK;
}

enum wm_status wm_device_memory_new(uint64_t capacity_bytes, struct wm_device_memory **memory,
                                    struct wm_error *error)
{
    return wm_device_memory_new_of_gpus(capacity_bytes, 1, memory, error);
}

void wm_device_memory_free(struct wm_device_memory *memory)
{
    if (!memory)
        return;
    for (uint32_t i = 0; i < memory->range_count; i++)
        munmap(address_pointer(memory->ranges[i].base), memory->range_bytes);
    wm_virtual_memory_free(memory->virtual_memory);
    wm_device_memory_close_shared(memory);
    free(memory->allocations);
    free(memory);
}

void wm_device_memory_grant(struct wm_device_memory *memory, uint64_t address, uint32_t gpus)
{
    struct wm_allocation *record = &memory->allocations[wm_device_memory_beyond(memory, address)];
    record->only_granted = true;
    record->granted = gpus;
    memory->generation++;
}

uint32_t wm_device_memory_gpus(const struct wm_device_memory *memory)
{
    return memory->gpus;
}

uint32_t wm_device_memory_gpu_of(const struct wm_device_memory *memory,
                                 const struct wm_allocation *allocation)
{
    if (memory->gpus == 1)
        return allocation->kind == WM_ALLOCATION_HOST ||
                       allocation->kind == WM_ALLOCATION_REGISTERED
                   ? WM_MOST_GPUS
                   : 0;
    return wm_gpu_of_address(allocation->address, memory->gpus, WM_MOST_GPUS);
}

bool wm_device_memory_reaches(const struct wm_device_memory *memory, uint32_t gpu, uint32_t peers,
                              const struct wm_allocation *allocation)
{
    uint32_t home = wm_device_memory_gpu_of(memory, allocation);
    if (allocation->only_granted || allocation->kind == WM_ALLOCATION_MAPPED)
        peers = (allocation->granted >> gpu & 1) << home;
    return memory->gpus == 1 || home == gpu || home == WM_MOST_GPUS || (peers >> home & 1) != 0 ||
           allocation->kind == WM_ALLOCATION_MANAGED;
}

size_t wm_device_memory_beyond(const struct wm_device_memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct wm_allocation *record = &memory->allocations[middle];
        if (record->address + record->size_bytes > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t wm_device_memory_first_fit(const struct wm_device_memory *memory,
                                    const struct wm_address_range *range, uint64_t size_bytes,
                                    uint64_t alignment)
{
    uint64_t candidate = range->base, end = range->base + memory->range_bytes;
    for (size_t i = 0; i < memory->count; i++) {
        const struct wm_allocation *record = &memory->allocations[i];
        if (record->freed || record->address >= end || record->address < range->base)
            continue;
        // Pages of another process hold nothing of ours.
        uint64_t unit = record->kind == WM_ALLOCATION_IMPORTED ? memory->page_bytes : 1;
        candidate = align_up(candidate, alignment);
        if (candidate + size_bytes + RED_ZONE_BYTES <= align_down(record->address, unit))
            return candidate;
        candidate = align_up(record->address + record->size_bytes, unit) + RED_ZONE_BYTES;
    }
    candidate = align_up(candidate, alignment);
    return candidate + size_bytes + RED_ZONE_BYTES <= end ? candidate : 0;
}

static void remove_record(struct wm_device_memory *memory, size_t index)
{
    memory->count--;
    memmove(&memory->allocations[index], &memory->allocations[index + 1],
            (memory->count - index) * sizeof(memory->allocations[0]));
}

bool wm_device_memory_insert(struct wm_device_memory *memory, const struct wm_allocation *record)
{
    if (!WM_ARRAY_RESERVE(memory->allocations, memory->count, memory->capacity, 1))
        return false;
    size_t at = wm_device_memory_beyond(memory, record->address);
    while (at < memory->count &&
           memory->allocations[at].address < record->address + record->size_bytes) {
        assert(memory->allocations[at].freed);
        remove_record(memory, at);
    }
    memmove(&memory->allocations[at + 1], &memory->allocations[at],
            (memory->count - at) * sizeof(memory->allocations[0]));
    memory->allocations[at] = *record;
    memory->count++;
    memory->generation++;
    return true;
}

enum wm_status wm_device_memory_add_record(struct wm_device_memory *memory,
                                           const struct wm_allocation *record,
                                           struct wm_error *error)
{
    if (!wm_device_memory_insert(memory, record))
        return wm_fail_no_memory(error, "the table of allocations");
    memory->host_count += wm_device_memory_host_writes(record);
    return WM_OK;
}

void wm_device_memory_remove_record(struct wm_device_memory *memory, uint64_t address)
{
    size_t at = wm_device_memory_beyond(memory, address);
    assert(at < memory->count && memory->allocations[at].kind == WM_ALLOCATION_MAPPED);
    memory->host_count -= wm_device_memory_host_writes(&memory->allocations[at]);
    remove_record(memory, at);
    memory->generation++;
}

static enum wm_status no_capacity(const struct wm_device_memory *memory, uint32_t gpu,
                                  uint64_t size_bytes, struct wm_error *error)
{
    return wm_fail(
        error, WM_NO_MEMORY, "%llu bytes requested, %llu of %llu bytes of device memory in use",
        (unsigned long long)size_bytes, (unsigned long long)memory->ranges[gpu].used_bytes,
        (unsigned long long)memory->capacity_bytes);
}

enum wm_status wm_device_memory_charge(struct wm_device_memory *memory, uint64_t size_bytes,
                                       struct wm_error *error)
{
    if (size_bytes > memory->capacity_bytes - memory->ranges[0].used_bytes)
        return no_capacity(memory, 0, size_bytes, error);
    memory->ranges[0].used_bytes += size_bytes;
    return WM_OK;
}

void wm_device_memory_uncharge(struct wm_device_memory *memory, uint64_t size_bytes)
{
    memory->ranges[0].used_bytes -= size_bytes;
}

bool wm_device_memory_make_accessible(const struct wm_device_memory *memory,
                                      struct wm_address_range *range, uint64_t end)
{
    // As much as drivers map: what strays from an allocation must find memory (mapped_with).
    uint64_t wanted = align_up(end - range->base, WM_MAPPING_GRANULARITY);
    if (wanted > memory->range_bytes)
        wanted = memory->range_bytes;
    if (wanted <= range->accessible_bytes)
        return true;
    if (mprotect(address_pointer(range->base + range->accessible_bytes),
                 wanted - range->accessible_bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    range->accessible_bytes = wanted;
    return true;
}

// New allocations are zero: whole pages are handed back to the host, the ends are cleared.
static void clear_bytes(const struct wm_device_memory *memory, uint64_t address, uint64_t size)
{
    uint64_t first_page = align_up(address, memory->page_bytes);
    uint64_t last_page = (address + size) & ~(memory->page_bytes - 1);
    if (first_page >= last_page) {
        memset(address_pointer(address), 0, size);
        return;
    }
    memset(address_pointer(address), 0, first_page - address);
    memset(address_pointer(last_page), 0, address + size - last_page);
    if (madvise(address_pointer(first_page), last_page - first_page, MADV_DONTNEED) != 0 ||
        !wm_device_memory_clear_shared(memory, first_page, last_page))
        memset(address_pointer(first_page), 0, last_page - first_page);
}

enum wm_status wm_device_memory_allocate(struct wm_device_memory *memory, uint64_t size_bytes,
                                         uint64_t alignment, enum wm_allocation_kind kind,
                                         const char *label, uint64_t *address,
                                         struct wm_error *error)
{
    return wm_device_memory_allocate_on(memory, 0, size_bytes, alignment, kind, label, address,
                                        error);
}

enum wm_status wm_device_memory_allocate_on(struct wm_device_memory *memory, uint32_t gpu,
                                            uint64_t size_bytes, uint64_t alignment,
                                            enum wm_allocation_kind kind, const char *label,
                                            uint64_t *address, struct wm_error *error)
{
    bool is_host = memory->gpus > 1 && kind == WM_ALLOCATION_HOST;
    struct wm_address_range *range = &memory->ranges[is_host ? memory->gpus : gpu];
    *address = 0;
    if (size_bytes == 0)
        return wm_fail(error, WM_INVALID, "an allocation of zero bytes");
    if (alignment & (alignment - 1))
        return wm_fail(error, WM_INVALID, "alignment %llu is not a power of two",
                       (unsigned long long)alignment);
    if (alignment < MINIMUM_ALIGNMENT)
        alignment = MINIMUM_ALIGNMENT;
    if (size_bytes > memory->range_bytes ||
        (takes_capacity(kind) && size_bytes > memory->capacity_bytes - range->used_bytes))
        return no_capacity(memory, gpu, size_bytes, error);
    uint64_t place = wm_device_memory_first_fit(memory, range, size_bytes, alignment);
    if (!place || !wm_device_memory_make_accessible(memory, range, place + size_bytes))
        return wm_fail(error, WM_NO_MEMORY, "no room for %llu bytes among the device's addresses",
                       (unsigned long long)size_bytes);
    struct wm_allocation record = {.address = place, .size_bytes = size_bytes, .kind = kind};
    snprintf(record.label, sizeof(record.label), "%s", label ? label : "allocation");
    if (!wm_device_memory_insert(memory, &record))
        return wm_fail_no_memory(error, "the table of allocations");
    if (memory->strayed)
        clear_bytes(memory, place, size_bytes);
    if (takes_capacity(kind))
        range->used_bytes += size_bytes;
    memory->host_count += wm_device_memory_host_writes(&record);
    *address = place;
    return WM_OK;
}

enum wm_status wm_device_memory_register(struct wm_device_memory *memory, void *host,
                                         uint64_t size_bytes, struct wm_error *error)
{
    uint64_t address = (uint64_t)(uintptr_t)host;
    if (!host || size_bytes == 0 || address + size_bytes < address)
        return wm_fail(error, WM_INVALID, "an empty range of host memory cannot be registered");
    for (size_t i = wm_device_memory_beyond(memory, address); i < memory->count; i++) {
        const struct wm_allocation *other = &memory->allocations[i];
        if (other->address >= address + size_bytes)
            break;
        if (!other->freed)
            return wm_fail(error, WM_INVALID, "the host range overlaps %s", other->label);
    }
    struct wm_allocation record = {.address = address,
                                   .size_bytes = size_bytes,
                                   .kind = WM_ALLOCATION_REGISTERED,
                                   .label = "registered host memory"};
    if (!wm_device_memory_insert(memory, &record))
        return wm_fail_no_memory(error, "the table of allocations");
    memory->host_count++;
    return WM_OK;
}

enum wm_status wm_device_memory_release(struct wm_device_memory *memory, uint64_t address,
                                        struct wm_error *error)
{
    size_t at = wm_device_memory_beyond(memory, address);
    if (at == memory->count || memory->allocations[at].address != address)
        return wm_fail(error, WM_INVALID, "0x%llx is not the start of an allocation",
                       (unsigned long long)address);
    struct wm_allocation *record = &memory->allocations[at];
    if (record->freed)
        return wm_fail(error, WM_INVALID, "%s at 0x%llx is freed a second time", record->label,
                       (unsigned long long)address);
    memory->generation++;
    memory->host_count -= wm_device_memory_host_writes(record);
    if (record->kind == WM_ALLOCATION_REGISTERED) {
        remove_record(memory, at);
        return WM_OK;
    }
    if (takes_capacity(record->kind))
        memory->ranges[wm_device_memory_gpu_of(memory, record)].used_bytes -= record->size_bytes;
    record->freed = true;
    record->shared = false;
    if (record->kind == WM_ALLOCATION_IMPORTED)
        return wm_device_memory_unmap_imported(memory, record, error);
    clear_bytes(memory, record->address, record->size_bytes);
    return WM_OK;
}

const struct wm_allocation *wm_device_memory_all(const struct wm_device_memory *memory,
                                                 size_t *count)
{
    *count = memory->count;
    return memory->allocations;
}

const struct wm_allocation *wm_device_memory_find(const struct wm_device_memory *memory,
                                                  uint64_t address)
{
    size_t at = wm_device_memory_beyond(memory, address);
    if (at == memory->count)
        return NULL;
    const struct wm_allocation *record = &memory->allocations[at];
    return record->address <= address && !record->freed ? record : NULL;
}

const struct wm_allocation *wm_device_memory_find_range(const struct wm_device_memory *memory,
                                                        uint64_t address, uint64_t size_bytes,
                                                        bool write)
{
    const struct wm_allocation *first = wm_device_memory_find(memory, address);
    if (!first || (write && first->read_only))
        return NULL;
    const struct wm_allocation *last = first, *end = memory->allocations + memory->count;
    uint64_t reached = first->size_bytes - (address - first->address);
    while (reached < size_bytes) {
        const struct wm_allocation *next = last + 1;
        if (next == end || last->kind != WM_ALLOCATION_MAPPED ||
            next->kind != WM_ALLOCATION_MAPPED ||
            next->address != last->address + last->size_bytes || (write && next->read_only))
            return NULL;
        reached += next->size_bytes;
        last = next;
    }
    return first;
}

// Memory of the program's own mapping has no more behind it than the program put there.
static bool driver_maps(const struct wm_allocation *record)
{
    return !record->freed && record->kind != WM_ALLOCATION_MAPPED &&
           record->kind != WM_ALLOCATION_REGISTERED;
}

static bool is_in_range(const struct wm_device_memory *memory, uint64_t address)
{
    for (uint32_t i = 0; i < memory->range_count; i++)
        if (address - memory->ranges[i].base < memory->range_bytes)
            return true;
    return false;
}

static uint64_t end_of(const struct wm_allocation *record)
{
    return record->address + record->size_bytes;
}

const struct wm_allocation *wm_device_memory_mapped_with(const struct wm_device_memory *memory,
                                                         uint64_t address, uint64_t size_bytes)
{
    uint64_t first = address & ~(WM_MAPPING_GRANULARITY - 1), end = first + WM_MAPPING_GRANULARITY;
    if (!is_in_range(memory, address) || size_bytes > end - address)
        return NULL;
    const struct wm_allocation *before = NULL, *behind = NULL;
    size_t at = wm_device_memory_beyond(memory, address);
    for (size_t i = at; i < memory->count; i++) {
        const struct wm_allocation *record = &memory->allocations[i];
        if (record->address >= end || behind)
            break;
        if (record->freed && record->address < address + size_bytes)
            return NULL;
        behind = driver_maps(record) ? record : NULL;
    }
    for (size_t i = at; i-- > 0 && !before && end_of(&memory->allocations[i]) > first;)
        before = driver_maps(&memory->allocations[i]) ? &memory->allocations[i] : NULL;
    if (!before || !behind)
        return before ? before : behind;
    uint64_t to_behind = behind->address > address ? behind->address - address : 0;
    return address - end_of(before) <= to_behind ? before : behind;
}

void wm_device_memory_strayed(struct wm_device_memory *memory)
{
    memory->strayed = true;
}

void wm_allocation_describe(const struct wm_allocation *near, uint64_t address, char *text,
                            size_t size)
{
    const char *freed = near->freed ? "freed " : "";
    uint64_t end = end_of(near);
    if (address < near->address)
        snprintf(text, size, "%llu bytes before %s%s (%llu bytes at 0x%llx)",
                 (unsigned long long)(near->address - address), freed, near->label,
                 (unsigned long long)near->size_bytes, (unsigned long long)near->address);
    else if (address >= end)
        snprintf(text, size, "%llu bytes past the end of %s%s (%llu bytes at 0x%llx)",
                 (unsigned long long)(address - end), freed, near->label,
                 (unsigned long long)near->size_bytes, (unsigned long long)near->address);
    else
        snprintf(text, size, "%llu bytes into %s%s (%llu bytes at 0x%llx)",
                 (unsigned long long)(address - near->address), freed, near->label,
                 (unsigned long long)near->size_bytes, (unsigned long long)near->address);
}

bool wm_device_memory_owns(const struct wm_device_memory *memory, uint64_t address)
{
    return is_in_range(memory, address) || wm_virtual_owns(memory->virtual_memory, address);
}

struct wm_virtual_memory *wm_device_memory_virtual(const struct wm_device_memory *memory)
{
    return memory->virtual_memory;
}

const struct wm_allocation *wm_device_memory_nearest(const struct wm_device_memory *memory,
                                                     uint64_t address)
{
    if (memory->count == 0)
        return NULL;
    size_t at = wm_device_memory_beyond(memory, address);
    if (at == memory->count)
        return &memory->allocations[at - 1];
    const struct wm_allocation *after = &memory->allocations[at];
    if (after->address <= address || at == 0)
        return after;
    const struct wm_allocation *before = after - 1;
    uint64_t gap_before = address - (before->address + before->size_bytes);
    return gap_before <= after->address - address ? before : after;
}

uint64_t wm_device_memory_host_count(const struct wm_device_memory *memory)
{
    return memory->host_count;
}

uint64_t wm_device_memory_used(const struct wm_device_memory *memory, uint32_t gpu)
{
    return memory->ranges[gpu].used_bytes;
}

uint64_t wm_device_memory_capacity(const struct wm_device_memory *memory)
{
    return memory->capacity_bytes;
}

uint64_t wm_device_memory_generation(const struct wm_device_memory *memory)
{
    return memory->generation;
}
