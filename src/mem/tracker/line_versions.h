// Which write each copy of a sector has seen: a check of what a memory system without coherence
// promises (Anssari, section 3.2). Nothing else depends on it. It is kept only for tests and
// fuzzers (wm_memory_check_versions): it costs memory with the sectors touched.
//
// Every write of a sector gets a number. Two promises are checked, and breaches counted:
//   - no SM reads a copy that is older than its own last write of the sector in this kernel;
//   - a copy that a tracker knows of has seen the last write of its sector in its SMs' group, and
//     where one tracker serves all, the last write of all. Private to mem/.
#ifndef WM_MEM_TRACKER_LINE_VERSIONS_H
#define WM_MEM_TRACKER_LINE_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

struct wm_line_versions;

// Of a machine with that many SMs, which share L1s and trackers in groups. NULL when out of memory.
struct wm_line_versions *wm_line_versions_new(uint32_t sms_each_l1, uint32_t sms_each_tracker);
// NULL is allowed.
void wm_line_versions_free(struct wm_line_versions *versions);

enum { WM_FROM_BELOW = -1 };

// An SM has written the sector, which everything below its L1 sees at once. `held`: so does its L1.
void wm_versions_write(struct wm_line_versions *versions, uint32_t sm, uint64_t sector, bool held);
// L1 number `l1` has taken the sector, from below or from the L1 `from`, which a tracker named.
void wm_versions_fill(struct wm_line_versions *versions, uint32_t l1, uint64_t sector,
                      int32_t from);
// An SM has read the sector in its own L1; got it from below; or from the L1 `from`, which a
// tracker named.
void wm_versions_read(struct wm_line_versions *versions, uint32_t sm, uint64_t sector);
void wm_versions_read_from(struct wm_line_versions *versions, uint32_t sm, uint64_t sector,
                           int32_t from);
// A kernel starts: what was written before is below.
void wm_versions_kernel(struct wm_line_versions *versions);

// Whether L1 number `l1` has seen what a tracked copy must have.
bool wm_versions_is_current(const struct wm_line_versions *versions, uint32_t l1, uint64_t sector);
// Reads of a copy older than the reader's own last write; tracked copies that were not current when
// they were read from.
uint64_t wm_versions_old_reads(const struct wm_line_versions *versions);
uint64_t wm_versions_old_copies(const struct wm_line_versions *versions);
// Memory for it ran out: the counts are of what was kept.
bool wm_versions_failed(const struct wm_line_versions *versions);

#endif
