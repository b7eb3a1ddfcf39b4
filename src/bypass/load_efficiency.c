#include "bypass/load_efficiency.h"

#include "base/access/access.h"
#include "base/numbers/divisor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const wm_efficiency_source_names[WM_EFFICIENCY_SOURCES] = {"table", "exact",
                                                                       "profiled"};
const char *const wm_load_pattern_names[] = {"unknown", "V + tid * C", "V + tid / C", "V", "rows"};

// --- What addresses are like ---

static bool is_strided(const int64_t *lanes, int64_t *stride)
{
    *stride = lanes[1] - lanes[0];
    for (int lane = 2; lane < WM_LANE_VALUES; lane++)
        if (lanes[lane] - lanes[lane - 1] != *stride)
            return false;
    return *stride > 0;
}

// Steps of one height, each of as many lanes but for the first and the last, which the warp may
// cut.
static bool is_stepped(const int64_t *lanes, int64_t *height, uint32_t *width)
{
    uint32_t run = 1, steps = 0;
    *height = 0;
    *width = 0;
    for (int lane = 1; lane < WM_LANE_VALUES; lane++) {
        int64_t rise = lanes[lane] - lanes[lane - 1];
        if (rise == 0) {
            run++;
            continue;
        }
        if (rise < 0 || (*height != 0 && rise != *height))
            return false;
        if (steps > 1 && run != *width)
            return false;
        *width = steps == 0 ? run : run > *width || steps == 1 ? run : *width;
        *height = rise;
        run = 1;
        steps++;
    }
    *width = run > *width ? run : *width;
    return *height > 0;
}

struct wm_load_shape wm_load_shape_of(const struct wm_lane_value *address)
{
    struct wm_load_shape shape = {.pattern = WM_PATTERN_UNKNOWN};
    int64_t distance;
    if (address->knowledge != WM_LANES_KNOWN)
        return shape;
    shape.pattern = WM_PATTERN_OTHER;
    if (address->term_count != 0)
        return shape;
    if (wm_lanes_are_uniform(address))
        return (struct wm_load_shape){.pattern = WM_PATTERN_SAME};
    uint32_t width;
    if (is_strided(address->lanes, &distance))
        return (struct wm_load_shape){WM_PATTERN_STRIDED, (uint64_t)distance, 1};
    if (is_stepped(address->lanes, &distance, &width))
        return (struct wm_load_shape){WM_PATTERN_STEPPED, (uint64_t)distance, width};
    return shape;
}

// --- The table ---

// Table II, the column of blocks of `block` bytes; of V + tid * C0, Esize and C0 occur as a product
// alone, the stride.
static double table_row(const struct wm_load_shape *shape, double bytes, double block)
{
    double stride = (double)shape->stride;
    switch (shape->pattern) {
    case WM_PATTERN_STRIDED: return fmin(fmax(block / stride, 1), 32) * bytes / block;
    case WM_PATTERN_STEPPED:
        return fmin(fmax(stride * 32 / (double)shape->lanes, 1), block) * bytes / (stride * block);
    case WM_PATTERN_SAME: return fmin(bytes / block, 1);
    case WM_PATTERN_UNKNOWN:
    case WM_PATTERN_OTHER: break;
    }
    return 0;
}

struct wm_load_efficiency wm_efficiency_by_table(const struct wm_load_shape *shape, uint32_t bytes,
                                                 uint32_t line)
{
    if (shape->pattern == WM_PATTERN_UNKNOWN || shape->pattern == WM_PATTERN_OTHER)
        return (struct wm_load_efficiency){0};
    struct wm_load_efficiency efficiency = {.known = true,
                                            .on = table_row(shape, bytes, line),
                                            .off = table_row(shape, bytes, WM_SECTOR_BYTES)};
    efficiency.sectors = line / WM_SECTOR_BYTES * efficiency.on / efficiency.off;
    return efficiency;
}

// --- The exact one ---

// Lanes whose unknown parts are the same, and so are so many bytes apart.
struct group {
    uint32_t count;
    uint64_t unit; // divides what is unknown of where they lie
    int64_t offsets[WM_LANE_VALUES];
};

static bool same_terms(const struct wm_lane_value *address, int a, int b)
{
    for (uint32_t t = 0; t < address->term_count; t++)
        if (address->terms[t].lanes[a] != address->terms[t].lanes[b])
            return false;
    return true;
}

