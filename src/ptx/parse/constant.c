// Constant expressions (PTX ISA 4.6): C's operators on 64-bit integers, signed unless an operand is
// unsigned; floating-point literals with a sign.
#include "ptx/parse/parser.h"

enum { MAX_DEPTH = 64 };

static enum wm_status parse_expression(struct wm_ptx_parser *parser, int least_precedence,
                                       unsigned depth, struct wm_ptx_constant *constant);

static enum wm_status need_integer(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                   const struct wm_ptx_constant *constant)
{
    if (constant->kind == WM_PTX_OPERAND_INTEGER)
        return WM_OK;
    return WM_PTX_FAIL(parser, token, "%s takes integers, not floating-point numbers",
                       wm_ptx_show(token).text);
}

static enum wm_status parse_decimal(struct wm_ptx_parser *parser, struct wm_ptx_constant *constant)
{
    // The program under study may have set a locale with a decimal comma.
    if (!parser->c_locale)
        parser->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!parser->c_locale)
        return wm_ptx_out_of_memory(parser);
    double value = strtod_l(parser->token.text, NULL, parser->c_locale);
    constant->kind = WM_PTX_OPERAND_F64;
    memcpy(&constant->bits, &value, sizeof value);
    return wm_ptx_advance(parser);
}

static enum wm_status parse_parenthesis(struct wm_ptx_parser *parser, unsigned depth,
                                        struct wm_ptx_constant *constant)
{
    WM_TRY(wm_ptx_advance(parser));
    bool to_signed = wm_ptx_token_is(&parser->token, ".s64");
    if (to_signed || wm_ptx_token_is(&parser->token, ".u64")) {
        struct wm_ptx_token cast = parser->token;
        WM_TRY(wm_ptx_advance(parser));
        WM_TRY(wm_ptx_expect(parser, ')', "the type of a cast"));
        WM_TRY(parse_expression(parser, 100, depth + 1, constant));
        WM_TRY(need_integer(parser, &cast, constant));
        constant->is_unsigned = !to_signed;
        return WM_OK;
    }
    WM_TRY(parse_expression(parser, 0, depth + 1, constant));
    return wm_ptx_expect(parser, ')', "a constant expression");
}

static enum wm_status parse_unary(struct wm_ptx_parser *parser, unsigned depth,
                                  struct wm_ptx_constant *constant)
{
    struct wm_ptx_token token = parser->token;
    int operation = token.punctuation;
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(parse_expression(parser, 100, depth + 1, constant));
    if (operation == '+')
        return WM_OK;
    if (operation == '-' && constant->kind != WM_PTX_OPERAND_INTEGER) {
        constant->bits ^= UINT64_C(1) << (constant->kind == WM_PTX_OPERAND_F32 ? 31 : 63);
        return WM_OK;
    }
    WM_TRY(need_integer(parser, &token, constant));
    if (operation == '-')
        constant->bits = -constant->bits;
    else if (operation == '~')
        constant->bits = ~constant->bits;
    else
        constant->bits = !constant->bits;
    return WM_OK;
}

static enum wm_status parse_primary(struct wm_ptx_parser *parser, unsigned depth,
                                    struct wm_ptx_constant *constant)
{
    const struct wm_ptx_token *token = &parser->token;
    if (depth > MAX_DEPTH)
        return WM_PTX_FAIL(parser, token, "constant expression is nested more than %d deep",
                           MAX_DEPTH);
    *constant = (struct wm_ptx_constant){.kind = WM_PTX_OPERAND_INTEGER};
    switch (token->kind) {
    case WM_PTX_TOKEN_INTEGER:
        constant->bits = token->bits;
        constant->is_unsigned = token->is_unsigned;
        return wm_ptx_advance(parser);
    case WM_PTX_TOKEN_F32:
    case WM_PTX_TOKEN_F64:
        constant->kind = token->kind == WM_PTX_TOKEN_F32 ? WM_PTX_OPERAND_F32 : WM_PTX_OPERAND_F64;
        constant->bits = token->bits;
        return wm_ptx_advance(parser);
    case WM_PTX_TOKEN_DECIMAL: return parse_decimal(parser, constant);
    case WM_PTX_TOKEN_PUNCTUATION:
        if (token->punctuation == '(')
            return parse_parenthesis(parser, depth, constant);
        if (token->punctuation == '-' || token->punctuation == '+' || token->punctuation == '~' ||
            token->punctuation == '!')
            return parse_unary(parser, depth, constant);
        break;
    default: break;
    }
    return WM_PTX_FAIL(parser, token, "expected a constant, found %s", wm_ptx_show(token).text);
}

// C's precedence; 0 for what is no binary operator.
static int precedence_of(const struct wm_ptx_token *token)
{
    if (token->kind != WM_PTX_TOKEN_PUNCTUATION)
        return 0;
    switch (token->punctuation) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case WM_PTX_PUNCTUATION_SHIFT_LEFT:
    case WM_PTX_PUNCTUATION_SHIFT_RIGHT: return 8;
    case '<':
    case '>':
    case WM_PTX_PUNCTUATION_LESS_EQUAL:
    case WM_PTX_PUNCTUATION_GREATER_EQUAL: return 7;
    case WM_PTX_PUNCTUATION_EQUAL:
    case WM_PTX_PUNCTUATION_NOT_EQUAL: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case WM_PTX_PUNCTUATION_AND_AND: return 2;
    case WM_PTX_PUNCTUATION_OR_OR: return 1;
    default: return 0;
    }
}

