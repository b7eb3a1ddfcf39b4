// The body of a function: statements, nested scopes, labels (PTX ISA 4.3).
#include "ptx/parse/parser.h"

#include <string.h>

struct wm_ptx_statement *wm_ptx_add_statement(struct wm_ptx_parser *parser,
                                              enum wm_ptx_statement_kind kind,
                                              const struct wm_ptx_token *token)
{
    struct wm_ptx_statement *statement = WM_PTX_PUSH(&parser->statements);
    if (statement) {
        statement->kind = kind;
        statement->line = token->line;
        statement->column = token->column;
    }
    return statement;
}

static enum wm_status open_scope(struct wm_ptx_parser *parser, const struct wm_ptx_token *token)
{
    if (parser->scopes.depth >= WM_PTX_MAX_SCOPES)
        return WM_PTX_FAIL(parser, token, "scopes are nested more than %d deep",
                           WM_PTX_MAX_SCOPES - 1);
    wm_ptx_scopes_push(&parser->scopes);
    parser->first_reference[parser->scopes.depth] = parser->references.count;
    parser->scope_begin[parser->scopes.depth] = *token;
    return WM_OK;
}

static enum wm_status fail_wrong_label(struct wm_ptx_parser *parser,
                                       const struct wm_ptx_reference *reference)
{
    const char *expected = reference->expected == WM_PTX_BINDING_LABEL ? "a label of an instruction"
                           : reference->expected == WM_PTX_BINDING_TARGET_LIST
                               ? "the label of a '.branchtargets'"
                               : "the label of a '.callprototype' or '.calltargets'";
    return WM_PTX_FAIL(parser, &reference->token, "%s is not %s",
                       wm_ptx_show(&reference->token).text, expected);
}

// Resolves what this scope's labels are named by; the rest waits for the scope outside.
static enum wm_status close_scope(struct wm_ptx_parser *parser)
{
    uint32_t depth = parser->scopes.depth;
    struct wm_ptx_reference *references = parser->references.items;
    uint32_t kept = parser->first_reference[depth];
    for (uint32_t i = kept; i < parser->references.count; i++) {
        const struct wm_ptx_reference *reference = &references[i];
        const struct wm_ptx_binding *binding = reference->name->binding;
        bool is_label = binding && binding->kind >= WM_PTX_BINDING_LABEL;
        if (is_label && binding->scope == depth) {
            if (binding->kind != reference->expected)
                return fail_wrong_label(parser, reference);
            if (reference->slot)
                *reference->slot = binding->index;
        } else if (depth == 1) {
            return WM_PTX_FAIL(parser, &reference->token, "label %s is not declared",
                               wm_ptx_show(&reference->token).text);
        } else {
            references[kept++] = *reference;
        }
    }
    parser->references.count = kept;
    wm_ptx_scopes_pop(&parser->scopes);
    return WM_OK;
}

static enum wm_status declare_label(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                    enum wm_ptx_binding_kind kind, uint32_t *index)
{
    struct wm_ptx_name *name = wm_ptx_scopes_intern(&parser->scopes, token->text, token->length);
    if (!name)
        return wm_ptx_out_of_memory(parser);
    WM_TRY(wm_ptx_check_new(parser, token, name->binding));
    struct wm_ptx_binding *binding = wm_ptx_scopes_bind(&parser->scopes, name, kind, token->line);
    if (!binding)
        return wm_ptx_out_of_memory(parser);
    if (kind == WM_PTX_BINDING_PROTOTYPE) {
        binding->index = parser->prototypes.count;
        return WM_OK;
    }
    const char **slot = WM_PTX_PUSH(&parser->labels);
    if (!slot)
        return wm_ptx_out_of_memory(parser);
    *slot = name->text;
    *index = binding->index = parser->labels.count - 1;
    return WM_OK;
}

