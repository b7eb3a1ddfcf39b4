// Initialisers of variables (PTX ISA 5.4.4): nested braces are flattened row-major, strings to
// their bytes, and a symbol's address is kept with its offset, mask and generic() mark.
#include "ptx/parse/parser.h"

struct walk {
    struct wm_ptx_parser *parser;
    struct wm_ptx_symbol *symbol;
    uint32_t first; // of this variable's elements in parser->initializers
    // The dimensions, then the vector; extents[0] is 0 while an unsized one is being counted.
    uint64_t extents[5];
    unsigned level_count;
};

static enum wm_status push(struct walk *walk, struct wm_ptx_initializer **element)
{
    *element = WM_PTX_PUSH(&walk->parser->initializers);
    if (!*element)
        return wm_ptx_out_of_memory(walk->parser);
    (*element)->shift = 255;
    return WM_OK;
}

static uint64_t count_elements(const struct walk *walk)
{
    return walk->parser->initializers.count - walk->first;
}

// Elements that one item of `level` holds; saturates.
static uint64_t elements_below(const struct walk *walk, unsigned level)
{
    uint64_t count = 1;
    for (unsigned i = level; i < walk->level_count; i++)
        if (__builtin_mul_overflow(count, walk->extents[i], &count))
            return UINT64_MAX;
    return count;
}

