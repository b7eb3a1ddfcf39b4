// The forms that bench_forms measures.
#ifndef WM_BENCH_FORMS_H
#define WM_BENCH_FORMS_H

#include <stdbool.h>
#include <stddef.h>

enum pattern { ROW, APART, SAME, SCATTERED, PATTERNS };

struct form {
    const char *group, *text; // '#' in the text is the number of its copy
    enum pattern pattern;
    const char *pattern_name; // NULL: there are no addresses
    unsigned width;           // bytes a lane
    unsigned work;            // registers that it moves, or instructions that it is
    bool heard;               // by a listener that takes all and does nothing
};

// All forms, group by group; the caller frees the array.
size_t make_forms(struct form **forms);

#endif
