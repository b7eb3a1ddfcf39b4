// One command that `warpmem cc` runs: clang, the linker, an assembler.
#ifndef WM_CLI_CC_STEP_COMMAND_H
#define WM_CLI_CC_STEP_COMMAND_H

#include "base/error.h"
#include "cli/cc/job.h"

// The words of one command while it is put together. Out of memory is remembered.
struct wm_cc_command {
    struct wm_arena *arena;
    const char **words;
    uint32_t count, room;
    bool failed;
};

void wm_cc_command_begin(struct wm_cc_command *command, const struct wm_cc_job *job);
// Words are borrowed. NULL counts as out of memory.
void wm_cc_command_add(struct wm_cc_command *command, const char *word);
void wm_cc_command_add_all(struct wm_cc_command *command, const char *const *words); // up to NULL
void wm_cc_command_add_words(struct wm_cc_command *command, const struct wm_cc_words *words);
// Runs the command; clang and the linker say by themselves what is wrong: WM_INVALID without a
// message. WM_NO_MEMORY; WM_IO: a signal has ended it.
enum wm_status wm_cc_command_run(const struct wm_cc_job *job, struct wm_cc_command *command,
                                 struct wm_error *error);
// `output` (may be NULL) gets what it prints.
enum wm_status wm_cc_command_run_into(const struct wm_cc_job *job, struct wm_cc_command *command,
                                      const char *output, struct wm_error *error);
// A text in the arena; NULL: out of memory.
const char *wm_cc_text(struct wm_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