// IEEE binary16 and bfloat16 have no literals of their own: their variables are written as .b16.
static uint64_t convert(wm_ptx_type type, const struct wm_ptx_constant *constant)
{
    double number;
    float single;
    uint32_t bits;
    if (type != WM_PTX_f32 && type != WM_PTX_f64)
        return constant->bits;
    if (constant->kind == WM_PTX_OPERAND_F32) {
        bits = (uint32_t)constant->bits;
        memcpy(&single, &bits, sizeof single);
        if (type == WM_PTX_f32)
            return bits;
        number = (double)single;
    } else if (constant->kind == WM_PTX_OPERAND_F64) {
        if (type == WM_PTX_f64)
            return constant->bits;
        memcpy(&number, &constant->bits, sizeof number);
    } else {
        number = constant->is_unsigned ? (double)constant->bits : (double)(int64_t)constant->bits;
    }
    uint64_t result;
    if (type == WM_PTX_f64) {
        memcpy(&result, &number, sizeof result);
        return result;
    }
    single = (float)number;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static uint64_t truncate_to(wm_ptx_type type, uint64_t bits)
{
    unsigned bytes = wm_ptx_type_bytes(type);
    return bytes >= 8 ? bits : bits & ((UINT64_C(1) << bytes * 8) - 1);
}

static enum wm_status parse_symbol_name(struct walk *walk, struct wm_ptx_initializer *element)
{
    struct wm_ptx_parser *parser = walk->parser;
    struct wm_ptx_token token;
    struct wm_ptx_name *name;
    WM_TRY(wm_ptx_expect_name(parser, "the name of a variable or function", &token, &name));
    if (!name->binding || name->binding->kind != WM_PTX_BINDING_SYMBOL)
        return WM_PTX_FAIL(parser, &token, "%s is not declared before its address is taken",
                           wm_ptx_show(&token).text);
    element->symbol = name->binding->symbol;
    return WM_OK;
}

// "symbol", "generic(symbol)".
static enum wm_status parse_address(struct walk *walk, struct wm_ptx_initializer *element)
{
    struct wm_ptx_parser *parser = walk->parser;
    if (wm_ptx_token_is(&parser->token, "generic")) {
        WM_TRY(wm_ptx_advance(parser));
        WM_TRY(wm_ptx_expect(parser, '(', "'generic'"));
        WM_TRY(parse_symbol_name(walk, element));
        WM_TRY(wm_ptx_parse_offset(parser, &element->offset));
        element->generic = true;
        WM_TRY(wm_ptx_expect(parser, ')', "the name of a variable"));
    } else {
        WM_TRY(parse_symbol_name(walk, element));
    }
    int64_t offset;
    WM_TRY(wm_ptx_parse_offset(parser, &offset));
    element->offset = (int64_t)((uint64_t)element->offset + (uint64_t)offset);
    return WM_OK;
}

// "0xFF00(symbol)": one byte of an address (PTX ISA 5.4.4).
static enum wm_status parse_masked(struct walk *walk, const struct wm_ptx_token *token,
                                   uint64_t mask, struct wm_ptx_initializer *element)
{
    struct wm_ptx_parser *parser = walk->parser;
    for (unsigned byte = 0; byte < 8; byte++)
        if (mask == UINT64_C(0xFF) << byte * 8)
            element->shift = (uint8_t)byte;
    if (element->shift == 255)
        return WM_PTX_FAIL(parser, token, "mask %s does not cover exactly one byte",
                           wm_ptx_show(token).text);
    WM_TRY(wm_ptx_expect(parser, '(', "the mask"));
    WM_TRY(parse_address(walk, element));
    return wm_ptx_expect(parser, ')', "the masked address");
}

static enum wm_status parse_scalar(struct walk *walk)
{
    struct wm_ptx_parser *parser = walk->parser;
    struct wm_ptx_symbol *symbol = walk->symbol;
    struct wm_ptx_token token = parser->token;
    struct wm_ptx_initializer *element;
    WM_TRY(push(walk, &element));
    if (token.kind == WM_PTX_TOKEN_NAME)
        return parse_address(walk, element);
    struct wm_ptx_constant constant;
    if (token.kind == WM_PTX_TOKEN_INTEGER) {
        // The mask form must be distinguished from a number before an expression is read.
        struct wm_ptx_lexer ahead = parser->lexer;
        struct wm_ptx_token next;
        ahead.error = NULL;
        if (wm_ptx_lexer_next(&ahead, &next) == WM_OK && next.kind == WM_PTX_TOKEN_PUNCTUATION &&
            next.punctuation == '(') {
            WM_TRY(wm_ptx_advance(parser));
            return parse_masked(walk, &token, token.bits, element);
        }
    }
    WM_TRY(wm_ptx_parse_constant(parser, &constant));
    if (constant.kind != WM_PTX_OPERAND_INTEGER && symbol->type != WM_PTX_f32 &&
        symbol->type != WM_PTX_f64 && wm_ptx_type_bytes(symbol->type) < 4)
        return WM_PTX_FAIL(parser, &token, "floating-point number does not fit in '.%s'",
                           wm_ptx_modifier_text(symbol->type));
    element->bits = truncate_to(symbol->type, convert(symbol->type, &constant));
    return WM_OK;
}

// C's escapes: \n \t \\ \" \ooo \xhh and their like.
static unsigned char unescape(const char **at)
{
    static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
    const char *text = *at;
    unsigned value = 0, digits = 0;
    if (*text == 'x') {
        for (text++; digits < 2; digits++, text++) {
            char c = *text;
            if (c >= '0' && c <= '9')
                value = value * 16 + (unsigned)(c - '0');
            else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
                value = value * 16 + (unsigned)((c | 0x20) - 'a' + 10);
            else
                break;
        }
    } else if (*text >= '0' && *text <= '7') {
        for (; digits < 3 && *text >= '0' && *text <= '7'; digits++, text++)
            value = value * 8 + (unsigned)(*text - '0');
    } else {
        const char *letter = memchr(letters, *text, sizeof letters - 1);
        value = letter ? (unsigned char)bytes[letter - letters] : (unsigned char)*text;
        text++;
    }
    *at = text;
    return (unsigned char)value;
}

static enum wm_status parse_string(struct walk *walk)
{
    struct wm_ptx_parser *parser = walk->parser;
    struct wm_ptx_token token = parser->token;
    if (wm_ptx_type_bytes(walk->symbol->type) != 1)
        return WM_PTX_FAIL(parser, &token, "a string initialises bytes, not '.%s'",
                           wm_ptx_modifier_text(walk->symbol->type));
    const char *end = token.text + token.length - 1;
    for (const char *at = token.text + 1; at < end;) {
        struct wm_ptx_initializer *element;
        WM_TRY(push(walk, &element));
        unsigned char byte = (unsigned char)*at++;
        element->bits = byte == '\\' ? unescape(&at) : byte;
    }
    return wm_ptx_advance(parser);
}

// Zeroes up to `expected` elements, so that the next row begins where it should.
static enum wm_status pad(struct walk *walk, const struct wm_ptx_token *token, uint64_t expected)
{
    uint64_t missing = expected - count_elements(walk);
    if (missing > UINT64_MAX / sizeof(struct wm_ptx_initializer))
        missing = UINT64_MAX / sizeof(struct wm_ptx_initializer);
    WM_TRY(wm_ptx_spend(walk->parser, token, missing * sizeof(struct wm_ptx_initializer),
                        "the missing elements of short rows"));
    for (; missing; missing--) {
        struct wm_ptx_initializer *element;
        WM_TRY(push(walk, &element));
    }
    return WM_OK;
}

// A "{ … }" whose items are of `level`. As in C, an item without braces of its own takes as many
// scalars as it holds.
static enum wm_status parse_braces(struct walk *walk, unsigned level)
{
    struct wm_ptx_parser *parser = walk->parser;
    struct wm_ptx_token token = parser->token;
    if (level > 0 && level >= walk->level_count)
        return WM_PTX_FAIL(parser, &token, "initialiser of '%s' has more braces than dimensions",
                           walk->symbol->name);
    uint64_t begin = count_elements(walk);
    uint64_t item_elements = elements_below(walk, level + 1);
    uint64_t limit = walk->extents[level] ? elements_below(walk, level) : UINT64_MAX;
    WM_TRY(wm_ptx_advance(parser));
    bool more = !wm_ptx_at(parser, '}'), after_row = false;
    while (more) {
        token = parser->token;
        bool is_row = wm_ptx_at(parser, '{');
        // A row before this may have been short: pad it now that something follows.
        uint64_t partial = (count_elements(walk) - begin) % item_elements;
        if (partial && (is_row || after_row))
            WM_TRY(pad(walk, &token, count_elements(walk) + item_elements - partial));
        after_row = is_row;
        if (is_row) {
            WM_TRY(parse_braces(walk, level + 1));
        } else if (token.kind == WM_PTX_TOKEN_STRING) {
            WM_TRY(parse_string(walk));
        } else {
            WM_TRY(parse_scalar(walk));
        }
        if (count_elements(walk) - begin > limit)
            return WM_PTX_FAIL(parser, &token, "initialiser of '%s' has too many elements",
                               walk->symbol->name);
        WM_TRY(wm_ptx_accept(parser, ',', &more));
        if (more && wm_ptx_at(parser, '}'))
            more = false;
    }
    return wm_ptx_expect(parser, '}', "an initialiser");
}

enum wm_status wm_ptx_parse_initializer(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol,
                                        const struct wm_ptx_token *name)
{
    struct walk walk = {.parser = parser, .symbol = symbol, .first = parser->initializers.count};
    if (symbol->space != WM_PTX_global && symbol->space != WM_PTX_const) {
        WM_PTX_FAIL(parser, name, "'%s' cannot have an initialiser", symbol->name);
        wm_error_hint(parser->lexer.error, "only '.global' and '.const' variables take one");
        return WM_INVALID;
    }
    for (unsigned i = 0; i < symbol->dimension_count; i++)
        walk.extents[walk.level_count++] = symbol->dimensions[i];
    if (symbol->vector_length > 1)
        walk.extents[walk.level_count++] = symbol->vector_length;
    struct wm_ptx_token token = parser->token;
    if (!walk.level_count)
        walk.extents[0] = 1;
    if (wm_ptx_at(parser, '{'))
        WM_TRY(parse_braces(&walk, 0));
    else if (token.kind == WM_PTX_TOKEN_STRING)
        WM_TRY(parse_string(&walk));
    else
        WM_TRY(parse_scalar(&walk));
    uint64_t count = count_elements(&walk);
    if (symbol->unsized) {
        uint64_t row = elements_below(&walk, 1);
        symbol->dimensions[0] = count / row + (count % row != 0);
        symbol->unsized = symbol->dimensions[0] == 0;
        WM_TRY(wm_ptx_size_variable(parser, symbol, name));
    } else if (count > (walk.level_count ? elements_below(&walk, 0) : 1)) {
        return WM_PTX_FAIL(parser, &token, "initialiser of '%s' has too many elements",
                           symbol->name);
    }
    symbol->initializer_count = count;
    symbol->initializers = WM_PTX_TAKE(&parser->initializers, walk.first, parser->arena);
    return symbol->initializers ? WM_OK : wm_ptx_out_of_memory(parser);
}
