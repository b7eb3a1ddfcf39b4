#include "engine/issue/memory_order.h"

#include "base/containers/array.h"
#include "base/names/opcode_word.h"

#include <ctype.h>
#include <stdlib.h>

struct opcode {
    const char *text;
    size_t length, first; // of all its words, and of the first
};

static struct opcode opcode_of(const char *text)
{
    return (struct opcode){text, strcspn(text, " \t;"), strcspn(text, ". \t;")};
}

static bool is(struct opcode opcode, const char *name)
{
    return wm_opcode_is(opcode.text, opcode.first, name);
}

static bool has(struct opcode opcode, const char *word)
{
    return wm_opcode_has_word(opcode.text, opcode.length, word);
}

// Fences of a proxy order other ways to memory; that of initialised mbarriers, and those between
// the shared memories of a cluster, order shared memory. A fence without semantics is .acq_rel (PTX
// ISA, "membar/fence").
static uint8_t of_fence(struct opcode opcode)
{
    bool other = has(opcode, "proxy") || has(opcode, "mbarrier_init") ||
                 strstr(opcode.text, "sync_restrict") != NULL;
    if (other || has(opcode, "cta"))
        return 0;
    uint8_t order = WM_ORDER_FENCE | WM_ORDER_ACQUIRES | WM_ORDER_RELEASES;
    if (has(opcode, "release"))
        order &= (uint8_t)~WM_ORDER_ACQUIRES;
    if (has(opcode, "acquire"))
        order &= (uint8_t)~WM_ORDER_RELEASES;
    return order;
}

// Without a scope an atomic is of the GPU.
static uint8_t of_access(struct opcode opcode)
{
    if (has(opcode, "cta"))
        return 0;
    uint8_t order = 0;
    if (has(opcode, "acquire") || has(opcode, "acq_rel"))
        order |= WM_ORDER_ACQUIRES;
    if (has(opcode, "release") || has(opcode, "acq_rel"))
        order |= WM_ORDER_RELEASES;
    return order;
}

// Machine code says by itself when L1 is to be emptied (CUDA Binary Utilities, "Instruction Set
// Reference": CCTL, cache control), and a MEMBAR waits in any case.
static uint8_t of_sass(struct opcode opcode)
{
    return is(opcode, "CCTL") && has(opcode, "IVALL") ? WM_ORDER_FENCE | WM_ORDER_ACQUIRES : 0;
}

uint8_t wm_memory_order_of(const char *text)
{
    struct opcode opcode = opcode_of(text);
    if (isupper((unsigned char)text[0]))
        return of_sass(opcode);
    if (is(opcode, "fence") || is(opcode, "membar"))
        return of_fence(opcode);
    bool accesses = is(opcode, "ld") || is(opcode, "st") || is(opcode, "atom") || is(opcode, "red");
    return accesses ? of_access(opcode) : 0;
}

enum wm_status wm_memory_orders_find(const struct wm_work *work, uint8_t **orders,
                                     struct wm_error *error)
{
    struct wm_text text;
    uint8_t any = 0;
    WM_TRY(WM_ARRAY_NEW(*orders, work->instruction_count + UINT64_C(1), error,
                        "the instructions of a kernel"));
    wm_text_init(&text);
    for (uint32_t pc = 0; pc < work->instruction_count && !text.failed; pc++) {
        struct wm_instruction_facts facts;
        text.length = 0;
        work->ops->describe(work, pc, &facts, &text);
        if (text.length != 0)
            any |= (*orders)[pc] = wm_memory_order_of(text.data);
    }
    bool failed = text.failed;
    wm_text_release(&text);
    if (any == 0 || failed) {
        free(*orders);
        *orders = NULL;
    }
    return failed ? wm_fail_no_memory(error, "the instructions of a kernel") : WM_OK;
}
