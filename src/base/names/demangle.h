// C++ names for people: "_Z3addPfi" to "add(float*, int)".
#ifndef WM_BASE_DEMANGLE_H
#define WM_BASE_DEMANGLE_H

#include "base/text/text.h"

// Appends the readable name (Itanium C++ ABI, section 5.1), or `name` itself when it is not
// mangled.
void wm_demangle(const char *name, struct wm_text *text);

// The function's name within such a signature: `length` bytes from the pointer returned, behind the
// result type, which a template's has, and up to the parameters: "ns::reduce<256>" of
// "void ns::reduce<256>(float*)". The whole signature when it has no name.
const char *wm_demangled_name(const char *signature, size_t *length);

#endif
