// The rules of advice: each looks at what one instruction (or several of one source line) did, and
// says a sentence where its threshold is passed. Private to study/.
#ifndef WM_STUDY_ANNOTATE_RULES_H
#define WM_STUDY_ANNOTATE_RULES_H

#include "base/text.h"
#include "engine/results.h"

#include <stdbool.h>

// What the loads of a kernel that look into L1 do together.
struct wm_rule_kernel {
    const char *name; // as in PTX
    uint64_t lookups; // sectors looked for in L1
    uint64_t late;    // of these, those that were there before and would be with a little more room
    bool bypasses;    // one of them is better done around L1
};

enum { WM_RULE_PCS = 16 };

// What a rule sees.
struct wm_rule_view {
    enum wm_access_kind kind;
    enum wm_address_space space;
    uint32_t pcs[WM_RULE_PCS]; // of the instructions, as many of the first as there is room for
    uint32_t pc_count;
    uint32_t line_bytes;
    uint64_t l1_lines; // of one L1 in the kernel's last launch; 0: unknown
    uint32_t vector;   // so many neighbouring accesses of each thread begin with it: 2, 4, or 0
    bool in_vector;    // it is one of those
    const struct wm_rule_kernel *kernel; // NULL: nothing is known of the others
    struct wm_cause_counters counters;
    struct wm_explained_cause explained;
};

struct wm_annotate_rule {
    const char *name;      // stable: "uncoalesced"
    const char *threshold; // when it applies
    const char *reason;    // why it matters, and what to do
    bool (*applies)(const struct wm_rule_view *view);
    // The sentence for this view, without a full stop at its end.
    void (*say)(const struct wm_rule_view *view, struct wm_text *text);
};

// Adds an instruction to what its kernel does.
void wm_rule_kernel_add(struct wm_rule_kernel *kernel, const struct wm_rule_view *view);
// Whether the rule about going around L1 applies.
bool wm_rule_bypasses(const struct wm_rule_view *view);

extern const struct wm_annotate_rule wm_annotate_rule_table[];
extern const uint32_t wm_annotate_rule_count;

#endif
