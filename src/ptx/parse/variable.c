// Declarations of variables and parameters: space, attributes, type, name, dimensions (PTX
// ISA 5.4).
#include "ptx/parse/parser.h"

static bool is_power_of_two(uint64_t value)
{
    return value && !(value & (value - 1));
}

static enum wm_status parse_alignment(struct wm_ptx_parser *parser, uint32_t *alignment)
{
    struct wm_ptx_token token = parser->token;
    uint64_t value;
    WM_TRY(wm_ptx_parse_integer(parser, "an alignment", &value));
    if (!is_power_of_two(value) || value > UINT32_C(1) << 30)
        return WM_PTX_FAIL(parser, &token, "alignment %s is not a power of two below 2^31",
                           wm_ptx_show(&token).text);
    *alignment = (uint32_t)value;
    return WM_OK;
}

// .attribute(.managed), .attribute(.unified(uuid1, uuid2)); several with commas (PTX ISA 5.4.8).
static enum wm_status parse_attributes(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol)
{
    bool more = true;
    WM_TRY(wm_ptx_expect(parser, '(', "'.attribute'"));
    while (more) {
        if (wm_ptx_token_is(&parser->token, ".managed")) {
            symbol->managed = true;
            WM_TRY(wm_ptx_advance(parser));
        } else if (wm_ptx_token_is(&parser->token, ".unified")) {
            WM_TRY(wm_ptx_advance(parser));
            WM_TRY(wm_ptx_expect(parser, '(', "'.unified'"));
            WM_TRY(wm_ptx_parse_integer(parser, "an identifier", &symbol->unified[0]));
            WM_TRY(wm_ptx_expect(parser, ',', "the first half of the identifier"));
            WM_TRY(wm_ptx_parse_integer(parser, "an identifier", &symbol->unified[1]));
            WM_TRY(wm_ptx_expect(parser, ')', "the identifier"));
            symbol->is_unified = true;
        } else {
            return WM_PTX_FAIL(parser, &parser->token,
                               "expected '.managed' or '.unified', found %s",
                               wm_ptx_show(&parser->token).text);
        }
        WM_TRY(wm_ptx_accept(parser, ',', &more));
    }
    return wm_ptx_expect(parser, ')', "the attributes");
}

// ".ptr .space .align n": space and alignment may be left out (PTX ISA 5.1.6.2).
static enum wm_status parse_pointer(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol)
{
    symbol->pointer = true;
    enum wm_ptx_modifier modifier = wm_ptx_token_modifier(parser, &parser->token);
    if (modifier == WM_PTX_const || modifier == WM_PTX_global || modifier == WM_PTX_local ||
        modifier == WM_PTX_shared) {
        symbol->pointer_space = modifier;
        WM_TRY(wm_ptx_advance(parser));
    }
    if (wm_ptx_token_is(&parser->token, ".align")) {
        WM_TRY(wm_ptx_advance(parser));
        WM_TRY(parse_alignment(parser, &symbol->pointer_alignment));
    }
    return WM_OK;
}

static uint8_t vector_length_of(enum wm_ptx_modifier modifier)
{
    return modifier == WM_PTX_v2 ? 2 : modifier == WM_PTX_v4 ? 4 : modifier == WM_PTX_v8 ? 8 : 1;
}

// Everything between the space and the name.
static enum wm_status parse_qualifiers(struct wm_ptx_parser *parser,
                                       enum wm_ptx_variable_place place,
                                       struct wm_ptx_symbol *symbol)
{
    while (parser->token.kind == WM_PTX_TOKEN_DOT_WORD) {
        struct wm_ptx_token token = parser->token;
        enum wm_ptx_modifier modifier = wm_ptx_token_modifier(parser, &token);
        bool is_type = modifier && wm_ptx_modifier_class_of(modifier) == WM_PTX_CLASS_TYPE;
        WM_TRY(wm_ptx_advance(parser));
        if (wm_ptx_token_is(&token, ".align")) {
            WM_TRY(parse_alignment(parser, &symbol->alignment));
            symbol->alignment_declared = true;
        } else if (wm_ptx_token_is(&token, ".attribute")) {
            WM_TRY(parse_attributes(parser, symbol));
        } else if (wm_ptx_token_is(&token, ".ptr") && place == WM_PTX_IN_PARAMETERS) {
            WM_TRY(parse_pointer(parser, symbol));
        } else if (vector_length_of(modifier) > 1) {
            symbol->vector_length = vector_length_of(modifier);
        } else if (is_type && !symbol->type) {
            symbol->type = modifier;
        } else {
            return WM_PTX_FAIL(parser, &token, "%s has no place in the declaration of a variable",
                               wm_ptx_show(&token).text);
        }
    }
    if (!symbol->type)
        return WM_PTX_FAIL(parser, &parser->token, "expected a type such as '.u32', found %s",
                           wm_ptx_show(&parser->token).text);
    return WM_OK;
}

static enum wm_status parse_dimensions(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol)
{
    while (wm_ptx_at(parser, '[')) {
        struct wm_ptx_token token = parser->token;
        if (symbol->dimension_count == 4)
            return WM_PTX_FAIL(parser, &token, "'%s' has more than 4 dimensions", symbol->name);
        WM_TRY(wm_ptx_advance(parser));
        uint64_t *dimension = &symbol->dimensions[symbol->dimension_count++];
        if (wm_ptx_at(parser, ']') && symbol->dimension_count == 1) {
            symbol->unsized = true;
        } else {
            token = parser->token;
            WM_TRY(wm_ptx_parse_integer(parser, "a dimension", dimension));
            // ".extern .shared .b8 s[0]" declares a dynamic array, as "s[]" does.
            if (*dimension == 0 && symbol->dimension_count > 1)
                return WM_PTX_FAIL(parser, &token, "dimension of '%s' is 0", symbol->name);
        }
        WM_TRY(wm_ptx_expect(parser, ']', "a dimension"));
    }
    return WM_OK;
}

