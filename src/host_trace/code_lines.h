// Lines of the source by addresses of code, from an object's debugging information: by libdw, which
// is loaded at need, as a program that is traced has the same objects each time. Where it is not
// there, no line is found.
//
// Thread rules: one thread at a time. Private to host_trace/.
#ifndef WM_HOST_TRACE_CODE_LINES_H
#define WM_HOST_TRACE_CODE_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct wm_host_code_lines;

// Of the object at `path`; NULL where nothing can be read of it.
struct wm_host_code_lines *wm_host_code_lines_open(const char *path);
void wm_host_code_lines_free(struct wm_host_code_lines *lines); // NULL is allowed

// The line of the instruction at `offset`, as the object is linked. Of functions that are inlined
// there it is the innermost place in a source of the program's own (base/names/source_location.h),
// where one is. `*file` is good until the lines are freed. False where there is none.
bool wm_host_code_line(struct wm_host_code_lines *lines, uint64_t offset, const char **file,
                       uint32_t *line);

#endif
