// Which blocks of consecutive bytes change places before slices, or channels, take turns with them.
//
// Where parts take blocks in turn, a stride of as many blocks as there are parts, or of a power of
// two of them, comes back to one part or few. So the lowest bits of a block's number are xored
// with a hash of all that is above them: as many bits as the number of parts has factors of two.
// Each aligned run of that many blocks keeps its places among itself, so each aligned run of as
// many blocks as there are parts still falls on every part once, whatever their number, and a
// part's own blocks stay in their order. What is odd of the number is a modulo, which strides of
// powers of two do not disturb. Exchanging twice is exchanging back.
//
// Private to mem/.
#ifndef WM_MEM_INTERLEAVE_BLOCK_HASH_H
#define WM_MEM_INTERLEAVE_BLOCK_HASH_H

#include "base/error.h"
#include "mem/system/memory_spec.h"

#include <stdint.h>

enum { WM_BLOCK_HASH_MOST_BITS = 16, WM_BLOCK_HASH_BYTES = 8 };

// Both hashes are linear over GF(2): that of a number is the exclusive or of those of its bytes.
struct wm_block_hash {
    uint32_t bits;                            // that are hashed, at least 1
    uint16_t of[WM_BLOCK_HASH_BYTES][1 << 8]; // by byte of what is above them, and its value
};

// How many bits of a block's number are hashed for the slices of a level, or for the channels: 0
// where none are. Those of channels behind slices that are chosen alike are the slices', so that
// what a slice misses goes to one channel.
uint32_t wm_level_hash_bits(const struct wm_memory_spec *spec, uint32_t level);
uint32_t wm_channel_hash_bits(const struct wm_memory_spec *spec);

// NULL, and no error, where no bits are hashed; else the caller's to free. WM_NO_MEMORY.
enum wm_status wm_block_hash_new(struct wm_block_hash **hash, enum wm_interleave_hash kind,
                                 uint32_t bits, struct wm_error *error);

// The place of a block among those that parts take in turn. `hash` may be NULL.
static inline __attribute__((always_inline)) uint64_t wm_block_place(
    const struct wm_block_hash *hash, uint64_t block)
{
    if (__builtin_expect(hash == NULL, 1))
        return block;
    uint64_t place = block, above = block >> hash->bits;
    for (uint32_t at = 0; above != 0; above >>= 8, at++)
        place ^= hash->of[at][above & 0xff];
    return place;
}

#endif
