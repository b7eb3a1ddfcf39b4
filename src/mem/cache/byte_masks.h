// Byte masks, for a cache whose stores fetch nothing (WM_FETCH_NEVER; docs/memory-system.md, R4).
// Of a sector that was written in part the other bytes are not there: it is held partly, and its
// line keeps a mask of the bytes that were written. A store finds such a sector, for it needs
// nothing more; a load or an atomic misses it, and what is fetched fills the gaps.
//
// Valid, dirty and partly go by sectors here, whatever the fetch unit: a store leaves the rest of
// its unit alone. A sector is never both valid and held partly.
//
// Such a cache does not keep its sets in order (struct wm_cache: is_ordered), so that a slot stays
// a line's as long as the line is there. Few machines have one: only the build of the access path
// that has all parts uses it, and all of it is out of line. Private to mem/.
#ifndef WM_MEM_CACHE_BYTE_MASKS_H
#define WM_MEM_CACHE_BYTE_MASKS_H

#include "mem/cache/cache.h"

struct wm_byte_masks {
    uint32_t *partly;     // owned; by slot: sectors held in part
    uint32_t *written;    // owned; by slot, line_sectors words each: bytes of those sectors
    uint32_t *left;       // owned; the words of the line that was displaced or cleaned last,
    uint32_t left_partly; // and its sectors held in part
};

// Which bytes a write brings: a word for each sector from `address` on, a bit a byte. Words are
// read of sectors that are written, and not written whole. NULL: it is not known which; then such a
// sector stays held partly until it is written whole or fetched.
struct wm_write_mask {
    uint64_t address;
    const uint32_t *words; // borrowed for the call
};

// Masks for `cache`, whose geometry is known; NULL without memory. Free with the cache's release.
struct wm_byte_masks *wm_byte_masks_new(const struct wm_cache *cache);
void wm_byte_masks_free(struct wm_byte_masks *bytes);
// Nothing is held in part.
void wm_byte_masks_clear(struct wm_cache *cache);
// The line in `slot` is about to be written back, dirty sectors `dirty`, or to leave: its masks go
// to `left`, and what is written back in part is counted.
void wm_byte_masks_leave(struct wm_cache *cache, uint64_t slot, uint32_t dirty);

// Sectors of `line`, which were fetched, have come: it takes its way now, or has them besides. What
// was held of them in part is whole. False, counted as a refusal, when it gets no way.
bool wm_byte_masks_fill(struct wm_cache *cache, uint32_t set, uint64_t line, uint32_t sectors,
                        const struct wm_requester *requester, struct wm_cache_victim *victim);

// wm_cache_read and wm_cache_write for these caches; and the first without wm_cache_count, of a
// line in `way` of `set`, or nowhere where that is negative.
struct wm_cache_result wm_byte_masks_read_at(struct wm_cache *cache, uint32_t set, int32_t way,
                                             uint64_t line, uint32_t sectors, bool allocate,
                                             const struct wm_requester *requester);
struct wm_cache_result wm_byte_masks_read(struct wm_cache *cache, uint64_t line,
                                          uint64_t index_line, uint32_t sectors, bool allocate,
                                          const struct wm_requester *requester);
struct wm_cache_result wm_byte_masks_write(struct wm_cache *cache, enum wm_cache_client client,
                                           uint64_t line, uint64_t index_line, uint32_t sectors,
                                           uint32_t full_sectors, bool allocate,
                                           const struct wm_write_mask *written,
                                           const struct wm_requester *requester);

// What was cleaned or displaced last, as something to write back: `dirty` of `line`.
static inline struct wm_cache_victim wm_cache_last_write_back(const struct wm_cache *cache,
                                                              uint64_t line, uint32_t dirty)
{
    struct wm_cache_victim left = {.line = line, .dirty = dirty};
    if (cache->bytes != NULL) {
        left.partly = cache->bytes->left_partly;
        left.bytes = cache->bytes->left;
    }
    return left;
}

#endif
