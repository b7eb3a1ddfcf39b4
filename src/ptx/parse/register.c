// Register declarations (PTX ISA 5.1.1, 5.4.6) and the registers that names stand for.
#include "ptx/parse/parser.h"

// One register of the function in progress; its index is parser->registers.count before the call.
static enum wm_status add_register(struct wm_ptx_parser *parser, const char *name, wm_ptx_type type,
                                   uint8_t vector_length)
{
    struct wm_ptx_register *entry = WM_PTX_PUSH(&parser->registers);
    if (!entry)
        return wm_ptx_out_of_memory(parser);
    *entry = (struct wm_ptx_register){.name = name, .type = type, .vector_length = vector_length};
    return WM_OK;
}

enum wm_status wm_ptx_declare_register(struct wm_ptx_parser *parser,
                                       const struct wm_ptx_token *token, struct wm_ptx_name *name,
                                       wm_ptx_type type, uint8_t vector_length)
{
    WM_TRY(wm_ptx_check_new(parser, token, name->binding));
    struct wm_ptx_binding *binding =
        wm_ptx_scopes_bind(&parser->scopes, name, WM_PTX_BINDING_REGISTER, token->line);
    if (!binding)
        return wm_ptx_out_of_memory(parser);
    binding->index = parser->registers.count;
    binding->count = 1;
    return add_register(parser, name->text, type, vector_length);
}

// "%r<100>": the names are laid out in one block, "%r0" to "%r99".
static enum wm_status declare_range(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                    struct wm_ptx_name *name,
                                    const struct wm_ptx_register_declaration *declaration)
{
    WM_TRY(wm_ptx_check_new(parser, token, name->range));
    enum { NUMBER_BYTES = 11 }; // ten digits and the NUL
    uint64_t stride = name->length + NUMBER_BYTES;
    WM_TRY(wm_ptx_spend(parser, token,
                        declaration->count * (stride + sizeof(struct wm_ptx_register)),
                        "these registers"));
    struct wm_ptx_binding *binding =
        wm_ptx_scopes_bind(&parser->scopes, name, WM_PTX_BINDING_REGISTER_RANGE, token->line);
    char *names = wm_arena_alloc(parser->arena, declaration->count * stride, 1);
    if (!binding || !names)
        return wm_ptx_out_of_memory(parser);
    binding->index = parser->registers.count;
    binding->count = declaration->count;
    for (uint32_t i = 0; i < declaration->count; i++) {
        char *text = names;
        int length = snprintf(text, stride, "%s%u", name->text, i);
        names += length + 1;
        WM_TRY(add_register(parser, text, declaration->type, declaration->vector_length));
    }
    return WM_OK;
}

static enum wm_status parse_one(struct wm_ptx_parser *parser, const struct wm_ptx_token *begin,
                                wm_ptx_type type, uint8_t vector_length)
{
    struct wm_ptx_register_declaration *declaration =
        WM_ARENA_NEW(parser->arena, struct wm_ptx_register_declaration);
    struct wm_ptx_token token;
    struct wm_ptx_name *name;
    bool numbered;
    WM_TRY(wm_ptx_expect_name(parser, "the name of a register", &token, &name));
    WM_TRY(wm_ptx_accept(parser, '<', &numbered));
    if (!declaration)
        return wm_ptx_out_of_memory(parser);
    *declaration = (struct wm_ptx_register_declaration){
        .type = type,
        .vector_length = vector_length,
        .name = name->text,
        .first_index = parser->registers.count,
    };
    if (numbered) {
        struct wm_ptx_token count = parser->token;
        WM_TRY(wm_ptx_expect_u32(parser, "a number of registers", &declaration->count));
        if (!declaration->count)
            return WM_PTX_FAIL(parser, &count, "number of registers is 0");
        WM_TRY(wm_ptx_expect(parser, '>', "the number of registers"));
        WM_TRY(declare_range(parser, &token, name, declaration));
    } else {
        WM_TRY(wm_ptx_declare_register(parser, &token, name, type, vector_length));
    }
    struct wm_ptx_statement *statement =
        wm_ptx_add_statement(parser, WM_PTX_STATEMENT_REGISTERS, begin);
    if (!statement)
        return wm_ptx_out_of_memory(parser);
    statement->registers = declaration;
    return WM_OK;
}

enum wm_status wm_ptx_parse_registers(struct wm_ptx_parser *parser)
{
    struct wm_ptx_token begin = parser->token;
    uint8_t vector_length = 1;
    WM_TRY(wm_ptx_advance(parser));
    enum wm_ptx_modifier type = wm_ptx_token_modifier(parser, &parser->token);
    if (type == WM_PTX_v2 || type == WM_PTX_v4) {
        vector_length = type == WM_PTX_v2 ? 2 : 4;
        WM_TRY(wm_ptx_advance(parser));
        type = wm_ptx_token_modifier(parser, &parser->token);
    }
    if (!type || wm_ptx_modifier_class_of(type) != WM_PTX_CLASS_TYPE)
        return WM_PTX_FAIL(parser, &parser->token, "expected the type of a register, found %s",
                           wm_ptx_show(&parser->token).text);
    WM_TRY(wm_ptx_advance(parser));
    bool more = true;
    while (more) {
        WM_TRY(parse_one(parser, &begin, type, vector_length));
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    return wm_ptx_expect(parser, ';', "the registers");
}

enum wm_status wm_ptx_resolve_register(struct wm_ptx_parser *parser,
                                       const struct wm_ptx_token *token, uint32_t *index)
{
    const struct wm_ptx_name *name =
        wm_ptx_scopes_find(&parser->scopes, token->text, token->length);
    if (name && name->binding && name->binding->kind == WM_PTX_BINDING_REGISTER) {
        *index = name->binding->index;
        return WM_OK;
    }
    if (wm_ptx_scopes_numbered_register(&parser->scopes, token->text, token->length, index))
        return WM_OK;
    return wm_ptx_fail_undeclared(parser, token);
}

enum wm_status wm_ptx_fail_undeclared(struct wm_ptx_parser *parser,
                                      const struct wm_ptx_token *token)
{
    WM_PTX_FAIL(parser, token, "%s%s is not declared", token->text[0] == '%' ? "register " : "",
                wm_ptx_show(token).text);
    uint32_t prefix = token->length;
    while (prefix > 1 && token->text[prefix - 1] >= '0' && token->text[prefix - 1] <= '9')
        prefix--;
    const struct wm_ptx_name *name = wm_ptx_scopes_find(&parser->scopes, token->text, prefix);
    if (name && name->range && prefix < token->length)
        wm_error_hint(parser->lexer.error, "line %u declares '%s0' to '%s%u' only",
                      name->range->line, name->text, name->text, name->range->count - 1);
    return WM_INVALID;
}
