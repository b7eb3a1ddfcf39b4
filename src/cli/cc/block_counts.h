// How many machine instructions each block of a traced object's code has
// (docs/decisions/0021-instructions-are-counted.md). The same source is compiled once more without
// what traces it but a counter in each block and a table of where the blocks are
// (-fsanitize-coverage=inline-8bit-counters,pc-table); its disassembly says how many instructions
// lie in each, and these numbers go into the traced object, in place of the zeros by which coverage
// knows its blocks (trace-pc-guard).
#ifndef WM_CLI_CC_BLOCK_COUNTS_H
#define WM_CLI_CC_BLOCK_COUNTS_H

#include "base/error.h"

#include <stddef.h>

// `traced` and `counted` are paths of the two objects; `disassembly` is what objdump -dr
// --no-show-raw-insn prints of the second, NUL-terminated. WM_INVALID: one is no object, or they do
// not have the same blocks; WM_IO; WM_NO_MEMORY.
enum wm_status wm_cc_count_blocks(const char *traced, const char *counted, const char *disassembly,
                                  struct wm_error *error);

#endif
