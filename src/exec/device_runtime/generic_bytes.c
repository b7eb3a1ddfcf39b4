#include "exec/device_runtime/generic_bytes.h"

#include "exec/memory/spaces.h"

#include <string.h>

// Local memory is interleaved by lane: it has no run of bytes longer than a word.
static bool local_fits(const struct wm_warp *warp, uint64_t offset, uint32_t bytes)
{
    uint32_t size = warp->grid->local_bytes_per_thread;
    return size >= bytes && offset <= size - bytes;
}

static char *within(const char *from, uint64_t size, uint64_t offset, uint32_t bytes)
{
    return size >= bytes && offset <= size - bytes ? (char *)(uintptr_t)from + offset : NULL;
}

// Host bytes of memory other than local; NULL where there are none.
static char *host_bytes(const struct wm_warp *warp, uint64_t address, uint32_t bytes, bool write)
{
    switch ((int)wm_space_of_address(address)) {
    case WM_PTX_shared:
        return within(warp->shared.host, warp->shared.size_bytes, address - WM_SHARED_WINDOW,
                      bytes);
    case WM_PTX_param:
        return write ? NULL
                     : within(warp->grid->parameters, warp->grid->parameter_bytes,
                              address - WM_PARAMETER_WINDOW, bytes);
    default:
        return wm_device_memory_find_range(warp->grid->memory, address, bytes, write)
                   ? (char *)(uintptr_t)address
                   : NULL;
    }
}

// Moves bytes between `buffer` and the address.
static bool move(const struct wm_warp *warp, unsigned lane, uint64_t address, char *buffer,
                 uint32_t bytes, bool write)
{
    if (wm_space_of_address(address) != WM_PTX_local) {
        char *host = host_bytes(warp, address, bytes, write);
        if (host)
            memcpy(write ? host : buffer, write ? buffer : host, bytes);
        return host != NULL;
    }
    uint64_t offset = address - WM_LOCAL_WINDOW;
    if (!local_fits(warp, offset, bytes))
        return false;
    for (uint32_t i = 0; i < bytes; i++) {
        char *host = wm_local_word(warp, lane, offset + i);
        *(write ? host : &buffer[i]) = *(write ? &buffer[i] : host);
    }
    return true;
}

bool wm_generic_read(const struct wm_warp *warp, unsigned lane, uint64_t address, void *to,
                     uint32_t bytes)
{
    return move(warp, lane, address, to, bytes, false);
}

bool wm_generic_write(const struct wm_warp *warp, unsigned lane, uint64_t address, const void *from,
                      uint32_t bytes)
{
    return move(warp, lane, address, (char *)(uintptr_t)from, bytes, true);
}
