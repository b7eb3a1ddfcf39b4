#include "engine/walk_priorities.h"

#include <stdlib.h>
#include <string.h>

// The word behind `level` in an opcode: "L2::" of "ld.global.L2::evict_last.f32".
static enum wm_eviction_priority priority_of(const char *opcode, size_t length, const char *level)
{
    static const struct {
        const char *word;
        enum wm_eviction_priority priority;
    } words[] = {{"evict_first", WM_EVICT_FIRST},
                 {"evict_last", WM_EVICT_LAST},
                 {"evict_unchanged", WM_EVICT_UNCHANGED}};
    size_t prefix = strlen(level);
    for (const char *at = opcode; (at = strstr(at, level)) != NULL; at += prefix) {
        if ((size_t)(at - opcode) >= length)
            break;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strncmp(at + prefix, words[i].word, strlen(words[i].word)) == 0)
                return words[i].priority;
    }
    return WM_EVICT_NORMAL;
}

// Whether the opcode has that modifier, dots before and behind.
static bool has(const char *opcode, size_t length, const char *modifier)
{
    size_t bytes = strlen(modifier);
    for (const char *at = opcode; (at = strstr(at, modifier)) != NULL; at += bytes)
        if ((size_t)(at - opcode) + bytes <= length && (at[bytes] == '.' || at[bytes] == ' '))
            return true;
    return false;
}

// A register of a text: where its last operand begins, and how long it is.
static size_t last_operand(const char *text, const char **operand)
{
    const char *comma = strrchr(text, ',');
    *operand = comma != NULL ? comma + 1 + strspn(comma + 1, " ") : text;
    return strcspn(*operand, " ;");
}

// Whether a policy is for all accesses: without a fraction, or with 1.0, as the PTX printer has it
// or a trace of another tool.
static bool is_whole(const char *operands)
{
    static const char *const ones[] = {"1.0", "0f3F800000", "0d3FF0000000000000"};
    const char *fraction = strchr(operands, ',');
    bool whole = fraction == NULL;
    for (size_t i = 0; !whole && i < sizeof ones / sizeof ones[0]; i++)
        whole = strstr(fraction, ones[i]) != NULL;
    return whole;
}

// The L2 priority of the policy in that register: that of the createpolicy.fractional that makes
// it, when only one does.
static enum wm_eviction_priority policy_of(const struct wm_work *work, const char *name,
                                           size_t length)
{
    static const char makes[] = "createpolicy.";
    enum wm_eviction_priority priority = WM_EVICT_NORMAL;
    uint32_t makers = 0;
    for (uint32_t pc = 0; pc < work->instruction_count; pc++) {
        struct wm_instruction_facts facts;
        struct wm_text text;
        wm_text_init(&text);
        work->ops->describe(work, pc, &facts, &text);
        size_t opcode = text.data != NULL ? strcspn(text.data, " ") : 0;
        const char *to =
            text.data != NULL ? text.data + opcode + strspn(text.data + opcode, " ") : "";
        if (text.data != NULL && strncmp(text.data, makes, sizeof makes - 1) == 0 &&
            strncmp(to, name, length) == 0 && strcspn(to, ", ;") == length) {
            makers++;
            if (has(text.data, opcode, ".fractional") && is_whole(to))
                priority = priority_of(text.data, opcode, "L2::");
        }
        wm_text_release(&text);
    }
    return makers == 1 ? priority : WM_EVICT_NORMAL;
}

// Of one memory instruction, at both levels.
static void read_text(const struct wm_work *work, const char *text, uint8_t *l1, uint8_t *l2)
{
    size_t length = strcspn(text, " ");
    // "likely accessed once or twice", in L1 and L2: PTX ISA 9.7.9.1, of .lu "as ld.cs".
    bool streams = has(text, length, ".cs") || has(text, length, ".lu");
    *l1 = (uint8_t)(streams ? WM_EVICT_FIRST : priority_of(text, length, "L1::"));
    *l2 = (uint8_t)(streams ? WM_EVICT_FIRST : priority_of(text, length, "L2::"));
    if (has(text, length, ".L2::cache_hint")) {
        const char *name;
        size_t bytes = last_operand(text, &name);
        *l2 = (uint8_t)policy_of(work, name, bytes);
    }
}

bool wm_walk_priorities_init(struct wm_walk_priorities *priorities, const struct wm_work *work)
{
    size_t count = work->instruction_count + UINT64_C(1);
    uint8_t any = 0;
    *priorities = (struct wm_walk_priorities){.l1 = calloc(count, 1), .l2 = calloc(count, 1)};
    bool good = priorities->l1 != NULL && priorities->l2 != NULL;
    for (uint32_t pc = 0; good && pc < work->instruction_count; pc++) {
        struct wm_instruction_facts facts;
        work->ops->describe(work, pc, &facts, NULL);
        if (!facts.is_memory || facts.space == WM_SPACE_SHARED)
            continue;
        struct wm_text text;
        wm_text_init(&text);
        work->ops->describe(work, pc, &facts, &text);
        read_text(work, text.data != NULL ? text.data : "", &priorities->l1[pc],
                  &priorities->l2[pc]);
        any |= priorities->l1[pc] | priorities->l2[pc];
        wm_text_release(&text);
    }
    if (any == 0)
        wm_walk_priorities_release(priorities);
    return good;
}

void wm_walk_priorities_release(struct wm_walk_priorities *priorities)
{
    free(priorities->l1);
    free(priorities->l2);
    *priorities = (struct wm_walk_priorities){0};
}