enum wm_status wm_ptx_size_variable(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol,
                                    const struct wm_ptx_token *name)
{
    uint64_t size = (uint64_t)wm_ptx_type_bytes(symbol->type) * symbol->vector_length;
    if (!symbol->alignment_declared)
        symbol->alignment = (uint32_t)size;
    bool overflow = false;
    for (unsigned i = 0; i < symbol->dimension_count; i++)
        overflow = overflow || __builtin_mul_overflow(size, symbol->dimensions[i], &size);
    if (overflow || size > INT64_MAX)
        return WM_PTX_FAIL(parser, name, "size of '%s' does not fit in 63 bits", symbol->name);
    symbol->size_bytes = size;
    return WM_OK;
}

static enum wm_status bind_variable(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                    struct wm_ptx_name *name, struct wm_ptx_symbol *symbol)
{
    // "_" is a parameter without a name.
    if (symbol->space == WM_PTX_param && strcmp(symbol->name, "_") == 0)
        return WM_OK;
    if (parser->in_prototype)
        return WM_OK;
    // Parameters in registers (PTX ISA 7.1) are registers to the body.
    if (symbol->space == WM_PTX_reg)
        return wm_ptx_declare_register(parser, token, name, symbol->type, symbol->vector_length);
    const struct wm_ptx_binding *old = name->binding;
    // At module level an external declaration may precede its definition, and be repeated.
    bool redeclares =
        old && old->scope == 0 && parser->scopes.depth == 0 && old->kind == WM_PTX_BINDING_SYMBOL &&
        old->symbol->kind == WM_PTX_SYMBOL_VARIABLE &&
        (old->symbol->linkage == WM_PTX_LINKAGE_EXTERN || symbol->linkage == WM_PTX_LINKAGE_EXTERN);
    if (redeclares) {
        if (symbol->linkage != WM_PTX_LINKAGE_EXTERN)
            name->binding->symbol = symbol;
        return WM_OK;
    }
    WM_TRY(wm_ptx_check_new(parser, token, old));
    struct wm_ptx_binding *binding =
        wm_ptx_scopes_bind(&parser->scopes, name, WM_PTX_BINDING_SYMBOL, token->line);
    if (!binding)
        return wm_ptx_out_of_memory(parser);
    binding->symbol = symbol;
    return WM_OK;
}

static enum wm_status check_variable(struct wm_ptx_parser *parser,
                                     const struct wm_ptx_symbol *symbol,
                                     const struct wm_ptx_token *type,
                                     const struct wm_ptx_token *name)
{
    if (symbol->type == WM_PTX_pred && symbol->space != WM_PTX_reg)
        return WM_PTX_FAIL(parser, type,
                           "'%s' cannot be '.pred': predicates live in registers only",
                           symbol->name);
    if (symbol->unsized && !symbol->initializer_count && symbol->space != WM_PTX_param &&
        symbol->linkage != WM_PTX_LINKAGE_EXTERN) {
        WM_PTX_FAIL(parser, name, "'%s' has neither a size nor an initialiser", symbol->name);
        wm_error_hint(parser->lexer.error, "give the dimension, or declare it '.extern'");
        return WM_INVALID;
    }
    return WM_OK;
}

enum wm_status wm_ptx_parse_variable(struct wm_ptx_parser *parser, enum wm_ptx_variable_place place,
                                     enum wm_ptx_linkage linkage, const struct wm_ptx_symbol *model,
                                     struct wm_ptx_symbol **result)
{
    struct wm_ptx_symbol *symbol = WM_ARENA_NEW(parser->arena, struct wm_ptx_symbol);
    if (!symbol)
        return wm_ptx_out_of_memory(parser);
    struct wm_ptx_token type = parser->token;
    if (model) {
        symbol->space = model->space;
        symbol->type = model->type;
        symbol->vector_length = model->vector_length;
        symbol->managed = model->managed;
        symbol->is_unified = model->is_unified;
        symbol->unified[0] = model->unified[0];
        symbol->unified[1] = model->unified[1];
        symbol->alignment = model->alignment;
        symbol->alignment_declared = model->alignment_declared;
    } else {
        bool texture = wm_ptx_token_is(&parser->token, ".tex");
        symbol->space = texture ? WM_PTX_global : wm_ptx_token_modifier(parser, &parser->token);
        symbol->vector_length = 1;
        WM_TRY(wm_ptx_advance(parser));
        type = parser->token;
        WM_TRY(parse_qualifiers(parser, place, symbol));
        // ".tex .u64 name" is how version 1 wrote ".global .texref name" (PTX ISA 5.1.8).
        if (texture)
            symbol->type = WM_PTX_texref;
    }
    symbol->kind = WM_PTX_SYMBOL_VARIABLE;
    symbol->linkage = linkage;
    symbol->module = parser->module;
    struct wm_ptx_token token;
    struct wm_ptx_name *name;
    WM_TRY(wm_ptx_expect_name(parser, "the name of a variable", &token, &name));
    symbol->name = name->text;
    symbol->line = token.line;
    symbol->column = token.column;
    WM_TRY(parse_dimensions(parser, symbol));
    WM_TRY(wm_ptx_size_variable(parser, symbol, &token));
    WM_TRY(bind_variable(parser, &token, name, symbol));
    if (wm_ptx_at(parser, '=') && place != WM_PTX_IN_PARAMETERS) {
        WM_TRY(wm_ptx_advance(parser));
        WM_TRY(wm_ptx_parse_initializer(parser, symbol, &token));
    }
    *result = symbol;
    return check_variable(parser, symbol, &type, &token);
}
