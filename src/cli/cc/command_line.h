// The command line of `warpmem cc`. It is a compiler's line, not one of ours: "-O2", "-DX=1",
// "-lm" and "-o app" in any order, most of it meant for clang. A table says of every option how it
// is written and which steps it goes to; one that is not in the table is misuse.
#ifndef WM_CLI_CC_COMMAND_LINE_H
#define WM_CLI_CC_COMMAND_LINE_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "cli/framework/options.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_cc_input_kind {
    WM_CC_CUDA,   // .cu: a device and a host compilation
    WM_CC_HOST,   // .c .cc .cpp .cxx .C: a host compilation
    WM_CC_OBJECT, // .o .a .so: to the linker as it is, in its place
    WM_CC_LINK,   // -lNAME, -Wl,…: to the linker, in its place among the objects
};

struct wm_cc_input {
    enum wm_cc_input_kind kind;
    const char *text; // the file's name, or the linker's word
};

enum wm_cc_stop {
    WM_CC_STOP_SYNTAX, // -fsyntax-only: write nothing
    WM_CC_STOP_PTX,    // --ptx: write PTX
    WM_CC_STOP_OBJECT, // -c: write objects
    WM_CC_STOP_NEVER,  // link a program
};

struct wm_cc_words {
    const char **items; // in the arena
    uint32_t count;
};

// What the line requests. The words are in the arena or borrowed from the line.
struct wm_cc_line {
    struct wm_cc_input *inputs;
    uint32_t input_count;
    struct wm_cc_words both, host; // options of both compilations, and of the host's only
    const char *output;            // -o; NULL when not given
    const char *architecture;      // "sm_70"
    enum wm_cc_stop stop;
    bool keep, verbose, dry_run;
    bool host_only;                          // plain C and C++: nothing of CUDA's
    bool trace_host;                         // host code is instrumented (src/host_trace/)
    bool names_optimization, names_standard; // -O… and -std=… were given
};

// Reads `words`. WM_INVALID is misuse, with a hint; WM_UNSUPPORTED an option that NVIDIA's compiler
// has and this one does not.
enum wm_status wm_cc_command_line_parse(const char *const *words, uint32_t count,
                                        struct wm_arena *arena, struct wm_cc_line *line,
                                        struct wm_error *error);

// The options as people write them, for help; ends with a NULL spelling.
extern const struct wm_usage_word wm_cc_command_line_words[];

// The file's name without folders and without its last extension, in the arena: what outputs are
// named after. NULL when out of memory.
const char *wm_cc_stem(struct wm_arena *arena, const char *path);

#endif
