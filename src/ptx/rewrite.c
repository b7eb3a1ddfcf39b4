#include "ptx/rewrite.h"

#include "ptx/parse/lexer.h"

#include <inttypes.h>
#include <string.h>

static bool is_cache_operator(enum wm_ptx_modifier modifier)
{
    switch ((int)modifier) {
    case WM_PTX_ca:
    case WM_PTX_cg:
    case WM_PTX_cs:
    case WM_PTX_lu:
    case WM_PTX_cv: return true;
    default: return false;
    }
}

static bool is_l1_priority(enum wm_ptx_modifier modifier)
{
    switch ((int)modifier) {
    case WM_PTX_L1_evict_normal:
    case WM_PTX_L1_evict_unchanged:
    case WM_PTX_L1_evict_first:
    case WM_PTX_L1_evict_last:
    case WM_PTX_L1_no_allocate: return true;
    default: return false;
    }
}

static bool names_l2_priority(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_L2_evict_normal) ||
           wm_ptx_has(instruction, WM_PTX_L2_evict_first) ||
           wm_ptx_has(instruction, WM_PTX_L2_evict_last) ||
           wm_ptx_has(instruction, WM_PTX_L2_evict_unchanged) ||
           wm_ptx_has(instruction, WM_PTX_L2_cache_hint);
}

static const char *what_binds(const struct wm_ptx_instruction *instruction)
{
    if (instruction->opcode != WM_PTX_OP_ld)
        return "is no ld";
    if (instruction->space != WM_PTX_global && instruction->space != WM_PTX_none)
        return "is not of global memory";
    if (instruction->semantics == WM_PTX_volatile)
        return "is volatile";
    if (instruction->semantics != WM_PTX_none && instruction->semantics != WM_PTX_weak)
        return "is ordered with other threads' accesses";
    if (wm_ptx_has(instruction, WM_PTX_cs) || wm_ptx_has(instruction, WM_PTX_lu) ||
        wm_ptx_has(instruction, WM_PTX_cv))
        return "names a cache operator other than .ca and .cg";
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        if (is_l1_priority((enum wm_ptx_modifier)instruction->modifiers[i]))
            return "names an eviction priority";
    return names_l2_priority(instruction) ? "names an eviction priority or a cache policy" : NULL;
}

bool wm_ptx_may_choose_cache(const struct wm_ptx_instruction *instruction, const char **why)
{
    const char *binds = what_binds(instruction);
    if (why != NULL)
        *why = binds;
    return binds == NULL;
}

// --- Rewriting ---

struct rewriting {
    const struct wm_ptx_module *module;
    const char *at; // in the text: what is before it has been written
    uint32_t line;  // that it is in
    const char *line_begin;
    struct wm_text *text;
    struct wm_error *error;
};

static enum wm_status not_there(const struct rewriting *it, const struct wm_ptx_statement *load)
{
    wm_fail(it->error, WM_INVALID, "there is no load here");
    return wm_error_place(it->error, "%s:%" PRIu32 ":%" PRIu32, it->module->name, load->line,
                          load->column);
}

static void copy_to(struct rewriting *it, const char *to)
{
    wm_text_append(it->text, it->at, (size_t)(to - it->at));
    it->at = to;
}

// Where the statement begins; NULL when the text ends before.
static const char *find_statement(struct rewriting *it, const struct wm_ptx_statement *load)
{
    const char *end = it->module->source + it->module->source_length;
    while (it->line < load->line) {
        const char *newline = memchr(it->line_begin, '\n', (size_t)(end - it->line_begin));
        if (newline == NULL)
            return NULL;
        it->line_begin = newline + 1;
        it->line++;
    }
    const char *begin = it->line_begin + (load->column - 1);
    return begin >= it->at && begin < end ? begin : NULL;
}

