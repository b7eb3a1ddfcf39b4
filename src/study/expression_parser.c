// Recursive descent over the text itself: what a word means depends on where it stands ("1MiB" and
// "tracker+bypass" are names within brackets), so there is no separate list of tokens.
#include "study/expression_tree.h"

#include "base/nearest.h"

#include <ctype.h>
#include <math.h>

// Functions within functions go over all workloads again for each: a few are all that makes sense.
enum { DEEPEST = 50, MOST_OVER = 3, MOST_PREFIXES = 4, LONGEST_TEXT = 4000, LONGEST_NAME = 100 };

struct parser {
    const char *text;
    size_t at;
    const struct wm_expression_names *names;
    struct wm_arena *arena;
    bool is_claim;
    unsigned depth, over, prefixes;
    size_t *offset;
    struct wm_error *error;
};

typedef enum wm_status parse(struct parser *parser, struct wm_expression **made);
static parse parse_or;

const char *const wm_over_names[] = {
    [WM_MEAN] = "mean", [WM_GEOMEAN] = "geomean", [WM_SUM] = "sum",       [WM_MIN] = "min",
    [WM_MAX] = "max",   [WM_ARGMIN] = "argmin",   [WM_ARGMAX] = "argmax", [WM_ALL] = "all",
    [WM_ANY] = "any",   [WM_COUNT] = "count",     [WM_SHARE] = "share",
};

// ---- Words
// ---------------------------------------------------------------------------------------

// Says what the error set is about; returns its status.
static enum wm_status at(const struct parser *parser, size_t offset)
{
    *parser->offset = offset;
    return parser->error ? parser->error->status : WM_INVALID;
}

static void skip_blanks(struct parser *parser)
{
    while (isspace((unsigned char)parser->text[parser->at]))
        parser->at++;
}

static bool accept(struct parser *parser, const char *symbol)
{
    skip_blanks(parser);
    size_t length = strlen(symbol);
    if (strncmp(parser->text + parser->at, symbol, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool accept_word(struct parser *parser, const char *word)
{
    skip_blanks(parser);
    size_t length = strlen(word);
    if (strncmp(parser->text + parser->at, word, length) != 0 ||
        is_word_character(parser->text[parser->at + length]))
        return false;
    parser->at += length;
    return true;
}

static enum wm_status expect(struct parser *parser, const char *symbol, const char *why)
{
    if (accept(parser, symbol))
        return WM_OK;
    char c = parser->text[parser->at];
    if (c == '\0')
        wm_fail(parser->error, WM_INVALID, "the expression ends where \"%s\" is expected", symbol);
    else
        wm_fail(parser->error, WM_INVALID, "\"%s\" is expected here", symbol);
    wm_error_cure(parser->error, "%s", why);
    return at(parser, parser->at);
}

// A name as in brackets: of a workload, an axis, or a value of an axis.
static enum wm_status take_name(struct parser *parser, char name[LONGEST_NAME + 1], size_t *offset)
{
    skip_blanks(parser);
    *offset = parser->at;
    const char *begin = parser->text + parser->at;
    bool quoted = *begin == '"';
    size_t length = 0;
    if (quoted)
        length = strcspn(++begin, "\"");
    else
        while (is_word_character(begin[length]) ||
               (begin[length] != '\0' && strchr(".+-/", begin[length])))
            length++;
    if (length == 0 || length > LONGEST_NAME || (quoted && begin[length] != '"')) {
        wm_fail(parser->error, WM_INVALID, "a name is expected here");
        wm_error_cure(parser->error, "letters, digits and \"_.+-/\", or anything in double quotes");
        return at(parser, *offset);
    }
    memcpy(name, begin, length);
    name[length] = '\0';
    parser->at = (size_t)(begin - parser->text) + length + quoted;
    return WM_OK;
}

static bool find(const char *const *names, uint32_t count, const char *name, uint32_t *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names[*index], name) == 0)
            return true;
    return false;
}

// `kind` is what the name should have been; offers what there is.
static enum wm_status unknown(const struct parser *parser, const char *kind, const char *name,
                              const char *const *names, uint32_t count, size_t offset)
{
    struct wm_nearest nearest;
    struct wm_text known;
    wm_text_init(&known);
    wm_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < count; i++) {
        wm_nearest_offer(&nearest, names[i]);
        wm_text_format(&known, "%s%s", i ? ", " : "", names[i]);
    }
    wm_fail(parser->error, WM_NOT_FOUND, "there is no %s \"%s\"", kind, name);
    if (nearest.best)
        wm_error_cure(parser->error, "did you mean %s?", nearest.best);
    else if (count == 0)
        wm_error_cure(parser->error, "the study names none before this");
    else
        wm_error_cure(parser->error, "there are %s", known.failed ? "others" : known.data);
    wm_text_release(&known);
    return at(parser, offset);
}

