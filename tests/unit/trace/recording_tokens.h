// The fields of a recording's sections as docs/formats/recording.md has them, found without the
// reader: a second reading of that page.
#ifndef WM_TESTS_RECORDING_TOKENS_H
#define WM_TESTS_RECORDING_TOKENS_H

#include "trace/section/section_file.h"

enum token_kind { TOKEN_NUMBER, TOKEN_TEXT, TOKEN_U64 };

struct token {
    const char *name; // of the field
    enum token_kind kind;
    size_t at, length; // in the section's content
    uint64_t value;    // of a number
};

enum { MOST_TOKENS = 20000 };

struct tokens {
    struct token items[MOST_TOKENS];
    uint32_t count;
};

// All of one section's, in order. Frames must be of kernels with one memory instruction.
void recording_tokens(enum wm_section_type type, const struct wm_bytes *content, uint32_t warps,
                      struct tokens *tokens);

#endif
