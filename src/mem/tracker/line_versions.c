#include "mem/tracker/line_versions.h"

#include "base/numbers/hash.h"

#include <stdlib.h>

// What a number in the table is about.
enum topic { MEMORY, GROUP, COPY, OWN, TOPICS };

struct slot {
    uint64_t sector, version; // version 0: an empty slot
    uint32_t unit, topic;
};

struct wm_line_versions {
    struct slot *slots; // open addressing; a power of two of them
    uint64_t slot_count, used;
    uint64_t clock;        // the last write's number
    uint64_t kernel_clock; // at the start of the kernel
    uint32_t sms_each_l1, sms_each_tracker;
    uint64_t old_reads, old_copies;
    bool failed;
};

struct wm_line_versions *wm_line_versions_new(uint32_t sms_each_l1, uint32_t sms_each_tracker)
{
    struct wm_line_versions *versions = calloc(1, sizeof *versions);
    if (versions == NULL)
        return NULL;
    versions->slot_count = 1024;
    versions->slots = calloc(versions->slot_count, sizeof *versions->slots);
    versions->sms_each_l1 = sms_each_l1 > 1 ? sms_each_l1 : 1;
    versions->sms_each_tracker = sms_each_tracker;
    versions->clock = 1; // what was there before any write
    if (versions->slots != NULL)
        return versions;
    wm_line_versions_free(versions);
    return NULL;
}

void wm_line_versions_free(struct wm_line_versions *versions)
{
    if (versions != NULL)
        free(versions->slots);
    free(versions);
}

static struct slot *find(struct slot *slots, uint64_t count, uint64_t sector, uint32_t unit,
                         enum topic topic)
{
    uint64_t at = wm_hash_u64(sector * TOPICS * 2048 + unit * TOPICS + topic) & (count - 1);
    while (slots[at].version != 0 && (slots[at].sector != sector || slots[at].unit != unit ||
                                      slots[at].topic != (uint32_t)topic))
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static void grow(struct wm_line_versions *versions)
{
    uint64_t count = 2 * versions->slot_count;
    struct slot *larger = calloc(count, sizeof *larger);
    if (larger == NULL) {
        versions->failed = true;
        return;
    }
    for (uint64_t i = 0; i < versions->slot_count; i++) {
        const struct slot *slot = &versions->slots[i];
        if (slot->version != 0)
            *find(larger, count, slot->sector, slot->unit, (enum topic)slot->topic) = *slot;
    }
    free(versions->slots);
    versions->slots = larger;
    versions->slot_count = count;
}

static void set(struct wm_line_versions *versions, enum topic topic, uint32_t unit, uint64_t sector,
                uint64_t version)
{
    if (2 * versions->used >= versions->slot_count)
        grow(versions);
    if (versions->failed)
        return;
    struct slot *slot = find(versions->slots, versions->slot_count, sector, unit, topic);
    versions->used += slot->version == 0;
    *slot = (struct slot){.sector = sector, .version = version, .unit = unit, .topic = topic};
}

// 0: nothing was kept.
static uint64_t get(const struct wm_line_versions *versions, enum topic topic, uint32_t unit,
                    uint64_t sector)
{
    return find(versions->slots, versions->slot_count, sector, unit, topic)->version;
}

static uint32_t l1_of(const struct wm_line_versions *versions, uint32_t sm)
{
    return sm / versions->sms_each_l1;
}

static uint32_t tracker_of(const struct wm_line_versions *versions, uint32_t l1)
{
    return l1 * versions->sms_each_l1 / versions->sms_each_tracker;
}

void wm_versions_write(struct wm_line_versions *versions, uint32_t sm, uint64_t sector, bool held)
{
    uint32_t l1 = l1_of(versions, sm);
    uint64_t now = ++versions->clock;
    set(versions, MEMORY, 0, sector, now);
    set(versions, GROUP, tracker_of(versions, l1), sector, now);
    set(versions, OWN, sm, sector, now);
    if (held)
        set(versions, COPY, l1, sector, now);
}

// Of memory that was not written: the first version.
static uint64_t supplied(const struct wm_line_versions *versions, uint64_t sector, int32_t from)
{
    uint64_t version = from == WM_FROM_BELOW ? get(versions, MEMORY, 0, sector)
                                             : get(versions, COPY, (uint32_t)from, sector);
    return version != 0 ? version : 1;
}

void wm_versions_fill(struct wm_line_versions *versions, uint32_t l1, uint64_t sector, int32_t from)
{
    set(versions, COPY, l1, sector, supplied(versions, sector, from));
}

static void check_own(struct wm_line_versions *versions, uint32_t sm, uint64_t sector,
                      uint64_t version)
{
    uint64_t own = get(versions, OWN, sm, sector);
    versions->old_reads += own > versions->kernel_clock && version < own;
}

void wm_versions_read(struct wm_line_versions *versions, uint32_t sm, uint64_t sector)
{
    check_own(versions, sm, sector, supplied(versions, sector, (int32_t)l1_of(versions, sm)));
}

void wm_versions_read_from(struct wm_line_versions *versions, uint32_t sm, uint64_t sector,
                           int32_t from)
{
    if (from != WM_FROM_BELOW)
        versions->old_copies += !wm_versions_is_current(versions, (uint32_t)from, sector);
    check_own(versions, sm, sector, supplied(versions, sector, from));
}

void wm_versions_kernel(struct wm_line_versions *versions)
{
    versions->kernel_clock = versions->clock;
}

bool wm_versions_is_current(const struct wm_line_versions *versions, uint32_t l1, uint64_t sector)
{
    uint64_t last = get(versions, GROUP, tracker_of(versions, l1), sector);
    return supplied(versions, sector, (int32_t)l1) >= last;
}

uint64_t wm_versions_old_reads(const struct wm_line_versions *versions)
{
    return versions->old_reads;
}

uint64_t wm_versions_old_copies(const struct wm_line_versions *versions)
{
    return versions->old_copies;
}

bool wm_versions_failed(const struct wm_line_versions *versions)
{
    return versions->failed;
}
