#include "cuda/linked_runtime/runtime_entry.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A function of the program's runtime begins with "r11 = its entry; jump to the entry's target":
// r11 carries no argument (System V ABI for AMD64, 3.2.3), and the address may be far away.
enum { JUMP_BYTES = 13, MARK_BYTES = 4 };

static void make_jump(uint8_t jump[JUMP_BYTES], const struct wm_runtime_entry *entry)
{
    static const uint8_t load[] = {0x49, 0xbb}, end[] = {0x41, 0xff, 0x23};
    uint64_t address = (uint64_t)(uintptr_t)entry;
    memcpy(jump, load, sizeof load);
    memcpy(jump + sizeof load, &address, sizeof address);
    memcpy(jump + sizeof load + sizeof address, end, sizeof end);
}

// ENDBR64, without which a processor may refuse indirect jumps (Intel's CET), is kept.
static bool has_mark(const uint8_t *code)
{
    static const uint8_t mark[MARK_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};
    return memcmp(code, mark, MARK_BYTES) == 0;
}

// The pages of all functions; the text between them belongs to the same segment.
struct pages {
    uint8_t *first;
    size_t size_bytes;
};

static struct pages pages_of(const struct wm_runtime_entries *list, uint64_t moved)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->addresses[i] < first)
            first = list->addresses[i];
        if (list->addresses[i] + list->room[i] > end)
            end = list->addresses[i] + list->room[i];
    }
    first = (first + moved) / page * page;
    end = (end + moved + page - 1) / page * page;
    return (struct pages){(uint8_t *)(uintptr_t)first, end - first};
}

static enum wm_status check_room(const struct wm_runtime_entries *list, struct wm_error *error)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->room[i] < JUMP_BYTES)
            return wm_fail(error, WM_UNSUPPORTED,
                           "its function %.64s is too short to be led to warpmem's",
                           list->entries[i].name);
    return WM_OK;
}

enum wm_status wm_runtime_entries_patch(const struct wm_runtime_entries *list, uint64_t moved,
                                        struct wm_error *error)
{
    WM_TRY(check_room(list, error));
    struct pages pages = pages_of(list, moved);
    if (mprotect(pages.first, pages.size_bytes, PROT_READ | PROT_WRITE) != 0)
        return wm_fail(error, WM_IO, "its code cannot be made writable: %s", strerror(errno));
    for (uint32_t i = 0; i < list->count; i++) {
        uint8_t *code = (uint8_t *)(uintptr_t)(list->addresses[i] + moved);
        if (has_mark(code) && list->room[i] >= MARK_BYTES + JUMP_BYTES)
            code += MARK_BYTES;
        make_jump(code, &list->entries[i]);
    }
    if (mprotect(pages.first, pages.size_bytes, PROT_READ | PROT_EXEC) != 0)
        return wm_fail(error, WM_IO, "its code cannot be made executable again: %s",
                       strerror(errno));
    return WM_OK;
}
