// The rules of advice: each looks at what one instruction (or several of one source line) did, and
// says a sentence where its threshold is passed. Private to study/.
#ifndef WM_STUDY_ANNOTATE_RULES_H
#define WM_STUDY_ANNOTATE_RULES_H

#include "base/text/text.h"
#include "engine/session/results.h"

#include <stdbool.h>

// What the loads of a kernel that look into L1 do together.
struct wm_rule_kernel_totals {
    const char *name;     // as in PTX
    uint64_t lookups;     // sectors looked for in L1
    uint64_t near_misses; // of these: were there before, and would be in a slightly larger L1
    // Cycles that all its accesses take of an L1's tags and of the link between L1 and L2, and what
    // tiles in shared memory would leave of these.
    double tag_cycles, l1_l2_cycles;
    double tag_cycles_tiled, l1_l2_cycles_tiled;
};

// More instructions of one line than these are advised, but not measured.
enum { WM_RULE_PCS = 64 };

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
    bool ordered;      // volatile, or with a memory order: it is done each time
    bool returns;      // an atomic whose result the kernel reads
    // Bytes a block that it reads with the others of its source line which warps read again as it
    // is.
    double tile_bytes;
    const struct wm_rule_kernel_totals *kernel; // NULL: nothing is known of the others
    uint64_t below_l1_bytes;                    // moved between L1 and what is below it, both ways
    struct wm_instruction_counters counters;
    struct wm_instruction_misses explained;
};

// What is measured of a rule's advice, as variants of the machine (study/annotate/advice_trials.h).
enum wm_rule_trials {
    WM_TRIALS_NONE,   // no variant of a machine is like following it
    WM_TRIALS_BYPASS, // its instructions around L1: alone, and with all others so advised
    WM_TRIALS_BLOCKS, // fewer blocks at a time on an SM, as one way of following it
};

struct wm_annotate_rule {
    const char *name;      // stable: "uncoalesced"
    const char *threshold; // when it applies
    const char *reason;    // why it matters, and what to do
    enum wm_rule_trials trials;
    // Likewise its instructions with this word of loads, where the machine's GPU knows it; NULL:
    // none.
    const char *priority;
    // What `saves` says is exact for the accesses of the run, or else an estimate; and how it is
    // computed.
    bool counted;
    const char *computed;
    bool (*applies)(const struct wm_rule_view *view);
    // The sentence for this view, without a full stop at its end; and what it says is saved.
    void (*say)(const struct wm_rule_view *view, struct wm_text *text);
    void (*saves)(const struct wm_rule_view *view, struct wm_text *text);
};

// "Estimate: lanes behind …": on what the rule's savings rest, as sentences for people.
void wm_rule_basis(const struct wm_annotate_rule *rule, struct wm_text *text);
// Whether warps of a block request the same bytes again, so that a tile in shared memory saves the
// load most of its requests, were it worth one.
bool wm_rule_is_shared(const struct wm_rule_view *view);
// Adds an instruction to what its kernel does.
void wm_rule_kernel_totals_add(struct wm_rule_kernel_totals *kernel,
                               const struct wm_rule_view *view);

extern const struct wm_annotate_rule wm_annotate_rule_table[];
extern const uint32_t wm_annotate_rule_count;

#endif
