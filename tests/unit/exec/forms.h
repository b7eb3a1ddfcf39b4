// The instructions listed in forms/*.txt: one a line, with alternatives as <a|b>; "#" begins a
// comment.
#ifndef EXEC_FORMS_H
#define EXEC_FORMS_H

#include "base/text/text.h"
#include "exec/lanes.h"

#include <stdbool.h>

enum { FORMS_LONGEST = 1024 }; // of a line, its NUL included

typedef void form_function(void *context, const char *form);

// Calls `function` with every line of forms/NAME, not expanded. False: no such file.
bool forms_each_line(const char *name, form_function *function, void *context);
// … with each choice of each line's alternatives, in order.
bool forms_each(const char *name, form_function *function, void *context);
// A module with a kernel k that holds the instruction and has the registers it names.
void forms_module(const char *form, struct wm_text *text);

// What an instruction counts as in docs/ptx.md's table: its opcode and modifiers ("mul.wide.u32");
// of those that read a special register, the register ("%tid.x").
void forms_name(const struct wm_ptx_instruction *instruction, char *name, size_t size);
// The name of the lane kernel for a key: one for all spellings that mean the same.
void forms_lane_name(const struct wm_lane_key *key, char *name, size_t size);

#endif
