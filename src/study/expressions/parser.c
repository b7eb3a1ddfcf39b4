// Recursive descent over the text itself: what a word means depends on where it stands ("1MiB" and
// "tracker+bypass" are names within brackets), so there is no separate list of tokens.
#include "study/expressions/lexer.h"

#include <ctype.h>
#include <math.h>

// Functions within functions go over all workloads again for each: a few are all that makes sense.
enum { DEEPEST = 50, MOST_OVER = 3, MOST_PREFIXES = 4, LONGEST_TEXT = 4000 };

typedef enum wm_status parse(struct wm_parser *parser, struct wm_expression **made);
static parse parse_or;

const char *const wm_aggregate_names[] = {
    [WM_AGGREGATE_MEAN] = "mean",     [WM_AGGREGATE_GEOMEAN] = "geomean",
    [WM_AGGREGATE_SUM] = "sum",       [WM_AGGREGATE_MIN] = "min",
    [WM_AGGREGATE_MAX] = "max",       [WM_AGGREGATE_ARGMIN] = "argmin",
    [WM_AGGREGATE_ARGMAX] = "argmax", [WM_AGGREGATE_ALL] = "all",
    [WM_AGGREGATE_ANY] = "any",       [WM_AGGREGATE_COUNT] = "count",
    [WM_AGGREGATE_SHARE] = "share",
};

// ---- Operands -----------------------------------------------------------------------------------

static enum wm_status take_number(struct wm_parser *parser, struct wm_expression **made)
{
    const char *begin = parser->text + parser->at;
    char *end;
    double number = strtod(begin, &end);
    size_t offset = parser->at;
    parser->at += (size_t)(end - begin);
    if (!isfinite(number) || wm_is_word_character(*end)) {
        wm_fail(parser->error, WM_INVALID, "this is no number");
        wm_error_hint(parser->error, "write 0.85, 85%% or 3e6");
        return wm_parser_at(parser, offset);
    }
    if (*end == '%') {
        parser->at++;
        number /= 100;
    }
    WM_TRY(wm_parser_node(parser, WM_EXPRESSION_NUMBER, offset, NULL, NULL, made));
    (*made)->number = number;
    return WM_OK;
}

// "l2", "l2 in 128KiB, 256KiB": an axis, and the values of it that are meant.
static enum wm_status take_axis_values(struct wm_parser *parser, struct wm_expression *node)
{
    const struct wm_expression_names *names = parser->names;
    char name[WM_LONGEST_NAME + 1];
    size_t offset;
    WM_TRY(wm_parser_name(parser, name, &offset));
    for (node->axis = 0; node->axis < names->axis_count; node->axis++)
        if (strcmp(names->axes[node->axis].name, name) == 0)
            break;
    if (node->axis == names->axis_count) {
        wm_fail(parser->error, WM_NOT_FOUND, "there is no axis \"%s\"", name);
        return wm_parser_at(parser, offset);
    }
    const struct wm_axis *axis = &names->axes[node->axis];
    node->set = axis->value_count == 64 ? UINT64_MAX : (UINT64_C(1) << axis->value_count) - 1;
    if (wm_parser_accept_word(parser, "in"))
        return wm_parser_set(parser, "value of this axis", axis->values, axis->value_count,
                             &node->set);
    return WM_OK;
}

