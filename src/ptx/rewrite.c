#include "ptx/rewrite.h"

#include "ptx/parse/lexer.h"

#include <inttypes.h>
#include <stdio.h>
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
    if (instruction->operand_count < 2)
        return "has no address";
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

static bool is_of_version(const struct wm_ptx_module *module, uint32_t major, uint32_t minor)
{
    return module->version_major > major ||
           (module->version_major == major && module->version_minor >= minor);
}

bool wm_ptx_may_prioritise(const struct wm_ptx_module *module, bool l2)
{
    uint32_t target = l2 ? WM_PTX_L2_POLICIES_TARGET : WM_PTX_L1_PRIORITIES_TARGET;
    return module->target_architecture >= target &&
           is_of_version(module, WM_PTX_RAISED_MAJOR, WM_PTX_RAISED_MINOR);
}

// --- Rewriting ---

enum { POLICIES = 2 };

struct rewriting {
    const struct wm_ptx_module *module;
    const char *at; // in the text: what is before it has been written
    uint32_t line;  // that it is in
    const char *line_begin;
    unsigned numbers[POLICIES]; // of the registers made last, by policy
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

// What is to be written of a choice, and behind which modifier it has not been yet.
struct writing {
    enum wm_ptx_modifier chosen[2], before[2]; // of L1, of L2
    bool written[2];
};

// Behind the modifier that has just been read, up to `end`: all that is to stand there.
static void write_behind(struct rewriting *it, struct writing *writing,
                         enum wm_ptx_modifier modifier, const char *end)
{
    for (int i = 0; i < 2; i++) {
        if (writing->written[i] || writing->before[i] != modifier)
            continue;
        copy_to(it, end);
        if (writing->chosen[i] != WM_PTX_none)
            wm_text_format(it->text, ".%s", wm_ptx_modifier_text(writing->chosen[i]));
        writing->written[i] = true;
    }
}

// The words behind the opcode, up to the first operand.
static enum wm_status rewrite_modifiers(struct rewriting *it, struct wm_ptx_lexer *lexer,
                                        struct wm_ptx_token *token,
                                        const struct wm_ptx_cache_choice *choice)
{
    const struct wm_ptx_instruction *instruction = choice->load->instruction;
    struct writing writing = {.chosen = {choice->modifier, choice->l2 != WM_PTX_none
                                                               ? WM_PTX_L2_cache_hint
                                                               : WM_PTX_none},
                              .before = {modifier_before(instruction, choice->modifier),
                                         modifier_before(instruction, WM_PTX_L2_cache_hint)}};
    write_behind(it, &writing, WM_PTX_none, token->text + token->length);
    for (;;) {
        WM_TRY(wm_ptx_lexer_next(lexer, token));
        if (token->kind != WM_PTX_TOKEN_DOT_WORD)
            break;
        enum wm_ptx_modifier modifier = modifier_of(instruction, token);
        if (is_cache_operator(modifier) || is_l1_priority(modifier)) {
            copy_to(it, token->text);
            it->at = token->text + token->length;
        } else if (modifier != WM_PTX_none) {
            write_behind(it, &writing, modifier, token->text + token->length);
        }
    }
    return writing.written[0] && writing.written[1] ? WM_OK : not_there(it, choice->load);
}

// --- Versions ---

static bool need_priorities(const struct wm_ptx_cache_choice *choices, uint32_t count)
{
    bool need = false;
    for (uint32_t i = 0; i < count; i++)
        need |= is_l1_priority(choices[i].modifier) || choices[i].l2 != WM_PTX_none;
    return need;
}

// An older text becomes one of the version that its loads need: its first words are ".version M.N".
static enum wm_status raise_version(struct rewriting *it)
{
    struct wm_ptx_lexer lexer;
    struct wm_ptx_token token;
    wm_ptx_lexer_init(&lexer, it->module->name, it->module->source,
                      it->module->source + it->module->source_length, it->error);
    WM_TRY(wm_ptx_lexer_next(&lexer, &token));
    WM_TRY(wm_ptx_lexer_next(&lexer, &token));
    copy_to(it, token.text);
    wm_text_format(it->text, "%d.%d", WM_PTX_PRIORITIES_MAJOR, WM_PTX_PRIORITIES_MINOR);
    it->at = token.text + token.length;
    return WM_OK;
}

// --- Policies ---

// Policies of the two priorities.
static const enum wm_ptx_modifier policies[POLICIES] = {WM_PTX_L2_evict_first,
                                                        WM_PTX_L2_evict_last};
static const char *const policy_names[POLICIES] = {"evict_first", "evict_last"};

static int policy_with(enum wm_ptx_modifier priority)
{
    return priority == policies[1];
}

// Appends the register of the function's policy.
static void name_policy(const struct rewriting *it, int policy)
{
    wm_text_format(it->text, "%%warpmem_%s_%u", policy_names[policy], it->numbers[policy]);
}

// In a register of a name that the module has nowhere, nor another function: what a policy is can
// be read off the one instruction that makes it (docs/replacement.md).
static void make_policy(struct rewriting *it, int policy)
{
    char name[40];
    do
        snprintf(name, sizeof name, "%%warpmem_%s_%u", policy_names[policy], ++it->numbers[policy]);
    while (memmem(it->module->source, it->module->source_length, name, strlen(name)) != NULL);
    wm_text_format(it->text, ".reg .b64 %s; createpolicy.fractional.%s.b64 %s; ", name,
                   wm_ptx_modifier_text(policies[policy]), name);
}

// Makes the policies of the function's loads, the first of which is choices[0], before its first
// statement.
static enum wm_status make_policies(struct rewriting *it, const struct wm_ptx_cache_choice *choices,
                                    uint32_t count)
{
    const struct wm_ptx_function *function = choices[0].function;
    for (int policy = 0; policy < POLICIES; policy++) {
        bool used = false;
        for (uint32_t i = 0; i < count && choices[i].function == function; i++)
            used |= choices[i].l2 == policies[policy];
        if (!used)
            continue;
        const char *begin = find_statement(it, &function->statements[0]);
        if (begin == NULL)
            return not_there(it, choices[0].load);
        copy_to(it, begin);
        make_policy(it, policy);
    }
    return WM_OK;
}

// Behind the operands, the first of which has been read.
static enum wm_status name_operand(struct rewriting *it, struct wm_ptx_lexer *lexer,
                                   struct wm_ptx_token *token,
                                   const struct wm_ptx_cache_choice *choice)
{
    while (token->kind != WM_PTX_TOKEN_END &&
           (token->kind != WM_PTX_TOKEN_PUNCTUATION || token->punctuation != ';'))
        WM_TRY(wm_ptx_lexer_next(lexer, token));
    if (token->kind == WM_PTX_TOKEN_END)
        return not_there(it, choice->load);
    copy_to(it, token->text);
    wm_text_add(it->text, ", ");
    name_policy(it, policy_with(choice->l2));
    return WM_OK;
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
    WM_TRY(rewrite_modifiers(it, &lexer, &token, choice));
    return choice->l2 != WM_PTX_none ? name_operand(it, &lexer, &token, choice) : WM_OK;
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
    if (need_priorities(choices, count) &&
        !is_of_version(module, WM_PTX_PRIORITIES_MAJOR, WM_PTX_PRIORITIES_MINOR))
        WM_TRY(raise_version(&it));
    for (uint32_t i = 0; i < count; i++) {
        if (choices[i].function != NULL &&
            (i == 0 || choices[i].function != choices[i - 1].function))
            WM_TRY(make_policies(&it, &choices[i], count - i));
        WM_TRY(rewrite_load(&it, &choices[i]));
    }
    copy_to(&it, module->source + module->source_length);
    return WM_OK;
}
