#include "base/containers/array.h"
#include "engine/check/checker_state.h"
#include "exec/memory/device_memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 1 << WM_CHECK_PAGE_SHIFT, WORD_BITS = 64, PAGE_WORDS = PAGE_BYTES / WORD_BITS };

// ---- Bits --------------------------------------------------------------------------------------

static uint64_t mask_of(uint64_t first, uint64_t count)
{
    return (count >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

bool wm_bits_any(const uint64_t *bits, uint64_t at, uint64_t count)
{
    while (count > 0) {
        uint64_t first = at % WORD_BITS;
        uint64_t here = count < WORD_BITS - first ? count : WORD_BITS - first;
        if (bits[at / WORD_BITS] & mask_of(first, here))
            return true;
        at += here;
        count -= here;
    }
    return false;
}

void wm_bits_mark(uint64_t *bits, uint64_t at, uint64_t count, bool yes)
{
    while (count > 0) {
        uint64_t first = at % WORD_BITS;
        uint64_t here = count < WORD_BITS - first ? count : WORD_BITS - first;
        if (yes)
            bits[at / WORD_BITS] |= mask_of(first, here);
        else
            bits[at / WORD_BITS] &= ~mask_of(first, here);
        at += here;
        count -= here;
    }
}

// ---- Device memory -----------------------------------------------------------------------------

void wm_uninitialised_bytes_release(struct wm_uninitialised_bytes *unwritten)
{
    for (uint64_t i = 0; i < unwritten->page_count; i++)
        if (unwritten->pages[i] != unwritten->whole)
            free(unwritten->pages[i]);
    free(unwritten->pages);
}

static bool reach(struct wm_uninitialised_bytes *unwritten, uint64_t page)
{
    if (page < unwritten->page_count)
        return true;
    uint64_t count = unwritten->page_count ? unwritten->page_count : 64;
    while (count <= page)
        count *= 2;
    if (!WM_ARRAY_EXTEND(unwritten->pages, unwritten->page_count, count))
        return false;
    unwritten->page_count = count;
    return true;
}

// A map of its own for a page of which only a part changes.
static uint64_t *own_map(struct wm_uninitialised_bytes *unwritten, uint64_t page)
{
    uint64_t *map = unwritten->pages[page];
    if (map && map != unwritten->whole)
        return map;
    uint64_t *made = malloc(PAGE_WORDS * sizeof *made);
    if (made) {
        memset(made, map ? 0xff : 0, PAGE_WORDS * sizeof *made);
        unwritten->pages[page] = made;
    }
    return made;
}

static void set_page(struct wm_uninitialised_bytes *unwritten, uint64_t page, bool yes)
{
    if (unwritten->pages[page] != unwritten->whole)
        free(unwritten->pages[page]);
    unwritten->pages[page] = yes ? unwritten->whole : NULL;
}

static void mark_in_page(struct wm_uninitialised_bytes *unwritten, uint64_t page, uint64_t at,
                         uint64_t bytes, bool yes)
{
    const uint64_t *map = unwritten->pages[page];
    if (map == (yes ? unwritten->whole : NULL))
        return;
    if (bytes == PAGE_BYTES) {
        set_page(unwritten, page, yes);
        return;
    }
    uint64_t *own = own_map(unwritten, page);
    if (own)
        wm_bits_mark(own, at, bytes, yes);
    else
        unwritten->failed = true;
}

// Host memory lies below the device's addresses, or above them: nothing is kept of it.
void wm_uninitialised_bytes_mark(struct wm_uninitialised_bytes *unwritten, uint64_t address,
                                 uint64_t bytes, bool yes)
{
    uint64_t at = address - WM_DEVICE_BASE;
    if (address < WM_DEVICE_BASE || unwritten->failed)
        return;
    while (bytes > 0) {
        uint64_t page = at / PAGE_BYTES, in_page = at % PAGE_BYTES;
        uint64_t here = bytes < PAGE_BYTES - in_page ? bytes : PAGE_BYTES - in_page;
        if (!yes && page >= unwritten->page_count)
            return; // nothing beyond was ever marked
        if (!reach(unwritten, page)) {
            unwritten->failed = true;
            return;
        }
        mark_in_page(unwritten, page, in_page, here, yes);
        at += here;
        bytes -= here;
    }
}

static const uint64_t *map_of(const struct wm_uninitialised_bytes *unwritten, uint64_t at)
{
    uint64_t page = at / PAGE_BYTES;
    return page < unwritten->page_count ? unwritten->pages[page] : NULL;
}

static bool any_in_page(const struct wm_uninitialised_bytes *unwritten, uint64_t at, uint64_t bytes)
{
    const uint64_t *map = map_of(unwritten, at);
    return map && (map == unwritten->whole || wm_bits_any(map, at % PAGE_BYTES, bytes));
}

bool wm_uninitialised_bytes_any(const struct wm_uninitialised_bytes *unwritten, uint64_t address,
                                uint32_t bytes)
{
    return address >= WM_DEVICE_BASE && !unwritten->failed &&
           any_in_page(unwritten, address - WM_DEVICE_BASE, bytes);
}

// Runs of equal bytes are copied at once, in steps that stay within a page and a word of the map.
void wm_uninitialised_bytes_copy(struct wm_uninitialised_bytes *unwritten, uint64_t to,
                                 uint64_t from, uint64_t bytes)
{
    if (from < WM_DEVICE_BASE) {
        wm_uninitialised_bytes_mark(unwritten, to, bytes, false);
        return;
    }
    bool backwards = to > from && to < from + bytes;
    for (uint64_t done = 0; done < bytes;) {
        uint64_t step = bytes - done < WORD_BITS ? bytes - done : WORD_BITS;
        uint64_t at = backwards ? bytes - done - step : done;
        uint64_t source = from - WM_DEVICE_BASE + at;
        const uint64_t *map = map_of(unwritten, source);
        bool crosses = source / PAGE_BYTES != (source + step - 1) / PAGE_BYTES;
        bool mixed = crosses || (map && map != unwritten->whole);
        if (!mixed) {
            wm_uninitialised_bytes_mark(unwritten, to + at, step, map != NULL);
        } else {
            bool bits[WORD_BITS];
            for (uint64_t i = 0; i < step; i++)
                bits[i] = any_in_page(unwritten, source + i, 1);
            for (uint64_t i = 0; i < step; i++)
                wm_uninitialised_bytes_mark(unwritten, to + at + i, 1, bits[i]);
        }
        done += step;
    }
}
