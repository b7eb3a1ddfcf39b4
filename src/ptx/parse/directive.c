// Directives of the module: its header, .file, .loc, debug sections, and what is kept as written
// (PTX ISA chapters 11.1 and 11.5).
#include "ptx/parse/parser.h"

static enum wm_status parse_version(struct wm_ptx_parser *parser)
{
    struct wm_ptx_module *module = parser->module;
    if (!wm_ptx_token_is(&parser->token, ".version")) {
        WM_PTX_FAIL(parser, &parser->token, "a PTX module begins with '.version', not %s",
                    wm_ptx_show(&parser->token).text);
        wm_error_hint(parser->lexer.error, "check that the file is PTX text");
        return WM_INVALID;
    }
    WM_TRY(wm_ptx_advance(parser));
    struct wm_ptx_token token = parser->token;
    unsigned major = 0, minor = 0;
    uint32_t at = 0;
    while (token.kind == WM_PTX_TOKEN_DECIMAL && at < token.length && at < 3 &&
           token.text[at] != '.')
        major = major * 10 + (unsigned)(token.text[at++] - '0');
    uint32_t point = at;
    for (at++; at < token.length && token.text[at] >= '0' && token.text[at] <= '9'; at++)
        minor = minor * 10 + (unsigned)(token.text[at] - '0');
    if (token.kind != WM_PTX_TOKEN_DECIMAL || at != token.length || point == 0 ||
        token.text[point] != '.' || at - point < 2 || at - point > 3)
        return WM_PTX_FAIL(parser, &token, "expected a version such as '9.0', found %s",
                           wm_ptx_show(&token).text);
    if (major < 1 || major > 9) {
        wm_ptx_lexer_fail(&parser->lexer, &token, WM_UNSUPPORTED,
                          "PTX version %u.%u cannot be read", major, minor);
        wm_error_hint(parser->lexer.error, "compile to PTX of version 1.0 to 9.x");
        return WM_UNSUPPORTED;
    }
    module->version_major = major;
    module->version_minor = minor;
    return wm_ptx_advance(parser);
}

