// An L1 that several SMs share, described by the part of each (Choo et al., "Characterizing and
// improving the cache performance on massively multithreaded GPUs", section IV.A): it has the sets,
// or the ways, of all of these parts, and their ports and MSHRs. What has been read then describes
// the cache itself, and so does what is printed of it. (gpu.l1.queue is each SM's own.)
#include "machine/description.h"

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

// As the keys have them.
enum { MOST_WAYS = 1024, MOST_PORTS = 32, MOST_MSHRS = 65536, MOST_LATENCY = 65536 };

static enum wm_status too_many(const struct wm_description *description, const char *path,
                               uint32_t value, uint32_t sms, uint32_t most)
{
    wm_fail(description->error, WM_LIMIT, "%s (%u) for each of %u SMs are more than %u", path,
            value, sms, most);
    wm_error_hint(description->error, "make it or gpu.l1.per less");
    wm_description_blame(description, PATHS(path, "gpu.l1.per", "gpu.l1.sharing"));
    return WM_LIMIT;
}

static enum wm_status multiply(const struct wm_description *description, const char *path,
                               uint32_t *value, uint32_t sms, uint32_t most)
{
    if (*value > most / sms)
        return too_many(description, path, *value, sms, most);
    *value *= sms;
    return WM_OK;
}

// What side caches have as L1 has it, they have as the part of one SM has it.
static void keep_of_sides(struct wm_memory_spec *memory)
{
    for (uint32_t i = WM_LEVEL_SIDE; i < WM_LEVEL_L2; i++) {
        // Field by field: descriptions are compared byte by byte, what lies between fields too.
        struct wm_cache_timing *kept = &memory->levels[i].timing,
                               timing = wm_level_timing(memory, i);
        kept->latency = timing.latency;
        kept->mshr_entries = timing.mshr_entries;
        kept->mshr_merges = timing.mshr_merges;
        memory->levels[i].ports = wm_level_ports(memory, i);
    }
}

static enum wm_status grow(const struct wm_description *description, struct wm_level_spec *l1,
                           uint32_t sms)
{
    WM_TRY(multiply(description, "gpu.l1.ports", &l1->ports, sms, MOST_PORTS));
    WM_TRY(multiply(description, "gpu.l1.mshr_entries", &l1->timing.mshr_entries, sms, MOST_MSHRS));
    if (l1->sharing == WM_SHARING_WAYS)
        WM_TRY(multiply(description, "gpu.l1.ways", &l1->cache.ways, sms, MOST_WAYS));
    l1->cache.size_bytes *= sms;
    return WM_OK;
}

// Doublings of the SMs, begun ones too.
static enum wm_status slow_down(const struct wm_description *description, struct wm_level_spec *l1,
                                uint32_t sms)
{
    uint64_t doublings = 32 - (uint32_t)__builtin_clz(sms - 1);
    uint64_t latency = l1->timing.latency + l1->sharing_latency * doublings;
    if (latency > MOST_LATENCY) {
        wm_fail(description->error, WM_LIMIT,
                "gpu.l1.latency (%u) and gpu.l1.sharing_latency (%u) for %u SMs are more than %d "
                "cycles",
                l1->timing.latency, l1->sharing_latency, sms, MOST_LATENCY);
        wm_error_hint(description->error, "make one of them or gpu.l1.per less");
        wm_description_blame(description,
                             PATHS("gpu.l1.sharing_latency", "gpu.l1.latency", "gpu.l1.per"));
        return WM_LIMIT;
    }
    l1->timing.latency = (uint32_t)latency;
    return WM_OK;
}

enum wm_status wm_description_share(struct wm_description *description)
{
    struct wm_machine *machine = description->machine;
    struct wm_level_spec *l1 = &machine->memory.levels[WM_LEVEL_L1];
    uint32_t all = machine->sm.count, sms = l1->units_each != WM_UNITS_ALL ? l1->units_each : all;
    if (sms > 1 && all % sms != 0 && l1->sharing != WM_SHARING_GIVEN) {
        wm_fail(description->error, WM_INVALID,
                "gpu.l1.per (%u SMs) does not divide gpu.sm.count (%u), and by gpu.l1.sharing each "
                "L1 has the parts of as many SMs",
                sms, all);
        wm_error_hint(description->error, "make gpu.l1.per a divisor, or gpu.l1.sharing given");
        return wm_description_blame(description,
                                    PATHS("gpu.l1.per", "gpu.sm.count", "gpu.l1.sharing"));
    }
    if (sms > 1)
        keep_of_sides(&machine->memory);
    if (sms > 1 && l1->sharing != WM_SHARING_GIVEN)
        WM_TRY(grow(description, l1, sms));
    if (sms > 1)
        WM_TRY(slow_down(description, l1, sms));
    l1->sharing = WM_SHARING_GIVEN;
    l1->sharing_latency = 0;
    return WM_OK;
}
