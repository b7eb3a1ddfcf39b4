// MESI, the home side of a line: a directory that knows exactly which children hold it, and serves
// one GetS, GetM or recall of a line at a time; what comes meanwhile is deferred (Sorin, Hill and
// Wood, section 8.2; here Unblock ends a transaction, as in the directories of gem5's Ruby). The
// owner gives the line to the requester itself (three hops), and so does a sharer where the home
// forwards clean lines. Acks are counted here and not by the
// requester, so that a GetM, a recall and an eviction are answered alike.
//
// Where the component itself lacks the right that a child requests, its cache side fetches it first
// and the child's request is deferred meanwhile. The home side is not busy then: a probe from below
// may take what is here, which is why an upgrade and an invalidation that cross do not wait for
// each other.
#include "mem/coherence/rows.h"

#define STATE(name) WM_COHERENCE_HOME_##name

// A state with a transaction under way: requests wait for its end.
#define BLOCKS(state)                                                           \
    ROW(state, GETS, 0, 0, state, DO1(DEFER), "one transaction at a time"),     \
        ROW(state, GETM, 0, 0, state, DO1(DEFER), "one transaction at a time"), \
        ROW(state, PUTS, 0, 0, state, DO1(DEFER), "one transaction at a time"), \
        ROW(state, PUTE, 0, 0, state, DO1(DEFER), "one transaction at a time"), \
        ROW(state, PUTM, 0, 0, state, DO1(DEFER), "one transaction at a time")

// A Put of one that is a sharer: only that it holds the line no more. PutE and PutM are those of
// an owner that was downgraded while they were on their way.
#define SHARER_PUTS(event, why)                                                            \
    ROW(SHARED, event, IF(HOLDS) | IF(OTHERS), 0, SHARED, DO2(REMOVE, GIVE_PUT_ACK), why), \
        ROW(SHARED, event, IF(HOLDS), IF(OTHERS), NONE, DO2(REMOVE, GIVE_PUT_ACK), why),   \
        ROW(SHARED, event, 0, IF(HOLDS), SHARED, DO1(GIVE_PUT_ACK), "a probe was faster")

