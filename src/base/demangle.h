// C++ names for people: "_Z3addPfi" to "add(float*, int)".
#ifndef WM_BASE_DEMANGLE_H
#define WM_BASE_DEMANGLE_H

#include "base/text.h"

// The C++ runtime's own demangler (Itanium C++ ABI, section 3.4), looked up when the process can
// load libstdc++: warpmem is C and needs no C++ runtime, but a machine with CUDA programs has one.
struct wm_demangler {
    void *library; // owned handle, or NULL
    char *(*function)(const char *name, char *buffer, unsigned long *size, int *status);
};

void wm_demangler_init(struct wm_demangler *demangler);
void wm_demangler_release(struct wm_demangler *demangler);
// Appends the demangled name, or `name` itself when it is not mangled or there is no demangler.
void wm_demangle(const struct wm_demangler *demangler, const char *name, struct wm_text *text);

#endif
