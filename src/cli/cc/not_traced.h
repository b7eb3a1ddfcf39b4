// What --trace-host cannot see of a program that it compiles or links: it is said, with how much it
// is. Objects that were compiled without it; and inline assembly, whose accesses no pass of clang's
// knows.
#ifndef WM_CLI_CC_NOT_TRACED_H
#define WM_CLI_CC_NOT_TRACED_H

#include <stdint.h>

// How many functions of an object file, or of an archive's object files, are in objects without
// instrumentation; 0 too of what is neither, or cannot be read: the linker says that.
uint32_t wm_cc_functions_not_traced(const char *path);
// How many pieces of inline assembly, with instructions, the text of clang's assembly has.
uint32_t wm_cc_inline_assembly(const char *assembly);

#endif
