// The rows of the schema: how its tables are written, and where they lie. Private to machine/.
#ifndef WM_MACHINE_SCHEMA_PARTS_H
#define WM_MACHINE_SCHEMA_PARTS_H

#include "machine/schema.h"

#define WM_KEY_COUNT(low, high) \
    .type = WM_KEY_QUANTITY, .quantity = WM_QUANTITY_COUNT, .minimum = (low), .maximum = (high)
#define WM_KEY_SIZE(low, high) \
    .type = WM_KEY_QUANTITY, .quantity = WM_QUANTITY_BYTES, .minimum = (low), .maximum = (high)
#define WM_KEY_CLOCK(low)                                                     \
    .type = WM_KEY_QUANTITY, .quantity = WM_QUANTITY_HERTZ, .minimum = (low), \
    .maximum = UINT64_C(100000000000)

#define WM_KIB (UINT64_C(1) << 10)
#define WM_MIB (UINT64_C(1) << 20)
#define WM_GIB (UINT64_C(1) << 30)

// How blocks of consecutive bytes choose one of several parts.
extern const struct wm_key_choice wm_interleave_hashes[];

// All keys but those of levels of caches.
extern const struct wm_machine_key wm_plain_keys[];
extern const size_t wm_plain_key_count;

// How many rows the table of levels has: a level has those that it may say of itself.
size_t wm_level_row_count(void);
// The row of a key's name; their number where there is none.
size_t wm_level_row_of(const char *name);
// The key of a row, but for its number, at a level whose group has the path `group`. False where
// the level has none.
bool wm_level_key(size_t row, uint32_t level, const char *group, struct wm_machine_key *key);
// Whether the row is another name, which is read and neither printed nor listed.
bool wm_level_row_is_older(size_t row);

#endif
