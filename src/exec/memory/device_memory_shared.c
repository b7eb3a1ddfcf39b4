// Memory of several processes: pages of a file in the host's memory (device_memory.h).
#include "base/containers/array.h"
#include "exec/memory/device_memory_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void wm_device_memory_close_shared(struct wm_device_memory *memory)
{
    if (memory->shared_file >= 0)
        close(memory->shared_file);
    free(memory->shared);
}

bool wm_device_memory_clear_shared(const struct wm_device_memory *memory, uint64_t begin,
                                   uint64_t end)
{
    return memory->shared_count == 0 ||
           fallocate(memory->shared_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)(begin - WM_DEVICE_BASE), (off_t)(end - begin)) == 0;
}

int wm_device_memory_shared_file(struct wm_device_memory *memory)
{
    if (memory->shared_file >= 0)
        return memory->shared_file;
    int file = memfd_create("warpmem-shared-memory", MFD_CLOEXEC);
    uint64_t end = memory->ranges[memory->gpus - 1].base + memory->range_bytes;
    if (file >= 0 && ftruncate(file, (off_t)(end - WM_DEVICE_BASE)) != 0) {
        close(file);
        file = -1;
    }
    memory->shared_file = file;
    return file;
}

static bool add_shared(struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    return WM_ARRAY_ADD(memory->shared, memory->shared_count, memory->shared_capacity,
                        (struct wm_page_range){begin, end});
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

// What cannot be mapped stays this process's own: it is not noted as shared.
static bool move_pages(struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    if (!write_pages(memory->shared_file, begin, end, memory->page_bytes) ||
        !add_shared(memory, begin, end))
        return false;
    bool mapped =
        mmap(address_pointer(begin), end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             memory->shared_file, (off_t)(begin - WM_DEVICE_BASE)) != MAP_FAILED;
    memory->shared_count -= !mapped;
    return mapped;
}

// Moves what is between the ranges that are shared already.
static bool move_rest(struct wm_device_memory *memory, uint64_t begin, uint64_t end)
{
    while (begin < end) {
        struct wm_page_range next = {end, end}; // the lowest that is there
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
    size_t at = wm_device_memory_beyond(memory, address);
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
        struct wm_page_range range = memory->shared[i];
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

enum wm_status wm_device_memory_unmap_imported(const struct wm_device_memory *memory,
                                               const struct wm_allocation *record,
                                               struct wm_error *error)
{
    uint64_t begin = align_down(record->address, memory->page_bytes);
    uint64_t end = align_up(record->address + record->size_bytes, memory->page_bytes);
    if (mmap(address_pointer(begin), end - begin, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return wm_fail(error, WM_NO_MEMORY, "the host cannot unmap another process's memory: %s",
                       strerror(errno));
    return WM_OK;
}

enum wm_status wm_device_memory_import(struct wm_device_memory *memory, uint32_t gpu,
                                       const struct wm_shared_place *place, const char *label,
                                       uint64_t *address, struct wm_error *error)
{
    struct wm_address_range *range = &memory->ranges[gpu];
    *address = 0;
    WM_TRY(check_place(memory, place, error));
    uint64_t first = align_down(place->offset, memory->page_bytes);
    uint64_t span = align_up(place->offset + place->size_bytes, memory->page_bytes) - first;
    uint64_t begin = wm_device_memory_first_fit(memory, range, span, memory->page_bytes);
    if (!begin || !wm_device_memory_make_accessible(memory, range, begin + span) ||
        !forget_shared(memory, begin, begin + span))
        return wm_fail(error, WM_NO_MEMORY, "no room for %llu bytes among the device's addresses",
                       (unsigned long long)span);
    struct wm_allocation record = {.address = begin + (place->offset - first),
                                   .size_bytes = place->size_bytes,
                                   .kind = WM_ALLOCATION_IMPORTED,
                                   .shared = true};
    snprintf(record.label, sizeof(record.label), "%s", label);
    if (mmap(address_pointer(begin), span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             place->file, (off_t)first) == MAP_FAILED) {
        wm_fail(error, WM_NO_MEMORY, "the host cannot map another process's memory: %s",
                strerror(errno));
        // What was there may be pages of this process's file, which are not noted any more.
        (void)wm_device_memory_unmap_imported(memory, &record, NULL);
        return WM_NO_MEMORY;
    }
    if (!wm_device_memory_insert(memory, &record)) {
        (void)wm_device_memory_unmap_imported(memory, &record, NULL);
        return wm_fail_no_memory(error, "the table of allocations");
    }
    memory->host_count++;
    *address = record.address;
    return WM_OK;
}