// "abs(a)", "min(a, b, c)", "mean(a on lbm, spmv)": the parenthesis is open.
static enum wm_status take_call(struct wm_parser *parser, const char *name, size_t offset,
                                struct wm_expression **made)
{
    struct wm_expression *argument = NULL;
    size_t over = 0, count = sizeof wm_aggregate_names / sizeof wm_aggregate_names[0];
    bool absolute = strcmp(name, "abs") == 0;
    while (over < count && strcmp(wm_aggregate_names[over], name) != 0)
        over++;
    if (!absolute && over == count) {
        wm_fail(parser->error, WM_NOT_FOUND, "there is no function \"%s\"", name);
        wm_error_hint(parser->error, "there are abs, min, max, mean, geomean, sum, all, any, "
                                     "count, share, argmin and argmax");
        return wm_parser_at(parser, offset);
    }
    if (!absolute && parser->over == MOST_OVER) {
        wm_fail(parser->error, WM_INVALID, "more than %d functions one within the other",
                (int)MOST_OVER);
        return wm_parser_at(parser, offset);
    }
    parser->over += !absolute;
    WM_TRY(parse_or(parser, &argument));
    parser->over -= !absolute;
    bool extreme = over == WM_AGGREGATE_MIN || over == WM_AGGREGATE_MAX;
    if (absolute) {
        WM_TRY(wm_parser_node(parser, WM_EXPRESSION_ABSOLUTE, offset, argument, NULL, made));
    } else if (extreme && wm_parser_accept(parser, ",")) {
        *made = argument;
        do {
            WM_TRY(parse_or(parser, &argument));
            WM_TRY(wm_parser_node(
                parser, over == WM_AGGREGATE_MIN ? WM_EXPRESSION_LEAST : WM_EXPRESSION_GREATEST,
                offset, *made, argument, made));
        } while (wm_parser_accept(parser, ","));
    } else if (!parser->is_claim) {
        wm_fail(parser->error, WM_INVALID,
                "a metric is of one workload: \"%s\" has nothing to "
                "go over",
                name);
        wm_error_hint(parser->error, "keep it for claims; here there are abs(a), min(a, b) and "
                                     "max(a, b)");
        return wm_parser_at(parser, offset);
    } else {
        WM_TRY(wm_parser_node(parser, WM_AGGREGATE, offset, argument, NULL, made));
        (*made)->over = (enum wm_aggregate)over;
        if (wm_parser_accept_word(parser, "over"))
            WM_TRY(take_axis_values(parser, *made));
        else
            WM_TRY(wm_parser_workloads(parser, &(*made)->set));
    }
    return wm_parser_expect(parser, ")", "close the function's parenthesis");
}

// "dram.bytes_read" of a metric; the first name is taken.
static enum wm_status take_path(struct wm_parser *parser, const char *name, size_t offset,
                                struct wm_expression **made)
{
    struct wm_text path;
    wm_text_init(&path);
    wm_text_add(&path, name);
    enum wm_status status = WM_OK;
    while (status == WM_OK && parser->text[parser->at] == '.') {
        parser->at++;
        size_t begin = parser->at;
        bool quoted = parser->text[begin] == '"';
        size_t length = 0;
        begin += quoted;
        while (quoted ? !strchr("\".", parser->text[begin + length])
                      : wm_is_word_character(parser->text[begin + length]))
            length++;
        parser->at = begin + length + quoted;
        wm_text_add(&path, ".");
        wm_text_append(&path, parser->text + begin, length);
        if (length == 0 || (quoted && parser->text[begin + length] != '"')) {
            wm_fail(parser->error, WM_INVALID, "a counter's name is expected after the dot");
            wm_error_hint(parser->error, "as in dram.bytes_read");
            status = wm_parser_at(parser, begin);
        }
    }
    if (status == WM_OK)
        status = wm_parser_node(parser, WM_EXPRESSION_COUNTER, offset, NULL, NULL, made);
    if (status == WM_OK && !path.failed)
        (*made)->name = wm_arena_copy_text(parser->arena, path.data, path.length);
    if (status == WM_OK && !(*made)->name)
        status = wm_fail_no_memory(parser->error, "an expression");
    wm_text_release(&path);
    return status;
}

static bool is_keyword(const char *name)
{
    static const char *const keywords[] = {"and",  "or",   "not", "is",     "on", "except",
                                           "only", "each", "in",  "within", "of"};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(keywords[i], name) == 0)
            return true;
    return false;
}

// A word where an operand is expected: a function, a metric, or a metric's counter.
static enum wm_status take_named(struct wm_parser *parser, struct wm_expression **made)
{
    char name[WM_LONGEST_NAME + 1];
    size_t offset = parser->at, length = 0;
    const char *begin = parser->text + offset;
    while (wm_is_word_character(begin[length]))
        length++;
    snprintf(name, sizeof name, "%.*s", (int)(length < WM_LONGEST_NAME ? length : WM_LONGEST_NAME),
             begin);
    if (is_keyword(name)) {
        wm_fail(parser->error, WM_INVALID, "\"%s\" stands where a value is expected", name);
        return wm_parser_at(parser, offset);
    }
    parser->at += length;
    if (!parser->is_claim && begin[length] == '.')
        return take_path(parser, name, offset, made);
    if (wm_parser_accept(parser, "("))
        return take_call(parser, name, offset, made);
    uint32_t metric;
    const struct wm_expression_names *names = parser->names;
    if (!wm_parser_find(names->metrics, names->metric_count, name, &metric))
        return wm_parser_unknown(parser, "metric", name, names->metrics, names->metric_count,
                                 offset);
    WM_TRY(wm_parser_node(parser, WM_EXPRESSION_METRIC, offset, NULL, NULL, made));
    (*made)->metric = metric;
    if (!parser->is_claim || !wm_parser_accept(parser, "["))
        return WM_OK;
    WM_TRY(wm_parser_selectors(parser, *made));
    return wm_parser_expect(parser, "]", "brackets name one machine of the study: [1MiB, tracker]");
}

