// The rules of advice: each looks at what one instruction (or several of one source line) did, and
// says a sentence where its threshold is passed. Private to study/.
#ifndef WM_STUDY_ANNOTATE_RULES_H
#define WM_STUDY_ANNOTATE_RULES_H

#include "base/text.h"
#include "engine/results.h"

#include <stdbool.h>

// What a rule sees.
struct wm_rule_view {
    enum wm_access_kind kind;
    enum wm_address_space space;
    uint32_t line_bytes;
    uint64_t l1_lines; // of one L1 in the kernel's last launch; 0: unknown
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

extern const struct wm_annotate_rule wm_annotate_rule_table[];
extern const uint32_t wm_annotate_rule_count;

#endif
