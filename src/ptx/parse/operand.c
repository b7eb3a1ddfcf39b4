// Operands of instructions (PTX ISA 6.1 to 6.4).
#include "ptx/parse/parser.h"

enum wm_status wm_ptx_refer_to_label(struct wm_ptx_parser *parser,
                                     enum wm_ptx_binding_kind expected, uint32_t *slot,
                                     const char **text)
{
    struct wm_ptx_token token;
    struct wm_ptx_name *name;
    WM_TRY(wm_ptx_expect_name(parser, "a label", &token, &name));
    struct wm_ptx_reference *reference = WM_PTX_PUSH(&parser->references);
    if (!reference)
        return wm_ptx_out_of_memory(parser);
    *reference =
        (struct wm_ptx_reference){.name = name, .expected = expected, .slot = slot, .token = token};
    if (text)
        *text = name->text;
    return WM_OK;
}

static enum wm_status set_register(struct wm_ptx_parser *parser, uint32_t index,
                                   struct wm_ptx_operand *operand)
{
    const struct wm_ptx_register *registers = parser->registers.items;
    operand->kind = WM_PTX_OPERAND_REGISTER;
    operand->index = index;
    if (registers[index].vector_length > 1)
        parser->vector_register_named = true;
    return WM_OK;
}

// Whether a name such as "%tid" is a special register once ".x" follows.
static bool is_vector_special(const struct wm_ptx_parser *parser, const struct wm_ptx_token *token)
{
    char text[32];
    if (token->length + 3 > sizeof text)
        return false;
    int length = snprintf(text, sizeof text, "%.*s.x", (int)token->length, token->text);
    const struct wm_ptx_name *name = wm_ptx_scopes_find(&parser->scopes, text, (uint32_t)length);
    return name && name->special >= 0;
}

// ".b3", ".h10", …: parts of a video instruction's register (PTX ISA 9.7.18), most significant
// first.
static bool take_parts(const struct wm_ptx_token *token, struct wm_ptx_operand *operand)
{
    uint32_t count = token->length - 2;
    bool halves = token->text[1] == 'h';
    if (token->length < 3 || (token->text[1] != 'b' && !halves) || count > (halves ? 2u : 4u))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        char digit = token->text[token->length - 1 - i];
        if (digit < '0' || digit > (halves ? '3' : '7'))
            return false;
        operand->parts[i] = (uint8_t)(digit - '0');
    }
    operand->part_count = (uint8_t)count;
    operand->part_bytes = halves ? 2 : 1;
    return true;
}

// "%tid.x" is one special register in two tokens; "v.x" is a component of a vector register.
static enum wm_status take_component(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                     bool is_register, struct wm_ptx_operand *operand)
{
    uint32_t length = (uint32_t)(parser->token.text - token->text) + parser->token.length;
    const struct wm_ptx_name *name = wm_ptx_scopes_find(&parser->scopes, token->text, length);
    if (name && name->special >= 0) {
        operand->kind = WM_PTX_OPERAND_SPECIAL;
        operand->special = (enum wm_ptx_special)name->special;
        return wm_ptx_advance(parser);
    }
    if (!is_register && !is_vector_special(parser, token))
        return wm_ptx_fail_undeclared(parser, token);
    if (is_register && take_parts(&parser->token, operand))
        return wm_ptx_advance(parser);
    if (!is_register || parser->token.length != 2 || !memchr("xyzwrgba", parser->token.text[1], 8))
        return WM_PTX_FAIL(parser, &parser->token, "%s has no component %s",
                           wm_ptx_show(token).text, wm_ptx_show(&parser->token).text);
    parser->vector_register_named = true;
    return wm_ptx_advance(parser);
}

static enum wm_status parse_name(struct wm_ptx_parser *parser, struct wm_ptx_operand *operand)
{
    struct wm_ptx_token token = parser->token;
    WM_TRY(wm_ptx_advance(parser));
    if (token.length == 1 && token.text[0] == '_') {
        operand->kind = WM_PTX_OPERAND_SINK;
        return WM_OK;
    }
    const struct wm_ptx_name *name = wm_ptx_scopes_find(&parser->scopes, token.text, token.length);
    const struct wm_ptx_binding *binding = name ? name->binding : NULL;
    bool has_component = parser->token.kind == WM_PTX_TOKEN_DOT_WORD &&
                         parser->token.text == token.text + token.length;
    bool is_register = true;
    uint32_t index;
    if (binding && binding->kind == WM_PTX_BINDING_REGISTER) {
        WM_TRY(set_register(parser, binding->index, operand));
    } else if (binding && binding->kind == WM_PTX_BINDING_SYMBOL) {
        operand->kind = WM_PTX_OPERAND_SYMBOL;
        operand->symbol = binding->symbol;
        return wm_ptx_parse_offset(parser, &operand->offset);
    } else if (wm_ptx_scopes_numbered_register(&parser->scopes, token.text, token.length, &index)) {
        WM_TRY(set_register(parser, index, operand));
    } else if (name && name->special >= 0) {
        operand->kind = WM_PTX_OPERAND_SPECIAL;
        operand->special = (enum wm_ptx_special)name->special;
        return WM_OK;
    } else if (binding) {
        return WM_PTX_FAIL(parser, &token, "label %s has no place here", wm_ptx_show(&token).text);
    } else if (!has_component && is_vector_special(parser, &token)) {
        // "%tid" alone is a vector of four (PTX ISA 10.1), which only mov.v4 of old took.
        operand->kind = WM_PTX_OPERAND_SPECIAL;
        parser->vector_register_named = true;
        return WM_OK;
    } else if (!has_component || token.text[0] != '%') {
        return wm_ptx_fail_undeclared(parser, &token);
    } else {
        is_register = false;
    }
    return has_component ? take_component(parser, &token, is_register, operand) : WM_OK;
}

