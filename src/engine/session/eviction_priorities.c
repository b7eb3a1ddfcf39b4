#include "engine/session/eviction_priorities.h"

#include "base/containers/string_map.h"
#include "mem/replacement/fractional_priority.h"

#include <stdlib.h>
#include <string.h>

// The words behind `level` in an opcode, at most two: "L2::" of "ld.global.L2::evict_last.f32".
// Returns how many are priorities.
static unsigned priorities_of(const char *opcode, size_t length, const char *level,
                              enum wm_eviction_priority found[2])
{
    static const struct {
        const char *word;
        enum wm_eviction_priority priority;
    } words[] = {{"evict_normal", WM_EVICT_NORMAL},
                 {"evict_first", WM_EVICT_FIRST},
                 {"evict_last", WM_EVICT_LAST},
                 {"evict_unchanged", WM_EVICT_UNCHANGED}};
    size_t prefix = strlen(level);
    unsigned count = 0;
    for (const char *at = opcode; (at = strstr(at, level)) != NULL; at += prefix) {
        if ((size_t)(at - opcode) >= length)
            break;
        for (size_t i = 0; i < sizeof words / sizeof words[0] && count < 2; i++)
            if (strncmp(at + prefix, words[i].word, strlen(words[i].word)) == 0)
                found[count++] = words[i].priority;
    }
    return count;
}

