// PTX whose loads get other cache choices, of operators, priorities at L1 and policies for L2: the
// first bytes choose, the rest is the text. What is rewritten parses; each load says what was
// chosen, all else is the same. With the policies cut out it is, to the byte, what the operators
// and priorities alone make; and with every operator taken back, what the original is without any.
#include "ptx/rewrite.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOOSING_BYTES = 8 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

// The first are taken back by the rewriter; a load that names a priority is left as it is.
enum { OPERATORS = 3, WORDS = 6, POLICIES = 3 };
static const enum wm_ptx_modifier modifiers[WORDS] = {
    WM_PTX_none,           WM_PTX_ca,           WM_PTX_cg, WM_PTX_L1_no_allocate,
    WM_PTX_L1_evict_first, WM_PTX_L1_evict_last};
static const enum wm_ptx_modifier policies[POLICIES] = {WM_PTX_none, WM_PTX_L2_evict_first,
                                                        WM_PTX_L2_evict_last};

// Every load that may say something else, in the order of the text.
static uint32_t loads_of(const struct wm_ptx_module *module, struct wm_ptx_cache_choice **choices)
{
    uint32_t count = 0;
    *choices = NULL;
    for (int filling = 0; filling < 2; filling++) {
        if (filling)
            *choices = calloc(count + UINT64_C(1), sizeof **choices);
        count = 0;
        for (uint32_t i = 0; i < module->item_count; i++) {
            if (module->items[i].kind != WM_PTX_ITEM_FUNCTION)
                continue;
            const struct wm_ptx_function *function = module->items[i].function;
            for (uint32_t s = 0; s < function->statement_count; s++) {
                const struct wm_ptx_statement *statement = &function->statements[s];
                if (statement->kind != WM_PTX_STATEMENT_INSTRUCTION ||
                    !wm_ptx_may_choose_cache(statement->instruction, NULL))
                    continue;
                if (filling)
                    (*choices)[count] =
                        (struct wm_ptx_cache_choice){.load = statement, .function = function};
                count++;
            }
        }
    }
    return count;
}

static enum wm_ptx_modifier operator_of(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_cg)   ? WM_PTX_cg
           : wm_ptx_has(instruction, WM_PTX_ca) ? WM_PTX_ca
                                                : WM_PTX_none;
}

static void rewrite(const struct wm_ptx_module *module, const struct wm_ptx_cache_choice *choices,
                    uint32_t count, struct wm_text *text)
{
    struct wm_error error;
    wm_text_init(text);
    require(wm_ptx_rewrite_caches(module, choices, count, text, &error) == WM_OK && !text->failed);
}

static void without_any(const struct wm_ptx_module *module, struct wm_text *text)
{
    struct wm_ptx_cache_choice *choices;
    uint32_t count = loads_of(module, &choices);
    rewrite(module, choices, count, text);
    free(choices);
}