// The rest of "[object, {x, y}]" and "[object, sampler, {x, y}]", behind the object (PTX
// ISA 9.7.10).
static enum wm_status parse_texture(struct wm_ptx_parser *parser, const struct wm_ptx_operand *base,
                                    struct wm_ptx_operand *operand)
{
    enum { MOST = 3 };
    struct wm_ptx_operand *list = WM_ARENA_ARRAY(parser->arena, struct wm_ptx_operand, MOST);
    bool more = true;
    if (!list)
        return wm_ptx_out_of_memory(parser);
    list[0] = *base;
    *operand =
        (struct wm_ptx_operand){.kind = WM_PTX_OPERAND_TEXTURE, .list_count = 1, .list = list};
    while (more) {
        struct wm_ptx_token token = parser->token;
        struct wm_ptx_operand element = {0};
        if (operand->list_count == MOST || wm_ptx_at(parser, '['))
            return WM_PTX_FAIL(parser, &token, "%s has no place inside a reference to a texture",
                               wm_ptx_show(&token).text);
        WM_TRY(wm_ptx_parse_operand(parser, &element));
        list[operand->list_count++] = element;
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    return wm_ptx_expect(parser, ']', "a reference to a texture");
}

// "[%rd1+8]", "[%rd1+-4]", "[name+4]", "[name]", "[16]"; "[%rd1, {%f1, %f2}]".
static enum wm_status parse_address(struct wm_ptx_parser *parser, struct wm_ptx_operand *operand)
{
    WM_TRY(wm_ptx_advance(parser));
    if (parser->token.kind == WM_PTX_TOKEN_NAME) {
        struct wm_ptx_token token = parser->token;
        struct wm_ptx_operand base = {0};
        bool more;
        WM_TRY(parse_name(parser, &base));
        WM_TRY(wm_ptx_accept(parser, ',', &more));
        if (more)
            return parse_texture(parser, &base, operand);
        if (base.kind == WM_PTX_OPERAND_SYMBOL) {
            operand->symbol = base.symbol;
            operand->offset = base.offset;
        } else if (base.kind == WM_PTX_OPERAND_REGISTER) {
            operand->base_register = true;
            operand->index = base.index;
            WM_TRY(wm_ptx_parse_offset(parser, &operand->offset));
        } else {
            return WM_PTX_FAIL(parser, &token, "%s cannot be the base of an address",
                               wm_ptx_show(&token).text);
        }
    } else {
        uint64_t address;
        WM_TRY(wm_ptx_parse_integer(parser, "an address", &address));
        operand->offset = (int64_t)address;
    }
    operand->kind = WM_PTX_OPERAND_ADDRESS;
    return wm_ptx_expect(parser, ']', "an address");
}

enum wm_status wm_ptx_parse_operand_list(struct wm_ptx_parser *parser, char close,
                                         enum wm_ptx_operand_kind kind, unsigned limit,
                                         struct wm_ptx_operand *operand)
{
    uint32_t first = parser->operands.count;
    struct wm_ptx_token begin = parser->token;
    WM_TRY(wm_ptx_advance(parser));
    bool more = !wm_ptx_at(parser, close);
    while (more) {
        struct wm_ptx_operand element = {0};
        if (wm_ptx_at(parser, '{') || wm_ptx_at(parser, '['))
            return WM_PTX_FAIL(parser, &parser->token, "%s has no place inside a list",
                               wm_ptx_show(&parser->token).text);
        WM_TRY(wm_ptx_parse_operand(parser, &element));
        struct wm_ptx_operand *slot = WM_PTX_PUSH(&parser->operands);
        if (!slot)
            return wm_ptx_out_of_memory(parser);
        *slot = element;
        if (parser->operands.count - first > limit)
            return WM_PTX_FAIL(parser, &begin, "list has more than %u elements", limit);
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    operand->kind = kind;
    operand->list_count = (uint8_t)(parser->operands.count - first);
    operand->list = WM_PTX_TAKE(&parser->operands, first, parser->arena);
    if (!operand->list)
        return wm_ptx_out_of_memory(parser);
    return wm_ptx_expect(parser, close, "a list");
}

// "p|q": two destinations of setp and shfl, either of which may be "_"; "{…}|p" of a texture fetch.
static enum wm_status parse_pair(struct wm_ptx_parser *parser, struct wm_ptx_operand *operand)
{
    struct wm_ptx_operand *list = WM_ARENA_ARRAY(parser->arena, struct wm_ptx_operand, 2);
    if (!list)
        return wm_ptx_out_of_memory(parser);
    list[0] = *operand;
    WM_TRY(wm_ptx_advance(parser));
    if (parser->token.kind != WM_PTX_TOKEN_NAME)
        return WM_PTX_FAIL(parser, &parser->token, "expected a register after '|', found %s",
                           wm_ptx_show(&parser->token).text);
    WM_TRY(parse_name(parser, &list[1]));
    *operand = (struct wm_ptx_operand){.kind = WM_PTX_OPERAND_PAIR, .list_count = 2, .list = list};
    return WM_OK;
}

// "!p", after the "!".
static enum wm_status parse_negated(struct wm_ptx_parser *parser, struct wm_ptx_operand *operand)
{
    struct wm_ptx_token token = parser->token;
    uint32_t index;
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(wm_ptx_resolve_register(parser, &token, &index));
    if (parser->registers.items[index].type != WM_PTX_pred)
        return WM_PTX_FAIL(parser, &token, "%s is not a '.pred' register",
                           wm_ptx_show(&token).text);
    operand->negated = true;
    return set_register(parser, index, operand);
}

// "-a" of vmad: a minus before a register's name.
static bool at_negative_register(const struct wm_ptx_parser *parser)
{
    uint32_t index;
    const struct wm_ptx_token *token = &parser->token;
    if (token->kind != WM_PTX_TOKEN_NAME)
        return false;
    const struct wm_ptx_name *name =
        wm_ptx_scopes_find(&parser->scopes, token->text, token->length);
    if (name && name->binding)
        return name->binding->kind == WM_PTX_BINDING_REGISTER;
    return wm_ptx_scopes_numbered_register(&parser->scopes, token->text, token->length, &index);
}

static enum wm_status parse_after_minus(struct wm_ptx_parser *parser,
                                        struct wm_ptx_operand *operand, bool *taken)
{
    struct wm_ptx_lexer before = parser->lexer;
    struct wm_ptx_token minus = parser->token;
    WM_TRY(wm_ptx_advance(parser));
    *taken = at_negative_register(parser);
    if (*taken) {
        WM_TRY(parse_name(parser, operand));
        operand->negated = true;
        return WM_OK;
    }
    parser->lexer = before;
    parser->token = minus;
    return WM_OK;
}

enum wm_status wm_ptx_parse_operand(struct wm_ptx_parser *parser, struct wm_ptx_operand *operand)
{
    struct wm_ptx_token token = parser->token;
    if (wm_ptx_at(parser, '-')) {
        bool taken;
        WM_TRY(parse_after_minus(parser, operand, &taken));
        if (taken)
            return WM_OK;
    }
    if (token.kind == WM_PTX_TOKEN_NAME) {
        WM_TRY(parse_name(parser, operand));
        if (wm_ptx_at(parser, '|') &&
            (operand->kind == WM_PTX_OPERAND_REGISTER || operand->kind == WM_PTX_OPERAND_SINK))
            return parse_pair(parser, operand);
        return WM_OK;
    }
    if (wm_ptx_at(parser, '['))
        return parse_address(parser, operand);
    if (wm_ptx_at(parser, '{')) {
        WM_TRY(wm_ptx_parse_operand_list(parser, '}', WM_PTX_OPERAND_VECTOR, 8, operand));
        return wm_ptx_at(parser, '|') ? parse_pair(parser, operand) : WM_OK;
    }
    if (wm_ptx_at(parser, '!')) {
        struct wm_ptx_lexer before = parser->lexer;
        WM_TRY(wm_ptx_advance(parser));
        if (parser->token.kind == WM_PTX_TOKEN_NAME)
            return parse_negated(parser, operand);
        parser->lexer = before; // "!5" is a constant
        parser->token = token;
    }
    struct wm_ptx_constant constant;
    WM_TRY(wm_ptx_parse_constant(parser, &constant));
    operand->kind = constant.kind;
    operand->bits = constant.bits;
    return WM_OK;
}
