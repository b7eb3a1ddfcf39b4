// Random kernels made of the arithmetic forms of forms/isa.txt: straight code, branches that part a
// warp and meet again, and short loops, over all registers. Each thread takes its registers from
// its slot of memory and leaves them there.
#ifndef EXEC_RANDOM_FORMS_H
#define EXEC_RANDOM_FORMS_H

#include "base/numbers/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RANDOM_FORMS_THREADS = 64,
    RANDOM_FORMS_SLOT_BYTES = 160, // a thread's registers in memory, in whole 8 bytes
    RANDOM_FORMS_WORDS = RANDOM_FORMS_THREADS * RANDOM_FORMS_SLOT_BYTES / 8,
};

// What decides: bytes while there are any, then `random`, or zeros without it.
struct form_choices {
    const uint8_t *bytes;
    size_t count;
    struct wm_random *random;
};

// Less than `below`; any 64 bits for 0.
uint64_t form_choose(struct form_choices *choices, uint64_t below);

// Reads the list, once; false when it cannot be found. Release frees it.
bool random_forms_read(void);
void random_forms_release(void);
// A module's text without its header, with a kernel k(.param .u64 io); the caller's to free.
char *random_forms_draw(struct form_choices *choices);
// The slots of all threads: awkward values.
void random_forms_fill(struct form_choices *choices, uint64_t io[RANDOM_FORMS_WORDS]);

#endif