// The modifier that a word with its dot names; WM_PTX_none for another.
static enum wm_ptx_modifier modifier_of(const struct wm_ptx_instruction *instruction,
                                        const struct wm_ptx_token *token)
{
    for (uint32_t i = 0; i < instruction->modifier_count; i++) {
        enum wm_ptx_modifier modifier = (enum wm_ptx_modifier)instruction->modifiers[i];
        const char *name = wm_ptx_modifier_text(modifier);
        if (strlen(name) + 1 == token->length &&
            memcmp(token->text + 1, name, token->length - 1) == 0)
            return modifier;
    }
    return WM_PTX_none;
}

// Behind this modifier the chosen one is to stand; WM_PTX_none: behind the opcode.
static enum wm_ptx_modifier modifier_before(const struct wm_ptx_instruction *instruction,
                                            enum wm_ptx_modifier chosen)
{
    if (!is_cache_operator(chosen) && wm_ptx_has(instruction, WM_PTX_nc))
        return WM_PTX_nc;
    if (instruction->space != WM_PTX_none)
        return (enum wm_ptx_modifier)instruction->space;
    return wm_ptx_has(instruction, WM_PTX_weak) ? WM_PTX_weak : WM_PTX_none;
}

static void write_choice(struct rewriting *it, enum wm_ptx_modifier chosen, const char *behind)
{
    copy_to(it, behind);
    if (chosen != WM_PTX_none)
        wm_text_format(it->text, ".%s", wm_ptx_modifier_text(chosen));
}

// The words behind the opcode, up to the first operand.
static enum wm_status rewrite_modifiers(struct rewriting *it, struct wm_ptx_lexer *lexer,
                                        struct wm_ptx_token *token,
                                        const struct wm_ptx_cache_choice *choice)
{
    const struct wm_ptx_instruction *instruction = choice->load->instruction;
    enum wm_ptx_modifier before = modifier_before(instruction, choice->modifier);
    if (before == WM_PTX_none)
        write_choice(it, choice->modifier, token->text + token->length);
    bool written = before == WM_PTX_none;
    for (;;) {
        WM_TRY(wm_ptx_lexer_next(lexer, token));
        if (token->kind != WM_PTX_TOKEN_DOT_WORD)
            break;
        enum wm_ptx_modifier modifier = modifier_of(instruction, token);
        if (is_cache_operator(modifier) || is_l1_priority(modifier)) {
            copy_to(it, token->text);
            it->at = token->text + token->length;
        } else if (modifier == before && !written) {
            write_choice(it, choice->modifier, token->text + token->length);
            written = true;
        }
    }
    return written ? WM_OK : not_there(it, choice->load);
}

static enum wm_status rewrite_load(struct rewriting *it, const struct wm_ptx_cache_choice *choice)
{
    const char *begin = find_statement(it, choice->load);
    if (begin == NULL)
        return not_there(it, choice->load);
    struct wm_ptx_lexer lexer;
    struct wm_ptx_token token;
    wm_ptx_lexer_init(&lexer, it->module->name, begin,
                      it->module->source + it->module->source_length, it->error);
    WM_TRY(wm_ptx_lexer_next(&lexer, &token));
    if (token.kind == WM_PTX_TOKEN_PUNCTUATION && token.punctuation == '@') { // "@!%p1 ld"
        do
            WM_TRY(wm_ptx_lexer_next(&lexer, &token));
        while (token.kind == WM_PTX_TOKEN_PUNCTUATION && token.punctuation == '!');
        WM_TRY(wm_ptx_lexer_next(&lexer, &token));
    }
    if (token.kind != WM_PTX_TOKEN_NAME || token.length != 2 || memcmp(token.text, "ld", 2) != 0)
        return not_there(it, choice->load);
    return rewrite_modifiers(it, &lexer, &token, choice);
}

enum wm_status wm_ptx_rewrite_caches(const struct wm_ptx_module *module,
                                     const struct wm_ptx_cache_choice *choices, uint32_t count,
                                     struct wm_text *text, struct wm_error *error)
{
    struct rewriting it = {.module = module,
                           .at = module->source,
                           .line = 1,
                           .line_begin = module->source,
                           .text = text,
                           .error = error};
    for (uint32_t i = 0; i < count; i++)
        WM_TRY(rewrite_load(&it, &choices[i]));
    copy_to(&it, module->source + module->source_length);
    return WM_OK;
}
