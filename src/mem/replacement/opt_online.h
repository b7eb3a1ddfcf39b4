// Belady's MIN without the future: says of each access, when it comes, whether it hits under MIN.
//
// MIN keeps a line from one use to the next where it can, the nearer next use first. So an access
// hits if its line could have been kept since its last use along with all that was kept already:
// the future never changes what the past has decided. What must be known of the past is how much
// room is left behind each moment: since a hit takes room from its line's last use until now, that
// is an order of moments, in which a line that was used after the v-th and not after the next can
// still be kept through v uses more of room. ways + 1 moments a set are all of it:
//
//   before the first       no room was left at some moment since: the line is lost
//   a hit                  the last moment before its line's last use goes, now is added at the end
//   a miss that takes room the last moment but one goes, now is added at the end
//   a miss that takes none changes nothing
//
// L. A. Belady and F. P. Palermo, "On-line measurement of paging behavior by the multivalued MIN
// algorithm", IBM Journal of Research and Development 18(1), 1974, gave the first such method; A.
// Jain and C. Lin, "Back to the future: leveraging Belady's algorithm for improved cache
// replacement", ISCA 2016, sample it with vectors of occupancy.
//
// Memory: a line is remembered until it is lost, and then, if it is dirty, until it is written
// back. A loop over few lines keeps few, however long; lines that are used once each are all kept,
// as any of them may yet prove to have been worth keeping. 44 to 96 bytes a line that is
// remembered.
//
// An owner keeps its sectors in the lines, read here to see if any is dirty. Private to mem/.
#ifndef WM_MEM_REPLACEMENT_OPT_ONLINE_H
#define WM_MEM_REPLACEMENT_OPT_ONLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_opt_line {
    uint64_t line;
    uint64_t last_use;     // 0: lost, with dirty sectors to be written back
    uint32_t valid, dirty; // of the owner
    uint32_t set;
    uint32_t older, newer; // of its set in order of use, or of the lost ones
    uint32_t next;         // in its bucket, or of the free ones
};

struct wm_opt;

struct wm_opt_use {
    struct wm_opt_line *held; // what the line is now; NULL when it misses and takes no room
    bool hit;
    bool displaces;      // a miss: a line leaves the set for it, whichever that is
    uint32_t dirty_lost; // a miss: sectors of the line itself that were lost and not written back
};

// NULL when memory runs out. ways and sets are at least 1.
struct wm_opt *wm_opt_new(uint32_t sets, uint32_t ways);
void wm_opt_free(struct wm_opt *opt); // NULL is allowed
// Forgets all lines, those to be written back included.
void wm_opt_clear(struct wm_opt *opt);

// One access to `line` of `set`; `takes` when it takes room if it misses. `held` of a miss has no
// valid sectors, of a hit those that it had; it is borrowed until the next call.
struct wm_opt_use wm_opt_use(struct wm_opt *opt, uint32_t set, uint64_t line, bool takes);
// A line that may yet be a hit, or is lost and dirty (last_use says which); NULL when there is
// none.
struct wm_opt_line *wm_opt_find(const struct wm_opt *opt, uint64_t line);
// The owner has taken sectors from `line`. Without valid ones, or lost and clean, it is forgotten,
// and no longer to be used. True when a line of the set went that may have been there.
bool wm_opt_changed(struct wm_opt *opt, struct wm_opt_line *line);
// Takes one line that is lost and dirty, the one lost first: false when there is none.
bool wm_opt_take_lost(struct wm_opt *opt, uint64_t *line, uint32_t *dirty);

// The remembered lines from `first` to `last`, in no order; `*count` of them, borrowed and free to
// be sorted until the next wm_opt_use.
uint64_t *wm_opt_list(struct wm_opt *opt, uint64_t first, uint64_t last, uint64_t *count);
// How many lines are remembered, and the bytes that all of it takes.
uint64_t wm_opt_line_count(const struct wm_opt *opt);
size_t wm_opt_bytes(const struct wm_opt *opt);
// Memory ran out: accesses since were served as if lines took no room, and counts are of no use.
bool wm_opt_failed(const struct wm_opt *opt);

#endif
