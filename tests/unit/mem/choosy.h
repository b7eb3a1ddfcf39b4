#ifndef WM_TESTS_CHOOSY_H
#define WM_TESTS_CHOOSY_H

#include "warpmem/plugin.h"

// A replacement that will not have every line, for what machines do when no victim is allowed, and
// that chooses by all that it gets, so that a caller that gives it something wrong is found out. Of
// a way that may not be displaced it takes the next one that may.
extern const struct wm_replacement_ops choosy_replacement;

#endif
