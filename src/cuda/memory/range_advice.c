#include "cuda/memory/range_advice.h"

#include "base/containers/array.h"

#include <stdlib.h>
#include <string.h>

// Ranges lie in order and apart from each other. Inserting one cuts at most one in two, so an
// operation makes at most one more than there are, and one for each gap.
static bool reserve(struct wm_cuda_advised_ranges *ranges)
{
    return WM_ARRAY_RESERVE(ranges->items, ranges->count, ranges->capacity,
                            ranges->count + UINT64_C(4));
}

static void insert(struct wm_cuda_advised_ranges *ranges, uint32_t at,
                   const struct wm_cuda_advised_range *range)
{
    struct wm_cuda_advised_range copy = *range;
    memmove(&ranges->items[at + 1], &ranges->items[at], (ranges->count - at) * sizeof copy);
    ranges->items[at] = copy;
    ranges->count++;
}

// After it no range has the place inside.
static void cut(struct wm_cuda_advised_ranges *ranges, uint64_t place)
{
    for (uint32_t i = 0; i < ranges->count; i++) {
        struct wm_cuda_advised_range *range = &ranges->items[i];
        if (range->begin < place && place < range->end) {
            struct wm_cuda_advised_range first = *range;
            range->begin = first.end = place;
            insert(ranges, i, &first);
            return;
        }
    }
}

static void fill_gaps(struct wm_cuda_advised_ranges *ranges, uint64_t begin, uint64_t end)
{
    uint32_t i = 0;
    while (i < ranges->count && ranges->items[i].end <= begin)
        i++;
    for (; begin < end; begin = ranges->items[i++].end) {
        uint64_t next = i < ranges->count ? ranges->items[i].begin : end;
        if (next > end)
            next = end;
        struct wm_cuda_advised_range gap = {.begin = begin, .end = next};
        if (begin < next)
            insert(ranges, i, &gap);
    }
}

static void apply(struct wm_cuda_advice *to, int advice, struct wm_cuda_location location)
{
    bool device = location.type == 1;
    switch (advice) {
    case 1: to->read_mostly = true; break;
    case 2: to->read_mostly = false; break;
    case 3: to->preferred = location; break;
    case 4: to->preferred = (struct wm_cuda_location){0}; break;
    case 5:
    case 6: *(device ? &to->by_device : &to->by_host) = advice == 5; break;
    default: to->prefetched = location; break;
    }
}

wm_cuda_status wm_cuda_advise(struct wm_cuda_process *process, uint64_t address, uint64_t bytes,
                              int advice, struct wm_cuda_location location)
{
    struct wm_cuda_advised_ranges *ranges = &process->advised;
    uint64_t end = address + bytes;
    if (!reserve(ranges))
        return cudaErrorMemoryAllocation;
    cut(ranges, address);
    cut(ranges, end);
    if (!reserve(ranges))
        return cudaErrorMemoryAllocation;
    fill_gaps(ranges, address, end);
    for (uint32_t i = 0; i < ranges->count; i++)
        if (ranges->items[i].begin >= address && ranges->items[i].end <= end)
            apply(&ranges->items[i].advice, advice, location);
    return cudaSuccess;
}

static void agree(struct wm_cuda_location *location, struct wm_cuda_location other)
{
    if (location->type != other.type || location->id != other.id)
        *location = (struct wm_cuda_location){0};
}

struct wm_cuda_advice wm_cuda_advice_of(const struct wm_cuda_process *process, uint64_t address,
                                        uint64_t bytes)
{
    const struct wm_cuda_advised_ranges *ranges = &process->advised;
    uint64_t end = address + bytes, known = address;
    struct wm_cuda_advice all = {0};
    for (uint32_t i = 0; i < ranges->count && known < end; i++) {
        const struct wm_cuda_advised_range *range = &ranges->items[i];
        if (range->end <= known)
            continue;
        if (range->begin > known)
            break;
        if (known == address) {
            all = range->advice;
        } else {
            all.read_mostly &= range->advice.read_mostly;
            all.by_device &= range->advice.by_device;
            all.by_host &= range->advice.by_host;
            agree(&all.preferred, range->advice.preferred);
            agree(&all.prefetched, range->advice.prefetched);
        }
        known = range->end;
    }
    return known >= end ? all : (struct wm_cuda_advice){0};
}

void wm_cuda_forget_advice(struct wm_cuda_process *process, uint64_t address, uint64_t bytes)
{
    struct wm_cuda_advised_ranges *ranges = &process->advised;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        if (ranges->items[i].end <= address || ranges->items[i].begin >= address + bytes)
            ranges->items[kept++] = ranges->items[i];
    ranges->count = kept;
}