static enum wm_eviction_priority priority_of(const char *opcode, size_t length, const char *level)
{
    enum wm_eviction_priority found[2];
    return priorities_of(opcode, length, level, found) > 0 ? found[0] : WM_EVICT_NORMAL;
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

// The number behind a policy's register, as the PTX printer has it or a trace of another tool: for
// how many accesses its first priority is. 1 when there is none, and 0 for what is no number.
static double fraction_of(const char *operands)
{
    const char *at = strchr(operands, ',');
    if (at == NULL)
        return 1;
    at += 1 + strspn(at + 1, " ");
    if (at[0] == '0' && (at[1] == 'f' || at[1] == 'F')) {
        uint32_t bits = (uint32_t)strtoul(at + 2, NULL, 16);
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    if (at[0] == '0' && (at[1] == 'd' || at[1] == 'D')) {
        uint64_t bits = strtoull(at + 2, NULL, 16);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return strtod(at, NULL);
}

// Of a createpolicy.fractional, the byte for its accesses; its second priority is evict_unchanged
// when none is said (PTX ISA, createpolicy). In sixteenths: chosen.
static uint8_t mix_of(const char *text, size_t opcode, const char *operands)
{
    enum wm_eviction_priority found[2] = {WM_EVICT_NORMAL, WM_EVICT_UNCHANGED};
    double fraction = fraction_of(operands);
    if (priorities_of(text, opcode, "L2::", found) == 0 || !(fraction > 0 && fraction <= 1))
        return WM_EVICT_NORMAL;
    unsigned parts = (unsigned)(fraction * WM_FRACTION_PARTS + 0.5);
    return wm_fractional_priority(found[0], parts > 0 ? parts : 1, found[1]);
}

// The policies that a kernel's registers hold, found in one pass over it when it first names one.
// Names are kept behind their maker, as the map does not copy them.
struct policy {
    struct policy *next;
    uint32_t makers;
    uint8_t mix;
    char name[];
};

struct policies {
    const struct wm_work *work;
    struct wm_string_map by_name; // struct policy
    struct policy *all;           // owned
    bool known, failed;
};

static void add_maker(struct policies *policies, const char *text, size_t opcode)
{
    const char *to = text + opcode + strspn(text + opcode, " ");
    size_t length = strcspn(to, ", ;");
    struct policy *policy = wm_string_map_get(&policies->by_name, to, length);
    if (policy == NULL) {
        policy = calloc(1, sizeof *policy + length + 1);
        policies->failed |= policy == NULL;
        if (policy == NULL)
            return;
        memcpy(policy->name, to, length);
        policy->next = policies->all;
        policies->all = policy;
        policies->failed |= !wm_string_map_put(&policies->by_name, policy->name, length, policy);
    }
    policy->makers++;
    if (has(text, opcode, ".fractional"))
        policy->mix = mix_of(text, opcode, to);
}

static void find_policies(struct policies *policies)
{
    static const char makes[] = "createpolicy.";
    const struct wm_work *work = policies->work;
    for (uint32_t pc = 0; pc < work->instruction_count; pc++) {
        struct wm_instruction_facts facts;
        struct wm_text text;
        wm_text_init(&text);
        work->ops->describe(work, pc, &facts, &text);
        policies->failed |= text.failed;
        if (text.data != NULL && strncmp(text.data, makes, sizeof makes - 1) == 0)
            add_maker(policies, text.data, strcspn(text.data, " "));
        wm_text_release(&text);
    }
    policies->known = true;
}

// What the policy in that register says of L2: that of the createpolicy.fractional that makes it,
// when only one does.
static uint8_t policy_of(struct policies *policies, const char *name, size_t length)
{
    if (!policies->known)
        find_policies(policies);
    const struct policy *policy = wm_string_map_get(&policies->by_name, name, length);
    return policy != NULL && policy->makers == 1 ? policy->mix : WM_EVICT_NORMAL;
}

static void release_policies(struct policies *policies)
{
    for (struct policy *policy = policies->all, *next; policy != NULL; policy = next) {
        next = policy->next;
        free(policy);
    }
    wm_string_map_release(&policies->by_name);
}

// Of one memory instruction, at both levels.
static void read_text(struct policies *policies, const char *text, uint8_t *l1, uint8_t *l2)
{
    size_t length = strcspn(text, " ");
    // "likely accessed once or twice", in L1 and L2: PTX ISA 9.7.9.1, of .lu "as ld.cs".
    bool streams = has(text, length, ".cs") || has(text, length, ".lu");
    *l1 = (uint8_t)(streams ? WM_EVICT_FIRST : priority_of(text, length, "L1::"));
    *l2 = (uint8_t)(streams ? WM_EVICT_FIRST : priority_of(text, length, "L2::"));
    if (has(text, length, ".L2::cache_hint")) {
        const char *name;
        size_t bytes = last_operand(text, &name);
        *l2 = policy_of(policies, name, bytes);
    }
}

bool wm_eviction_priorities_init(struct wm_eviction_priorities *priorities,
                                 const struct wm_work *work)
{
    size_t count = work->instruction_count + UINT64_C(1);
    uint8_t any = 0;
    *priorities = (struct wm_eviction_priorities){.l1 = calloc(count, 1), .l2 = calloc(count, 1)};
    bool good = priorities->l1 != NULL && priorities->l2 != NULL;
    struct policies policies = {.work = work};
    wm_string_map_init(&policies.by_name);
    for (uint32_t pc = 0; good && pc < work->instruction_count; pc++) {
        struct wm_instruction_facts facts;
        work->ops->describe(work, pc, &facts, NULL);
        if (!facts.is_memory || facts.space == WM_SPACE_SHARED)
            continue;
        struct wm_text text;
        wm_text_init(&text);
        work->ops->describe(work, pc, &facts, &text);
        read_text(&policies, text.data != NULL ? text.data : "", &priorities->l1[pc],
                  &priorities->l2[pc]);
        any |= priorities->l1[pc] | priorities->l2[pc];
        wm_text_release(&text);
    }
    good &= !policies.failed;
    release_policies(&policies);
    if (any == 0)
        wm_eviction_priorities_release(priorities);
    return good;
}

bool wm_walk_priorities_set(struct wm_eviction_priorities *priorities, uint32_t count, uint32_t pc,
                            bool l2, enum wm_eviction_priority priority)
{
    if (priorities->l1 == NULL) {
        if (priority == WM_EVICT_NORMAL)
            return true;
        priorities->l1 = calloc(count + UINT64_C(1), 1);
        priorities->l2 = calloc(count + UINT64_C(1), 1);
        if (priorities->l1 == NULL || priorities->l2 == NULL) {
            wm_eviction_priorities_release(priorities);
            return false;
        }
    }
    (l2 ? priorities->l2 : priorities->l1)[pc] = (uint8_t)priority;
    return true;
}

void wm_eviction_priorities_release(struct wm_eviction_priorities *priorities)
{
    free(priorities->l1);
    free(priorities->l2);
    *priorities = (struct wm_eviction_priorities){0};
}