static enum wm_status parse_operand(struct wm_parser *parser, struct wm_expression **made)
{
    wm_parser_skip(parser);
    char c = parser->text[parser->at];
    if (isdigit((unsigned char)c) || c == '.')
        return take_number(parser, made);
    if (wm_is_word_character(c))
        return take_named(parser, made);
    if (wm_parser_accept(parser, "(")) {
        WM_TRY(parse_or(parser, made));
        return wm_parser_expect(parser, ")", "close the parenthesis");
    }
    if (c == '\0')
        wm_fail(parser->error, WM_INVALID, "the expression ends where a value is expected");
    else
        wm_fail(parser->error, WM_INVALID, "a value is expected here");
    wm_error_hint(parser->error, "a number, %s, a function or a parenthesis",
                  parser->is_claim ? "a metric" : "a counter as dram.bytes_read");
    return wm_parser_at(parser, parser->at);
}

// ---- Operators, weakest last --------------------------------------------------------------------

static enum wm_status parse_sign(struct wm_parser *parser, struct wm_expression **made)
{
    size_t offset = (wm_parser_skip(parser), parser->at);
    if (parser->depth == DEEPEST) {
        wm_fail(parser->error, WM_INVALID, "nested too deeply");
        return wm_parser_at(parser, offset);
    }
    parser->depth++;
    enum wm_status status;
    if (wm_parser_accept(parser, "-")) {
        struct wm_expression *operand = NULL;
        status = parse_sign(parser, &operand);
        if (status == WM_OK)
            status = wm_parser_node(parser, WM_EXPRESSION_NEGATE, offset, operand, NULL, made);
    } else {
        status = parse_operand(parser, made);
    }
    parser->depth--;
    return status;
}

struct operation {
    const char *symbol;
    enum wm_expression_kind kind;
};

// Operands of `parse_one` with any of two operators between them, from the left.
static enum wm_status parse_left(struct wm_parser *parser, parse *parse_one,
                                 const struct operation operations[2], struct wm_expression **made)
{
    WM_TRY(parse_one(parser, made));
    for (;;) {
        size_t offset = (wm_parser_skip(parser), parser->at);
        const struct operation *operation =
            wm_parser_accept(parser, operations[0].symbol)   ? operations
            : wm_parser_accept(parser, operations[1].symbol) ? operations + 1
                                                             : NULL;
        struct wm_expression *right = NULL;
        if (!operation)
            return WM_OK;
        WM_TRY(parse_one(parser, &right));
        WM_TRY(wm_parser_node(parser, operation->kind, offset, *made, right, made));
    }
}

static enum wm_status parse_product(struct wm_parser *parser, struct wm_expression **made)
{
    static const struct operation operations[2] = {{"*", WM_EXPRESSION_MULTIPLY},
                                                   {"/", WM_EXPRESSION_DIVIDE}};
    return parse_left(parser, parse_sign, operations, made);
}

static enum wm_status parse_sum(struct wm_parser *parser, struct wm_expression **made)
{
    static const struct operation operations[2] = {{"+", WM_EXPRESSION_ADD},
                                                   {"-", WM_EXPRESSION_SUBTRACT}};
    return parse_left(parser, parse_product, operations, made);
}

static bool accept_comparison(struct wm_parser *parser, enum wm_expression_kind *kind)
{
    static const struct operation comparisons[] = {
        {"<=", WM_EXPRESSION_LESS_EQUAL}, {">=", WM_EXPRESSION_GREATER_EQUAL},
        {"!=", WM_EXPRESSION_NOT_EQUAL},  {"<", WM_EXPRESSION_LESS},
        {">", WM_EXPRESSION_GREATER},     {"=", WM_EXPRESSION_EQUAL},
    };
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
        if (wm_parser_accept(parser, comparisons[i].symbol)) {
            *kind = comparisons[i].kind;
            return true;
        }
    return false;
}

