// What a command line could go on with, from the commands' own tables: the shells' scripts
// (scripts.c) run it at every press of the key.
#ifndef WM_CLI_COMPLETION_COMPLETION_H
#define WM_CLI_COMPLETION_COMPLETION_H

#include "base/text/text.h"
#include "cli/framework/command.h"

// Appends what the last of `words` could become, one candidate a line, with a tab and a sentence
// behind it where there is one. Lines that begin with ":" are for the script:
//   :files    file names fit as well
//   :nospace  no blank follows a candidate
// words[0] is the program. A line that is wrong already has no candidates. Memory that runs out is
// the text's failure.
void wm_complete(const struct wm_command *root, const char *const *words, uint32_t count,
                 struct wm_text *text);

// The values of one kind of argument that begin with `typed`, each behind `before` (completion.c's
// other half, values.c).
void wm_complete_value(enum wm_completes completes, const char *before, const char *typed,
                       struct wm_text *text);

// Appends one candidate, `before` and `word`, when `word` begins with `typed`.
void wm_complete_offer(const char *before, const char *typed, const char *word,
                       const char *sentence, struct wm_text *text);

// The script that connects a shell to it ("bash", "zsh", "fish"); NULL for another.
const char *wm_completion_script(const char *shell);

#endif