// clang-format off
static const struct wm_coherence_row rows[] = {
    ROW(NONE, GETS, IF(OWN_NONE), 0, NONE, DO2(DEFER, OWN_LOAD), "a miss here, too"),
    ROW(NONE, GETS, IF(OWN_BUSY), 0, NONE, DO1(DEFER), "on its way in, or out"),
    ROW(NONE, GETS, IF(OWN_SHARED), 0, SHARING, DO2(ADD, GIVE_DATA_S), "the own copy is shared, too"),
    ROW(NONE, GETS, IF(OWN_EXCLUSIVE), 0, OWNING, DO2(ADD, GIVE_DATA_E), "no other copy"),
    ROW(NONE, GETM, IF(OWN_NONE), 0, NONE, DO2(DEFER, OWN_RFO), "a miss here, too"),
    ROW(NONE, GETM, IF(OWN_BUSY), 0, NONE, DO1(DEFER), "on its way in, or out"),
    ROW(NONE, GETM, IF(OWN_SHARED), 0, NONE, DO2(DEFER, OWN_RFO), "the own copy is upgraded first"),
    ROW(NONE, GETM, IF(OWN_EXCLUSIVE), 0, OWNING, DO2(ADD, GIVE_DATA_M), "no other copy"),
    ROW(NONE, PUTS, 0, 0, NONE, DO1(GIVE_PUT_ACK), "a probe was faster"),
    ROW(NONE, PUTE, 0, 0, NONE, DO1(GIVE_PUT_ACK), "a probe was faster"),
    ROW(NONE, PUTM, 0, 0, NONE, DO1(GIVE_PUT_ACK), "a probe was faster, and has brought the data"),

    ROW(SHARED, GETS, IF(FORWARDS_CLEAN), IF(OWN_BUSY), FORWARDING, DO2(ADD, FORWARD_CLEAN), "a sharer gives, and answers"),
    ROW(SHARED, GETS, 0, IF(OWN_BUSY) | IF(FORWARDS_CLEAN), SHARING, DO2(ADD, GIVE_DATA_S), "the data here are right"),
    ROW(SHARED, GETS, IF(OWN_BUSY), 0, SHARED, DO1(DEFER), "another's upgrade has begun"),
    ROW(SHARED, GETM, IF(OWN_SHARED), 0, SHARED, DO2(DEFER, OWN_RFO), "the own copy is upgraded first"),
    ROW(SHARED, GETM, IF(OWN_BUSY), 0, SHARED, DO1(DEFER), "the own copy is being upgraded"),
    ROW(SHARED, GETM, IF(OWN_EXCLUSIVE) | IF(OTHERS), 0, INVALIDATING, DO2(NOTE, INV_OTHERS), "all others' copies go first"),
    ROW(SHARED, GETM, IF(OWN_EXCLUSIVE), IF(OTHERS), OWNING, DO1(GIVE_GRANT_M), "the requester alone has it"),
    SHARER_PUTS(PUTS, "one sharer less"),
    SHARER_PUTS(PUTE, "of one that was downgraded meanwhile"),
    SHARER_PUTS(PUTM, "of one that was downgraded meanwhile, and gave its data then"),
    ROW(SHARED, RECALL, 0, 0, RECALLING, DO1(INV_ALL), "an eviction here, or a probe from below"),

    ROW(OWNED, GETS, 0, 0, FORWARDING, DO2(ADD, FORWARD_GETS), "the owner gives, and answers"),
    ROW(OWNED, GETM, 0, 0, OWNING, DO1(FORWARD_GETM), "the owner gives; Unblock says that it has"),
    ROW(OWNED, PUTS, 0, IF(HOLDS), OWNED, DO1(GIVE_PUT_ACK), "a probe was faster"),
    ROW(OWNED, PUTE, IF(HOLDS), 0, NONE, DO2(REMOVE, GIVE_PUT_ACK), "the data here are right"),
    ROW(OWNED, PUTE, 0, IF(HOLDS), OWNED, DO1(GIVE_PUT_ACK), "a probe was faster"),
    ROW(OWNED, PUTM, IF(HOLDS), 0, NONE, DO3(MERGE, REMOVE, GIVE_PUT_ACK), "write-back"),
    ROW(OWNED, PUTM, 0, IF(HOLDS), OWNED, DO1(GIVE_PUT_ACK), "a probe was faster, its data are old"),
    ROW(OWNED, RECALL, 0, 0, RECALLING, DO1(INV_ALL), "an eviction here, or a probe from below"),
    ROW(OWNED, RECALL_SHARED, 0, 0, ANSWERING, DO1(SEND_DOWNGRADE), "a probe from below wants data"),

    BLOCKS(SHARING),
    ROW(SHARING, UNBLOCK, 0, 0, SHARED, DO0, "the requester has it"),

    BLOCKS(OWNING),
    ROW(OWNING, UNBLOCK, 0, 0, OWNED, DO0, "the requester has it"),

    BLOCKS(FORWARDING),
    ROW(FORWARDING, ACK, 0, 0, SHARING, DO0, "the data here are right"),
    ROW(FORWARDING, ACK_DATA, 0, 0, SHARING, DO1(MERGE), "the owner had modified it"),
    ROW(FORWARDING, UNBLOCK, 0, 0, ANSWERING, DO0, "the requester has it"),

    BLOCKS(ANSWERING),
    ROW(ANSWERING, ACK, 0, 0, SHARED, DO0, "the data here are right"),
    ROW(ANSWERING, ACK_DATA, 0, 0, SHARED, DO1(MERGE), "the owner had modified it"),

    BLOCKS(INVALIDATING),
    ROW(INVALIDATING, ACK, IF(OTHERS), 0, INVALIDATING, DO1(REMOVE), "more to come"),
    ROW(INVALIDATING, ACK, IF(HOLDS), IF(OTHERS), OWNING, DO2(REMOVE, GIVE_GRANT_M), "the last; the requester has the data"),
    ROW(INVALIDATING, ACK, 0, IF(HOLDS) | IF(OTHERS), OWNING, DO3(REMOVE, ADD, GIVE_DATA_M), "the last; the requester needs data"),

    BLOCKS(RECALLING),
    ROW(RECALLING, ACK, IF(OTHERS), 0, RECALLING, DO1(REMOVE), "more to come"),
    ROW(RECALLING, ACK, 0, IF(OTHERS), NONE, DO1(REMOVE), "the last"),
    ROW(RECALLING, ACK_DATA, 0, 0, NONE, DO2(MERGE, REMOVE), "of the owner, the only one that was called back"),
};
// clang-format on

const struct wm_coherence_table wm_coherence_mesi_home = {rows, sizeof rows / sizeof rows[0]};
