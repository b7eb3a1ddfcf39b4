// Words of a line of an Accel-Sim trace, taken one after the other. Private to source/accelsim/.
#ifndef WM_SOURCE_ACCELSIM_WORDS_H
#define WM_SOURCE_ACCELSIM_WORDS_H

#include "source/accelsim/reader.h"

// The next word; `*length` 0 at the line's end.
static inline const char *wm_accelsim_word(const char **at, size_t *length)
{
    const char *from = *at;
    while (*from == ' ' || *from == '\t')
        from++;
    const char *end = from;
    while (*end != '\0' && *end != ' ' && *end != '\t')
        end++;
    *length = (size_t)(end - from);
    *at = end;
    return from;
}

// A number that is a whole word; false when there is none or it is too large.
bool wm_accelsim_decimal(const char **at, uint64_t most, uint64_t *number);
bool wm_accelsim_signed(const char **at, int64_t *number);
bool wm_accelsim_hex(const char **at, uint64_t most, uint64_t *number); // with or without "0x"

// One line of a warp. WM_INVALID with a message; the caller adds file and line.
enum wm_status wm_accelsim_instruction_read(const struct wm_accelsim_header *header,
                                            const char *line,
                                            struct wm_accelsim_instruction *instruction,
                                            struct wm_error *error);

// The header's lines up to the one that begins with '#', which is taken too. Places its errors.
enum wm_status wm_accelsim_header_read(struct wm_trace_input *input,
                                       struct wm_accelsim_header *header, struct wm_error *error);

#endif