// "label: .branchtargets a, b;"
static enum wm_status parse_branch_targets(struct wm_ptx_parser *parser,
                                           const struct wm_ptx_token *label)
{
    uint32_t index, first = parser->targets.count, count = 0;
    WM_TRY(declare_label(parser, label, WM_PTX_BINDING_TARGET_LIST, &index));
    WM_TRY(wm_ptx_advance(parser));
    // The targets are counted before their array exists, and referred to in it afterwards.
    struct wm_ptx_lexer lexer = parser->lexer;
    struct wm_ptx_token begin = parser->token;
    bool more = true;
    for (; more; count++) {
        struct wm_ptx_token token;
        WM_TRY(wm_ptx_expect_name(parser, "a label", &token, NULL));
        if (!WM_PTX_PUSH(&parser->targets))
            return wm_ptx_out_of_memory(parser);
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    uint32_t *targets = WM_PTX_TAKE(&parser->targets, first, parser->arena);
    if (!targets)
        return wm_ptx_out_of_memory(parser);
    parser->lexer = lexer;
    parser->token = begin;
    for (uint32_t i = 0; i < count; i++) {
        WM_TRY(wm_ptx_refer_to_label(parser, WM_PTX_BINDING_LABEL, &targets[i], NULL));
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    struct wm_ptx_statement *statement =
        wm_ptx_add_statement(parser, WM_PTX_STATEMENT_BRANCH_TARGETS, label);
    if (!statement)
        return wm_ptx_out_of_memory(parser);
    statement->branch.label = index;
    statement->branch.targets = targets;
    statement->branch.target_count = count;
    return wm_ptx_expect(parser, ';', "the branch targets");
}

static enum wm_status parse_label(struct wm_ptx_parser *parser, const struct wm_ptx_token *label)
{
    WM_TRY(wm_ptx_advance(parser));
    if (wm_ptx_token_is(&parser->token, ".branchtargets"))
        return parse_branch_targets(parser, label);
    if (wm_ptx_token_is(&parser->token, ".callprototype") ||
        wm_ptx_token_is(&parser->token, ".calltargets")) {
        uint32_t ignored;
        WM_TRY(declare_label(parser, label, WM_PTX_BINDING_PROTOTYPE, &ignored));
        return wm_ptx_parse_prototype(parser, label);
    }
    struct wm_ptx_statement *statement =
        wm_ptx_add_statement(parser, WM_PTX_STATEMENT_LABEL, label);
    if (!statement)
        return wm_ptx_out_of_memory(parser);
    uint32_t index;
    WM_TRY(declare_label(parser, label, WM_PTX_BINDING_LABEL, &index));
    statement->label = index;
    return WM_OK;
}

// "@p instruction", "@!p instruction".
static enum wm_status parse_guarded(struct wm_ptx_parser *parser)
{
    struct wm_ptx_token begin = parser->token, token;
    bool negated;
    uint32_t guard;
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(wm_ptx_accept(parser, '!', &negated));
    WM_TRY(wm_ptx_expect_name(parser, "a predicate after '@'", &token, NULL));
    WM_TRY(wm_ptx_resolve_register(parser, &token, &guard));
    if (parser->registers.items[guard].type != WM_PTX_pred)
        return WM_PTX_FAIL(parser, &token, "guard %s is not a '.pred' register",
                           wm_ptx_show(&token).text);
    WM_TRY(wm_ptx_expect_name(parser, "an instruction after its guard", &token, NULL));
    return wm_ptx_parse_instruction(parser, &begin, (int32_t)guard, negated, &token);
}

static enum wm_status add_parameter(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol)
{
    struct wm_ptx_function *function = parser->function;
    uint32_t count = function->parameter_count;
    struct wm_ptx_symbol **longer =
        WM_ARENA_ARRAY(parser->arena, struct wm_ptx_symbol *, count + UINT64_C(1));
    if (!longer)
        return wm_ptx_out_of_memory(parser);
    if (count > 0)
        memcpy(longer, function->parameters, count * sizeof(*longer));
    longer[count] = symbol;
    function->parameters = longer;
    function->parameter_count++;
    return WM_OK;
}

static enum wm_status parse_variables(struct wm_ptx_parser *parser)
{
    struct wm_ptx_token begin = parser->token;
    const struct wm_ptx_symbol *model = NULL;
    // Before version 1.4 an entry's parameters were declared in its body (PTX ISA 5.1.6.1).
    bool parameters = parser->function->entry && parser->module->version_major == 1 &&
                      wm_ptx_token_modifier(parser, &begin) == WM_PTX_param;
    bool more = true;
    while (more) {
        struct wm_ptx_symbol *symbol;
        WM_TRY(wm_ptx_parse_variable(parser, parameters ? WM_PTX_IN_PARAMETERS : WM_PTX_IN_FUNCTION,
                                     WM_PTX_LINKAGE_INTERNAL, model, &symbol));
        if (parameters) {
            WM_TRY(add_parameter(parser, symbol));
            model = symbol;
            WM_TRY(wm_ptx_accept(parser, ',', &more));
            continue;
        }
        struct wm_ptx_statement *statement =
            wm_ptx_add_statement(parser, WM_PTX_STATEMENT_VARIABLE, &begin);
        if (!statement)
            return wm_ptx_out_of_memory(parser);
        statement->variable = symbol;
        model = symbol;
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    return wm_ptx_expect(parser, ';', "the declaration of a variable");
}

static enum wm_status parse_directive(struct wm_ptx_parser *parser)
{
    struct wm_ptx_token token = parser->token;
    switch ((int)wm_ptx_token_modifier(parser, &token)) {
    case WM_PTX_reg: return wm_ptx_parse_registers(parser);
    case WM_PTX_local:
    case WM_PTX_shared:
    case WM_PTX_param:
    case WM_PTX_const:
    case WM_PTX_global: return parse_variables(parser);
    default: break;
    }
    if (wm_ptx_token_is(&token, ".loc")) {
        struct wm_ptx_loc *loc;
        WM_TRY(wm_ptx_parse_loc(parser, &loc));
        struct wm_ptx_statement *statement =
            wm_ptx_add_statement(parser, WM_PTX_STATEMENT_LOC, &token);
        if (!statement)
            return wm_ptx_out_of_memory(parser);
        statement->loc = loc;
        return WM_OK;
    }
    if (wm_ptx_token_is(&token, ".pragma")) {
        WM_TRY(wm_ptx_advance(parser));
        struct wm_ptx_statement *statement =
            wm_ptx_add_statement(parser, WM_PTX_STATEMENT_PRAGMA, &token);
        if (!statement)
            return wm_ptx_out_of_memory(parser);
        WM_TRY(wm_ptx_skip_statement(parser, parser->token.text, &statement->text));
        return wm_ptx_advance(parser);
    }
    return WM_PTX_FAIL(parser, &token, "directive %s has no place in the body of a function",
                       wm_ptx_show(&token).text);
}

static enum wm_status parse_statement(struct wm_ptx_parser *parser)
{
    struct wm_ptx_token token = parser->token;
    switch (token.kind) {
    case WM_PTX_TOKEN_DOT_WORD: return parse_directive(parser);
    case WM_PTX_TOKEN_NAME:
        WM_TRY(wm_ptx_advance(parser));
        if (wm_ptx_at(parser, ':'))
            return parse_label(parser, &token);
        return wm_ptx_parse_instruction(parser, &token, WM_PTX_NO_REGISTER, false, &token);
    case WM_PTX_TOKEN_PUNCTUATION:
        if (token.punctuation == '@')
            return parse_guarded(parser);
        if (token.punctuation == ';') // an empty statement
            return wm_ptx_advance(parser);
        if (token.punctuation == '{') {
            WM_TRY(open_scope(parser, &token));
            if (!wm_ptx_add_statement(parser, WM_PTX_STATEMENT_SCOPE_BEGIN, &token))
                return wm_ptx_out_of_memory(parser);
            return wm_ptx_advance(parser);
        }
        break;
    case WM_PTX_TOKEN_END: {
        struct wm_ptx_token begin = parser->scope_begin[parser->scopes.depth];
        return WM_PTX_FAIL(parser, &begin, "'{' is not closed before the end of the file");
    }
    default: break;
    }
    return WM_PTX_FAIL(parser, &token, "expected a statement, found %s", wm_ptx_show(&token).text);
}

// The function's own scope is open already, because its parameters are in it.
enum wm_status wm_ptx_parse_body(struct wm_ptx_parser *parser)
{
    parser->scope_begin[1] = parser->token;
    parser->first_reference[1] = parser->references.count = 0;
    WM_TRY(wm_ptx_expect(parser, '{', "the head of a function"));
    for (;;) {
        if (!wm_ptx_at(parser, '}')) {
            WM_TRY(parse_statement(parser));
            continue;
        }
        struct wm_ptx_token token = parser->token;
        bool is_last = parser->scopes.depth == 1;
        WM_TRY(close_scope(parser));
        WM_TRY(wm_ptx_advance(parser));
        if (is_last)
            return WM_OK;
        if (!wm_ptx_add_statement(parser, WM_PTX_STATEMENT_SCOPE_END, &token))
            return wm_ptx_out_of_memory(parser);
    }
}
