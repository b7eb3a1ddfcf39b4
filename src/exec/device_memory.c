// The allocator behind the simulated device's addresses: one reserved range, first fit, records of
// what was freed kept until their bytes are handed out again.
#include "exec/device_memory.h"

#include "exec/virtual_memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MINIMUM_ALIGNMENT = 256, // as the runtime promises (CUDA C++ Programming Guide, 5.3)
    // Unowned bytes after each allocation, so that running over an end is never a neighbour's data.
    RED_ZONE_BYTES = 256,
    // Pinned and managed memory does not take device capacity, but takes addresses.
    RANGE_PER_CAPACITY = 4,
};

static const uint64_t minimum_range_bytes = UINT64_C(1) << 36;

struct wm_device_memory {
    uint64_t capacity_bytes, used_bytes, generation, host_count;
    uint64_t range_bytes;      // reserved from WM_DEVICE_BASE
    uint64_t accessible_bytes; // of them, made readable and writable so far
    uint64_t page_bytes;
    struct wm_allocation *allocations; // owned; ordered by address, never overlapping
    size_t count, capacity;
    bool strayed;                             // bytes between allocations were written
    struct wm_virtual_memory *virtual_memory; // owned
    int shared_file;                          // of what other processes share; -1: nothing yet
    struct page_range *shared; // owned; whole pages that are in the file, never overlapping
    size_t shared_count, shared_capacity;
};

struct page_range {
    uint64_t begin, end;
};

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static uint64_t align_down(uint64_t value, uint64_t alignment)
{
    return value & ~(alignment - 1);
}

static void *address_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static bool takes_capacity(enum wm_allocation_kind kind)
{
    return kind == WM_ALLOCATION_DEVICE || kind == WM_ALLOCATION_VARIABLE ||
           kind == WM_ALLOCATION_CONSTANT;
}