static uint64_t divide(bool is_unsigned, bool remainder, uint64_t a, uint64_t b)
{
    if (is_unsigned)
        return remainder ? a % b : a / b;
    // The one quotient that does not fit wraps, as the negation it is.
    if (b == UINT64_MAX)
        return remainder ? 0 : -a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(const struct wm_ptx_constant *left, bool to_right, uint64_t count)
{
    bool fill = to_right && !left->is_unsigned && left->bits >> 63;
    if (count > 63)
        return fill ? UINT64_MAX : 0;
    if (!to_right)
        return left->bits << count;
    uint64_t bits = left->bits >> count;
    return fill && count ? bits | UINT64_MAX << (64 - count) : bits;
}

static bool less(bool is_unsigned, uint64_t a, uint64_t b)
{
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static void compute(int operation, struct wm_ptx_constant *left,
                    const struct wm_ptx_constant *right)
{
    bool is_unsigned = left->is_unsigned || right->is_unsigned;
    bool truth = true; // the result is a truth value, signed
    uint64_t a = left->bits, b = right->bits, result = 0;
    switch (operation) {
    case '<': result = less(is_unsigned, a, b); break;
    case '>': result = less(is_unsigned, b, a); break;
    case WM_PTX_PUNCTUATION_LESS_EQUAL: result = !less(is_unsigned, b, a); break;
    case WM_PTX_PUNCTUATION_GREATER_EQUAL: result = !less(is_unsigned, a, b); break;
    case WM_PTX_PUNCTUATION_EQUAL: result = a == b; break;
    case WM_PTX_PUNCTUATION_NOT_EQUAL: result = a != b; break;
    case WM_PTX_PUNCTUATION_AND_AND: result = a && b; break;
    case WM_PTX_PUNCTUATION_OR_OR: result = a || b; break;
    default: truth = false;
    }
    switch (operation) {
    case '*': result = a * b; break;
    case '/': result = divide(is_unsigned, false, a, b); break;
    case '%': result = divide(is_unsigned, true, a, b); break;
    case '+': result = a + b; break;
    case '-': result = a - b; break;
    case '&': result = a & b; break;
    case '^': result = a ^ b; break;
    case '|': result = a | b; break;
    case WM_PTX_PUNCTUATION_SHIFT_LEFT: result = shift(left, false, b); break;
    case WM_PTX_PUNCTUATION_SHIFT_RIGHT: result = shift(left, true, b); break;
    default: break;
    }
    bool is_shift =
        operation == WM_PTX_PUNCTUATION_SHIFT_LEFT || operation == WM_PTX_PUNCTUATION_SHIFT_RIGHT;
    left->is_unsigned = truth ? false : is_shift ? left->is_unsigned : is_unsigned;
    left->bits = result;
}

static enum wm_status parse_choice(struct wm_ptx_parser *parser, unsigned depth,
                                   struct wm_ptx_constant *constant)
{
    struct wm_ptx_constant yes, no;
    WM_TRY(need_integer(parser, &parser->token, constant));
    WM_TRY(wm_ptx_advance(parser));
    WM_TRY(parse_expression(parser, 0, depth + 1, &yes));
    WM_TRY(wm_ptx_expect(parser, ':', "the first choice of '?'"));
    WM_TRY(parse_expression(parser, 0, depth + 1, &no));
    *constant = constant->bits ? yes : no;
    return WM_OK;
}

// Binary operators of at least `least_precedence`, to the left first. 100 takes a unary alone.
static enum wm_status parse_expression(struct wm_ptx_parser *parser, int least_precedence,
                                       unsigned depth, struct wm_ptx_constant *constant)
{
    WM_TRY(parse_primary(parser, depth, constant));
    for (;;) {
        struct wm_ptx_token token = parser->token;
        int precedence = precedence_of(&token);
        if (!precedence || precedence < least_precedence)
            break;
        struct wm_ptx_constant right;
        WM_TRY(wm_ptx_advance(parser));
        WM_TRY(parse_expression(parser, precedence + 1, depth + 1, &right));
        WM_TRY(need_integer(parser, &token, constant));
        WM_TRY(need_integer(parser, &token, &right));
        if ((token.punctuation == '/' || token.punctuation == '%') && right.bits == 0)
            return WM_PTX_FAIL(parser, &token, "division by zero in a constant expression");
        compute(token.punctuation, constant, &right);
    }
    if (least_precedence == 0 && wm_ptx_at(parser, '?'))
        return parse_choice(parser, depth, constant);
    return WM_OK;
}

enum wm_status wm_ptx_parse_constant(struct wm_ptx_parser *parser, struct wm_ptx_constant *constant)
{
    return parse_expression(parser, 0, 0, constant);
}

enum wm_status wm_ptx_parse_integer(struct wm_ptx_parser *parser, const char *what, uint64_t *value)
{
    struct wm_ptx_token token = parser->token;
    struct wm_ptx_constant constant;
    WM_TRY(wm_ptx_parse_constant(parser, &constant));
    if (constant.kind != WM_PTX_OPERAND_INTEGER)
        return WM_PTX_FAIL(parser, &token, "%s must be an integer", what);
    *value = constant.bits;
    return WM_OK;
}

enum wm_status wm_ptx_parse_offset(struct wm_ptx_parser *parser, int64_t *offset)
{
    uint64_t sum = 0;
    while (wm_ptx_at(parser, '+') || wm_ptx_at(parser, '-')) {
        struct wm_ptx_token token = parser->token;
        struct wm_ptx_constant term;
        WM_TRY(wm_ptx_advance(parser));
        WM_TRY(parse_expression(parser, 10, 0, &term));
        WM_TRY(need_integer(parser, &token, &term));
        sum = token.punctuation == '+' ? sum + term.bits : sum - term.bits;
    }
    *offset = (int64_t)sum;
    return WM_OK;
}
