// SASS names for PTX instructions, so that Accel-Sim knows what unit each goes to: those of its
// table for sm_70. docs/formats/accelsim.md has the mapping. Private to source/.
#ifndef WM_SOURCE_SASS_NAMES_H
#define WM_SOURCE_SASS_NAMES_H

#include "base/access/access.h"
#include "base/text/text.h"

// What an instruction of a recording is called and which registers it has, as lines of a trace say.
struct wm_sass_line {
    char opcode[96];
    uint32_t destination_count, source_count; // at most 1 and 4
    char registers[5][16];                    // destinations, then sources
    int32_t immediate;                        // its last operand that is a number, or 0
    bool ends;                                // "ret", "exit": EXIT where lanes end with it
};

// Numbers of a kernel's PTX registers, in order of appearance. One thread.
struct wm_sass_registers;
struct wm_sass_registers *wm_sass_registers_new(void); // NULL: no memory
void wm_sass_registers_free(struct wm_sass_registers *registers);

// Of an instruction's text as PTX has it.
void wm_sass_line_of_ptx(const char *text, struct wm_sass_registers *registers,
                         struct wm_sass_line *line);
// Of one as an import wrote it: "LDG.E.SYS R4, [R2]".
void wm_sass_line_of_sass(const char *text, struct wm_sass_line *line);

// The name of a memory instruction for what it did: `text` has the operation of atomics. `generic`:
// to whatever space the address is in.
void wm_sass_memory_name(const char *text, const struct wm_warp_access *access, bool generic,
                         char *name, size_t size);

#endif
