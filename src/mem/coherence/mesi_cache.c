// MESI, the cache side of a line: what an L1, or a level in the middle towards its home, does.
// Stable states, and those between them, as in Sorin, Hill and Wood, chapter 8; locked operations
// after Hennessy and Patterson, section 5.5 (an exclusive load that keeps the line until the
// store). A level in the middle calls its children's copies back before it answers a probe or
// evicts: the event is deferred until they are here. So it does before an access of its own, of a
// client that no home has a record of (docs/coherence.md, "Accesses at a home"): a read has the
// owner share the line, and a write takes all copies.
#include "mem/coherence/rows.h"

#define STATE(name) WM_COHERENCE_CACHE_##name

// A state that waits for a message: accesses wait for it, too.
#define WAITS(state)                                                          \
    ROW(state, LOAD, 0, 0, state, DO1(DEFER), "the line is on its way"),      \
        ROW(state, STORE, 0, 0, state, DO1(DEFER), "the line is on its way"), \
        ROW(state, RFO, 0, 0, state, DO1(DEFER), "the line is on its way"),   \
        ROW(state, RMW_BEGIN, 0, 0, state, DO1(DEFER), "the line is on its way")

// One transaction of a line at a time: a level in the middle waits for that of its children.
#define BUSY_FIRST(state, event)                            \
    ROW(state, event, IF(BUSY_ABOVE), 0, state, DO1(DEFER), \
        "the home side's transaction ends by itself")

// What a level in the middle does with a probe, an eviction or an access before its children have
// answered: `above` is the fact that keeps it from answering, `recall` how it calls their copies
// back.
#define CHILDREN_FIRST(state, event, above, recall)                               \
    BUSY_FIRST(state, event), ROW(state, event, IF(above), IF(BUSY_ABOVE), state, \
                                  DO2(DEFER, recall), "children answer first")

