#include "host_trace/variables.h"

#include "base/containers/array.h"
#include "host_trace/objects.h"
#include "source/program/elf_file.h"

#include <stdlib.h>
#include <string.h>

struct object {
    uint64_t moved;
    char *path; // owned
};

struct wm_host_variables {
    struct wm_host_variable *items; // owned, with their names; by address
    size_t count, room;
    // By index, the furthest end of those up to it: where the search for what begins before an
    // access may stop.
    uint64_t *ends;
    struct object *objects; // that have been read
    size_t object_count, object_room;
    uint64_t first, end; // nothing is met before the one, or from the other on
    // Of a variable that has been met and that no other overlaps: most accesses are to the same as
    // the one before.
    uint64_t met_first, met_end;
};

struct wm_host_variables *wm_host_variables_new(void)
{
    return calloc(1, sizeof(struct wm_host_variables));
}

void wm_host_variables_free(struct wm_host_variables *variables)
{
    if (variables == NULL)
        return;
    for (size_t i = 0; i < variables->count; i++)
        free((char *)(uintptr_t)variables->items[i].name);
    for (size_t i = 0; i < variables->object_count; i++)
        free(variables->objects[i].path);
    free(variables->items);
    free(variables->ends);
    free(variables->objects);
    free(variables);
}

// ---- Reading -----------------------------------------------------------------------------------

// Where several names are for one place, the first in alphabetical order comes first.
static int by_address(const void *a, const void *b)
{
    const struct wm_host_variable *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void leave_out_doubles(struct wm_host_variables *variables)
{
    size_t kept = 0;
    for (size_t i = 0; i < variables->count; i++) {
        struct wm_host_variable *it = &variables->items[i];
        struct wm_host_variable *last = kept > 0 ? &variables->items[kept - 1] : NULL;
        if (last != NULL && last->address == it->address && last->bytes == it->bytes) {
            last->met |= it->met;
            free((char *)(uintptr_t)it->name);
        } else {
            variables->items[kept++] = *it;
        }
    }
    variables->count = kept;
}

static bool sort(struct wm_host_variables *variables)
{
    uint64_t end = 0;
    qsort(variables->items, variables->count, sizeof *variables->items, by_address);
    leave_out_doubles(variables);
    if (!WM_ARRAY_RESIZE(variables->ends, variables->count + 1))
        return false;
    for (size_t i = 0; i < variables->count; i++) {
        uint64_t own = variables->items[i].address + variables->items[i].bytes;
        variables->ends[i] = end = own > end ? own : end;
    }
    variables->met_first = variables->met_end = 0;
    variables->first = variables->count > 0 ? variables->items[0].address : 0;
    variables->end = end;
    return true;
}

// Names that begin so are the compiler's ("__cuda_gpubin_handle").
static bool is_reserved(const char *name)
{
    return name[0] == '_' && name[1] == '_';
}

// A version of a symbol ("stdout@GLIBC_2.2.5") is no part of its name.
static bool add_variable(struct wm_host_variables *variables, uint64_t moved,
                         const struct wm_elf_symbol *symbol)
{
    uint64_t address = symbol->address + moved;
    if (symbol->address == 0 || is_reserved(symbol->name) || address + symbol->size_bytes < address)
        return true;
    char *name = strndup(symbol->name, strcspn(symbol->name, "@"));
    struct wm_host_variable made = {.address = address, .bytes = symbol->size_bytes, .name = name};
    bool named = name != NULL && name[0] != '\0';
    if (named && WM_ARRAY_ADD(variables->items, variables->count, variables->room, made))
        return true;
    bool nameless = name != NULL && !named;
    free(name);
    return nameless;
}

static bool read_object(struct wm_host_variables *variables, uint64_t moved, const char *path)
{
    struct wm_elf_file file;
    struct wm_elf_symbols symbols;
    struct wm_elf_symbol symbol;
    struct wm_error error;
    uint32_t from = 0;
    bool good = true;
    wm_error_clear(&error);
    if (wm_elf_open(path[0] != '\0' ? path : "/proc/self/exe", &file, &error) != WM_OK)
        return true;
    if (wm_elf_check(&file, &error) == WM_OK && wm_elf_symbols_open(&file, &symbols))
        while (good && wm_elf_variable_next(&symbols, &from, &symbol))
            good = add_variable(variables, moved, &symbol);
    wm_elf_close(&file);
    return sort(variables) && good;
}

bool wm_host_variables_add_object(struct wm_host_variables *variables, uint64_t moved,
                                  const char *path)
{
    if (path[0] != '\0' && !wm_host_is_programs_library(path))
        return true;
    for (size_t i = 0; i < variables->object_count; i++)
        if (variables->objects[i].moved == moved && strcmp(variables->objects[i].path, path) == 0)
            return true;
    struct object made = {.moved = moved, .path = strdup(path)};
    if (made.path == NULL ||
        !WM_ARRAY_ADD(variables->objects, variables->object_count, variables->object_room, made)) {
        free(made.path);
        return false;
    }
    return read_object(variables, moved, path);
}

// ---- Finding -----------------------------------------------------------------------------------

// The one that an access lies in, which has been met.
static void keep_met(struct wm_host_variables *variables, size_t index, uint64_t address,
                     uint64_t bytes)
{
    const struct wm_host_variable *it = &variables->items[index];
    uint64_t end = it->address + it->bytes;
    bool alone = (index == 0 || variables->ends[index - 1] <= it->address) &&
                 (index + 1 == variables->count || variables->items[index + 1].address >= end);
    if (!alone || address < it->address || address + bytes > end)
        return;
    variables->met_first = it->address;
    variables->met_end = end;
}

const struct wm_host_variable *wm_host_variables_meet(struct wm_host_variables *variables,
                                                      uint64_t address, uint64_t bytes)
{
    if (address >= variables->end || address + bytes <= variables->first ||
        (address >= variables->met_first && address + bytes <= variables->met_end))
        return NULL;
    size_t from = 0, to = variables->count; // the first that begins behind the access
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (variables->items[middle].address < address + bytes)
            from = middle + 1;
        else
            to = middle;
    }
    size_t behind = from;
    for (; from > 0 && variables->ends[from - 1] > address; from--) {
        struct wm_host_variable *it = &variables->items[from - 1];
        if (it->met || it->address + it->bytes <= address)
            continue;
        it->met = true;
        return it;
    }
    if (behind > 0)
        keep_met(variables, behind - 1, address, bytes);
    return NULL;
}

const struct wm_host_variable *wm_host_variables_all(const struct wm_host_variables *variables,
                                                     size_t *count)
{
    *count = variables->count;
    return variables->items;
}
