// Cache coherence as tables: a row says what happens to a line in one state at one event, what is
// done, and the line's next state. MESI, with a directory at each home (docs/coherence.md; Sorin,
// Hill and Wood, "A Primer on Memory Consistency and Cache Coherence", 2nd edition, chapter 8;
// Hennessy and Patterson, section 5.4). Nothing here knows time, or how a message travels: a driver
// hands in events and carries out what the row says, at once or over links. Private to mem/.
//
// The machine is a tree. A line has two sides in each component of it:
//   cache side   towards the home one level below (an L1, or an L2 under an L3)
//   home side    towards the children one level above: a directory, which serves one transaction
//                of a line at a time and knows exactly which children hold it
// An L1 uses the cache side alone, the directory at memory the home side alone (its cache side is
// in M for ever), and a level in the middle uses both. Levels are inclusive.
//
// What a driver promises:
//   - A message arrives once, unchanged. No order is promised between any two messages, not even
//     of one sender to one receiver: the tables need none.
//   - An event that is deferred is kept, and presented again once the line has changed; what was
//     deferred goes before new events of the line, oldest first. Without that order nothing goes
//     wrong, but a request may be overtaken for ever.
//   - GetS and GetM are presented to a level that has no copy once it has a place for the line.
//   - Accesses are made at the leaves, or, of a client that keeps no copy which a home knows, at a
//     level in the middle, but RFO: that shares the line, or takes it back, first.
//     A level in the middle may load lines that it has no copy of, for its prefetcher.
#ifndef WM_MEM_COHERENCE_COHERENCE_H
#define WM_MEM_COHERENCE_COHERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_coherence_side { WM_COHERENCE_CACHE, WM_COHERENCE_HOME, WM_COHERENCE_SIDES };

// clang-format off
// Name for people, meaning. Two letters are a way from one to the other, as in the Primer.
#define WM_COHERENCE_CACHE_STATES(X)                                                               \
    X(I, "I", "no copy")                                                                           \
    X(S, "S", "a copy that others may have too; read only")                                        \
    X(E, "E", "the only copy, as the home has it")                                                 \
    X(M, "M", "the only copy, and the home's is old")                                              \
    X(ML, "ML", "M, locked: a locked operation has read and not yet written")                      \
    X(IS, "IS", "GetS sent, waits for the data")                                                   \
    X(IM, "IM", "GetM sent, waits for the data")                                                   \
    X(SM, "SM", "GetM sent, still has its shared copy")                                            \
    X(SI, "SI", "PutS sent, or another Put after which it was downgraded; waits for PutAck")       \
    X(EI, "EI", "PutE sent, waits for PutAck; still answers probes")                               \
    X(MI, "MI", "PutM sent, waits for PutAck; still answers probes")                               \
    X(II, "II", "a Put sent, and the copy taken by a probe meanwhile; waits for PutAck")

#define WM_COHERENCE_HOME_STATES(X)                                                                \
    X(NONE, "none", "no child has a copy")                                                         \
    X(SHARED, "shared", "the holders have it in S")                                                \
    X(OWNED, "owned", "the one holder has it in E or M")                                           \
    X(SHARING, "sharing", "data given, waits for Unblock; shared then")                            \
    X(OWNING, "owning", "line given to one, waits for Unblock; owned then")                        \
    X(FORWARDING, "forwarding", "FwdGetS sent, waits for the owner's answer and for Unblock")      \
    X(ANSWERING, "answering", "the owner is to keep a shared copy, waits for its answer")          \
    X(INVALIDATING, "invalidating", "a child wants M, waits for the others' Acks")                 \
    X(RECALLING, "recalling", "all copies called back, waits for the answers")

