// Reservations, physical memory and mappings: see virtual_memory.h.
#include "exec/memory/virtual_memory.h"

#include "base/access/block.h"
#include "base/containers/array.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Addresses for reservations: programs reserve more than the device has, some of them many times.
// Beside several GPUs' ranges there are fewer, up to where addresses of local memory begin.
static const uint64_t most_reserved_bytes = UINT64_C(1) << 43;
// Canonical names of physical memory lie below them.
static const uint64_t canonical_bytes = UINT64_C(1) << 42;

struct wm_virtual_memory {
    struct wm_device_memory *memory; // it belongs to
    uint64_t end;                    // of all other allocations
    uint64_t base, reserved_bytes, page_bytes;
    uint64_t reached; // the highest end of a reservation so far
    int file;
    uint64_t file_bytes;
    uint64_t last_handle;
    struct wm_reservation *reservations; // owned; in order of address
    uint32_t reservation_count, reservation_capacity;
    struct wm_mapping *mappings; // owned; in order of address
    uint32_t mapping_count, mapping_capacity;
    struct wm_physical_memory *physicals; // owned; in order of creation
    uint32_t physical_count, physical_capacity;
};

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static void *address_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

struct wm_virtual_memory *wm_virtual_memory_new(struct wm_device_memory *memory, uint64_t end)
{
    struct wm_virtual_memory *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->memory = memory;
    self->end = align_up(end, WM_MAPPING_GRANULARITY);
    uint64_t least = self->end + canonical_bytes;
    self->base = self->reached = least > WM_RESERVED_BASE ? least : WM_RESERVED_BASE;
    self->reserved_bytes = most_reserved_bytes;
    if (wm_device_memory_gpus(memory) > 1 && self->base + most_reserved_bytes > WM_LOCAL_BASE)
        self->reserved_bytes = WM_LOCAL_BASE - self->base;
    self->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    self->file = -1;
    return self;
}

void wm_virtual_memory_free(struct wm_virtual_memory *self)
{
    if (!self)
        return;
    for (uint32_t i = 0; i < self->reservation_count; i++)
        munmap(address_pointer(self->reservations[i].address), self->reservations[i].size_bytes);
    for (uint32_t i = 0; i < self->physical_count; i++)
        if (self->physicals[i].file >= 0)
            close(self->physicals[i].file);
    if (self->file >= 0)
        close(self->file);
    free(self->reservations);
    free(self->mappings);
    free(self->physicals);
    free(self);
}

// PROT_NONE: addresses alone, which no overcommit policy counts.
static enum wm_status reserve_from_host(uint64_t address, uint64_t size_bytes,
                                        struct wm_error *error)
{
    void *got = mmap(address_pointer(address), size_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == address_pointer(address))
        return WM_OK;
    int reason = errno;
    if (got != MAP_FAILED)
        munmap(got, size_bytes);
    return wm_fail(error, WM_NO_MEMORY, "cannot reserve %llu bytes of addresses at 0x%llx: %s",
                   (unsigned long long)size_bytes, (unsigned long long)address, strerror(reason));
}

// ---- Reservations ------------------------------------------------------------------------------

