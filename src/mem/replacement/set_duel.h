// Set dueling: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely and J. Emer, "Adaptive insertion
// policies for high performance caching", ISCA 2007. A few leader sets always use the first policy
// and as many always use the second; a saturating counter, PSEL, goes up with a miss in a leader of
// the first and down with a miss in one of the second; all other sets follow the policy with fewer
// misses: the second while PSEL's top bit is set. PSEL has 10 bits and begins just below half, with
// the first policy.
//
// How many lead: 32 sets for each policy, as in the paper, but at most a quarter of the sets each,
// so that at least half of the array follows; never fewer than one. The leaders stand evenly
// spaced: with a stride of sets / leaders, every stride-th set from 0 leads for the first policy
// and, half a stride on, for the second. An array of 2 or 3 sets has one leader each; an array of
// one set cannot duel and keeps the first policy.
//
// Demand misses count. The victims of the level above, which no instruction requested, do not.
// Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_SET_DUEL_H
#define WM_MEM_REPLACEMENT_SET_DUEL_H

#include "base/host/select.h"
#include "mem/replacement/replacement.h"

enum {
    WM_DUEL_LEADERS = 32, // of each policy, at most
    WM_DUEL_PSEL_BITS = 10,
    WM_DUEL_MOST_PSEL_BITS = 20,
    WM_DUEL_TABLE_SETS = 4096,
};

#define WM_PARAMETER_LEADERS                                                            \
    {                                                                                   \
        "leaders",                                                                      \
            "sets that always use the first policy, and as many the second, at most a " \
            "quarter each",                                                             \
            1, 4096, WM_DUEL_LEADERS                                                    \
    }
#define WM_PARAMETER_PSEL_BITS                                                \
    {                                                                         \
        "psel_bits", "width of the counter that the leaders' misses move", 1, \
            WM_DUEL_MOST_PSEL_BITS, WM_DUEL_PSEL_BITS                         \
    }

enum wm_duel_role { WM_DUEL_FOLLOWS, WM_DUEL_LEADS_FIRST, WM_DUEL_LEADS_SECOND };

struct wm_set_duel {
    // With a leader of each policy every `stride` sets: 2^64 / stride rounded up, and half a stride
    // of it. The product of a set and the former, in 64 bits, is the set's place in its stride.
    uint64_t place, half_stride;
    uint32_t leaders;    // of each policy; 0: no duel
    uint32_t end;        // sets from here on do not lead
    const int8_t *moves; // of each set; NULL when there are too many
    int32_t psel, psel_max;
    int32_t psel_half; // from here on the second policy leads
};

static inline void wm_set_duel_init(struct wm_set_duel *duel, uint32_t sets, uint32_t most_leaders,
                                    uint32_t psel_bits)
{
    uint32_t leaders = sets / 4 < most_leaders ? sets / 4 : most_leaders;
    if (leaders == 0 && sets > 1)
        leaders = 1;
    int32_t half = INT32_C(1) << (psel_bits - 1);
    uint32_t stride = leaders != 0 ? sets / leaders : 0; // at least 2, or none
    uint64_t place = stride != 0 ? UINT64_MAX / stride + 1 : 0;
    *duel = (struct wm_set_duel){
        .place = place,
        .half_stride = stride / 2 * place,
        .leaders = leaders,
        .end = stride * leaders,
        .psel = half - 1,
        .psel_max = 2 * half - 1,
        .psel_half = half,
    };
}

static inline enum wm_duel_role wm_set_duel_role(const struct wm_set_duel *duel, uint32_t set)
{
    // The remainder of a division by the stride, without dividing: set r of a stride has a product
    // from r to r + 1 times `place` (D. Lemire, O. Kaser and N. Kurz, "Faster remainder by direct
    // computation", 2019; exact for 32-bit numbers).
    uint64_t product = set * duel->place;
    bool first = product < duel->place, second = product - duel->half_stride < duel->place;
    return (enum wm_duel_role)((uint32_t)(set < duel->end) * (first + 2u * second));
}

// What a miss in `set` adds to PSEL: 1 in a leader of the first, -1 in one of the second.
static inline int32_t wm_set_duel_move(const struct wm_set_duel *duel, uint32_t set)
{
    if (duel->moves != NULL)
        return duel->moves[set];
    enum wm_duel_role role = wm_set_duel_role(duel, set);
    return (role == WM_DUEL_LEADS_FIRST) - (role == WM_DUEL_LEADS_SECOND);
}

// Has the moves of all sets looked up in `moves`, which lives as long as the duel, where they are
// at most WM_DUEL_TABLE_SETS.
static inline void wm_set_duel_tabulate(struct wm_set_duel *duel, uint32_t sets,
                                        int8_t moves[WM_DUEL_TABLE_SETS])
{
    if (sets > WM_DUEL_TABLE_SETS)
        return;
    for (uint32_t set = 0; set < sets; set++)
        moves[set] = (int8_t)wm_set_duel_move(duel, set);
    duel->moves = moves;
}

// A line enters `set`: counts the miss, unless not `counts`, and says whether the set uses the
// second policy. Without branches on the set: which sets lead is nothing that a processor could
// learn, but which policy leads is.
static inline bool wm_set_duel_miss(struct wm_set_duel *duel, uint32_t set, bool counts)
{
    int32_t move = wm_set_duel_move(duel, set);
    bool second = move - wm_force_branch(duel->psel >= duel->psel_half) < 0;
    int32_t psel = duel->psel + (move & (int32_t)wm_select_mask(counts));
    psel = psel < duel->psel_max ? psel : duel->psel_max;
    duel->psel = psel > 0 ? psel : 0;
    return second;
}

#endif