static enum wm_status new_node(struct parser *parser, enum wm_expression_kind kind, size_t offset,
                               const struct wm_expression *a, const struct wm_expression *b,
                               struct wm_expression **made)
{
    *made = WM_ARENA_NEW(parser->arena, struct wm_expression);
    if (!*made)
        return wm_fail(parser->error, WM_NO_MEMORY, "no memory for an expression");
    **made = (struct wm_expression){
        .kind = kind, .offset = offset, .a = a, .b = b, .workload = WM_THIS_WORKLOAD};
    memset((*made)->axes, WM_ANY_VALUE, sizeof(*made)->axes);
    return WM_OK;
}

// "lbm, spmv": as a set.
static enum wm_status take_set(struct parser *parser, const char *kind, const char *const *names,
                               uint32_t count, uint64_t *set)
{
    *set = 0;
    do {
        char name[LONGEST_NAME + 1];
        size_t offset;
        uint32_t index;
        WM_TRY(take_name(parser, name, &offset));
        if (!find(names, count, name, &index))
            return unknown(parser, kind, name, names, count, offset);
        *set |= UINT64_C(1) << index;
    } while (accept(parser, ","));
    return WM_OK;
}

static uint64_t all_workloads(const struct parser *parser)
{
    uint32_t count = parser->names->workload_count;
    return count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

// "on lbm, spmv", "except cutcp", or nothing, which is all.
static enum wm_status take_workloads(struct parser *parser, uint64_t *set)
{
    *set = all_workloads(parser);
    bool except = accept_word(parser, "except");
    if (!except && !accept_word(parser, "on"))
        return WM_OK;
    size_t offset = parser->at;
    WM_TRY(
        take_set(parser, "workload", parser->names->workloads, parser->names->workload_count, set));
    if (except)
        *set = all_workloads(parser) & ~*set;
    if (*set != 0)
        return WM_OK;
    wm_fail(parser->error, WM_INVALID, "no workload is left");
    return at(parser, offset);
}

// ---- Selectors
// -----------------------------------------------------------------------------------

static enum wm_status select_value(struct parser *parser, struct wm_expression *node, uint32_t axis,
                                   const char *name, size_t offset)
{
    const struct wm_axis *from = &parser->names->axes[axis];
    uint32_t value;
    if (!find(from->values, from->value_count, name, &value)) {
        char kind[LONGEST_NAME + 24];
        snprintf(kind, sizeof kind, "value of axis %s", from->name);
        return unknown(parser, kind, name, from->values, from->value_count, offset);
    }
    if (node->axes[axis] != WM_ANY_VALUE) {
        wm_fail(parser->error, WM_INVALID, "axis %s has two values here", from->name);
        wm_error_cure(parser->error, "keep one of %s and %s", from->values[node->axes[axis]], name);
        return at(parser, offset);
    }
    node->axes[axis] = (uint8_t)value;
    return WM_OK;
}

static enum wm_status unknown_selector(const struct parser *parser, const char *name, size_t offset)
{
    const struct wm_expression_names *names = parser->names;
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < names->axis_count; i++)
        for (uint32_t v = 0; v < names->axes[i].value_count; v++)
            wm_nearest_offer(&nearest, names->axes[i].values[v]);
    for (uint32_t i = 0; i < names->workload_count; i++)
        wm_nearest_offer(&nearest, names->workloads[i]);
    wm_fail(parser->error, WM_NOT_FOUND, "\"%s\" is no value of an axis and no workload", name);
    if (nearest.best)
        wm_error_cure(parser->error, "did you mean %s?", nearest.best);
    else
        wm_error_cure(parser->error, "brackets name one machine of the study: [1MiB, tracker]");
    return at(parser, offset);
}

