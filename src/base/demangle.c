#include "base/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>

void wm_demangle(const char *name, struct wm_text *text)
{
    // A name that does not start with _Z could still be read as a mangled type ("i" is int).
    bool mangled = name[0] == '_' && name[1] == 'Z';
    char *readable = mangled ? cplus_demangle_v3(name, DMGL_PARAMS | DMGL_TYPES) : NULL;
    wm_text_add(text, readable != NULL ? readable : name);
    free(readable);
}