// "a < b", "a <= b <= c", "a within 0.1 of b", "argmin(a) is lbm, spmv"
static enum wm_status parse_comparison(struct wm_parser *parser, struct wm_expression **made)
{
    struct wm_expression *left, *right = NULL, *third = NULL;
    enum wm_expression_kind kind;
    WM_TRY(parse_sum(parser, made));
    size_t offset = (wm_parser_skip(parser), parser->at);
    if (!parser->is_claim)
        return WM_OK;
    if (wm_parser_accept_word(parser, "is")) {
        WM_TRY(wm_parser_node(parser, WM_EXPRESSION_IS, offset, *made, NULL, made));
        return wm_parser_set(parser, "workload", parser->names->workloads,
                             parser->names->workload_count, &(*made)->set);
    }
    if (wm_parser_accept_word(parser, "within")) {
        WM_TRY(parse_sum(parser, &right));
        wm_parser_skip(parser);
        if (!wm_parser_accept_word(parser, "of"))
            return wm_parser_expect(parser, "of", "as in \"a within 0.05 of b\"");
        WM_TRY(parse_sum(parser, &third));
        WM_TRY(wm_parser_node(parser, WM_EXPRESSION_WITHIN, offset, *made, right, made));
        (*made)->c = third;
        return WM_OK;
    }
    if (!accept_comparison(parser, &kind))
        return WM_OK;
    left = *made;
    WM_TRY(parse_sum(parser, &right));
    WM_TRY(wm_parser_node(parser, kind, offset, left, right, made));
    for (;;) {
        struct wm_expression *again = NULL, *before = *made;
        offset = (wm_parser_skip(parser), parser->at);
        if (!accept_comparison(parser, &kind))
            return WM_OK;
        left = right;
        WM_TRY(parse_sum(parser, &right));
        WM_TRY(wm_parser_node(parser, kind, offset, left, right, &again));
        WM_TRY(wm_parser_node(parser, WM_EXPRESSION_AND, offset, before, again, made));
    }
}

static enum wm_status parse_not(struct wm_parser *parser, struct wm_expression **made)
{
    size_t offset = (wm_parser_skip(parser), parser->at);
    unsigned times = 0;
    while (parser->is_claim && wm_parser_accept_word(parser, "not"))
        times++;
    WM_TRY(parse_comparison(parser, made));
    return times % 2 ? wm_parser_node(parser, WM_EXPRESSION_NOT, offset, *made, NULL, made) : WM_OK;
}

static enum wm_status parse_and(struct wm_parser *parser, struct wm_expression **made)
{
    WM_TRY(parse_not(parser, made));
    for (;;) {
        size_t offset = (wm_parser_skip(parser), parser->at);
        struct wm_expression *right = NULL;
        if (!parser->is_claim || !wm_parser_accept_word(parser, "and"))
            return WM_OK;
        WM_TRY(parse_not(parser, &right));
        WM_TRY(wm_parser_node(parser, WM_EXPRESSION_AND, offset, *made, right, made));
    }
}

static enum wm_status parse_or(struct wm_parser *parser, struct wm_expression **made)
{
    WM_TRY(parse_and(parser, made));
    for (;;) {
        size_t offset = (wm_parser_skip(parser), parser->at);
        struct wm_expression *right = NULL;
        if (!parser->is_claim || !wm_parser_accept_word(parser, "or"))
            return WM_OK;
        WM_TRY(parse_and(parser, &right));
        WM_TRY(wm_parser_node(parser, WM_EXPRESSION_OR, offset, *made, right, made));
    }
}

bool wm_expression_is_name(const char *name)
{
    size_t length = 0, count = sizeof wm_aggregate_names / sizeof wm_aggregate_names[0];
    while (wm_is_word_character(name[length]))
        length++;
    bool taken = is_keyword(name) || strcmp(name, "abs") == 0;
    for (size_t i = 0; i < count; i++)
        taken = taken || strcmp(wm_aggregate_names[i], name) == 0;
    return length > 0 && length <= 40 && name[length] == '\0' && !taken &&
           !isdigit((unsigned char)name[0]);
}

// ---- A whole claim, a whole metric --------------------------------------------------------------

