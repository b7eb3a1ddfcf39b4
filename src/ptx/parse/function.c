// Kernels and device functions: head, parameters, performance directives (PTX ISA 11.2 to 11.4).
#include "ptx/parse/parser.h"

enum wm_status wm_ptx_parse_parameters(struct wm_ptx_parser *parser,
                                       struct wm_ptx_symbol ***parameters, uint32_t *count)
{
    uint32_t first = parser->symbols.count;
    WM_TRY(wm_ptx_advance(parser));
    bool more = !wm_ptx_at(parser, ')');
    while (more) {
        enum wm_ptx_modifier space = wm_ptx_token_modifier(parser, &parser->token);
        if (space != WM_PTX_param && space != WM_PTX_reg)
            return WM_PTX_FAIL(parser, &parser->token, "expected '.param', found %s",
                               wm_ptx_show(&parser->token).text);
        struct wm_ptx_symbol *symbol;
        WM_TRY(wm_ptx_parse_variable(parser, WM_PTX_IN_PARAMETERS, WM_PTX_LINKAGE_INTERNAL, NULL,
                                     &symbol));
        struct wm_ptx_symbol **slot = WM_PTX_PUSH(&parser->symbols);
        if (!slot)
            return wm_ptx_out_of_memory(parser);
        *slot = symbol;
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    *count = parser->symbols.count - first;
    *parameters = WM_PTX_TAKE(&parser->symbols, first, parser->arena);
    if (!*parameters)
        return wm_ptx_out_of_memory(parser);
    return wm_ptx_expect(parser, ')', "the parameters");
}

// ".maxntid 256, 1, 1", ".noreturn", ".pragma \"…\";": as many as stand before the body.
static enum wm_status parse_performance_directives(struct wm_ptx_parser *parser,
                                                   struct wm_ptx_function *function)
{
    uint32_t first = parser->directives.count;
    while (parser->token.kind == WM_PTX_TOKEN_DOT_WORD) {
        struct wm_ptx_token token = parser->token;
        struct wm_ptx_directive directive = {0};
        bool more = true;
        WM_TRY(wm_ptx_advance(parser));
        if (wm_ptx_token_is(&token, ".pragma")) {
            const char *text;
            WM_TRY(wm_ptx_skip_statement(parser, parser->token.text, &text));
            WM_TRY(wm_ptx_keep_text(parser, token.text, parser->token.text + 1, false,
                                    &directive.name));
            WM_TRY(wm_ptx_advance(parser));
            more = false;
        } else {
            directive.name = wm_arena_copy_text(parser->arena, token.text, token.length);
        }
        more = more && parser->token.kind == WM_PTX_TOKEN_INTEGER;
        while (more) {
            if (directive.value_count == 3)
                return WM_PTX_FAIL(parser, &parser->token, "%s takes at most 3 numbers",
                                   wm_ptx_show(&token).text);
            WM_TRY(
                wm_ptx_expect_u32(parser, "a number", &directive.values[directive.value_count++]));
            WM_TRY(wm_ptx_accept(parser, ',', &more));
        }
        struct wm_ptx_directive *slot = WM_PTX_PUSH(&parser->directives);
        if (!slot || !directive.name)
            return wm_ptx_out_of_memory(parser);
        *slot = directive;
    }
    function->directive_count = parser->directives.count - first;
    function->directives = WM_PTX_TAKE(&parser->directives, first, parser->arena);
    return function->directives ? WM_OK : wm_ptx_out_of_memory(parser);
}

// Every declaration of a function has its own wm_ptx_function; they share one symbol, whose
// function is the definition as soon as there is one.
static enum wm_status bind_function(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                    struct wm_ptx_name *name, struct wm_ptx_function *function)
{
    struct wm_ptx_binding *binding = name->binding;
    if (binding) {
        struct wm_ptx_symbol *symbol = binding->symbol;
        if (symbol->kind != WM_PTX_SYMBOL_FUNCTION)
            return wm_ptx_check_new(parser, token, binding);
        function->symbol = symbol;
        if (!symbol->function->defined) {
            symbol->function = function;
            symbol->linkage = function->linkage;
        }
        return WM_OK;
    }
    binding = wm_ptx_scopes_bind(&parser->scopes, name, WM_PTX_BINDING_SYMBOL, token->line);
    struct wm_ptx_symbol *symbol = WM_ARENA_NEW(parser->arena, struct wm_ptx_symbol);
    if (!binding || !symbol)
        return wm_ptx_out_of_memory(parser);
    *symbol = (struct wm_ptx_symbol){
        .kind = WM_PTX_SYMBOL_FUNCTION,
        .linkage = function->linkage,
        .name = name->text,
        .module = parser->module,
        .line = token->line,
        .column = token->column,
        .function = function,
    };
    binding->symbol = function->symbol = symbol;
    return WM_OK;
}

static enum wm_status begin_body(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                 const struct wm_ptx_name *name, struct wm_ptx_function *function)
{
    const struct wm_ptx_function *known = name->binding->symbol->function;
    if (known->defined)
        return WM_PTX_FAIL(parser, token, "function '%s' is already defined, on line %u",
                           name->text, known->line);
    function->defined = true;
    name->binding->symbol->function = function;
    name->binding->symbol->linkage = function->linkage;
    return wm_ptx_parse_body(parser);
}

static enum wm_status finish_function(struct wm_ptx_parser *parser,
                                      struct wm_ptx_function *function)
{
    function->register_count = parser->registers.count;
    function->label_count = parser->labels.count;
    function->statement_count = parser->statements.count;
    function->prototype_count = parser->prototypes.count;
    function->registers = WM_PTX_TAKE(&parser->registers, 0, parser->arena);
    function->labels = WM_PTX_TAKE(&parser->labels, 0, parser->arena);
    function->statements = WM_PTX_TAKE(&parser->statements, 0, parser->arena);
    function->prototypes = WM_PTX_TAKE(&parser->prototypes, 0, parser->arena);
    struct wm_ptx_item *item = WM_PTX_PUSH(&parser->items);
    if (!function->registers || !function->labels || !function->statements ||
        !function->prototypes || !item)
        return wm_ptx_out_of_memory(parser);
    item->kind = WM_PTX_ITEM_FUNCTION;
    item->function = function;
    return WM_OK;
}

static enum wm_status parse_head(struct wm_ptx_parser *parser, struct wm_ptx_function *function,
                                 struct wm_ptx_token *token, struct wm_ptx_name **name)
{
    if (!function->entry && wm_ptx_at(parser, '('))
        WM_TRY(wm_ptx_parse_parameters(parser, &function->results, &function->result_count));
    WM_TRY(wm_ptx_expect_name(parser, "the name of a function", token, name));
    function->name = (*name)->text;
    function->line = token->line;
    function->column = token->column;
    if (wm_ptx_at(parser, '('))
        WM_TRY(wm_ptx_parse_parameters(parser, &function->parameters, &function->parameter_count));
    return parse_performance_directives(parser, function);
}

enum wm_status wm_ptx_parse_function(struct wm_ptx_parser *parser, enum wm_ptx_linkage linkage)
{
    struct wm_ptx_function *function = WM_ARENA_NEW(parser->arena, struct wm_ptx_function);
    if (!function)
        return wm_ptx_out_of_memory(parser);
    struct wm_ptx_token token;
    struct wm_ptx_name *name;
    function->linkage = linkage;
    function->entry = wm_ptx_token_is(&parser->token, ".entry");
    WM_TRY(wm_ptx_advance(parser));
    // Its parameters are declared before its name is known: the name is bound outside, after.
    wm_ptx_scopes_push(&parser->scopes);
    parser->function = function;
    WM_TRY(parse_head(parser, function, &token, &name));
    struct wm_ptx_binding *parameter = name->binding;
    if (parameter && parameter->scope == 1)
        return wm_ptx_check_new(parser, &token, parameter);
    parser->scopes.depth = 0;
    enum wm_status status = bind_function(parser, &token, name, function);
    parser->scopes.depth = 1;
    WM_TRY(status);
    if (wm_ptx_at(parser, '{')) {
        WM_TRY(begin_body(parser, &token, name, function));
    } else {
        wm_ptx_scopes_pop(&parser->scopes);
        WM_TRY(wm_ptx_expect(parser, ';', "the declaration of a function"));
    }
    return finish_function(parser, function);
}
