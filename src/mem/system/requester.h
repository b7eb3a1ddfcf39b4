// The requester of a request, for those who look its line up in time.
#ifndef WM_MEM_SYSTEM_REQUESTER_H
#define WM_MEM_SYSTEM_REQUESTER_H

#include "mem/cache/cache.h"
#include "mem/system/memory.h"

// What a replacement entry sees of it.
static inline struct wm_requester wm_requester_of(const struct wm_request *request)
{
    return (struct wm_requester){.sm = request->sm,
                                 .warp = request->warp,
                                 .pc = request->pc,
                                 .kind = request->kind,
                                 .hint = request->hint,
                                 .lines = request->lines,
                                 .rank = request->rank};
}

#endif
