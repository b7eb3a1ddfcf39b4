#include "ptx/parse/lexer.h"

void wm_ptx_lexer_init(struct wm_ptx_lexer *lexer, const char *name, const char *source,
                       const char *end, struct wm_error *error)
{
    *lexer = (struct wm_ptx_lexer){
        .name = name,
        .source = source,
        .end = end,
        .at = source,
        .line_begin = source,
        .line = 1,
        .error = error,
    };
}

enum wm_status wm_ptx_lexer_fail(const struct wm_ptx_lexer *lexer, const struct wm_ptx_token *token,
                                 enum wm_status status, const char *format, ...)
{
    if (!lexer->error)
        return status;
    char message[sizeof lexer->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    wm_fail(lexer->error, status, "%s", message);
    wm_error_place(lexer->error, "%s:%u:%u", lexer->name, token->line, token->column);
    const char *begin = token->text - (token->column - 1);
    const char *end = memchr(begin, '\n', (size_t)(lexer->end - begin));
    if (!end)
        end = lexer->end;
    return wm_error_excerpt(lexer->error, begin, (unsigned long)(end - begin), token->column);
}

static enum wm_status skip_comment(struct wm_ptx_lexer *lexer)
{
    struct wm_ptx_token begin = {
        .text = lexer->at,
        .line = lexer->line,
        .column = (uint32_t)(lexer->at - lexer->line_begin) + 1,
    };
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (*lexer->at == '\n') {
            lexer->line++;
            lexer->line_begin = lexer->at + 1;
        } else if (lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return WM_OK;
        }
    }
    return wm_ptx_lexer_fail(lexer, &begin, WM_INVALID, "comment is not closed with '*/'");
}

