// Where a kernel's branches lead, by the labels of its module's text.
#include "engine/issue/machine_code_reading.h"

#include "base/containers/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct label {
    const char *name;
    size_t length;
    uint32_t line;
};

struct labels {
    struct label *items; // owned, by line
    uint32_t count, room;
};

// "L:", alone on its line.
static bool read_label(const char *at, size_t length, struct label *label)
{
    while (length > 0 && isspace((unsigned char)*at)) {
        at++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)at[length - 1]))
        length--;
    label->name = at;
    label->length = length - 1;
    if (length < 2 || at[length - 1] != ':')
        return false;
    for (size_t i = 0; i < length - 1; i++)
        if (!isalnum((unsigned char)at[i]) && strchr("_$%", at[i]) == NULL)
            return false;
    return true;
}

static bool read_labels(struct labels *labels, const char *text)
{
    uint32_t line = 1;
    for (const char *at = text; *at != '\0'; line++) {
        size_t length = strcspn(at, "\n");
        struct label label = {.line = line};
        if (read_label(at, length, &label) &&
            !WM_ARRAY_ADD(labels->items, labels->count, labels->room, label))
            return false;
        at += length;
        at += *at == '\n';
    }
    return true;
}

static const char *target_name(const struct wm_code_instruction *it, size_t *length)
{
    const char *name = it->text + it->opcode_length;
    name += strspn(name, " \t");
    *length = strcspn(name, " \t,;");
    return name;
}

// The first instruction behind a label that lies behind `pc`; or WM_CODE_NONE.
static int64_t first_behind(const struct wm_code *code, uint32_t pc, uint32_t line)
{
    // Functions that are called follow, with lines of their own.
    for (uint32_t at = pc + 1; at < code->count; at++) {
        if (code->instructions[at].line <= code->instructions[at - 1].line)
            return WM_CODE_NONE;
        if (code->instructions[at].line > line)
            return at;
    }
    return WM_CODE_NONE;
}

// The same of one that lies before it.
static uint32_t first_before(const struct wm_code *code, uint32_t pc, uint32_t line)
{
    while (pc > 0 && code->instructions[pc - 1].line > line &&
           code->instructions[pc - 1].line < code->instructions[pc].line)
        pc--;
    return pc;
}

// The next label of that name behind the branch, or if there is none the last one before it.
static const struct label *find_label(const struct labels *labels, uint32_t line, const char *name,
                                      size_t length)
{
    const struct label *found = NULL;
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct label *label = &labels->items[i];
        if (label->length != length || memcmp(label->name, name, length) != 0)
            continue;
        found = label;
        if (label->line > line)
            break;
    }
    return found;
}

static void find_target(struct wm_code *code, uint32_t pc, const struct labels *labels)
{
    struct wm_code_instruction *it = &code->instructions[pc];
    size_t length;
    const char *name = target_name(it, &length);
    const struct label *label = find_label(labels, it->line, name, length);
    if (label == NULL)
        return;
    if (label->line < it->line) {
        it->target = first_before(code, pc, label->line);
        code->instructions[it->target].reached = WM_CODE_LOOP;
        return;
    }
    it->target = first_behind(code, pc, label->line);
    if (it->target != WM_CODE_NONE && code->instructions[it->target].reached < WM_CODE_LOOP)
        code->instructions[it->target].reached++;
}

// A table of branches names labels that no branch does.
static bool has_tables(const struct wm_code *code)
{
    for (uint32_t pc = 0; pc < code->count; pc++)
        if (code->instructions[pc].opcode == WM_PTX_OP_brx)
            return true;
    return false;
}

bool wm_code_find_targets(struct wm_code *code, const char *text)
{
    struct labels labels = {0};
    if (has_tables(code))
        return true;
    bool done = read_labels(&labels, text);
    for (uint32_t pc = 0; done && pc < code->count; pc++)
        if (code->instructions[pc].opcode == WM_PTX_OP_bra)
            find_target(code, pc, &labels);
    free(labels.items);
    return done;
}