static bool same(const struct wm_text *a, const struct wm_text *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

static struct wm_ptx_module *parse(const struct wm_text *text)
{
    struct wm_ptx_module *module;
    struct wm_error error;
    char shown[2048];
    if (wm_ptx_parse(text->data, text->length, "rewritten", &module, &error) != WM_OK) {
        fprintf(stderr, "%s\n%s\n", wm_error_format(&error, shown, sizeof shown), text->data);
        abort();
    }
    return module;
}

// ---- Operators
// -----------------------------------------------------------------------------------

static void check_operators(const struct wm_ptx_module *module, const uint8_t *chosen)
{
    struct wm_ptx_cache_choice *choices, *found;
    uint32_t count = loads_of(module, &choices);
    for (uint32_t i = 0; i < count; i++)
        choices[i].modifier =
            modifiers[(chosen[i % CHOOSING_BYTES] + i / CHOOSING_BYTES) % OPERATORS];
    struct wm_text text, again, plain, plain_again;
    rewrite(module, choices, count, &text);
    struct wm_ptx_module *rewritten = parse(&text);
    require(loads_of(rewritten, &found) == count);
    for (uint32_t i = 0; i < count; i++) {
        require(operator_of(found[i].load->instruction) == choices[i].modifier);
        found[i].modifier = choices[i].modifier;
    }
    rewrite(rewritten, found, count, &again);
    require(same(&text, &again));
    without_any(module, &plain);
    without_any(rewritten, &plain_again);
    require(same(&plain, &plain_again));
    wm_text_release(&text);
    wm_text_release(&again);
    wm_text_release(&plain);
    wm_text_release(&plain_again);
    wm_ptx_module_free(rewritten);
    free(choices);
    free(found);
}

// ---- Priorities and policies
// -----------------------------------------------------------------------

static size_t prefix(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0 ? strlen(word) : 0;
}

// Cuts out what policies need: their registers and makers, and what loads say of them.
static void cut_policies(const struct wm_text *from, struct wm_text *to)
{
    static const char declares[] = ".reg .b64 %warpmem_", names[] = ", %warpmem_";
    wm_text_init(to);
    for (const char *at = from->data, *end = at + from->length; at < end;) {
        size_t cut = prefix(at, ".L2::cache_hint");
        if (prefix(at, declares) != 0) {
            const char *maker = strchr(at, ';') + 2;
            require(prefix(maker, "createpolicy.fractional.L2::evict_") != 0);
            cut = (size_t)(strchr(maker, ';') + 2 - at);
        } else if (prefix(at, names) != 0) {
            cut = strcspn(at, ";");
        }
        if (cut == 0)
            wm_text_append(to, at, 1);
        at += cut != 0 ? cut : 1;
    }
}

// The loads of the rewritten text stand in the same order: those of `choices` say what was chosen.
static void require_chosen(const struct wm_ptx_module *rewritten,
                           const struct wm_ptx_module *module,
                           const struct wm_ptx_cache_choice *choices, uint32_t count)
{
    require(rewritten->item_count == module->item_count);
    uint32_t next = 0;
    for (uint32_t i = 0; i < module->item_count; i++) {
        if (module->items[i].kind != WM_PTX_ITEM_FUNCTION)
            continue;
        const struct wm_ptx_function *before = module->items[i].function,
                                     *after = rewritten->items[i].function;
        // What was added stands first: two statements a policy.
        uint32_t added = after->statement_count - before->statement_count;
        require(added % 2 == 0 && added <= 4);
        for (uint32_t s = 0; s < before->statement_count; s++) {
            if (next == count || choices[next].load != &before->statements[s])
                continue;
            const struct wm_ptx_instruction *load = after->statements[s + added].instruction;
            require(choices[next].modifier == WM_PTX_none ||
                    wm_ptx_has(load, choices[next].modifier));
            require(wm_ptx_has(load, WM_PTX_L2_cache_hint) == (choices[next].l2 != WM_PTX_none));
            next++;
        }
    }
    require(next == count);
}

static bool has(const struct wm_ptx_module *module, const char *word)
{
    return memmem(module->source, module->source_length, word, strlen(word)) != NULL;
}

static void check_priorities(const struct wm_ptx_module *module, const uint8_t *chosen)
{
    if (!wm_ptx_may_prioritise(module, true) || has(module, "warpmem") ||
        has(module, "L2::cache_hint"))
        return;
    struct wm_ptx_cache_choice *choices;
    uint32_t count = loads_of(module, &choices);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bits = (uint8_t)(chosen[i % CHOOSING_BYTES] + i / CHOOSING_BYTES);
        choices[i].modifier = modifiers[bits % WORDS];
        choices[i].l2 = policies[bits / WORDS % POLICIES];
    }
    struct wm_text text, cut, without;
    rewrite(module, choices, count, &text);
    struct wm_ptx_module *rewritten = parse(&text);
    require_chosen(rewritten, module, choices, count);
    wm_ptx_module_free(rewritten);
    bool any = false, l1 = false;
    for (uint32_t i = 0; i < count; i++) {
        any |= choices[i].l2 != WM_PTX_none;
        l1 |= choices[i].modifier == modifiers[3] || choices[i].modifier == modifiers[4] ||
              choices[i].modifier == modifiers[5];
        choices[i].l2 = WM_PTX_none;
    }
    cut_policies(&text, &cut);
    rewrite(module, choices, count, &without);
    // A policy alone may have raised the version: three bytes, or four, of the first line.
    bool raised =
        any && !l1 &&
        (module->version_major < 7 || (module->version_major == 7 && module->version_minor < 4));
    if (!raised)
        require(same(&cut, &without));
    wm_text_release(&text);
    wm_text_release(&cut);
    wm_text_release(&without);
    free(choices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wm_ptx_module *module;
    if (size < CHOOSING_BYTES ||
        wm_ptx_parse((const char *)data + CHOOSING_BYTES, size - CHOOSING_BYTES, "fuzz.ptx",
                     &module, NULL) != WM_OK)
        return 0;
    check_operators(module, data);
    check_priorities(module, data);
    wm_ptx_module_free(module);
    return 0;
}
