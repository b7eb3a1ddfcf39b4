// The words of expressions: blanks, symbols, names, sets of names, and what stands in brackets.
#include "study/expressions/lexer.h"

#include "base/text/nearest.h"

#include <ctype.h>

// ---- Words --------------------------------------------------------------------------------------

// Says what the error set is about; returns its status.
enum wm_status wm_parser_at(const struct wm_parser *parser, size_t offset)
{
    *parser->offset = offset;
    return parser->error ? parser->error->status : WM_INVALID;
}

void wm_parser_skip(struct wm_parser *parser)
{
    while (isspace((unsigned char)parser->text[parser->at]))
        parser->at++;
}

bool wm_parser_accept(struct wm_parser *parser, const char *symbol)
{
    wm_parser_skip(parser);
    size_t length = strlen(symbol);
    if (strncmp(parser->text + parser->at, symbol, length) != 0)
        return false;
    parser->at += length;
    return true;
}

bool wm_is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool wm_parser_accept_word(struct wm_parser *parser, const char *word)
{
    wm_parser_skip(parser);
    size_t length = strlen(word);
    if (strncmp(parser->text + parser->at, word, length) != 0 ||
        wm_is_word_character(parser->text[parser->at + length]))
        return false;
    parser->at += length;
    return true;
}

enum wm_status wm_parser_expect(struct wm_parser *parser, const char *symbol, const char *why)
{
    if (wm_parser_accept(parser, symbol))
        return WM_OK;
    char c = parser->text[parser->at];
    if (c == '\0')
        wm_fail(parser->error, WM_INVALID, "the expression ends where \"%s\" is expected", symbol);
    else
        wm_fail(parser->error, WM_INVALID, "\"%s\" is expected here", symbol);
    wm_error_hint(parser->error, "%s", why);
    return wm_parser_at(parser, parser->at);
}

// A name as in brackets: of a workload, an axis, or a value of an axis.
enum wm_status wm_parser_name(struct wm_parser *parser, char name[WM_LONGEST_NAME + 1],
                              size_t *offset)
{
    wm_parser_skip(parser);
    *offset = parser->at;
    const char *begin = parser->text + parser->at;
    bool quoted = *begin == '"';
    size_t length = 0;
    if (quoted)
        length = strcspn(++begin, "\"");
    else
        while (wm_is_word_character(begin[length]) ||
               (begin[length] != '\0' && strchr(".+-/", begin[length])))
            length++;
    if (length == 0 || length > WM_LONGEST_NAME || (quoted && begin[length] != '"')) {
        wm_fail(parser->error, WM_INVALID, "a name is expected here");
        wm_error_hint(parser->error, "letters, digits and \"_.+-/\", or anything in double quotes");
        return wm_parser_at(parser, *offset);
    }
    memcpy(name, begin, length);
    name[length] = '\0';
    parser->at = (size_t)(begin - parser->text) + length + quoted;
    return WM_OK;
}

bool wm_parser_find(const char *const *names, uint32_t count, const char *name, uint32_t *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names[*index], name) == 0)
            return true;
    return false;
}

// `kind` is what the name should have been; offers what there is.
enum wm_status wm_parser_unknown(const struct wm_parser *parser, const char *kind, const char *name,
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
        wm_error_hint(parser->error, "did you mean %s?", nearest.best);
    else if (count == 0)
        wm_error_hint(parser->error, "the study names none before this");
    else
        wm_error_hint(parser->error, "there are %s", known.failed ? "others" : known.data);
    wm_text_release(&known);
    return wm_parser_at(parser, offset);
}

enum wm_status wm_parser_node(struct wm_parser *parser, enum wm_expression_kind kind, size_t offset,
                              const struct wm_expression *a, const struct wm_expression *b,
                              struct wm_expression **made)
{
    *made = WM_ARENA_NEW(parser->arena, struct wm_expression);
    if (!*made)
        return wm_fail_no_memory(parser->error, "an expression");
    **made = (struct wm_expression){.kind = kind,
                                    .offset = offset,
                                    .a = a,
                                    .b = b,
                                    .workload = WM_THIS_WORKLOAD,
                                    .axis = WM_NO_AXIS};
    memset((*made)->axes, WM_ANY_VALUE, sizeof(*made)->axes);
    return WM_OK;
}

// "lbm, spmv": as a set.
enum wm_status wm_parser_set(struct wm_parser *parser, const char *kind, const char *const *names,
                             uint32_t count, uint64_t *set)
{
    *set = 0;
    do {
        char name[WM_LONGEST_NAME + 1];
        size_t offset;
        uint32_t index;
        WM_TRY(wm_parser_name(parser, name, &offset));
        if (!wm_parser_find(names, count, name, &index))
            return wm_parser_unknown(parser, kind, name, names, count, offset);
        *set |= UINT64_C(1) << index;
    } while (wm_parser_accept(parser, ","));
    return WM_OK;
}