// One name in brackets: "1MiB", "l2=1MiB", "lbm".
static enum wm_status take_selector(struct parser *parser, struct wm_expression *node)
{
    const struct wm_expression_names *names = parser->names;
    char name[LONGEST_NAME + 1];
    size_t offset;
    WM_TRY(take_name(parser, name, &offset));
    uint32_t axis, value, found = 0, which = 0;
    if (accept(parser, "=")) {
        for (axis = 0; axis < names->axis_count; axis++)
            if (strcmp(names->axes[axis].name, name) == 0)
                break;
        if (axis == names->axis_count) {
            wm_fail(parser->error, WM_NOT_FOUND, "there is no axis \"%s\"", name);
            return at(parser, offset);
        }
        WM_TRY(take_name(parser, name, &offset));
        return select_value(parser, node, axis, name, offset);
    }
    for (axis = 0; axis < names->axis_count; axis++)
        if (find(names->axes[axis].values, names->axes[axis].value_count, name, &value)) {
            found++;
            which = axis;
        }
    bool is_workload = find(names->workloads, names->workload_count, name, &value);
    if (found + is_workload == 0)
        return unknown_selector(parser, name, offset);
    if (found + is_workload > 1) {
        wm_fail(parser->error, WM_INVALID, "\"%s\" is a name of several things", name);
        wm_error_cure(parser->error, "name the axis: %s=%s",
                      found ? names->axes[which].name : "axis", name);
        return at(parser, offset);
    }
    if (found)
        return select_value(parser, node, which, name, offset);
    if (node->workload != WM_THIS_WORKLOAD) {
        wm_fail(parser->error, WM_INVALID, "two workloads in one pair of brackets");
        return at(parser, offset);
    }
    node->workload = value;
    return WM_OK;
}

static enum wm_status take_selectors(struct parser *parser, struct wm_expression *node)
{
    do {
        WM_TRY(take_selector(parser, node));
    } while (accept(parser, ","));
    return WM_OK;
}

// ---- Operands
// ------------------------------------------------------------------------------------

static enum wm_status take_number(struct parser *parser, struct wm_expression **made)
{
    const char *begin = parser->text + parser->at;
    char *end;
    double number = strtod(begin, &end);
    size_t offset = parser->at;
    parser->at += (size_t)(end - begin);
    if (!isfinite(number) || is_word_character(*end)) {
        wm_fail(parser->error, WM_INVALID, "this is no number");
        wm_error_cure(parser->error, "write 0.85, 85%% or 3e6");
        return at(parser, offset);
    }
    if (*end == '%') {
        parser->at++;
        number /= 100;
    }
    WM_TRY(new_node(parser, WM_NUMBER, offset, NULL, NULL, made));
    (*made)->number = number;
    return WM_OK;
}

