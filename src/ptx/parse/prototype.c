// What an indirect call may reach (PTX ISA 11.3): ".callprototype" and ".calltargets". The text is
// kept for the printer; what it says is worked out once here.
#include "ptx/parse/parser.h"

// "(results) _ (parameters)": the names declare nothing.
static enum wm_status parse_layout(struct wm_ptx_parser *parser, struct wm_ptx_prototype *prototype)
{
    if (wm_ptx_at(parser, '('))
        WM_TRY(wm_ptx_parse_parameters(parser, &prototype->results, &prototype->result_count));
    struct wm_ptx_token name;
    WM_TRY(wm_ptx_expect_name(parser, "'_'", &name, NULL));
    if (wm_ptx_at(parser, '('))
        WM_TRY(
            wm_ptx_parse_parameters(parser, &prototype->parameters, &prototype->parameter_count));
    return WM_OK;
}

// "f, g, h"
static enum wm_status parse_targets(struct wm_ptx_parser *parser,
                                    struct wm_ptx_prototype *prototype)
{
    uint32_t first = parser->symbols.count;
    bool more = true;
    while (more) {
        struct wm_ptx_token token;
        struct wm_ptx_name *name;
        WM_TRY(wm_ptx_expect_name(parser, "the name of a function", &token, &name));
        const struct wm_ptx_binding *binding = name->binding;
        if (!binding || binding->kind != WM_PTX_BINDING_SYMBOL ||
            binding->symbol->kind != WM_PTX_SYMBOL_FUNCTION)
            return WM_PTX_FAIL(parser, &token, "function %s is not declared",
                               wm_ptx_show(&token).text);
        struct wm_ptx_symbol **slot = WM_PTX_PUSH(&parser->symbols);
        if (!slot)
            return wm_ptx_out_of_memory(parser);
        *slot = binding->symbol;
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    prototype->target_count = parser->symbols.count - first;
    prototype->targets = WM_PTX_TAKE(&parser->symbols, first, parser->arena);
    return prototype->targets ? WM_OK : wm_ptx_out_of_memory(parser);
}

enum wm_status wm_ptx_parse_prototype(struct wm_ptx_parser *parser,
                                      const struct wm_ptx_token *label)
{
    struct wm_ptx_prototype *prototype = WM_ARENA_NEW(parser->arena, struct wm_ptx_prototype);
    struct wm_ptx_prototype **slot = WM_PTX_PUSH(&parser->prototypes);
    struct wm_ptx_statement *statement =
        wm_ptx_add_statement(parser, WM_PTX_STATEMENT_CALL_PROTOTYPE, label);
    if (!prototype || !slot || !statement)
        return wm_ptx_out_of_memory(parser);
    *slot = prototype;
    struct wm_ptx_lexer lexer = parser->lexer;
    struct wm_ptx_token begin = parser->token;
    WM_TRY(wm_ptx_skip_statement(parser, label->text, &statement->text));
    parser->lexer = lexer;
    parser->token = begin;
    bool lists_targets = wm_ptx_token_is(&begin, ".calltargets");
    WM_TRY(wm_ptx_advance(parser));
    parser->in_prototype = true;
    enum wm_status status =
        lists_targets ? parse_targets(parser, prototype) : parse_layout(parser, prototype);
    parser->in_prototype = false;
    WM_TRY(status);
    // ".noreturn", ".abi_preserve n": no matter here.
    const char *ignored;
    WM_TRY(wm_ptx_skip_statement(parser, parser->token.text, &ignored));
    return wm_ptx_advance(parser);
}
