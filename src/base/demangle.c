#include "base/demangle.h"

#include <dlfcn.h>

void wm_demangler_init(struct wm_demangler *demangler)
{
    *demangler = (struct wm_demangler){0};
    demangler->library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (demangler->library == NULL)
        return;
    void *symbol = dlsym(demangler->library, "__cxa_demangle");
    // POSIX gives data pointers for functions; copying the bits is the way ISO C allows.
    memcpy(&demangler->function, &symbol, sizeof symbol);
}

void wm_demangler_release(struct wm_demangler *demangler)
{
    if (demangler->library != NULL)
        dlclose(demangler->library);
    *demangler = (struct wm_demangler){0};
}

void wm_demangle(const struct wm_demangler *demangler, const char *name, struct wm_text *text)
{
    // A name that does not start with _Z could still be read as a mangled type ("i" is int).
    char *readable = NULL;
    int status = -1;
    if (demangler->function != NULL && name[0] == '_' && name[1] == 'Z')
        readable = demangler->function(name, NULL, NULL, &status);
    wm_text_add(text, readable != NULL && status == 0 ? readable : name);
    free(readable);
}