// clang-format off
static const struct wm_coherence_row rows[] = {
    ROW(I, LOAD, 0, 0, IS, DO2(DEFER, SEND_GETS), "a miss"),
    ROW(I, STORE, 0, 0, IM, DO2(DEFER, SEND_GETM), "a miss: read for ownership"),
    ROW(I, RFO, 0, 0, IM, DO2(DEFER, SEND_GETM), "a miss"),
    ROW(I, RMW_BEGIN, 0, 0, IM, DO2(DEFER, SEND_GETM), "the read of a locked operation is exclusive"),

    BUSY_FIRST(S, LOAD),
    ROW(S, LOAD, 0, IF(BUSY_ABOVE), S, DO1(COMPLETE), "a hit"),
    BUSY_FIRST(S, STORE),
    ROW(S, STORE, 0, IF(BUSY_ABOVE), SM, DO2(DEFER, SEND_GETM), "an upgrade"),
    ROW(S, RFO, 0, 0, SM, DO2(DEFER, SEND_GETM), "an upgrade"),
    BUSY_FIRST(S, RMW_BEGIN),
    ROW(S, RMW_BEGIN, 0, IF(BUSY_ABOVE), SM, DO2(DEFER, SEND_GETM), "an upgrade"),
    CHILDREN_FIRST(S, EVICT, HELD_ABOVE, RECALL_ALL),
    ROW(S, EVICT, 0, IF(HELD_ABOVE), SI, DO1(SEND_PUTS), "so that the directory stays exact"),
    CHILDREN_FIRST(S, INV, HELD_ABOVE, RECALL_ALL),
    ROW(S, INV, 0, IF(HELD_ABOVE), I, DO2(DROP, SEND_ACK), "another wants to write, or the home evicts"),
    ROW(S, FWD_GETS, 0, 0, S, DO2(PASS_DATA_S, SEND_ACK), "a sharer gives, the home's data are right"),

    CHILDREN_FIRST(E, LOAD, OWNED_ABOVE, RECALL_OWNER),
    ROW(E, LOAD, 0, IF(OWNED_ABOVE) | IF(BUSY_ABOVE), E, DO1(COMPLETE), "a hit"),
    CHILDREN_FIRST(E, STORE, HELD_ABOVE, RECALL_ALL),
    ROW(E, STORE, 0, IF(HELD_ABOVE), M, DO1(COMPLETE), "a hit: no message, this is what E is for"),
    ROW(E, RFO, 0, 0, E, DO1(COMPLETE), "a hit"),
    CHILDREN_FIRST(E, RMW_BEGIN, HELD_ABOVE, RECALL_ALL),
    ROW(E, RMW_BEGIN, 0, IF(HELD_ABOVE), ML, DO1(COMPLETE), "a hit: it will be written"),
    CHILDREN_FIRST(E, EVICT, HELD_ABOVE, RECALL_ALL),
    ROW(E, EVICT, 0, IF(HELD_ABOVE), EI, DO1(SEND_PUTE), "the home's data are right"),
    CHILDREN_FIRST(E, INV, HELD_ABOVE, RECALL_ALL),
    ROW(E, INV, 0, IF(HELD_ABOVE), I, DO2(DROP, SEND_ACK), "the home evicts, its data are right"),
    CHILDREN_FIRST(E, FWD_GETS, OWNED_ABOVE, RECALL_OWNER),
    ROW(E, FWD_GETS, 0, IF(OWNED_ABOVE) | IF(BUSY_ABOVE), S, DO2(PASS_DATA_S, SEND_ACK), "the owner gives, the home's data are right"),
    CHILDREN_FIRST(E, FWD_GETM, HELD_ABOVE, RECALL_ALL),
    ROW(E, FWD_GETM, 0, IF(HELD_ABOVE), I, DO2(PASS_DATA_M, DROP), "the owner gives all"),
    CHILDREN_FIRST(E, DOWNGRADE, OWNED_ABOVE, RECALL_OWNER),
    ROW(E, DOWNGRADE, 0, IF(OWNED_ABOVE) | IF(BUSY_ABOVE), S, DO1(SEND_ACK), "the home's data are right"),
    ROW(E, WRITTEN, 0, 0, M, DO0, "a child had modified it"),

    CHILDREN_FIRST(M, LOAD, OWNED_ABOVE, RECALL_OWNER),
    ROW(M, LOAD, 0, IF(OWNED_ABOVE) | IF(BUSY_ABOVE), M, DO1(COMPLETE), "a hit"),
    CHILDREN_FIRST(M, STORE, HELD_ABOVE, RECALL_ALL),
    ROW(M, STORE, 0, IF(HELD_ABOVE), M, DO1(COMPLETE), "a hit"),
    ROW(M, RFO, 0, 0, M, DO1(COMPLETE), "a hit"),
    CHILDREN_FIRST(M, RMW_BEGIN, HELD_ABOVE, RECALL_ALL),
    ROW(M, RMW_BEGIN, 0, IF(HELD_ABOVE), ML, DO1(COMPLETE), "reads, and keeps the line until it writes"),
    CHILDREN_FIRST(M, EVICT, HELD_ABOVE, RECALL_ALL),
    ROW(M, EVICT, 0, IF(HELD_ABOVE), MI, DO1(SEND_PUTM), "write-back"),
    CHILDREN_FIRST(M, INV, HELD_ABOVE, RECALL_ALL),
    ROW(M, INV, 0, IF(HELD_ABOVE), I, DO2(SEND_ACK_DATA, DROP), "the home evicts"),
    CHILDREN_FIRST(M, FWD_GETS, OWNED_ABOVE, RECALL_OWNER),
    ROW(M, FWD_GETS, 0, IF(OWNED_ABOVE) | IF(BUSY_ABOVE), S, DO2(PASS_DATA_S, SEND_ACK_DATA), "the owner gives, and writes back"),
    CHILDREN_FIRST(M, FWD_GETM, HELD_ABOVE, RECALL_ALL),
    ROW(M, FWD_GETM, 0, IF(HELD_ABOVE), I, DO2(PASS_DATA_M, DROP), "the owner gives all, the home needs none of it"),
    CHILDREN_FIRST(M, DOWNGRADE, OWNED_ABOVE, RECALL_OWNER),
    ROW(M, DOWNGRADE, 0, IF(OWNED_ABOVE) | IF(BUSY_ABOVE), S, DO1(SEND_ACK_DATA), "a probe from below wants the data"),
    ROW(M, WRITTEN, 0, 0, M, DO0, "a child had modified it"),

    ROW(ML, LOAD, 0, 0, ML, DO1(DEFER), "after the locked operation"),
    ROW(ML, STORE, 0, 0, ML, DO1(DEFER), "after the locked operation"),
    ROW(ML, RFO, 0, 0, ML, DO1(DEFER), "after the locked operation"),
    ROW(ML, RMW_BEGIN, 0, 0, ML, DO1(DEFER), "after the locked operation"),
    ROW(ML, RMW_END, 0, 0, M, DO1(COMPLETE), "writes, and what was deferred may come"),
    ROW(ML, EVICT, 0, 0, ML, DO1(DEFER), "a locked line is no victim"),
    ROW(ML, INV, 0, 0, ML, DO1(DEFER), "bounded: one operation"),
    ROW(ML, FWD_GETS, 0, 0, ML, DO1(DEFER), "bounded: one operation"),
    ROW(ML, FWD_GETM, 0, 0, ML, DO1(DEFER), "bounded: one operation"),
    ROW(ML, DOWNGRADE, 0, 0, ML, DO1(DEFER), "bounded: one operation"),

    WAITS(IS),
    ROW(IS, DATA_S, 0, 0, S, DO2(FILL, SEND_UNBLOCK), "others may have it, too"),
    ROW(IS, DATA_E, 0, 0, E, DO2(FILL, SEND_UNBLOCK), "no other copy"),

    WAITS(IM),
    ROW(IM, DATA_M, 0, 0, M, DO2(FILL, SEND_UNBLOCK), "no other copy is left"),

    ROW(SM, LOAD, 0, 0, SM, DO1(COMPLETE), "a hit on the shared copy"),
    ROW(SM, STORE, 0, 0, SM, DO1(DEFER), "the upgrade is on its way"),
    ROW(SM, RFO, 0, 0, SM, DO1(DEFER), "the upgrade is on its way"),
    ROW(SM, RMW_BEGIN, 0, 0, SM, DO1(DEFER), "the upgrade is on its way"),
    ROW(SM, EVICT, 0, 0, SM, DO1(DEFER), "the upgrade is on its way"),
    ROW(SM, GRANT_M, 0, 0, M, DO1(SEND_UNBLOCK), "the upgrade came first"),
    ROW(SM, FWD_GETS, 0, 0, SM, DO2(PASS_DATA_S, SEND_ACK), "another's read came first: the shared copy is still here"),
    CHILDREN_FIRST(SM, INV, HELD_ABOVE, RECALL_ALL),
    ROW(SM, INV, 0, IF(HELD_ABOVE), IM, DO2(DROP, SEND_ACK), "another's upgrade came first: ours needs data now"),

    WAITS(SI),
    ROW(SI, PUT_ACK, 0, 0, I, DO1(DROP), "gone"),
    ROW(SI, FWD_GETS, 0, 0, SI, DO2(PASS_DATA_S, SEND_ACK), "Put and probe cross: still a sharer for the home"),
    ROW(SI, INV, 0, 0, II, DO2(DROP, SEND_ACK), "Put and probe cross"),

    WAITS(EI),
    ROW(EI, PUT_ACK, 0, 0, I, DO1(DROP), "gone"),
    ROW(EI, INV, 0, 0, II, DO2(DROP, SEND_ACK), "Put and probe cross"),
    ROW(EI, FWD_GETS, 0, 0, SI, DO2(PASS_DATA_S, SEND_ACK), "Put and probe cross: still the owner for the home"),
    ROW(EI, FWD_GETM, 0, 0, II, DO2(PASS_DATA_M, DROP), "Put and probe cross: still the owner for the home"),
    ROW(EI, DOWNGRADE, 0, 0, SI, DO1(SEND_ACK), "Put and probe cross"),

    WAITS(MI),
    ROW(MI, PUT_ACK, 0, 0, I, DO1(DROP), "written back"),
    ROW(MI, INV, 0, 0, II, DO2(SEND_ACK_DATA, DROP), "Put and probe cross: the home takes these data, and not the PutM's"),
    ROW(MI, FWD_GETS, 0, 0, SI, DO2(PASS_DATA_S, SEND_ACK_DATA), "Put and probe cross: still the owner for the home"),
    ROW(MI, FWD_GETM, 0, 0, II, DO2(PASS_DATA_M, DROP), "Put and probe cross: still the owner for the home"),
    ROW(MI, DOWNGRADE, 0, 0, SI, DO1(SEND_ACK_DATA), "Put and probe cross"),

    WAITS(II),
    ROW(II, PUT_ACK, 0, 0, I, DO0, "the Put has arrived, too late to matter"),
};
// clang-format on

const struct wm_coherence_table wm_coherence_mesi_cache = {rows, sizeof rows / sizeof rows[0]};
