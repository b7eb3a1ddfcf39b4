// Internal to src/ptx: the words of PTX (PTX ISA chapter 4) with their places, and errors that
// point at them. Private to ptx/.
#ifndef WM_PTX_PARSE_LEXER_H
#define WM_PTX_PARSE_LEXER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_ptx_token_kind {
    WM_PTX_TOKEN_END,
    WM_PTX_TOKEN_NAME,        // "ld", "%r1", "$L__BB0_2", "_"
    WM_PTX_TOKEN_DOT_WORD,    // ".global", ".L2::128B": text includes the dot
    WM_PTX_TOKEN_INTEGER,     // .bits
    WM_PTX_TOKEN_F32,         // 0fXXXXXXXX: .bits
    WM_PTX_TOKEN_F64,         // 0dXXXXXXXXXXXXXXXX: .bits
    WM_PTX_TOKEN_DECIMAL,     // "1.5e3": text only, the value depends on how it is used
    WM_PTX_TOKEN_STRING,      // text includes the quotes
    WM_PTX_TOKEN_PUNCTUATION, // .punctuation
};

// Two-character operators of constant expressions; the others are their character.
enum {
    WM_PTX_PUNCTUATION_SHIFT_LEFT = 256,
    WM_PTX_PUNCTUATION_SHIFT_RIGHT,
    WM_PTX_PUNCTUATION_LESS_EQUAL,
    WM_PTX_PUNCTUATION_GREATER_EQUAL,
    WM_PTX_PUNCTUATION_EQUAL,
    WM_PTX_PUNCTUATION_NOT_EQUAL,
    WM_PTX_PUNCTUATION_AND_AND,
    WM_PTX_PUNCTUATION_OR_OR,
};

struct wm_ptx_token {
    enum wm_ptx_token_kind kind;
    int punctuation;
    const char *text; // in the source, not NUL-terminated
    uint32_t length;
    uint32_t line, column; // 1-based; columns count bytes
    bool is_unsigned;      // INTEGER with suffix U, or beyond a signed 64-bit number
    uint64_t bits;
};

struct wm_ptx_lexer {
    const char *name;   // of the file, for places
    const char *source; // borrowed, NUL-terminated at end
    const char *end;
    const char *at;
    const char *line_begin;
    uint32_t line;
    struct wm_error *error; // borrowed, may be NULL
};

void wm_ptx_lexer_init(struct wm_ptx_lexer *lexer, const char *name, const char *source,
                       const char *end, struct wm_error *error);
enum wm_status wm_ptx_lexer_next(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token);

// Fills the lexer's error with this message, the token's place, and its line with a caret.
enum wm_status wm_ptx_lexer_fail(const struct wm_ptx_lexer *lexer, const struct wm_ptx_token *token,
                                 enum wm_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline bool wm_ptx_is_name_begin(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static inline bool wm_ptx_is_name_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

#endif