static enum wm_status skip_blanks(struct wm_ptx_lexer *lexer)
{
    for (;;) {
        char c = *lexer->at;
        if (c == '\n') {
            lexer->line++;
            lexer->line_begin = ++lexer->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->at++;
        } else if (c == '/' && lexer->at[1] == '/') {
            const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = newline ? newline : lexer->end;
        } else if (c == '/' && lexer->at[1] == '*') {
            WM_TRY(skip_comment(lexer));
        } else {
            return WM_OK;
        }
    }
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

// "0f" and "0d" take exactly as many hexadecimal digits as the format has (PTX ISA 4.5.2).
static enum wm_status lex_float_pattern(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token,
                                        unsigned digits)
{
    const char *at = lexer->at + 2;
    while (digit_value(*at) < 16)
        at++;
    token->length = (uint32_t)(at - token->text);
    if (token->length - 2 != digits)
        return wm_ptx_lexer_fail(lexer, token, WM_INVALID,
                                 "'%.2s' takes %u hexadecimal digits, not %u", token->text, digits,
                                 token->length - 2);
    for (const char *digit = lexer->at + 2; digit < at; digit++)
        token->bits = token->bits << 4 | (uint64_t)digit_value(*digit);
    token->kind = digits == 8 ? WM_PTX_TOKEN_F32 : WM_PTX_TOKEN_F64;
    lexer->at = at;
    return WM_OK;
}

// True, and past the number, when the digits at the lexer are of a decimal float.
static bool lex_decimal_float(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token)
{
    const char *at = lexer->at;
    while (*at >= '0' && *at <= '9')
        at++;
    bool is_float = false;
    if (*at == '.') {
        is_float = true;
        at++;
        while (*at >= '0' && *at <= '9')
            at++;
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1;
        if (*exponent == '+' || *exponent == '-')
            exponent++;
        if (*exponent >= '0' && *exponent <= '9') {
            is_float = true;
            while (*exponent >= '0' && *exponent <= '9')
                exponent++;
            at = exponent;
        }
    }
    if (!is_float)
        return false;
    token->kind = WM_PTX_TOKEN_DECIMAL;
    token->length = (uint32_t)(at - token->text);
    lexer->at = at;
    return true;
}

static enum wm_status lex_number(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token)
{
    const char *at = lexer->at;
    unsigned base = 10;
    if (at[0] == '0') {
        if (at[1] == 'f' || at[1] == 'F')
            return lex_float_pattern(lexer, token, 8);
        if (at[1] == 'd' || at[1] == 'D')
            return lex_float_pattern(lexer, token, 16);
        if (at[1] == 'x' || at[1] == 'X')
            base = 16;
        else if (at[1] == 'b' || at[1] == 'B')
            base = 2;
    }
    if (base == 10 && lex_decimal_float(lexer, token))
        return WM_OK;
    if (base == 10 && at[0] == '0')
        base = 8;
    if (base == 16 || base == 2)
        at += 2;
    const char *digits = at;
    bool fits = true;
    for (; digit_value(*at) < (int)base; at++) {
        fits = fits && !__builtin_mul_overflow(token->bits, base, &token->bits);
        fits =
            fits && !__builtin_add_overflow(token->bits, (uint64_t)digit_value(*at), &token->bits);
    }
    bool empty = at == digits;
    token->is_unsigned = *at == 'U' || token->bits > INT64_MAX;
    if (*at == 'U')
        at++;
    bool clean = !empty && !wm_ptx_is_name_part(*at);
    while (wm_ptx_is_name_part(*at))
        at++;
    token->kind = WM_PTX_TOKEN_INTEGER;
    token->length = (uint32_t)(at - token->text);
    int shown = token->length > 60 ? 60 : (int)token->length;
    if (!clean)
        return wm_ptx_lexer_fail(lexer, token, WM_INVALID, "'%.*s' is not a number", shown,
                                 token->text);
    if (!fits)
        return wm_ptx_lexer_fail(lexer, token, WM_INVALID, "'%.*s%s' does not fit in 64 bits",
                                 shown, token->text, token->length > 60 ? "..." : "");
    lexer->at = at;
    return WM_OK;
}

static enum wm_status lex_string(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token)
{
    const char *at = lexer->at + 1;
    while (at < lexer->end && *at != '"' && *at != '\n')
        at += *at == '\\' && at + 1 < lexer->end && at[1] != '\n' ? 2 : 1;
    if (at >= lexer->end || *at != '"')
        return wm_ptx_lexer_fail(lexer, token, WM_INVALID,
                                 "string is not closed before the end of its line");
    token->kind = WM_PTX_TOKEN_STRING;
    token->length = (uint32_t)(at + 1 - token->text);
    lexer->at = at + 1;
    return WM_OK;
}

// ".word", ".word::word": the dot stays in the text.
static void lex_dot_word(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token)
{
    const char *at = lexer->at + 1;
    while (wm_ptx_is_name_part(*at) || (at[0] == ':' && at[1] == ':' && wm_ptx_is_name_part(at[2])))
        at += *at == ':' ? 2 : 1;
    token->kind = WM_PTX_TOKEN_DOT_WORD;
    token->length = (uint32_t)(at - token->text);
    lexer->at = at;
}

static enum wm_status lex_punctuation(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token)
{
    static const struct {
        char text[3];
        short punctuation;
    } pairs[] = {
        {"<<", WM_PTX_PUNCTUATION_SHIFT_LEFT}, {">>", WM_PTX_PUNCTUATION_SHIFT_RIGHT},
        {"<=", WM_PTX_PUNCTUATION_LESS_EQUAL}, {">=", WM_PTX_PUNCTUATION_GREATER_EQUAL},
        {"==", WM_PTX_PUNCTUATION_EQUAL},      {"!=", WM_PTX_PUNCTUATION_NOT_EQUAL},
        {"&&", WM_PTX_PUNCTUATION_AND_AND},    {"||", WM_PTX_PUNCTUATION_OR_OR},
    };
    unsigned char c = (unsigned char)*lexer->at;
    token->kind = WM_PTX_TOKEN_PUNCTUATION;
    token->punctuation = c;
    token->length = 1;
    if (c < 0x20 || c >= 0x7f)
        return wm_ptx_lexer_fail(lexer, token, WM_INVALID,
                                 "byte 0x%02x has no meaning in PTX outside comments and strings",
                                 c);
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].text[0] == lexer->at[0] && pairs[i].text[1] == lexer->at[1]) {
            token->punctuation = pairs[i].punctuation;
            token->length = 2;
        }
    lexer->at += token->length;
    return WM_OK;
}

enum wm_status wm_ptx_lexer_next(struct wm_ptx_lexer *lexer, struct wm_ptx_token *token)
{
    WM_TRY(skip_blanks(lexer));
    const char *at = lexer->at;
    *token = (struct wm_ptx_token){
        .kind = WM_PTX_TOKEN_END,
        .text = at,
        .line = lexer->line,
        .column = (uint32_t)(at - lexer->line_begin) + 1,
    };
    if (at == lexer->end)
        return WM_OK;
    if (*at == '.' && wm_ptx_is_name_part(at[1])) {
        lex_dot_word(lexer, token);
        return WM_OK;
    }
    // "%" alone is the remainder operator of constant expressions.
    if (wm_ptx_is_name_begin(*at) && (*at != '%' || wm_ptx_is_name_part(at[1]))) {
        for (at++; wm_ptx_is_name_part(*at);)
            at++;
        token->kind = WM_PTX_TOKEN_NAME;
        token->length = (uint32_t)(at - token->text);
        lexer->at = at;
        return WM_OK;
    }
    if (*at >= '0' && *at <= '9')
        return lex_number(lexer, token);
    if (*at == '"')
        return lex_string(lexer, token);
    return lex_punctuation(lexer, token);
}