// The name, who presents it (an access, or the network of a message, or the other side of the same
// level), whether it brings data, meaning.
#define WM_COHERENCE_EVENTS(X)                                                                     \
    X(LOAD, "Load", ACCESS, false, "reads")                                                        \
    X(STORE, "Store", ACCESS, false, "writes")                                                     \
    X(RFO, "RFO", ACCESS, false, "read for ownership: fetches the line in order to write")         \
    X(RMW_BEGIN, "RMW begin", ACCESS, false, "a locked read-modify-write reads and locks")         \
    X(RMW_END, "RMW end", ACCESS, false, "it writes and unlocks")                                  \
    X(EVICT, "Evict", ACCESS, false, "the place is wanted; deferred means: not this one, not yet") \
    X(GETS, "GetS", REQUEST, false, "a child wants to read")                                       \
    X(GETM, "GetM", REQUEST, false, "a child wants to write")                                      \
    X(PUTS, "PutS", REQUEST, false, "a child evicts a shared copy")                                \
    X(PUTE, "PutE", REQUEST, false, "a child evicts the only copy, unmodified")                    \
    X(PUTM, "PutM", REQUEST, true, "a child evicts a modified copy")                               \
    X(INV, "Inv", PROBE, false, "the home takes the copy back")                                    \
    X(FWD_GETS, "FwdGetS", PROBE, false, "who has the line is to give a shared copy to the requester")    \
    X(FWD_GETM, "FwdGetM", PROBE, false, "the owner is to give the line to the requester")         \
    X(DOWNGRADE, "Downgrade", PROBE, false, "the owner is to keep a shared copy only")             \
    X(DATA_S, "DataS", RESPONSE, true, "a copy, to be shared")                                     \
    X(DATA_E, "DataE", RESPONSE, true, "the only copy, as the home has it")                        \
    X(DATA_M, "DataM", RESPONSE, true, "the only copy, to be modified")                            \
    X(GRANT_M, "GrantM", RESPONSE, false, "the copy is the only one now, to be modified")          \
    X(PUT_ACK, "PutAck", RESPONSE, false, "the home has taken note of a Put")                      \
    X(ACK, "Ack", RESPONSE, false, "a probe is answered, the home's data are right")               \
    X(ACK_DATA, "AckData", RESPONSE, true, "a probe is answered, with modified data for the home") \
    X(UNBLOCK, "Unblock", RESPONSE, false, "the requester has what it wanted")                     \
    X(RECALL, "recall", INSIDE, false, "the cache side wants all copies above back")               \
    X(RECALL_SHARED, "recall to S", INSIDE, false, "the cache side wants none modified above")     \
    X(WRITTEN, "written above", INSIDE, false, "the home side has taken modified data")

#define WM_COHERENCE_ACTIONS(X)                                                                    \
    X(NOTHING, "", "")                                                                             \
    X(DEFER, "defer", "keep the event, present it again when the line has changed")                \
    X(COMPLETE, "complete", "the access is done on the copy here")                                 \
    X(SEND_GETS, "GetS→home", "")                                                                  \
    X(SEND_GETM, "GetM→home", "")                                                                  \
    X(SEND_PUTS, "PutS→home", "")                                                                  \
    X(SEND_PUTE, "PutE→home", "")                                                                  \
    X(SEND_PUTM, "PutM→home", "with the data")                                                     \
    X(SEND_ACK, "Ack→home", "")                                                                    \
    X(SEND_ACK_DATA, "AckData→home", "with the data")                                              \
    X(SEND_UNBLOCK, "Unblock→home", "")                                                            \
    X(PASS_DATA_S, "DataS→requester", "to the sibling that a probe names")                         \
    X(PASS_DATA_M, "DataM→requester", "to the sibling that a probe names")                         \
    X(FILL, "fill", "the message's data become the copy here")                                     \
    X(DROP, "drop", "the copy here is gone, its place free")                                       \
    X(RECALL_ALL, "recall", "the home side calls all copies above back")                           \
    X(RECALL_OWNER, "recall to S", "the home side calls modified data above back")                 \
    X(OWN_LOAD, "own Load", "the cache side fetches the line to read")                             \
    X(OWN_RFO, "own RFO", "the cache side fetches the line to write")                              \
    X(NOTE, "note requester", "remember the requester")                                                \
    X(ADD, "add", "the requester holds the line, too")                                             \
    X(REMOVE, "remove", "the sender holds it no more")                                             \
    X(GIVE_DATA_S, "DataS→requester", "with the data here")                                        \
    X(GIVE_DATA_E, "DataE→requester", "with the data here")                                        \
    X(GIVE_DATA_M, "DataM→requester", "with the data here")                                        \
    X(GIVE_GRANT_M, "GrantM→requester", "")                                                        \
    X(GIVE_PUT_ACK, "PutAck→sender", "")                                                           \
    X(INV_OTHERS, "Inv→others", "to all holders but the requester")                                \
    X(INV_ALL, "Inv→holders", "to all holders")                                                    \
    X(FORWARD_GETS, "FwdGetS→owner", "names the requester")                                        \
    X(FORWARD_CLEAN, "FwdGetS→a sharer", "to the first of the other holders; names the requester")  \
    X(FORWARD_GETM, "FwdGetM→owner", "names the requester, who alone holds the line now")          \
    X(SEND_DOWNGRADE, "Downgrade→owner", "")                                                       \
    X(MERGE, "take data", "the message's data become those here, which are modified now")