static struct group group_of(const struct wm_lane_value *address, int first, uint32_t *left)
{
    struct group group = {.unit = address->unit};
    for (uint32_t t = 0; t < address->term_count; t++) {
        int64_t times = address->terms[t].lanes[first];
        group.unit = wm_common_divisor(group.unit, address->terms[t].unit *
                                                       (uint64_t)(times < 0 ? -times : times));
    }
    for (int lane = first; lane < WM_LANE_VALUES; lane++)
        if ((*left >> lane & 1) != 0 && same_terms(address, first, lane)) {
            group.offsets[group.count++] = address->lanes[lane];
            *left &= ~(UINT32_C(1) << lane);
        }
    return group;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

// Of accesses at ascending offsets, moved by `phase`: different blocks of `size` bytes they touch.
static uint64_t count_blocks(const struct group *group, int64_t phase, int64_t bytes, int64_t size)
{
    uint64_t count = 0;
    int64_t beyond = INT64_MIN; // the first block that has not been counted
    for (uint32_t i = 0; i < group->count; i++) {
        int64_t begin = floor_divide(group->offsets[i] + phase, size),
                end = floor_divide(group->offsets[i] + phase + bytes - 1, size) + 1;
        begin = begin > beyond ? begin : beyond;
        if (end > begin) {
            count += (uint64_t)(end - begin);
            beyond = end;
        }
    }
    return count;
}

struct tally {
    double used, lines, sectors;
};

// The mean over all phases that the group's unknown part may have within a line.
static void add_group(struct group *group, uint32_t bytes, uint32_t line, struct tally *tally)
{
    qsort(group->offsets, group->count, sizeof group->offsets[0], compare_numbers);
    uint64_t step = wm_common_divisor(group->unit, line);
    uint64_t phases = line / step;
    double lines = 0, sectors = 0;
    for (uint64_t phase = 0; phase < phases; phase++) {
        int64_t moved = (int64_t)(phase * step);
        lines += (double)count_blocks(group, moved, bytes, line);
        sectors += (double)count_blocks(group, moved, bytes, WM_SECTOR_BYTES);
    }
    tally->used += (double)count_blocks(group, 0, bytes, 1);
    tally->lines += lines / (double)phases;
    tally->sectors += sectors / (double)phases;
}

struct wm_load_efficiency wm_efficiency_of_lanes(const struct wm_lane_value *address,
                                                 uint32_t bytes, uint32_t line)
{
    if (address->knowledge != WM_LANES_KNOWN)
        return (struct wm_load_efficiency){0};
    struct tally tally = {0};
    uint32_t left = UINT32_MAX;
    while (left != 0) {
        struct group group = group_of(address, __builtin_ctz(left), &left);
        add_group(&group, bytes, line, &tally);
    }
    return (struct wm_load_efficiency){.known = true,
                                       .on = tally.used / (tally.lines * line),
                                       .off = tally.used / (tally.sectors * WM_SECTOR_BYTES),
                                       .sectors = tally.sectors / tally.lines,
                                       .used = tally.used};
}

struct wm_load_efficiency wm_efficiency_mean(const struct wm_load_efficiency *efficiencies,
                                             uint32_t count)
{
    struct tally sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        sum.used += efficiencies[i].used;
        sum.lines += efficiencies[i].used / efficiencies[i].on;
        sum.sectors += efficiencies[i].used / efficiencies[i].off;
    }
    if (count == 0)
        return (struct wm_load_efficiency){0};
    struct wm_load_efficiency mean = {.known = true,
                                      .on = sum.used / sum.lines,
                                      .off = sum.used / sum.sectors,
                                      .used = sum.used / count};
    mean.sectors =
        efficiencies[0].sectors * efficiencies[0].off / efficiencies[0].on * mean.on / mean.off;
    return mean;
}

struct wm_load_efficiency wm_efficiency_as_profiled(const struct wm_load_record *load,
                                                    uint32_t line)
{
    if (load->lines == 0)
        return (struct wm_load_efficiency){0};
    double bytes = (double)load->bytes_requested;
    return (struct wm_load_efficiency){
        .known = true,
        .on = fmin(bytes / ((double)load->lines * line), 1),
        .off = fmin(bytes / ((double)load->sectors * WM_SECTOR_BYTES), 1),
        .sectors = (double)load->sectors / (double)load->lines,
    };
}
