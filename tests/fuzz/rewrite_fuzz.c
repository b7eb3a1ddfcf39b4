// PTX whose loads get other cache choices: the first bytes choose, the rest is the text. What is
// rewritten parses; each load says what was chosen, all else is the same; and with every choice
// taken back it is, to the byte, what the original is without any.
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

static const enum wm_ptx_modifier modifiers[] = {WM_PTX_none, WM_PTX_ca, WM_PTX_cg};

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
                    (*choices)[count] = (struct wm_ptx_cache_choice){statement, WM_PTX_none};
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

static void check(const struct wm_ptx_module *module, const uint8_t *chosen)
{
    struct wm_ptx_cache_choice *choices, *found;
    uint32_t count = loads_of(module, &choices);
    for (uint32_t i = 0; i < count; i++)
        choices[i].modifier = modifiers[(chosen[i % CHOOSING_BYTES] + i / CHOOSING_BYTES) % 3];
    struct wm_text text, again, plain, plain_again;
    struct wm_ptx_module *rewritten;
    struct wm_error error;
    char shown[2048];
    rewrite(module, choices, count, &text);
    if (wm_ptx_parse(text.data, text.length, "rewritten", &rewritten, &error) != WM_OK) {
        fprintf(stderr, "%s\n%s\n", wm_error_format(&error, shown, sizeof shown), text.data);
        abort();
    }
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wm_ptx_module *module;
    if (size < CHOOSING_BYTES ||
        wm_ptx_parse((const char *)data + CHOOSING_BYTES, size - CHOOSING_BYTES, "fuzz.ptx",
                     &module, NULL) != WM_OK)
        return 0;
    check(module, data);
    wm_ptx_module_free(module);
    return 0;
}