// What a row's condition may depend on. Of the cache side the first three, of the home side the others.
#define WM_COHERENCE_FACTS(X)                                                                      \
    X(HELD_ABOVE, "children hold it")                                                              \
    X(OWNED_ABOVE, "a child owns it")                                                              \
    X(BUSY_ABOVE, "home side busy")                                                                \
    X(OWN_NONE, "own copy none")                                                                   \
    X(OWN_SHARED, "own copy shared")                                                               \
    X(OWN_EXCLUSIVE, "own copy exclusive")                                                         \
    X(OWN_BUSY, "own copy on its way")                                                             \
    X(HOLDS, "requester holds it")                                                                 \
    X(OTHERS, "others hold it")                                                                    \
    X(FORWARDS_CLEAN, "forwards clean lines")
// clang-format on

#define WM_COHERENCE_NAMED(name, ...) WM_COHERENCE_##name,
#define WM_COHERENCE_CACHE_STATE(name, ...) WM_COHERENCE_CACHE_##name,
#define WM_COHERENCE_HOME_STATE(name, ...) WM_COHERENCE_HOME_##name,
#define WM_COHERENCE_ACTION(name, ...) WM_COHERENCE_DO_##name,
#define WM_COHERENCE_FACT_BIT(name, ...) WM_COHERENCE_BIT_##name,
#define WM_COHERENCE_FACT(name, ...) WM_COHERENCE_IF_##name = 1 << WM_COHERENCE_BIT_##name,

enum wm_coherence_cache_state {
    WM_COHERENCE_CACHE_STATES(WM_COHERENCE_CACHE_STATE) WM_COHERENCE_CACHE_STATE_COUNT
};
enum wm_coherence_home_state {
    WM_COHERENCE_HOME_STATES(WM_COHERENCE_HOME_STATE) WM_COHERENCE_HOME_STATE_COUNT
};
enum wm_coherence_event { WM_COHERENCE_EVENTS(WM_COHERENCE_NAMED) WM_COHERENCE_EVENT_COUNT };
enum wm_coherence_action { WM_COHERENCE_ACTIONS(WM_COHERENCE_ACTION) WM_COHERENCE_ACTION_COUNT };
enum wm_coherence_fact_bit { WM_COHERENCE_FACTS(WM_COHERENCE_FACT_BIT) WM_COHERENCE_FACT_COUNT };
enum wm_coherence_fact { WM_COHERENCE_FACTS(WM_COHERENCE_FACT) };

// Messages of one network never wait for those of a network before it: responses are always
// taken, probes wait for responses only (and for a lock's end), requests for both. So three
// virtual networks do not deadlock.
enum wm_coherence_network {
    WM_COHERENCE_ACCESS, // no message: the level's own unit, or its replacement
    WM_COHERENCE_INSIDE, // no message: the other side of the same level
    WM_COHERENCE_REQUEST,
    WM_COHERENCE_PROBE,
    WM_COHERENCE_RESPONSE,
};

enum { WM_COHERENCE_MOST_ACTIONS = 4, WM_COHERENCE_MOST_CHILDREN = 64, WM_COHERENCE_NOBODY = 255 };

struct wm_coherence_row {
    uint8_t state, event;
    uint8_t next;
    uint16_t when, unless; // facts that hold, that do not: at most one row applies
    uint8_t actions[WM_COHERENCE_MOST_ACTIONS]; // in their order; then WM_COHERENCE_DO_NOTHING
    const char *why;
};

