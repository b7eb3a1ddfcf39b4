#include "ptx/parse/parser.h"

#include "base/text/text.h"

enum wm_status wm_ptx_advance(struct wm_ptx_parser *parser)
{
    return wm_ptx_lexer_next(&parser->lexer, &parser->token);
}

enum wm_status wm_ptx_out_of_memory(struct wm_ptx_parser *parser)
{
    return wm_fail_no_memory(parser->lexer.error, "parsing '%s'", parser->lexer.name);
}

struct wm_ptx_shown wm_ptx_show(const struct wm_ptx_token *token)
{
    struct wm_ptx_shown shown;
    if (token->kind == WM_PTX_TOKEN_END)
        snprintf(shown.text, sizeof shown.text, "the end of the file");
    else if (token->length > 48)
        snprintf(shown.text, sizeof shown.text, "'%.45s...'", token->text);
    else
        snprintf(shown.text, sizeof shown.text, "'%.*s'", (int)token->length, token->text);
    return shown;
}

bool wm_ptx_token_is(const struct wm_ptx_token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

enum wm_status wm_ptx_accept(struct wm_ptx_parser *parser, char punctuation, bool *taken)
{
    *taken = wm_ptx_at(parser, punctuation);
    return *taken ? wm_ptx_advance(parser) : WM_OK;
}

enum wm_status wm_ptx_expect(struct wm_ptx_parser *parser, char punctuation, const char *after)
{
    if (wm_ptx_at(parser, punctuation))
        return wm_ptx_advance(parser);
    return WM_PTX_FAIL(parser, &parser->token, "expected '%c' after %s, found %s", punctuation,
                       after, wm_ptx_show(&parser->token).text);
}

enum wm_status wm_ptx_expect_name(struct wm_ptx_parser *parser, const char *what,
                                  struct wm_ptx_token *token, struct wm_ptx_name **name)
{
    if (parser->token.kind != WM_PTX_TOKEN_NAME)
        return WM_PTX_FAIL(parser, &parser->token, "expected %s, found %s", what,
                           wm_ptx_show(&parser->token).text);
    *token = parser->token;
    if (name) {
        *name = wm_ptx_scopes_intern(&parser->scopes, token->text, token->length);
        if (!*name)
            return wm_ptx_out_of_memory(parser);
    }
    return wm_ptx_advance(parser);
}

enum wm_status wm_ptx_expect_u32(struct wm_ptx_parser *parser, const char *what, uint32_t *value)
{
    if (parser->token.kind != WM_PTX_TOKEN_INTEGER)
        return WM_PTX_FAIL(parser, &parser->token, "expected %s, found %s", what,
                           wm_ptx_show(&parser->token).text);
    if (parser->token.bits > UINT32_MAX)
        return WM_PTX_FAIL(parser, &parser->token, "%s does not fit in 32 bits",
                           wm_ptx_show(&parser->token).text);
    *value = (uint32_t)parser->token.bits;
    return wm_ptx_advance(parser);
}

enum wm_ptx_modifier wm_ptx_token_modifier(const struct wm_ptx_parser *parser,
                                           const struct wm_ptx_token *token)
{
    if (token->kind != WM_PTX_TOKEN_DOT_WORD)
        return WM_PTX_none;
    const struct wm_ptx_name *name =
        wm_ptx_scopes_find(&parser->scopes, token->text + 1, token->length - 1);
    return name ? (enum wm_ptx_modifier)name->modifier : WM_PTX_none;
}

// The lexer has been over [begin, end): its comments and strings are closed.
enum wm_status wm_ptx_keep_text(struct wm_ptx_parser *parser, const char *begin, const char *end,
                                bool keep_lines, const char **text)
{
    char *copy = wm_arena_alloc(parser->arena, (size_t)(end - begin) + 1, 1);
    if (!copy)
        return wm_ptx_out_of_memory(parser);
    char *out = copy;
    for (const char *at = begin; at < end;) {
        const char *blank = at;
        bool newline = false;
        while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r') ||
                            (*at == '/' && (at[1] == '/' || at[1] == '*')))) {
            newline = newline || *at == '\n';
            if (*at != '/') {
                at++;
            } else if (at[1] == '/') {
                const char *line_end = memchr(at, '\n', (size_t)(end - at));
                at = line_end ? line_end : end;
            } else {
                for (at += 2; at[0] != '*' || at[1] != '/'; at++)
                    newline = newline || *at == '\n';
                at += 2;
            }
        }
        if (at > blank && out > copy && at < end)
            *out++ = newline && keep_lines ? '\n' : ' ';
        if (at >= end)
            break;
        const char *word = at++;
        if (*word == '"') {
            while (*at != '"')
                at += *at == '\\' ? 2 : 1;
            at++;
        }
        memcpy(out, word, (size_t)(at - word));
        out += at - word;
    }
    *out = '\0';
    *text = copy;
    return WM_OK;
}

enum wm_status wm_ptx_skip_statement(struct wm_ptx_parser *parser, const char *begin,
                                     const char **text)
{
    const char *end = parser->token.text;
    uint32_t braces = 0;
    while (!wm_ptx_at(parser, ';') || braces) {
        if (parser->token.kind == WM_PTX_TOKEN_END || (wm_ptx_at(parser, '}') && !braces))
            return WM_PTX_FAIL(parser, &parser->token, "expected ';' before %s",
                               wm_ptx_show(&parser->token).text);
        if (wm_ptx_at(parser, '{'))
            braces++;
        else if (wm_ptx_at(parser, '}'))
            braces--;
        end = parser->token.text + parser->token.length;
        WM_TRY(wm_ptx_advance(parser));
    }
    return wm_ptx_keep_text(parser, begin, end, false, text);
}

enum wm_status wm_ptx_take_string(struct wm_ptx_parser *parser, const char **text)
{
    if (parser->token.kind != WM_PTX_TOKEN_STRING)
        return WM_PTX_FAIL(parser, &parser->token, "expected a string in '\"', found %s",
                           wm_ptx_show(&parser->token).text);
    *text = wm_arena_copy_text(parser->arena, parser->token.text + 1, parser->token.length - 2);
    if (!*text)
        return wm_ptx_out_of_memory(parser);
    return wm_ptx_advance(parser);
}

enum wm_status wm_ptx_check_new(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                const struct wm_ptx_binding *binding)
{
    if (!binding || binding->scope != parser->scopes.depth)
        return WM_OK;
    return WM_PTX_FAIL(parser, token, "%s is already declared in this scope, on line %u",
                       wm_ptx_show(token).text, binding->line);
}

enum wm_status wm_ptx_spend(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                            uint64_t bytes, const char *what)
{
    if (bytes > parser->budget_bytes)
        return WM_PTX_FAIL(parser, token, "%s exceed what a module of this size may declare", what);
    parser->budget_bytes -= bytes;
    return WM_OK;
}
