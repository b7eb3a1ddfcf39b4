#include "base/names/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

void wm_demangle(const char *name, struct wm_text *text)
{
    // A name that does not start with _Z could still be read as a mangled type ("i" is int).
    bool mangled = name[0] == '_' && name[1] == 'Z';
    char *readable = mangled ? cplus_demangle_v3(name, DMGL_PARAMS | DMGL_TYPES) : NULL;
    wm_text_add(text, readable != NULL ? readable : name);
    free(readable);
}

const char *wm_demangled_name(const char *signature, size_t *length)
{
    static const char unnamed[] = "(anonymous namespace)";
    int depth = 0;
    size_t end = 0, begin = 0;
    for (; signature[end] != '\0'; end++) {
        char c = signature[end];
        if (depth == 0 && strncmp(signature + end, unnamed, sizeof unnamed - 1) == 0) {
            end += sizeof unnamed - 2;
            continue;
        }
        depth += (c == '<') - (c == '>');
        if (depth == 0 && c == ' ')
            begin = end + 1;
        if (depth == 0 && c == '(' && end > begin)
            break;
    }
    if (begin >= end)
        begin = 0;
    *length = end - begin;
    return signature + begin;
}