// ".target sm_90a, texmode_independent": kept as written, blanks aside.
static enum wm_status parse_target(struct wm_ptx_parser *parser)
{
    struct wm_ptx_module *module = parser->module;
    if (!wm_ptx_token_is(&parser->token, ".target"))
        return WM_PTX_FAIL(parser, &parser->token, "expected '.target' after '.version', found %s",
                           wm_ptx_show(&parser->token).text);
    WM_TRY(wm_ptx_advance(parser));
    const char *begin = parser->token.text, *end = begin;
    bool more = true;
    while (more) {
        struct wm_ptx_token token;
        WM_TRY(wm_ptx_expect_name(parser, "a target such as 'sm_75'", &token, NULL));
        end = token.text + token.length;
        bool is_architecture = token.length > 3 && memcmp(token.text, "sm_", 3) == 0;
        for (uint32_t i = 3; is_architecture && i < token.length && i < 7; i++)
            if (token.text[i] >= '0' && token.text[i] <= '9')
                module->target_architecture =
                    module->target_architecture * 10 + (uint32_t)(token.text[i] - '0');
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    return wm_ptx_keep_text(parser, begin, end, false, &module->target);
}

enum wm_status wm_ptx_parse_header(struct wm_ptx_parser *parser)
{
    WM_TRY(parse_version(parser));
    WM_TRY(parse_target(parser));
    // Left out, it is that of the host (64); PTX of 32 bits ended with sm_3x and CUDA 8.
    parser->module->address_size = 64;
    if (!wm_ptx_token_is(&parser->token, ".address_size"))
        return WM_OK;
    WM_TRY(wm_ptx_advance(parser));
    struct wm_ptx_token token = parser->token;
    WM_TRY(wm_ptx_expect_u32(parser, "an address size", &parser->module->address_size));
    if (parser->module->address_size == 64)
        return WM_OK;
    if (parser->module->address_size != 32)
        return WM_PTX_FAIL(parser, &token, "address size %s is neither 32 nor 64",
                           wm_ptx_show(&token).text);
    wm_ptx_lexer_fail(&parser->lexer, &token, WM_UNSUPPORTED,
                      "PTX with 32-bit addresses cannot be read");
    wm_error_hint(parser->lexer.error, "compile with -m64");
    return WM_UNSUPPORTED;
}

// "inlined_at 1 20 5", "function_name $L__info_string0 + 12".
static enum wm_status parse_inlined(struct wm_ptx_parser *parser, struct wm_ptx_loc *loc)
{
    if (wm_ptx_token_is(&parser->token, "function_name")) {
        WM_TRY(wm_ptx_advance(parser));
        const char *begin = parser->token.text;
        struct wm_ptx_token token;
        WM_TRY(wm_ptx_expect_name(parser, "a label", &token, NULL));
        const char *end = token.text + token.length;
        if (wm_ptx_at(parser, '+')) {
            uint32_t offset;
            WM_TRY(wm_ptx_advance(parser));
            end = parser->token.text + parser->token.length;
            WM_TRY(wm_ptx_expect_u32(parser, "an offset", &offset));
        }
        return wm_ptx_keep_text(parser, begin, end, false, &loc->function_name);
    }
    if (!wm_ptx_token_is(&parser->token, "inlined_at"))
        return WM_PTX_FAIL(parser, &parser->token,
                           "expected 'function_name' or 'inlined_at', found %s",
                           wm_ptx_show(&parser->token).text);
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(wm_ptx_expect_u32(parser, "a file index", &loc->inlined_file));
    WM_TRY(wm_ptx_expect_u32(parser, "a line number", &loc->inlined_line));
    return wm_ptx_expect_u32(parser, "a column number", &loc->inlined_column);
}

enum wm_status wm_ptx_parse_loc(struct wm_ptx_parser *parser, struct wm_ptx_loc **result)
{
    struct wm_ptx_loc *loc = WM_ARENA_NEW(parser->arena, struct wm_ptx_loc);
    if (!loc)
        return wm_ptx_out_of_memory(parser);
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(wm_ptx_expect_u32(parser, "a file index", &loc->file));
    WM_TRY(wm_ptx_expect_u32(parser, "a line number", &loc->line));
    WM_TRY(wm_ptx_expect_u32(parser, "a column number", &loc->column));
    bool more;
    WM_TRY(wm_ptx_accept(parser, ',', &more));
    while (more) {
        WM_TRY(parse_inlined(parser, loc));
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    *result = loc;
    return WM_OK;
}

enum wm_status wm_ptx_parse_file(struct wm_ptx_parser *parser)
{
    struct wm_ptx_file *file = WM_ARENA_NEW(parser->arena, struct wm_ptx_file);
    struct wm_ptx_file **slot = WM_PTX_PUSH(&parser->files);
    struct wm_ptx_item *item = WM_PTX_PUSH(&parser->items);
    if (!file || !slot || !item)
        return wm_ptx_out_of_memory(parser);
    *slot = file;
    item->kind = WM_PTX_ITEM_FILE;
    item->file = file;
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(wm_ptx_expect_u32(parser, "a file index", &file->index));
    WM_TRY(wm_ptx_take_string(parser, &file->name));
    WM_TRY(wm_ptx_accept(parser, ',', &file->has_details));
    if (!file->has_details)
        return WM_OK;
    WM_TRY(wm_ptx_parse_integer(parser, "a time stamp", &file->timestamp));
    WM_TRY(wm_ptx_expect(parser, ',', "the time stamp"));
    return wm_ptx_parse_integer(parser, "a file size", &file->size);
}

static enum wm_status keep_item(struct wm_ptx_parser *parser, enum wm_ptx_item_kind kind,
                                const char *begin, const char *end)
{
    struct wm_ptx_item *item = WM_PTX_PUSH(&parser->items);
    if (!item)
        return wm_ptx_out_of_memory(parser);
    item->kind = kind;
    return wm_ptx_keep_text(parser, begin, end, true, &item->text);
}

enum wm_status wm_ptx_parse_section(struct wm_ptx_parser *parser)
{
    struct wm_ptx_token begin = parser->token;
    WM_TRY(wm_ptx_advance(parser));
    if (parser->token.kind != WM_PTX_TOKEN_DOT_WORD)
        return WM_PTX_FAIL(parser, &parser->token, "expected the name of a section, found %s",
                           wm_ptx_show(&parser->token).text);
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(wm_ptx_expect(parser, '{', "the name of a section"));
    while (!wm_ptx_at(parser, '}')) {
        if (parser->token.kind == WM_PTX_TOKEN_END)
            return WM_PTX_FAIL(parser, &begin, "section is not closed with '}'");
        WM_TRY(wm_ptx_advance(parser));
    }
    WM_TRY(keep_item(parser, WM_PTX_ITEM_SECTION, begin.text, parser->token.text + 1));
    return wm_ptx_advance(parser);
}

// ".alias a, b": from here on a call of `a` reaches b's body (PTX ISA 11.6.6).
static enum wm_status parse_alias(struct wm_ptx_parser *parser)
{
    struct wm_ptx_symbol *symbols[2];
    WM_TRY(wm_ptx_advance(parser));
    for (int i = 0; i < 2; i++) {
        struct wm_ptx_token token;
        struct wm_ptx_name *name;
        WM_TRY(wm_ptx_expect_name(parser, "the name of a function", &token, &name));
        if (!name->binding || name->binding->kind != WM_PTX_BINDING_SYMBOL ||
            name->binding->symbol->kind != WM_PTX_SYMBOL_FUNCTION)
            return WM_PTX_FAIL(parser, &token, "function %s is not declared",
                               wm_ptx_show(&token).text);
        symbols[i] = name->binding->symbol;
        if (i == 0)
            WM_TRY(wm_ptx_expect(parser, ',', "the name of the alias"));
    }
    symbols[0]->function = symbols[1]->function;
    return WM_OK;
}

enum wm_status wm_ptx_parse_kept_directive(struct wm_ptx_parser *parser)
{
    const char *begin = parser->token.text;
    if (wm_ptx_token_is(&parser->token, ".alias"))
        WM_TRY(parse_alias(parser));
    const char *ignored;
    if (!wm_ptx_at(parser, ';'))
        WM_TRY(wm_ptx_skip_statement(parser, parser->token.text, &ignored));
    WM_TRY(keep_item(parser, WM_PTX_ITEM_DIRECTIVE, begin, parser->token.text + 1));
    return wm_ptx_advance(parser);
}
