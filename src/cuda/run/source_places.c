#include "cuda/run/source_places.h"

#include "base/names/demangle.h"

#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REACH = 8 }; // bytes of code: what a compiler adds a call for comes right behind it

static Dwfl *open_dwfl(void)
{
    static char *debug_path = NULL;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .debuginfo_path = &debug_path,
    };
    Dwfl *symbols = dwfl_begin(&callbacks);
    if (symbols && (dwfl_linux_proc_report(symbols, getpid()) != 0 ||
                    dwfl_report_end(symbols, NULL, NULL) != 0)) {
        dwfl_end(symbols);
        symbols = NULL;
    }
    return symbols;
}

// The line of an address; false without debugging information. Every unit is searched: clang writes
// no table of which holds what addresses.
static bool find_line(Dwfl_Module *module, Dwarf_Addr address, const char **file, int *number)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL;) {
        Dwarf_Line *line = dwarf_getsrc_die(unit, address - bias);
        if (line && dwarf_lineno(line, number) == 0 && *number > 0) {
            *file = dwarf_linesrc(line, NULL, NULL);
            return *file != NULL;
        }
    }
    return false;
}

// The first line of the addresses from `address` on, `reach` of them.
static bool find_first_line(Dwfl_Module *module, Dwarf_Addr address, uint32_t reach,
                            const char **file, int *number)
{
    for (uint32_t i = 0; i < reach; i++)
        if (find_line(module, address + i, file, number))
            return true;
    return false;
}

static bool describe(const struct wm_source_places *places, Dwarf_Addr address, uint32_t reach,
                     char *place)
{
    Dwfl_Module *module = places->dwfl ? dwfl_addrmodule(places->dwfl, address) : NULL;
    if (!module) {
        snprintf(place, WM_SOURCE_PLACE_BYTES, "?");
        return false;
    }
    const char *object = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    const char *slash = object ? strrchr(object, '/') : NULL, *file;
    const char *function = dwfl_module_addrname(module, address);
    int number;
    struct wm_text name;
    wm_text_init(&name);
    wm_demangle(function ? function : "", &name);
    if (function && find_first_line(module, address, reach, &file, &number))
        snprintf(place, WM_SOURCE_PLACE_BYTES, "%.100s, %.140s:%d", name.data, file, number);
    else if (function)
        snprintf(place, WM_SOURCE_PLACE_BYTES, "%.120s (%.100s)", name.data,
                 slash ? slash + 1 : object);
    else
        snprintf(place, WM_SOURCE_PLACE_BYTES, "%.200s", slash ? slash + 1 : object ? object : "?");
    wm_text_release(&name);
    return function != NULL;
}

bool wm_source_place_of(const struct wm_source_places *places, const void *frame, char *place)
{
    return describe(places, (uintptr_t)frame - 1, 1, place); // the call, not where it returns to
}

void wm_source_place_behind(const struct wm_source_places *places, const void *frame, char *place)
{
    (void)describe(places, (uintptr_t)frame - 1, 1 + REACH, place);
}

void wm_source_places_open(struct wm_source_places *places)
{
    places->dwfl = open_dwfl();
}

void wm_source_places_close(struct wm_source_places *places)
{
    if (places->dwfl)
        dwfl_end(places->dwfl);
    places->dwfl = NULL;
}