// The claim from here on: what stands before colons, and what is said.
static enum wm_status parse_statement(struct wm_parser *parser, bool only,
                                      struct wm_expression **made)
{
    size_t offset = (wm_parser_skip(parser), parser->at);
    struct wm_expression *inner = NULL;
    bool is_only = wm_parser_accept_word(parser, "only");
    if (!is_only && !wm_parser_accept_word(parser, "each")) {
        struct wm_expression_type shape;
        WM_TRY(parse_or(parser, made));
        WM_TRY(wm_expression_type(*made, NULL, &shape, parser->offset, parser->error));
        if (only || !shape.open || shape.type != WM_VALUE_TRUTH)
            return WM_OK;
        // A statement about each workload holds when it holds for all of them.
        WM_TRY(wm_parser_node(parser, WM_AGGREGATE, offset, *made, NULL, made));
        (*made)->over = WM_AGGREGATE_ALL;
        (*made)->set = UINT64_MAX;
        return WM_OK;
    }
    if (parser->prefixes++ == MOST_PREFIXES) {
        wm_fail(parser->error, WM_INVALID, "more than %d times \"only\" and \"each\"",
                (int)MOST_PREFIXES);
        return wm_parser_at(parser, offset);
    }
    WM_TRY(wm_parser_node(parser, is_only ? WM_EXPRESSION_ONLY : WM_EXPRESSION_EACH, offset, NULL,
                          NULL, made));
    if (is_only)
        WM_TRY(wm_parser_set(parser, "workload", parser->names->workloads,
                             parser->names->workload_count, &(*made)->set));
    else
        WM_TRY(take_axis_values(parser, *made));
    WM_TRY(wm_parser_expect(parser, ":",
                            is_only ? "as in \"only cutcp: a < b\"" : "as in \"each l2: a < b\""));
    WM_TRY(parse_statement(parser, only || is_only, &inner));
    (*made)->a = inner;
    return WM_OK;
}

static enum wm_status check_end(struct wm_parser *parser)
{
    wm_parser_skip(parser);
    if (parser->text[parser->at] == '\0')
        return WM_OK;
    wm_fail(parser->error, WM_INVALID, "the expression should end here");
    wm_error_hint(parser->error, "write an operator between two values");
    return wm_parser_at(parser, parser->at);
}

static enum wm_status check_length(const struct wm_parser *parser)
{
    if (strlen(parser->text) <= LONGEST_TEXT)
        return WM_OK;
    wm_fail(parser->error, WM_INVALID, "the expression is longer than %d bytes", (int)LONGEST_TEXT);
    return wm_parser_at(parser, 0);
}

enum wm_status wm_claim_parse(const char *text, const struct wm_expression_names *names,
                              struct wm_arena *arena, const struct wm_expression **claim,
                              size_t *offset, struct wm_error *error)
{
    struct wm_parser parser = {.text = text,
                               .names = names,
                               .arena = arena,
                               .is_claim = true,
                               .offset = offset,
                               .error = error};
    struct wm_expression *made = NULL;
    struct wm_expression_type shape;
    WM_TRY(check_length(&parser));
    WM_TRY(parse_statement(&parser, false, &made));
    WM_TRY(wm_parser_node(&parser, WM_EXPRESSION_ON, 0, made, NULL, &made));
    WM_TRY(wm_parser_workloads(&parser, &made->set));
    WM_TRY(check_end(&parser));
    WM_TRY(wm_expression_type(made, names, &shape, offset, error));
    *claim = made;
    return WM_OK;
}

enum wm_status wm_metric_parse(const char *text, const struct wm_expression_names *names,
                               struct wm_arena *arena, const struct wm_expression **metric,
                               size_t *offset, struct wm_error *error)
{
    struct wm_parser parser = {
        .text = text, .names = names, .arena = arena, .offset = offset, .error = error};
    struct wm_expression *made = NULL;
    WM_TRY(check_length(&parser));
    WM_TRY(parse_or(&parser, &made));
    WM_TRY(check_end(&parser));
    *metric = made;
    return WM_OK;
}

enum wm_status wm_machine_select(const char *selectors, const struct wm_expression_names *names,
                                 uint32_t *machine, size_t *offset, struct wm_error *error)
{
    struct wm_expression node = {.kind = WM_EXPRESSION_METRIC, .workload = WM_THIS_WORKLOAD};
    struct wm_expression_type shape;
    struct wm_parser parser = {
        .text = selectors, .names = names, .is_claim = true, .offset = offset, .error = error};
    memset(node.axes, WM_ANY_VALUE, sizeof node.axes);
    WM_TRY(check_length(&parser));
    WM_TRY(wm_parser_selectors(&parser, &node));
    WM_TRY(check_end(&parser));
    if (node.workload != WM_THIS_WORKLOAD) {
        wm_fail(error, WM_INVALID, "a workload has no place here");
        return wm_parser_at(&parser, 0);
    }
    WM_TRY(wm_expression_type(&node, names, &shape, offset, error));
    uint32_t matches;
    *machine = wm_expression_machine(names, node.axes, &matches);
    return WM_OK;
}
