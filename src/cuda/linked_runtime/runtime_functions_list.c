#include "cuda/linked_runtime/runtime_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- What the functions are --------------------------------------------------------------------

static bool is_exported(const char *name)
{
    static const char *const names[] = {
#define DONE(function, versions) #function,
#define REFUSED(function, versions) #function,
#include "cuda/exports.def"
#undef DONE
#undef REFUSED
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool has_public_name(const char *name)
{
    return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

struct stretch {
    uint64_t first, last;
};

// From the first to the last function that the runtime is known to export: it is one object file,
// so all that is in between is its own. Outside, a name that begins with "cuda" is the program's.
static struct stretch find_stretch(const struct wm_elf_symbols *symbols, uint32_t *count)
{
    struct stretch found = {UINT64_MAX, 0};
    struct wm_elf_symbol function;
    *count = 0;
    for (uint32_t from = 0; wm_elf_function_next(symbols, &from, &function);) {
        if (!has_public_name(function.name))
            continue;
        (*count)++;
        if (!is_exported(function.name))
            continue;
        if (function.address < found.first)
            found.first = function.address;
        if (function.address > found.last)
            found.last = function.address;
    }
    return found;
}

// An alias has its function's entry.
static bool has_address(const struct wm_runtime_entries *list, uint64_t address)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->addresses[i] == address)
            return true;
    return false;
}

// A function that is short has the padding behind it as well, up to the next one.
static void find_room(const struct wm_elf_symbols *symbols, struct wm_runtime_entries *list)
{
    enum { SHORT = 32 };
    struct wm_elf_symbol function;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->room[i] >= SHORT)
            continue;
        uint64_t next = list->room[i];
        for (uint32_t from = 0; wm_elf_function_next(symbols, &from, &function);) {
            uint64_t distance = function.address - list->addresses[i];
            if (function.address > list->addresses[i] && distance < SHORT &&
                (next == list->room[i] || distance < next))
                next = distance;
        }
        list->room[i] = next;
    }
}

static bool make_lists(struct wm_runtime_entries *list, uint32_t capacity)
{
    list->entries = calloc(capacity, sizeof *list->entries);
    list->addresses = calloc(capacity, sizeof *list->addresses);
    list->room = calloc(capacity, sizeof *list->room);
    return list->entries && list->addresses && list->room;
}

static void release(struct wm_runtime_entries *list)
{
    for (uint32_t i = 0; list->entries && i < list->count; i++)
        free((void *)(uintptr_t)list->entries[i].name);
    free(list->entries);
    free(list->addresses);
    free(list->room);
    free(list);
}

static bool add(struct wm_runtime_entries *list, const struct wm_elf_symbol *function)
{
    char *name = strdup(function->name);
    if (!name)
        return false;
    struct wm_runtime_entry *entry = &list->entries[list->count];
    entry->name = name;
    atomic_flag_clear(&entry->refused);
    list->addresses[list->count] = function->address;
    list->room[list->count++] = function->size_bytes;
    return true;
}

enum wm_status wm_runtime_entries_list(const struct wm_elf_file *file, unsigned major,
                                       struct wm_runtime_entries **entries, struct wm_error *error)
{
    struct wm_elf_symbols symbols;
    struct wm_elf_symbol function;
    uint32_t capacity;
    if (!wm_elf_symbols_open(file, &symbols))
        return wm_fail(error, WM_NOT_FOUND, "it has no symbol table");
    struct stretch stretch = find_stretch(&symbols, &capacity);
    struct wm_runtime_entries *list = calloc(1, sizeof *list);
    bool complete = list && make_lists(list, capacity);
    for (uint32_t from = 0; complete && wm_elf_function_next(&symbols, &from, &function);)
        if (has_public_name(function.name) && function.address >= stretch.first &&
            function.address <= stretch.last && !has_address(list, function.address))
            complete = add(list, &function);
    if (!complete) {
        if (list)
            release(list);
        return wm_fail_no_memory(error, "the CUDA runtime's functions");
    }
    find_room(&symbols, list);
    list->major = major;
    *entries = list;
    return WM_OK;
}