// The first reservation that ends beyond `address`.
static uint32_t reservation_beyond(const struct wm_virtual_memory *self, uint64_t address)
{
    uint32_t low = 0, high = self->reservation_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct wm_reservation *at = &self->reservations[middle];
        if (at->address + at->size_bytes > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct wm_reservation *wm_virtual_reservation_of(const struct wm_virtual_memory *self,
                                                       uint64_t address)
{
    uint32_t at = reservation_beyond(self, address);
    return at < self->reservation_count && self->reservations[at].address <= address
               ? &self->reservations[at]
               : NULL;
}

static bool is_free(const struct wm_virtual_memory *self, uint64_t address, uint64_t size_bytes)
{
    uint64_t end = self->base + self->reserved_bytes;
    if (address < self->base || address > end || size_bytes > end - address)
        return false;
    uint32_t at = reservation_beyond(self, address);
    return at == self->reservation_count || self->reservations[at].address >= address + size_bytes;
}

// First fit, with a gap after each, so that running over an end is never another one's data; 0 when
// there is no room.
static uint64_t find_place(const struct wm_virtual_memory *self, uint64_t size_bytes,
                           uint64_t alignment)
{
    uint64_t place = align_up(self->base, alignment);
    for (uint32_t i = 0; i < self->reservation_count; i++) {
        const struct wm_reservation *other = &self->reservations[i];
        if (size_bytes <= self->reserved_bytes &&
            place + size_bytes + WM_MAPPING_GRANULARITY <= other->address)
            break;
        place = align_up(other->address + other->size_bytes + WM_MAPPING_GRANULARITY, alignment);
    }
    return is_free(self, place, size_bytes) ? place : 0;
}

enum wm_status wm_virtual_reserve(struct wm_virtual_memory *self, uint64_t size_bytes,
                                  uint64_t alignment, uint64_t hint, const char *label,
                                  uint64_t *address, struct wm_error *error)
{
    *address = 0;
    if (size_bytes == 0 || size_bytes % self->page_bytes != 0 || hint % self->page_bytes != 0)
        return wm_fail(error, WM_INVALID,
                       "%llu bytes of addresses at 0x%llx: both must be multiples of %llu",
                       (unsigned long long)size_bytes, (unsigned long long)hint,
                       (unsigned long long)self->page_bytes);
    if (alignment & (alignment - 1))
        return wm_fail(error, WM_INVALID, "alignment %llu is not a power of two",
                       (unsigned long long)alignment);
    if (alignment < WM_MAPPING_GRANULARITY)
        alignment = WM_MAPPING_GRANULARITY;
    bool good_hint = hint % alignment == 0 && is_free(self, hint, size_bytes);
    uint64_t place = good_hint                           ? hint
                     : alignment <= self->reserved_bytes ? find_place(self, size_bytes, alignment)
                                                         : 0;
    if (!place)
        return wm_fail(error, WM_NO_MEMORY, "no room for %llu bytes among the device's addresses",
                       (unsigned long long)size_bytes);
    if (!WM_ARRAY_RESERVE(self->reservations, self->reservation_count, self->reservation_capacity,
                          1))
        return wm_fail_no_memory(error, "the tables of virtual memory");
    WM_TRY(reserve_from_host(place, size_bytes, error));
    uint32_t at = reservation_beyond(self, place);
    memmove(&self->reservations[at + 1], &self->reservations[at],
            (self->reservation_count - at) * sizeof self->reservations[0]);
    self->reservations[at] = (struct wm_reservation){.address = place, .size_bytes = size_bytes};
    snprintf(self->reservations[at].label, sizeof self->reservations[at].label, "%s", label);
    self->reservation_count++;
    if (self->reached < place + size_bytes)
        self->reached = place + size_bytes;
    *address = place;
    return WM_OK;
}

// The first mapping that ends beyond `address`.
static uint32_t mapping_beyond(const struct wm_virtual_memory *self, uint64_t address)
{
    uint32_t low = 0, high = self->mapping_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct wm_mapping *at = &self->mappings[middle];
        if (at->address + at->size_bytes > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct wm_mapping *wm_virtual_mapping_of(const struct wm_virtual_memory *self,
                                               uint64_t address)
{
    uint32_t at = mapping_beyond(self, address);
    return at < self->mapping_count && self->mappings[at].address <= address ? &self->mappings[at]
                                                                             : NULL;
}

static bool anything_mapped(const struct wm_virtual_memory *self, uint64_t address,
                            uint64_t size_bytes)
{
    uint32_t at = mapping_beyond(self, address);
    return at < self->mapping_count && self->mappings[at].address < address + size_bytes;
}

enum wm_status wm_virtual_unreserve(struct wm_virtual_memory *self, uint64_t address,
                                    uint64_t size_bytes, struct wm_error *error)
{
    const struct wm_reservation *found = wm_virtual_reservation_of(self, address);
    if (!found || found->address != address || found->size_bytes != size_bytes)
        return wm_fail(error, WM_INVALID, "%llu bytes at 0x%llx are no reservation",
                       (unsigned long long)size_bytes, (unsigned long long)address);
    if (anything_mapped(self, address, size_bytes))
        return wm_fail(error, WM_INVALID, "%s still has memory mapped to it", found->label);
    munmap(address_pointer(address), size_bytes);
    uint32_t at = (uint32_t)(found - self->reservations);
    self->reservation_count--;
    memmove(&self->reservations[at], &self->reservations[at + 1],
            (self->reservation_count - at) * sizeof self->reservations[0]);
    return WM_OK;
}

// ---- Physical memory ---------------------------------------------------------------------------

static struct wm_physical_memory *find_physical(const struct wm_virtual_memory *self,
                                                uint64_t handle)
{
    uint32_t low = 0, high = self->physical_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (self->physicals[middle].handle < handle)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->physical_count && self->physicals[low].handle == handle
               ? &self->physicals[low]
               : NULL;
}

const struct wm_physical_memory *wm_virtual_physical(const struct wm_virtual_memory *self,
                                                     uint64_t handle)
{
    return find_physical(self, handle);
}

// Offsets are not used again: pages of the file that are not mapped any more go back to the host.
static enum wm_status grow_file(struct wm_virtual_memory *self, uint64_t size_bytes,
                                struct wm_error *error)
{
    if (self->file < 0)
        self->file = memfd_create("warpmem-device-memory", MFD_CLOEXEC);
    if (self->file < 0 || ftruncate(self->file, (off_t)(self->file_bytes + size_bytes)) != 0)
        return wm_fail(error, WM_NO_MEMORY, "the host has no %llu bytes for device memory: %s",
                       (unsigned long long)size_bytes, strerror(errno));
    self->file_bytes += size_bytes;
    return WM_OK;
}

static enum wm_status check_size(uint64_t size_bytes, struct wm_error *error)
{
    if (size_bytes == 0 || size_bytes % WM_MAPPING_GRANULARITY != 0)
        return wm_fail(error, WM_INVALID,
                       "%llu bytes of memory to be mapped: not a multiple of %llu",
                       (unsigned long long)size_bytes, (unsigned long long)WM_MAPPING_GRANULARITY);
    return WM_OK;
}

// Puts it into the table, which has room.
static struct wm_physical_memory *add_physical(struct wm_virtual_memory *self, uint64_t size_bytes,
                                               uint64_t offset, int file, const char *label)
{
    struct wm_physical_memory *made = &self->physicals[self->physical_count++];
    *made = (struct wm_physical_memory){.handle = ++self->last_handle,
                                        .size_bytes = size_bytes,
                                        .offset = offset,
                                        .file = file,
                                        .references = 1};
    snprintf(made->label, sizeof made->label, "%s", label);
    return made;
}

static enum wm_status prepare(struct wm_virtual_memory *self, uint64_t size_bytes,
                              struct wm_error *error)
{
    WM_TRY(check_size(size_bytes, error));
    if (!WM_ARRAY_RESERVE(self->physicals, self->physical_count, self->physical_capacity, 1))
        return wm_fail_no_memory(error, "the tables of virtual memory");
    return WM_OK;
}

enum wm_status wm_virtual_create(struct wm_virtual_memory *self, uint64_t size_bytes,
                                 const char *label, struct wm_physical_memory **created,
                                 struct wm_error *error)
{
    *created = NULL;
    WM_TRY(prepare(self, size_bytes, error));
    WM_TRY(wm_device_memory_charge(self->memory, size_bytes, error));
    uint64_t offset = self->file_bytes;
    enum wm_status status = grow_file(self, size_bytes, error);
    if (status != WM_OK) {
        wm_device_memory_uncharge(self->memory, size_bytes);
        return status;
    }
    *created = add_physical(self, size_bytes, offset, -1, label);
    return WM_OK;
}

// What has a file of its own takes a place among the offsets all the same: they are its bytes'
// names.
static uint64_t take_offset(struct wm_virtual_memory *self, uint64_t size_bytes)
{
    self->file_bytes += size_bytes;
    return self->file_bytes - size_bytes;
}

enum wm_status wm_virtual_create_shared(struct wm_virtual_memory *self, uint64_t size_bytes,
                                        const char *label, struct wm_physical_memory **created,
                                        struct wm_error *error)
{
    *created = NULL;
    WM_TRY(prepare(self, size_bytes, error));
    WM_TRY(wm_device_memory_charge(self->memory, size_bytes, error));
    int file = memfd_create("warpmem-shared-physical", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size_bytes) != 0) {
        wm_fail(error, WM_NO_MEMORY, "the host has no %llu bytes for device memory: %s",
                (unsigned long long)size_bytes, strerror(errno));
        if (file >= 0)
            close(file);
        wm_device_memory_uncharge(self->memory, size_bytes);
        return WM_NO_MEMORY;
    }
    *created = add_physical(self, size_bytes, take_offset(self, size_bytes), file, label);
    return WM_OK;
}

enum wm_status wm_virtual_import(struct wm_virtual_memory *self, int file, const char *label,
                                 struct wm_physical_memory **imported, struct wm_error *error)
{
    *imported = NULL;
    struct stat facts;
    if (fstat(file, &facts) != 0)
        return wm_fail(error, WM_INVALID, "there is no such file: %s", strerror(errno));
    uint64_t size_bytes = (uint64_t)facts.st_size;
    WM_TRY(prepare(self, size_bytes, error));
    int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return wm_fail(error, WM_NO_MEMORY, "the host has no more files: %s", strerror(errno));
    *imported = add_physical(self, size_bytes, take_offset(self, size_bytes), own, label);
    (*imported)->imported = true;
    return WM_OK;
}

static void drop_unused(struct wm_virtual_memory *self, struct wm_physical_memory *physical)
{
    if (physical->references > 0 || physical->mappings > 0)
        return;
    // Where the host cannot do it, the bytes stay until the device is gone, and no mapping has
    // them.
    if (physical->file >= 0)
        close(physical->file);
    else
        (void)fallocate(self->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)physical->offset, (off_t)physical->size_bytes);
    if (!physical->imported)
        wm_device_memory_uncharge(self->memory, physical->size_bytes);
    uint32_t at = (uint32_t)(physical - self->physicals);
    self->physical_count--;
    memmove(&self->physicals[at], &self->physicals[at + 1],
            (self->physical_count - at) * sizeof self->physicals[0]);
}

static enum wm_status no_handle(uint64_t handle, struct wm_error *error)
{
    return wm_fail(error, WM_INVALID, "0x%llx is no handle of memory, or was released",
                   (unsigned long long)handle);
}

enum wm_status wm_virtual_retain(struct wm_virtual_memory *self, uint64_t handle,
                                 struct wm_error *error)
{
    struct wm_physical_memory *physical = find_physical(self, handle);
    if (!physical)
        return no_handle(handle, error);
    physical->references++;
    return WM_OK;
}

enum wm_status wm_virtual_release(struct wm_virtual_memory *self, uint64_t handle,
                                  struct wm_error *error)
{
    struct wm_physical_memory *physical = find_physical(self, handle);
    if (!physical || physical->references == 0)
        return no_handle(handle, error);
    physical->references--;
    drop_unused(self, physical);
    return WM_OK;
}

// ---- Mappings ----------------------------------------------------------------------------------

static enum wm_status check_mapping(const struct wm_virtual_memory *self, uint64_t address,
                                    uint64_t size_bytes, const struct wm_physical_memory *physical,
                                    struct wm_error *error)
{
    const struct wm_reservation *reservation = wm_virtual_reservation_of(self, address);
    unsigned long long at = address, bytes = size_bytes;
    if (size_bytes == 0 || (address | size_bytes) % WM_MAPPING_GRANULARITY != 0)
        return wm_fail(error, WM_INVALID,
                       "%llu bytes at 0x%llx to be mapped: both must be multiples of %llu", bytes,
                       at, (unsigned long long)WM_MAPPING_GRANULARITY);
    if (size_bytes > physical->size_bytes)
        return wm_fail(error, WM_INVALID, "%llu bytes to be mapped of %s, which has %llu", bytes,
                       physical->label, (unsigned long long)physical->size_bytes);
    if (!reservation || size_bytes > reservation->size_bytes - (address - reservation->address))
        return wm_fail(error, WM_INVALID, "%llu bytes at 0x%llx are not within one reservation",
                       bytes, at);
    if (anything_mapped(self, address, size_bytes))
        return wm_fail(error, WM_INVALID,
                       "memory is already mapped to a part of the %llu bytes at 0x%llx", bytes, at);
    return WM_OK;
}

enum wm_status wm_virtual_map(struct wm_virtual_memory *self, uint64_t address, uint64_t size_bytes,
                              uint64_t handle, struct wm_error *error)
{
    struct wm_physical_memory *physical = find_physical(self, handle);
    if (!physical || physical->references == 0)
        return no_handle(handle, error);
    WM_TRY(check_mapping(self, address, size_bytes, physical, error));
    if (!WM_ARRAY_RESERVE(self->mappings, self->mapping_count, self->mapping_capacity, 1))
        return wm_fail_no_memory(error, "the tables of virtual memory");
    if (mmap(address_pointer(address), size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             physical->file >= 0 ? physical->file : self->file,
             physical->file >= 0 ? 0 : (off_t)physical->offset) == MAP_FAILED)
        return wm_fail(error, WM_NO_MEMORY, "the host cannot map %s: %s", physical->label,
                       strerror(errno));
    uint32_t at = mapping_beyond(self, address);
    memmove(&self->mappings[at + 1], &self->mappings[at],
            (self->mapping_count - at) * sizeof self->mappings[0]);
    self->mappings[at] = (struct wm_mapping){address, size_bytes, handle, WM_MAPPING_NO_ACCESS};
    self->mapping_count++;
    physical->mappings++;
    return WM_OK;
}

// The mappings from `*first` to before `*end` that are the range, whole and without a gap.
static bool whole_mappings(const struct wm_virtual_memory *self, uint64_t address,
                           uint64_t size_bytes, uint32_t *first, uint32_t *end)
{
    uint64_t left = size_bytes;
    *first = *end = mapping_beyond(self, address);
    while (left > 0 && *end < self->mapping_count && self->mappings[*end].address == address &&
           self->mappings[*end].size_bytes <= left) {
        left -= self->mappings[*end].size_bytes;
        address += self->mappings[*end].size_bytes;
        ++*end;
    }
    return size_bytes > 0 && left == 0;
}

bool wm_virtual_is_whole(const struct wm_virtual_memory *self, uint64_t address,
                         uint64_t size_bytes)
{
    uint32_t first, end;
    return whole_mappings(self, address, size_bytes, &first, &end);
}

static enum wm_status no_mappings(uint64_t address, uint64_t size_bytes, struct wm_error *error)
{
    return wm_fail(error, WM_INVALID,
                   "%llu bytes at 0x%llx are not one or more whole mappings without a gap",
                   (unsigned long long)size_bytes, (unsigned long long)address);
}

static void remove_mapping(struct wm_virtual_memory *self, const struct wm_mapping *mapping)
{
    if (mapping->access != WM_MAPPING_NO_ACCESS)
        wm_device_memory_remove_record(self->memory, mapping->address);
    // Over what was mapped by ourselves this fails only when the host's kernel has no memory for
    // its own tables; then the bytes stay visible to the host, and to no kernel.
    (void)mmap(address_pointer(mapping->address), mapping->size_bytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    struct wm_physical_memory *physical = find_physical(self, mapping->handle);
    physical->mappings--;
    drop_unused(self, physical);
}

enum wm_status wm_virtual_unmap(struct wm_virtual_memory *self, uint64_t address,
                                uint64_t size_bytes, struct wm_error *error)
{
    uint32_t first, end;
    if (!whole_mappings(self, address, size_bytes, &first, &end))
        return no_mappings(address, size_bytes, error);
    for (uint32_t i = first; i < end; i++)
        remove_mapping(self, &self->mappings[i]);
    memmove(&self->mappings[first], &self->mappings[end],
            (self->mapping_count - end) * sizeof self->mappings[0]);
    self->mapping_count -= end - first;
    return WM_OK;
}

static enum wm_status give_access(struct wm_virtual_memory *self, struct wm_mapping *mapping,
                                  enum wm_mapping_access access, struct wm_error *error)
{
    if (mapping->access == access)
        return WM_OK;
    if (mapping->access != WM_MAPPING_NO_ACCESS)
        wm_device_memory_remove_record(self->memory, mapping->address);
    mapping->access = WM_MAPPING_NO_ACCESS;
    if (access != WM_MAPPING_NO_ACCESS) {
        struct wm_allocation record = {.address = mapping->address,
                                       .size_bytes = mapping->size_bytes,
                                       .kind = WM_ALLOCATION_MAPPED,
                                       .read_only = access == WM_MAPPING_READ};
        const struct wm_physical_memory *physical = find_physical(self, mapping->handle);
        record.shared = physical->file >= 0;
        memcpy(record.label, physical->label, sizeof record.label);
        WM_TRY(wm_device_memory_add_record(self->memory, &record, error));
    }
    mapping->access = access;
    return WM_OK;
}

enum wm_status wm_virtual_set_access(struct wm_virtual_memory *self, uint64_t address,
                                     uint64_t size_bytes, enum wm_mapping_access access,
                                     struct wm_error *error)
{
    uint32_t first, end;
    if (!whole_mappings(self, address, size_bytes, &first, &end))
        return no_mappings(address, size_bytes, error);
    for (uint32_t i = first; i < end; i++)
        WM_TRY(give_access(self, &self->mappings[i], access, error));
    return WM_OK;
}

// ---- What is known -----------------------------------------------------------------------------

const struct wm_mapping *wm_virtual_mappings(const struct wm_virtual_memory *self, uint32_t *count)
{
    *count = self->mapping_count;
    return self->mappings;
}

const struct wm_physical_memory *wm_virtual_physicals(const struct wm_virtual_memory *self,
                                                      uint32_t *count)
{
    *count = self->physical_count;
    return self->physicals;
}

bool wm_virtual_owns(const struct wm_virtual_memory *self, uint64_t address)
{
    return address >= self->base && address < self->reached;
}

uint64_t wm_virtual_canonical_of(const struct wm_virtual_memory *self,
                                 const struct wm_physical_memory *physical)
{
    return self->end + physical->offset;
}

uint64_t wm_virtual_canonical(const struct wm_virtual_memory *self, uint64_t address,
                              uint64_t *bytes)
{
    if (address < self->base)
        return address;
    const struct wm_mapping *mapping = wm_virtual_mapping_of(self, address);
    if (!mapping)
        return address;
    uint64_t offset = address - mapping->address;
    if (*bytes > mapping->size_bytes - offset)
        *bytes = mapping->size_bytes - offset;
    return wm_virtual_canonical_of(self, find_physical(self, mapping->handle)) + offset;
}

void wm_virtual_reset(struct wm_virtual_memory *self)
{
    while (self->mapping_count > 0) {
        self->mapping_count--;
        remove_mapping(self, &self->mappings[self->mapping_count]);
    }
    while (self->physical_count > 0) {
        struct wm_physical_memory *last = &self->physicals[self->physical_count - 1];
        last->references = 0;
        drop_unused(self, last);
    }
    for (uint32_t i = 0; i < self->reservation_count; i++)
        munmap(address_pointer(self->reservations[i].address), self->reservations[i].size_bytes);
    self->reservation_count = 0;
}
