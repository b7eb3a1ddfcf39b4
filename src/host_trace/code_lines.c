#include "host_trace/code_lines.h"

#include "base/names/source_location.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct wm_host_code_lines {
    Dwarf *dwarf;
    int file;
};

#define FUNCTIONS(each)                                                                        \
    each(dwarf_begin) each(dwarf_end) each(dwarf_get_units) each(dwarf_getsrc_die)             \
        each(dwarf_lineno) each(dwarf_linesrc) each(dwarf_getscopes) each(dwarf_getscopes_die) \
            each(dwarf_tag) each(dwarf_attr) each(dwarf_formudata) each(dwarf_getsrcfiles)     \
                each(dwarf_filesrc)

// libdw's, by their names there.
#define DECLARED(function) __typeof__(&function) function;
static struct {
    FUNCTIONS(DECLARED)
} dw;

static bool load_library(void)
{
    static enum { NOT_TRIED, LOADED, NOT_THERE } state;
    if (state != NOT_TRIED)
        return state == LOADED;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
#define FOUND(function) good = good && (dw.function = dlsym(library, #function)) != NULL;
    FUNCTIONS(FOUND)
    state = good ? LOADED : NOT_THERE;
    return good;
}

struct wm_host_code_lines *wm_host_code_lines_open(const char *path)
{
    struct wm_host_code_lines *made;
    if (!load_library() || (made = malloc(sizeof *made)) == NULL)
        return NULL;
    made->file = open(path, O_RDONLY | O_CLOEXEC);
    made->dwarf = made->file < 0 ? NULL : dw.dwarf_begin(made->file, DWARF_C_READ);
    if (made->dwarf != NULL)
        return made;
    if (made->file >= 0)
        close(made->file);
    free(made);
    return NULL;
}

void wm_host_code_lines_free(struct wm_host_code_lines *lines)
{
    if (lines == NULL)
        return;
    dw.dwarf_end(lines->dwarf);
    close(lines->file);
    free(lines);
}

static bool number_of(Dwarf_Die *die, unsigned attribute, Dwarf_Word *number)
{
    Dwarf_Attribute found;
    return dw.dwarf_attr(die, attribute, &found) != NULL && dw.dwarf_formudata(&found, number) == 0;
}

// Where the function that is inlined there is called.
static bool call_place(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, uint32_t *line)
{
    Dwarf_Files *files;
    size_t count;
    Dwarf_Word index, number;
    if (!number_of(inlined, DW_AT_call_file, &index) ||
        !number_of(inlined, DW_AT_call_line, &number) || number == 0 || number > UINT32_MAX ||
        dw.dwarf_getsrcfiles(unit, &files, &count) != 0)
        return false;
    *file = dw.dwarf_filesrc(files, index, NULL, NULL);
    *line = (uint32_t)number;
    return *file != NULL;
}

// Compilers name their own headers by way of other folders ("/usr/bin/../lib/…").
static bool is_of_toolkit(const char *file)
{
    char resolved[PATH_MAX];
    return wm_is_toolkit_file(realpath(file, resolved) != NULL ? resolved : file);
}

// What the code at `offset` lies in, from the innermost outwards: inlined functions as they lie in
// each other, not where their source has them. The caller frees `*scopes`.
static int scopes_of(Dwarf_Die *unit, uint64_t offset, Dwarf_Die **scopes)
{
    Dwarf_Die *innermost = NULL;
    int count = dw.dwarf_getscopes(unit, offset, &innermost);
    *scopes = NULL;
    if (count > 0)
        count = dw.dwarf_getscopes_die(&innermost[0], scopes);
    free(innermost);
    return count;
}

// From the innermost place outwards.
static void leave_toolkit(Dwarf_Die *unit, uint64_t offset, const char **file, uint32_t *line)
{
    Dwarf_Die *scopes = NULL;
    const char *found = *file;
    uint32_t number = *line;
    bool is_toolkit = is_of_toolkit(found);
    int count = is_toolkit ? scopes_of(unit, offset, &scopes) : 0;
    for (int i = 0; i < count && is_toolkit; i++) {
        if (dw.dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
            continue;
        if (!call_place(unit, &scopes[i], &found, &number))
            break;
        is_toolkit = is_of_toolkit(found);
    }
    free(scopes);
    if (is_toolkit)
        return;
    *file = found;
    *line = number;
}

bool wm_host_code_line(struct wm_host_code_lines *lines, uint64_t offset, const char **file,
                       uint32_t *line)
{
    // Every unit is searched: clang writes no table of which holds what addresses.
    Dwarf_CU *at = NULL;
    Dwarf_Die unit;
    while (dw.dwarf_get_units(lines->dwarf, at, &at, NULL, NULL, &unit, NULL) == 0) {
        int number = 0;
        Dwarf_Line *found = dw.dwarf_getsrc_die(&unit, offset);
        if (found == NULL || dw.dwarf_lineno(found, &number) != 0 || number <= 0)
            continue;
        *file = dw.dwarf_linesrc(found, NULL, NULL);
        *line = (uint32_t)number;
        if (*file == NULL)
            continue;
        leave_toolkit(&unit, offset, file, line);
        return true;
    }
    return false;
}