// "abs(a)", "min(a, b, c)", "mean(a on lbm, spmv)": the parenthesis is open.
static enum wm_status take_call(struct parser *parser, const char *name, size_t offset,
                                struct wm_expression **made)
{
    struct wm_expression *argument;
    size_t over = 0, count = sizeof wm_over_names / sizeof wm_over_names[0];
    bool absolute = strcmp(name, "abs") == 0;
    while (over < count && strcmp(wm_over_names[over], name) != 0)
        over++;
    if (!absolute && over == count) {
        wm_fail(parser->error, WM_NOT_FOUND, "there is no function \"%s\"", name);
        wm_error_cure(parser->error, "there are abs, min, max, mean, geomean, sum, all, any, "
                                     "count, share, argmin and argmax");
        return at(parser, offset);
    }
    if (!absolute && parser->over == MOST_OVER) {
        wm_fail(parser->error, WM_INVALID, "more than %d functions one within the other",
                (int)MOST_OVER);
        return at(parser, offset);
    }
    parser->over += !absolute;
    WM_TRY(parse_or(parser, &argument));
    parser->over -= !absolute;
    bool extreme = over == WM_MIN || over == WM_MAX;
    if (absolute) {
        WM_TRY(new_node(parser, WM_ABSOLUTE, offset, argument, NULL, made));
    } else if (extreme && accept(parser, ",")) {
        *made = argument;
        do {
            WM_TRY(parse_or(parser, &argument));
            WM_TRY(new_node(parser, over == WM_MIN ? WM_LEAST : WM_GREATEST, offset, *made,
                            argument, made));
        } while (accept(parser, ","));
    } else if (!parser->is_claim) {
        wm_fail(parser->error, WM_INVALID,
                "a metric is of one workload: \"%s\" has nothing to "
                "go over",
                name);
        wm_error_cure(parser->error, "keep it for claims; here there are abs(a), min(a, b) and "
                                     "max(a, b)");
        return at(parser, offset);
    } else {
        WM_TRY(new_node(parser, WM_OVER, offset, argument, NULL, made));
        (*made)->over = (enum wm_over)over;
        WM_TRY(take_workloads(parser, &(*made)->set));
    }
    return expect(parser, ")", "close the function's parenthesis");
}

// "dram.bytes_read" of a metric; the first name is taken.
static enum wm_status take_path(struct parser *parser, const char *name, size_t offset,
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
                      : is_word_character(parser->text[begin + length]))
            length++;
        parser->at = begin + length + quoted;
        wm_text_add(&path, ".");
        wm_text_append(&path, parser->text + begin, length);
        if (length == 0 || (quoted && parser->text[begin + length] != '"')) {
            wm_fail(parser->error, WM_INVALID, "a counter's name is expected after the dot");
            wm_error_cure(parser->error, "as in dram.bytes_read");
            status = at(parser, begin);
        }
    }
    if (status == WM_OK)
        status = new_node(parser, WM_COUNTER, offset, NULL, NULL, made);
    if (status == WM_OK && !path.failed)
        (*made)->name = wm_arena_copy_text(parser->arena, path.data, path.length);
    if (status == WM_OK && !(*made)->name)
        status = wm_fail(parser->error, WM_NO_MEMORY, "no memory for an expression");
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
static enum wm_status take_named(struct parser *parser, struct wm_expression **made)
{
    char name[LONGEST_NAME + 1];
    size_t offset = parser->at, length = 0;
    const char *begin = parser->text + offset;
    while (is_word_character(begin[length]))
        length++;
    snprintf(name, sizeof name, "%.*s", (int)(length < LONGEST_NAME ? length : LONGEST_NAME),
             begin);
    if (is_keyword(name)) {
        wm_fail(parser->error, WM_INVALID, "\"%s\" stands where a value is expected", name);
        return at(parser, offset);
    }
    parser->at += length;
    if (!parser->is_claim && begin[length] == '.')
        return take_path(parser, name, offset, made);
    if (accept(parser, "("))
        return take_call(parser, name, offset, made);
    uint32_t metric;
    const struct wm_expression_names *names = parser->names;
    if (!find(names->metrics, names->metric_count, name, &metric))
        return unknown(parser, "metric", name, names->metrics, names->metric_count, offset);
    WM_TRY(new_node(parser, WM_METRIC, offset, NULL, NULL, made));
    (*made)->metric = metric;
    if (!parser->is_claim || !accept(parser, "["))
        return WM_OK;
    WM_TRY(take_selectors(parser, *made));
    return expect(parser, "]", "brackets name one machine of the study: [1MiB, tracker]");
}

static enum wm_status parse_operand(struct parser *parser, struct wm_expression **made)
{
    skip_blanks(parser);
    char c = parser->text[parser->at];
    if (isdigit((unsigned char)c) || c == '.')
        return take_number(parser, made);
    if (is_word_character(c))
        return take_named(parser, made);
    if (accept(parser, "(")) {
        WM_TRY(parse_or(parser, made));
        return expect(parser, ")", "close the parenthesis");
    }
    if (c == '\0')
        wm_fail(parser->error, WM_INVALID, "the expression ends where a value is expected");
    else
        wm_fail(parser->error, WM_INVALID, "a value is expected here");
    wm_error_cure(parser->error, "a number, %s, a function or a parenthesis",
                  parser->is_claim ? "a metric" : "a counter as dram.bytes_read");
    return at(parser, parser->at);
}