static uint64_t all_workloads(const struct wm_parser *parser)
{
    uint32_t count = parser->names->workload_count;
    return count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

// "on lbm, spmv", "except cutcp", or nothing, which is all.
enum wm_status wm_parser_workloads(struct wm_parser *parser, uint64_t *set)
{
    *set = all_workloads(parser);
    bool except = wm_parser_accept_word(parser, "except");
    if (!except && !wm_parser_accept_word(parser, "on"))
        return WM_OK;
    size_t offset = parser->at;
    WM_TRY(wm_parser_set(parser, "workload", parser->names->workloads,
                         parser->names->workload_count, set));
    if (except)
        *set = all_workloads(parser) & ~*set;
    if (*set != 0)
        return WM_OK;
    wm_fail(parser->error, WM_INVALID, "no workload is left");
    return wm_parser_at(parser, offset);
}

// ---- Selectors ----------------------------------------------------------------------------------

static enum wm_status select_value(struct wm_parser *parser, struct wm_expression *node,
                                   uint32_t axis, const char *name, size_t offset)
{
    const struct wm_axis *from = &parser->names->axes[axis];
    uint32_t value;
    if (!wm_parser_find(from->values, from->value_count, name, &value)) {
        char kind[WM_LONGEST_NAME + 24];
        snprintf(kind, sizeof kind, "value of axis %s", from->name);
        return wm_parser_unknown(parser, kind, name, from->values, from->value_count, offset);
    }
    if (node->axes[axis] != WM_ANY_VALUE) {
        wm_fail(parser->error, WM_INVALID, "axis %s has two values here", from->name);
        wm_error_hint(parser->error, "keep one of %s and %s", from->values[node->axes[axis]], name);
        return wm_parser_at(parser, offset);
    }
    node->axes[axis] = (uint8_t)value;
    return WM_OK;
}

static enum wm_status unknown_selector(const struct wm_parser *parser, const char *name,
                                       size_t offset)
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
        wm_error_hint(parser->error, "did you mean %s?", nearest.best);
    else
        wm_error_hint(parser->error, "brackets name one machine of the study: [1MiB, tracker]");
    return wm_parser_at(parser, offset);
}

// One name in brackets: "1MiB", "l2=1MiB", "lbm".
static enum wm_status take_selector(struct wm_parser *parser, struct wm_expression *node)
{
    const struct wm_expression_names *names = parser->names;
    char name[WM_LONGEST_NAME + 1];
    size_t offset;
    WM_TRY(wm_parser_name(parser, name, &offset));
    uint32_t axis, value, found = 0, which = 0;
    if (wm_parser_accept(parser, "=")) {
        for (axis = 0; axis < names->axis_count; axis++)
            if (strcmp(names->axes[axis].name, name) == 0)
                break;
        if (axis == names->axis_count) {
            wm_fail(parser->error, WM_NOT_FOUND, "there is no axis \"%s\"", name);
            return wm_parser_at(parser, offset);
        }
        WM_TRY(wm_parser_name(parser, name, &offset));
        return select_value(parser, node, axis, name, offset);
    }
    for (axis = 0; axis < names->axis_count; axis++)
        if (wm_parser_find(names->axes[axis].values, names->axes[axis].value_count, name, &value)) {
            found++;
            which = axis;
        }
    bool is_workload = wm_parser_find(names->workloads, names->workload_count, name, &value);
    if (found + is_workload == 0)
        return unknown_selector(parser, name, offset);
    if (found + is_workload > 1) {
        wm_fail(parser->error, WM_INVALID, "\"%s\" is a name of several things", name);
        wm_error_hint(parser->error, "name the axis: %s=%s",
                      found ? names->axes[which].name : "axis", name);
        return wm_parser_at(parser, offset);
    }
    if (found)
        return select_value(parser, node, which, name, offset);
    if (node->workload != WM_THIS_WORKLOAD) {
        wm_fail(parser->error, WM_INVALID, "two workloads in one pair of brackets");
        return wm_parser_at(parser, offset);
    }
    node->workload = value;
    return WM_OK;
}

enum wm_status wm_parser_selectors(struct wm_parser *parser, struct wm_expression *node)
{
    do {
        WM_TRY(take_selector(parser, node));
    } while (wm_parser_accept(parser, ","));
    return WM_OK;
}
