// C++ names for people: "_Z3addPfi" to "add(float*, int)".
#ifndef WM_BASE_DEMANGLE_H
#define WM_BASE_DEMANGLE_H

#include "base/text.h"

// Appends the readable name (Itanium C++ ABI, section 5.1), or `name` itself when it is not
// mangled.
void wm_demangle(const char *name, struct wm_text *text);

#endif