// ---- Operators, weakest last
// -----------------------------------------------------------------------

static enum wm_status parse_sign(struct parser *parser, struct wm_expression **made)
{
    size_t offset = (skip_blanks(parser), parser->at);
    if (parser->depth == DEEPEST) {
        wm_fail(parser->error, WM_INVALID, "nested too deeply");
        return at(parser, offset);
    }
    parser->depth++;
    enum wm_status status;
    if (accept(parser, "-")) {
        struct wm_expression *operand;
        status = parse_sign(parser, &operand);
        if (status == WM_OK)
            status = new_node(parser, WM_NEGATE, offset, operand, NULL, made);
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
static enum wm_status parse_left(struct parser *parser, parse *parse_one,
                                 const struct operation operations[2], struct wm_expression **made)
{
    WM_TRY(parse_one(parser, made));
    for (;;) {
        size_t offset = (skip_blanks(parser), parser->at);
        const struct operation *operation = accept(parser, operations[0].symbol)   ? operations
                                            : accept(parser, operations[1].symbol) ? operations + 1
                                                                                   : NULL;
        struct wm_expression *right;
        if (!operation)
            return WM_OK;
        WM_TRY(parse_one(parser, &right));
        WM_TRY(new_node(parser, operation->kind, offset, *made, right, made));
    }
}

static enum wm_status parse_product(struct parser *parser, struct wm_expression **made)
{
    static const struct operation operations[2] = {{"*", WM_MULTIPLY}, {"/", WM_DIVIDE}};
    return parse_left(parser, parse_sign, operations, made);
}

static enum wm_status parse_sum(struct parser *parser, struct wm_expression **made)
{
    static const struct operation operations[2] = {{"+", WM_ADD}, {"-", WM_SUBTRACT}};
    return parse_left(parser, parse_product, operations, made);
}

static bool accept_comparison(struct parser *parser, enum wm_expression_kind *kind)
{
    static const struct operation comparisons[] = {
        {"<=", WM_LESS_EQUAL}, {">=", WM_GREATER_EQUAL}, {"!=", WM_NOT_EQUAL},
        {"<", WM_LESS},        {">", WM_GREATER},        {"=", WM_EQUAL},
    };
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
        if (accept(parser, comparisons[i].symbol)) {
            *kind = comparisons[i].kind;
            return true;
        }
    return false;
}

// "a < b", "a <= b <= c", "a within 0.1 of b", "argmin(a) is lbm, spmv"
static enum wm_status parse_comparison(struct parser *parser, struct wm_expression **made)
{
    struct wm_expression *left, *right, *third;
    enum wm_expression_kind kind;
    WM_TRY(parse_sum(parser, made));
    size_t offset = (skip_blanks(parser), parser->at);
    if (!parser->is_claim)
        return WM_OK;
    if (accept_word(parser, "is")) {
        WM_TRY(new_node(parser, WM_IS, offset, *made, NULL, made));
        return take_set(parser, "workload", parser->names->workloads, parser->names->workload_count,
                        &(*made)->set);
    }
    if (accept_word(parser, "within")) {
        WM_TRY(parse_sum(parser, &right));
        skip_blanks(parser);
        if (!accept_word(parser, "of"))
            return expect(parser, "of", "as in \"a within 0.05 of b\"");
        WM_TRY(parse_sum(parser, &third));
        WM_TRY(new_node(parser, WM_NEAR, offset, *made, right, made));
        (*made)->c = third;
        return WM_OK;
    }
    if (!accept_comparison(parser, &kind))
        return WM_OK;
    left = *made;
    WM_TRY(parse_sum(parser, &right));
    WM_TRY(new_node(parser, kind, offset, left, right, made));
    for (;;) {
        struct wm_expression *again, *before = *made;
        offset = (skip_blanks(parser), parser->at);
        if (!accept_comparison(parser, &kind))
            return WM_OK;
        left = right;
        WM_TRY(parse_sum(parser, &right));
        WM_TRY(new_node(parser, kind, offset, left, right, &again));
        WM_TRY(new_node(parser, WM_AND, offset, before, again, made));
    }
}

static enum wm_status parse_not(struct parser *parser, struct wm_expression **made)
{
    size_t offset = (skip_blanks(parser), parser->at);
    unsigned times = 0;
    while (parser->is_claim && accept_word(parser, "not"))
        times++;
    WM_TRY(parse_comparison(parser, made));
    return times % 2 ? new_node(parser, WM_NOT, offset, *made, NULL, made) : WM_OK;
}

static enum wm_status parse_and(struct parser *parser, struct wm_expression **made)
{
    WM_TRY(parse_not(parser, made));
    for (;;) {
        size_t offset = (skip_blanks(parser), parser->at);
        struct wm_expression *right;
        if (!parser->is_claim || !accept_word(parser, "and"))
            return WM_OK;
        WM_TRY(parse_not(parser, &right));
        WM_TRY(new_node(parser, WM_AND, offset, *made, right, made));
    }
}

static enum wm_status parse_or(struct parser *parser, struct wm_expression **made)
{
    WM_TRY(parse_and(parser, made));
    for (;;) {
        size_t offset = (skip_blanks(parser), parser->at);
        struct wm_expression *right;
        if (!parser->is_claim || !accept_word(parser, "or"))
            return WM_OK;
        WM_TRY(parse_and(parser, &right));
        WM_TRY(new_node(parser, WM_OR, offset, *made, right, made));
    }
}

bool wm_expression_is_name(const char *name)
{
    size_t length = 0, count = sizeof wm_over_names / sizeof wm_over_names[0];
    while (is_word_character(name[length]))
        length++;
    bool taken = is_keyword(name) || strcmp(name, "abs") == 0;
    for (size_t i = 0; i < count; i++)
        taken = taken || strcmp(wm_over_names[i], name) == 0;
    return length > 0 && length <= 40 && name[length] == '\0' && !taken &&
           !isdigit((unsigned char)name[0]);
}

// ---- A whole claim, a whole metric
// -----------------------------------------------------------------

// "each l2:", "each l2 in 128KiB, 256KiB:"; the first word is taken.
static enum wm_status take_each(struct parser *parser, struct wm_expression *node)
{
    const struct wm_expression_names *names = parser->names;
    char name[LONGEST_NAME + 1];
    size_t offset;
    WM_TRY(take_name(parser, name, &offset));
    for (node->axis = 0; node->axis < names->axis_count; node->axis++)
        if (strcmp(names->axes[node->axis].name, name) == 0)
            break;
    if (node->axis == names->axis_count) {
        wm_fail(parser->error, WM_NOT_FOUND, "there is no axis \"%s\"", name);
        return at(parser, offset);
    }
    const struct wm_axis *axis = &names->axes[node->axis];
    node->set = axis->value_count == 64 ? UINT64_MAX : (UINT64_C(1) << axis->value_count) - 1;
    if (accept_word(parser, "in"))
        return take_set(parser, "value of this axis", axis->values, axis->value_count, &node->set);
    return WM_OK;
}

// The claim from here on: what stands before colons, and what is said.
static enum wm_status parse_statement(struct parser *parser, bool only, struct wm_expression **made)
{
    size_t offset = (skip_blanks(parser), parser->at);
    struct wm_expression *inner;
    bool is_only = accept_word(parser, "only");
    if (!is_only && !accept_word(parser, "each")) {
        struct wm_expression_shape shape;
        WM_TRY(parse_or(parser, made));
        WM_TRY(wm_expression_shape(*made, NULL, &shape, parser->offset, parser->error));
        if (only || !shape.open || shape.type != WM_VALUE_TRUTH)
            return WM_OK;
        // A statement about each workload holds when it holds for all of them.
        WM_TRY(new_node(parser, WM_OVER, offset, *made, NULL, made));
        (*made)->over = WM_ALL;
        (*made)->set = UINT64_MAX;
        return WM_OK;
    }
    if (parser->prefixes++ == MOST_PREFIXES) {
        wm_fail(parser->error, WM_INVALID, "more than %d times \"only\" and \"each\"",
                (int)MOST_PREFIXES);
        return at(parser, offset);
    }
    WM_TRY(new_node(parser, is_only ? WM_ONLY : WM_EACH, offset, NULL, NULL, made));
    if (is_only)
        WM_TRY(take_set(parser, "workload", parser->names->workloads, parser->names->workload_count,
                        &(*made)->set));
    else
        WM_TRY(take_each(parser, *made));
    WM_TRY(
        expect(parser, ":", is_only ? "as in \"only cutcp: a < b\"" : "as in \"each l2: a < b\""));
    WM_TRY(parse_statement(parser, only || is_only, &inner));
    (*made)->a = inner;
    return WM_OK;
}

static enum wm_status check_end(struct parser *parser)
{
    skip_blanks(parser);
    if (parser->text[parser->at] == '\0')
        return WM_OK;
    wm_fail(parser->error, WM_INVALID, "the expression should end here");
    wm_error_cure(parser->error, "write an operator between two values");
    return at(parser, parser->at);
}

static enum wm_status check_length(const struct parser *parser)
{
    if (strlen(parser->text) <= LONGEST_TEXT)
        return WM_OK;
    wm_fail(parser->error, WM_INVALID, "the expression is longer than %d bytes", (int)LONGEST_TEXT);
    return at(parser, 0);
}

enum wm_status wm_claim_parse(const char *text, const struct wm_expression_names *names,
                              struct wm_arena *arena, const struct wm_expression **claim,
                              size_t *offset, struct wm_error *error)
{
    struct parser parser = {.text = text,
                            .names = names,
                            .arena = arena,
                            .is_claim = true,
                            .offset = offset,
                            .error = error};
    struct wm_expression *made;
    struct wm_expression_shape shape;
    WM_TRY(check_length(&parser));
    WM_TRY(parse_statement(&parser, false, &made));
    WM_TRY(new_node(&parser, WM_ON, 0, made, NULL, &made));
    WM_TRY(take_workloads(&parser, &made->set));
    WM_TRY(check_end(&parser));
    WM_TRY(wm_expression_shape(made, names, &shape, offset, error));
    if (shape.type != WM_VALUE_TRUTH) {
        wm_fail(error, WM_INVALID, "this is a value, not a claim");
        wm_error_cure(error, "compare it: mean(a / b) <= 0.85, argmin(a) is lbm");
        return at(&parser, 0);
    }
    *claim = made;
    return WM_OK;
}

enum wm_status wm_metric_parse(const char *text, const struct wm_expression_names *names,
                               struct wm_arena *arena, const struct wm_expression **metric,
                               size_t *offset, struct wm_error *error)
{
    struct parser parser = {
        .text = text, .names = names, .arena = arena, .offset = offset, .error = error};
    struct wm_expression *made;
    WM_TRY(check_length(&parser));
    WM_TRY(parse_or(&parser, &made));
    WM_TRY(check_end(&parser));
    *metric = made;
    return WM_OK;
}

enum wm_status wm_machine_select(const char *selectors, const struct wm_expression_names *names,
                                 uint32_t *machine, size_t *offset, struct wm_error *error)
{
    struct wm_expression node = {.kind = WM_METRIC, .workload = WM_THIS_WORKLOAD};
    struct wm_expression_shape shape;
    struct parser parser = {
        .text = selectors, .names = names, .is_claim = true, .offset = offset, .error = error};
    memset(node.axes, WM_ANY_VALUE, sizeof node.axes);
    WM_TRY(check_length(&parser));
    WM_TRY(take_selectors(&parser, &node));
    WM_TRY(check_end(&parser));
    if (node.workload != WM_THIS_WORKLOAD) {
        wm_fail(error, WM_INVALID, "a workload has no place here");
        return at(&parser, 0);
    }
    WM_TRY(wm_expression_shape(&node, names, &shape, offset, error));
    uint32_t matches;
    *machine = wm_expression_machine(names, node.axes, &matches);
    return WM_OK;
}