enum wm_status wm_device_memory_new(uint64_t capacity_bytes, struct wm_device_memory **memory,
                                    struct wm_error *error)
{
    *memory = NULL;
    if (capacity_bytes == 0 || capacity_bytes > UINT64_C(1) << 44)
        return wm_fail(error, WM_INVALID, "a device memory of %llu bytes is out of range",
                       (unsigned long long)capacity_bytes);
    struct wm_device_memory *self = calloc(1, sizeof(*self));
    if (!self)
        return wm_fail(error, WM_NO_MEMORY, "out of memory for the device memory's table");
    self->shared_file = -1;
    self->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    self->capacity_bytes = capacity_bytes;
    self->range_bytes = align_up(capacity_bytes, self->page_bytes) * RANGE_PER_CAPACITY;
    if (self->range_bytes < minimum_range_bytes)
        self->range_bytes = minimum_range_bytes;
    // PROT_NONE: addresses alone, which no overcommit policy counts.
    void *base = mmap(address_pointer(WM_DEVICE_BASE), self->range_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (base != address_pointer(WM_DEVICE_BASE)) {
        int reason = errno;
        if (base != MAP_FAILED)
            munmap(base, self->range_bytes);
        free(self);
        return wm_fail(error, WM_NO_MEMORY, "cannot reserve the device's addresses from 0x%llx: %s",
                       (unsigned long long)WM_DEVICE_BASE, strerror(reason));
    }
    self->virtual_memory = wm_virtual_memory_new(self, WM_DEVICE_BASE + self->range_bytes);
    if (!self->virtual_memory) {
        wm_device_memory_free(self);
        return wm_fail(error, WM_NO_MEMORY, "out of memory for the device memory's table");
    }
    *memory = self;
    return WM_OK;
}

void wm_device_memory_free(struct wm_device_memory *memory)
{
    if (!memory)
        return;
    munmap(address_pointer(WM_DEVICE_BASE), memory->range_bytes);
    wm_virtual_memory_free(memory->virtual_memory);
    if (memory->shared_file >= 0)
        close(memory->shared_file);
    free(memory->shared);
    free(memory->allocations);
    free(memory);
}

// The first record whose end lies beyond `address`.
static size_t first_beyond(const struct wm_device_memory *memory, uint64_t address)
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

// First fit among the live records; freed ones do not stand in the way.
static uint64_t find_place(const struct wm_device_memory *memory, uint64_t size_bytes,
                           uint64_t alignment)
{
    uint64_t candidate = WM_DEVICE_BASE, end = WM_DEVICE_BASE + memory->range_bytes;
    for (size_t i = 0; i < memory->count; i++) {
        const struct wm_allocation *record = &memory->allocations[i];
        if (record->freed || record->address >= end || record->address < WM_DEVICE_BASE)
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

// Drops the freed records that [address, address + size_bytes) takes the place of, and puts the
// new one in order.
static bool insert_record(struct wm_device_memory *memory, const struct wm_allocation *record)
{
    if (memory->count == memory->capacity) {
        size_t capacity = memory->capacity ? memory->capacity * 2 : 64;
        struct wm_allocation *grown =
            realloc(memory->allocations, capacity * sizeof(memory->allocations[0]));
        if (!grown)
            return false;
        memory->allocations = grown;
        memory->capacity = capacity;
    }
    size_t at = first_beyond(memory, record->address);
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

enum wm_status wm_device_memory_show(struct wm_device_memory *memory,
                                     const struct wm_allocation *record, struct wm_error *error)
{
    if (!insert_record(memory, record))
        return wm_fail(error, WM_NO_MEMORY, "out of memory for the table of allocations");
    memory->host_count += wm_device_memory_host_writes(record);
    return WM_OK;
}

void wm_device_memory_hide(struct wm_device_memory *memory, uint64_t address)
{
    size_t at = first_beyond(memory, address);
    assert(at < memory->count && memory->allocations[at].kind == WM_ALLOCATION_MAPPED);
    memory->host_count -= wm_device_memory_host_writes(&memory->allocations[at]);
    remove_record(memory, at);
    memory->generation++;
}

static enum wm_status no_capacity(const struct wm_device_memory *memory, uint64_t size_bytes,
                                  struct wm_error *error)
{
    return wm_fail(error, WM_NO_MEMORY,
                   "%llu bytes asked for, %llu of %llu bytes of device memory in use",
                   (unsigned long long)size_bytes, (unsigned long long)memory->used_bytes,
                   (unsigned long long)memory->capacity_bytes);
}

enum wm_status wm_device_memory_take(struct wm_device_memory *memory, uint64_t size_bytes,
                                     struct wm_error *error)
{
    if (size_bytes > memory->capacity_bytes - memory->used_bytes)
        return no_capacity(memory, size_bytes, error);
    memory->used_bytes += size_bytes;
    return WM_OK;
}

void wm_device_memory_return(struct wm_device_memory *memory, uint64_t size_bytes)
{
    memory->used_bytes -= size_bytes;
}

static bool make_accessible(struct wm_device_memory *memory, uint64_t end)
{
    // As much as drivers map: what strays from an allocation must find memory (mapped_with).
    uint64_t wanted = align_up(end - WM_DEVICE_BASE, WM_MAPPING_GRANULARITY);
    if (wanted > memory->range_bytes)
        wanted = memory->range_bytes;
    if (wanted <= memory->accessible_bytes)
        return true;
    if (mprotect(address_pointer(WM_DEVICE_BASE + memory->accessible_bytes),
                 wanted - memory->accessible_bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    memory->accessible_bytes = wanted;
    return true;
}

// Pages of the file do not become zero by being handed back.
static bool clear_shared(const struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    return memory->shared_count == 0 ||
           fallocate(memory->shared_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)(begin - WM_DEVICE_BASE), (off_t)(end - begin)) == 0;
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
        !clear_shared(memory, first_page, last_page))
        memset(address_pointer(first_page), 0, last_page - first_page);
}

enum wm_status wm_device_memory_allocate(struct wm_device_memory *memory, uint64_t size_bytes,
                                         uint64_t alignment, enum wm_allocation_kind kind,
                                         const char *label, uint64_t *address,
                                         struct wm_error *error)
{
    *address = 0;
    if (size_bytes == 0)
        return wm_fail(error, WM_INVALID, "an allocation of zero bytes");
    if (alignment & (alignment - 1))
        return wm_fail(error, WM_INVALID, "alignment %llu is not a power of two",
                       (unsigned long long)alignment);
    if (alignment < MINIMUM_ALIGNMENT)
        alignment = MINIMUM_ALIGNMENT;
    if (size_bytes > memory->range_bytes ||
        (takes_capacity(kind) && size_bytes > memory->capacity_bytes - memory->used_bytes))
        return no_capacity(memory, size_bytes, error);
    uint64_t place = find_place(memory, size_bytes, alignment);
    if (!place || !make_accessible(memory, place + size_bytes))
        return wm_fail(error, WM_NO_MEMORY, "no room for %llu bytes among the device's addresses",
                       (unsigned long long)size_bytes);
    struct wm_allocation record = {.address = place, .size_bytes = size_bytes, .kind = kind};
    snprintf(record.label, sizeof(record.label), "%s", label ? label : "allocation");
    if (!insert_record(memory, &record))
        return wm_fail(error, WM_NO_MEMORY, "out of memory for the table of allocations");
    if (memory->strayed)
        clear_bytes(memory, place, size_bytes);
    if (takes_capacity(kind))
        memory->used_bytes += size_bytes;
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
    for (size_t i = first_beyond(memory, address); i < memory->count; i++) {
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
    if (!insert_record(memory, &record))
        return wm_fail(error, WM_NO_MEMORY, "out of memory for the table of allocations");
    memory->host_count++;
    return WM_OK;
}

// ---- Memory of several processes ---------------------------------------------------------------

int wm_device_memory_shared_file(struct wm_device_memory *memory)
{
    if (memory->shared_file >= 0)
        return memory->shared_file;
    int file = memfd_create("warpmem-shared-memory", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)memory->range_bytes) != 0) {
        close(file);
        file = -1;
    }
    memory->shared_file = file;
    return file;
}

static bool add_shared(struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    if (memory->shared_count == memory->shared_capacity) {
        size_t capacity = memory->shared_capacity ? memory->shared_capacity * 2 : 16;
        struct page_range *grown = realloc(memory->shared, capacity * sizeof(memory->shared[0]));
        if (!grown)
            return false;
        memory->shared = grown;
        memory->shared_capacity = capacity;
    }
    memory->shared[memory->shared_count++] = (struct page_range){begin, end};
    return true;
}

// Writes what is not zero: memory that nothing was written to takes none of the host's.
static bool write_pages(int file, uint64_t begin, uint64_t end, uint64_t page_bytes)
{
    for (uint64_t at = begin; at < end; at += page_bytes) {
        const char *page = address_pointer(at);
        bool zero = page[0] == 0 && memcmp(page, page + 1, page_bytes - 1) == 0;
        if (!zero &&
            pwrite(file, page, page_bytes, (off_t)(at - WM_DEVICE_BASE)) != (ssize_t)page_bytes)
            return false;
    }
    return true;
}

static bool move_pages(struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    return write_pages(memory->shared_file, begin, end, memory->page_bytes) &&
           add_shared(memory, begin, end) &&
           mmap(address_pointer(begin), end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                memory->shared_file, (off_t)(begin - WM_DEVICE_BASE)) != MAP_FAILED;
}

// Moves what is between the ranges that are shared already.
static bool move_rest(struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    while (begin < end) {
        struct page_range next = {end, end}; // the lowest that is there
        for (size_t i = 0; i < memory->shared_count; i++)
            if (memory->shared[i].end > begin && memory->shared[i].begin < next.begin)
                next = memory->shared[i];
        if (next.begin > begin && !move_pages(memory, begin, next.begin))
            return false;
        begin = next.end;
    }
    return true;
}

enum wm_status wm_device_memory_share(struct wm_device_memory *memory, uint64_t address,
                                      struct wm_shared_place *place, struct wm_error *error)
{
    size_t at = first_beyond(memory, address);
    assert(at < memory->count && !memory->allocations[at].freed);
    struct wm_allocation *record = &memory->allocations[at];
    uint64_t end = align_up(record->address + record->size_bytes, memory->page_bytes);
    if (wm_device_memory_shared_file(memory) < 0 ||
        !move_rest(memory, align_down(record->address, memory->page_bytes), end))
        return wm_fail(error, WM_NO_MEMORY, "the host cannot share %llu bytes of memory: %s",
                       (unsigned long long)record->size_bytes, strerror(errno));
    memory->host_count += !wm_device_memory_host_writes(record);
    record->shared = true;
    *place = (struct wm_shared_place){memory->shared_file, record->address - WM_DEVICE_BASE,
                                      record->size_bytes};
    return WM_OK;
}

// Other pages than those of the file are at these addresses from now on.
static bool forget_shared(struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < memory->shared_count;) {
        struct page_range range = memory->shared[i];
        if (range.end <= begin || range.begin >= end) {
            i++;
            continue;
        }
        memory->shared[i] = memory->shared[--memory->shared_count];
        if ((range.begin < begin && !add_shared(memory, range.begin, begin)) ||
            (range.end > end && !add_shared(memory, end, range.end)))
            return false;
    }
    return true;
}

static enum wm_status check_place(const struct wm_device_memory *memory,
                                  const struct wm_shared_place *place, struct wm_error *error)
{
    struct stat facts;
    if (place->size_bytes == 0 || place->size_bytes > memory->range_bytes ||
        fstat(place->file, &facts) != 0 || (uint64_t)facts.st_size < place->offset ||
        (uint64_t)facts.st_size - place->offset < place->size_bytes)
        return wm_fail(error, WM_INVALID, "there are no such bytes to be shared");
    return WM_OK;
}

// Addresses of its own again.
static enum wm_status unmap_imported(const struct wm_device_memory *memory,
                                     const struct wm_allocation *record, struct wm_error *error)
{
    uint64_t begin = align_down(record->address, memory->page_bytes);
    uint64_t end = align_up(record->address + record->size_bytes, memory->page_bytes);
    if (mmap(address_pointer(begin), end - begin, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return wm_fail(error, WM_NO_MEMORY, "the host cannot unmap another process's memory: %s",
                       strerror(errno));
    return WM_OK;
}

enum wm_status wm_device_memory_import(struct wm_device_memory *memory,
                                       const struct wm_shared_place *place, const char *label,
                                       uint64_t *address, struct wm_error *error)
{
    *address = 0;
    WM_TRY(check_place(memory, place, error));
    uint64_t first = align_down(place->offset, memory->page_bytes);
    uint64_t span = align_up(place->offset + place->size_bytes, memory->page_bytes) - first;
    uint64_t begin = find_place(memory, span, memory->page_bytes);
    if (!begin || !make_accessible(memory, begin + span) ||
        !forget_shared(memory, begin, begin + span))
        return wm_fail(error, WM_NO_MEMORY, "no room for %llu bytes among the device's addresses",
                       (unsigned long long)span);
    struct wm_allocation record = {.address = begin + (place->offset - first),
                                   .size_bytes = place->size_bytes,
                                   .kind = WM_ALLOCATION_IMPORTED,
                                   .shared = true};
    snprintf(record.label, sizeof(record.label), "%s", label);
    if (mmap(address_pointer(begin), span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             place->file, (off_t)first) == MAP_FAILED)
        return wm_fail(error, WM_NO_MEMORY, "the host cannot map another process's memory: %s",
                       strerror(errno));
    if (!insert_record(memory, &record)) {
        (void)unmap_imported(memory, &record, NULL);
        return wm_fail(error, WM_NO_MEMORY, "out of memory for the table of allocations");
    }
    memory->host_count++;
    *address = record.address;
    return WM_OK;
}

enum wm_status wm_device_memory_release(struct wm_device_memory *memory, uint64_t address,
                                        struct wm_error *error)
{
    size_t at = first_beyond(memory, address);
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
        memory->used_bytes -= record->size_bytes;
    record->freed = true;
    record->shared = false;
    if (record->kind == WM_ALLOCATION_IMPORTED)
        return unmap_imported(memory, record, error);
    clear_bytes(memory, record->address, record->size_bytes);
    return WM_OK;
}

const struct wm_allocation *wm_device_memory_find(const struct wm_device_memory *memory,
                                                  uint64_t address)
{
    size_t at = first_beyond(memory, address);
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

static uint64_t end_of(const struct wm_allocation *record)
{
    return record->address + record->size_bytes;
}

const struct wm_allocation *wm_device_memory_mapped_with(const struct wm_device_memory *memory,
                                                         uint64_t address, uint64_t size_bytes)
{
    uint64_t first = address & ~(WM_MAPPING_GRANULARITY - 1), end = first + WM_MAPPING_GRANULARITY;
    if (address - WM_DEVICE_BASE >= memory->range_bytes || size_bytes > end - address)
        return NULL;
    const struct wm_allocation *before = NULL, *behind = NULL;
    size_t at = first_beyond(memory, address);
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
    return (address >= WM_DEVICE_BASE && address - WM_DEVICE_BASE < memory->range_bytes) ||
           wm_virtual_owns(memory->virtual_memory, address);
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
    size_t at = first_beyond(memory, address);
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

uint64_t wm_device_memory_used(const struct wm_device_memory *memory)
{
    return memory->used_bytes;
}

uint64_t wm_device_memory_capacity(const struct wm_device_memory *memory)
{
    return memory->capacity_bytes;
}

uint64_t wm_device_memory_generation(const struct wm_device_memory *memory)
{
    return memory->generation;
}