// Rows of one state and event follow each other.
struct wm_coherence_table {
    const struct wm_coherence_row *rows;
    size_t count;
};

extern const struct wm_coherence_table wm_coherence_mesi_cache, wm_coherence_mesi_home;

// Combinations of facts that one side may find.
enum { WM_COHERENCE_SITUATIONS = 32 };

// Two tables and, by state, event and situation, the number of the row that applies.
struct wm_coherence_protocol {
    struct wm_coherence_table tables[WM_COHERENCE_SIDES];
    uint8_t rows[WM_COHERENCE_SIDES][WM_COHERENCE_CACHE_STATE_COUNT][WM_COHERENCE_EVENT_COUNT]
                [WM_COHERENCE_SITUATIONS];
};

// A line in a component. All zeros: no copy here nor above.
struct wm_coherence_line {
    uint64_t holders;  // children that have a copy, one bit each
    uint8_t cache;     // wm_coherence_cache_state
    uint8_t home;      // wm_coherence_home_state
    uint8_t requester; // for whom the home side invalidates; 0 in other states
};

struct wm_coherence_input {
    enum wm_coherence_event event;
    uint8_t from; // the child that sent it; any of what comes from elsewhere
    uint8_t peer; // of FwdGetS and FwdGetM: the sibling that the data are for
    // Of a home: where children share a line, it has one of them give it, in place of its own data.
    bool forwards_clean;
};

// How a driver carries actions out. A function may present other events of other components (and
// by way of them of this one) before it returns: all that a row changes is changed by then.
struct wm_coherence_ports {
    void (*to_home)(void *context, enum wm_coherence_event message);
    void (*to_peer)(void *context, unsigned peer, enum wm_coherence_event message);
    // `peer` is the requester of what is forwarded, else WM_COHERENCE_NOBODY.
    void (*to_child)(void *context, unsigned child, enum wm_coherence_event message, unsigned peer);
    void (*complete)(void *context, enum wm_coherence_event access);
    void (*defer)(void *context);
    void (*fill)(void *context);
    void (*merge)(void *context);
    void (*drop)(void *context);
    // Sees each row before it is carried out; may be NULL.
    void (*took)(void *context, enum wm_coherence_side side, const struct wm_coherence_row *row,
                 unsigned facts);
};

// Which side an event is of.
enum wm_coherence_side wm_coherence_side_of(enum wm_coherence_event event);
enum wm_coherence_network wm_coherence_network_of(enum wm_coherence_event event);
bool wm_coherence_brings_data(enum wm_coherence_event event);

void wm_coherence_protocol_init(struct wm_coherence_protocol *protocol,
                                struct wm_coherence_table cache, struct wm_coherence_table home);

// What holds of a line as `input` comes.
unsigned wm_coherence_facts(const struct wm_coherence_line *line,
                            const struct wm_coherence_input *input);
// The row for it, NULL when the table has none: the event cannot come then.
const struct wm_coherence_row *wm_coherence_find(const struct wm_coherence_protocol *protocol,
                                                 const struct wm_coherence_line *line,
                                                 enum wm_coherence_event event, unsigned facts);
// Finds the row and carries it out, with what it makes the other side of the line do. False, at
// the place where it was found out, when a row is missing: a broken invariant.
bool wm_coherence_step(const struct wm_coherence_protocol *protocol, struct wm_coherence_line *line,
                       const struct wm_coherence_input *input,
                       const struct wm_coherence_ports *ports, void *context);

// Names for people, and meanings ("" where the name says it).
const char *wm_coherence_state_name(enum wm_coherence_side side, unsigned state);
const char *wm_coherence_state_meaning(enum wm_coherence_side side, unsigned state);
const char *wm_coherence_event_name(enum wm_coherence_event event);
const char *wm_coherence_event_meaning(enum wm_coherence_event event);
const char *wm_coherence_action_name(enum wm_coherence_action action);
const char *wm_coherence_action_meaning(enum wm_coherence_action action);
const char *wm_coherence_fact_name(enum wm_coherence_fact_bit fact);

#endif
