// The way of an access down the hierarchy and of its data back: L1, L2 slice, DRAM channel, all
// inlined into one function so that a hit in L1 costs no call. This file is compiled once in plain
// C and once for each vector width (meson.build defines WM_PATHS); which of them runs is chosen
// when a memory system is made.
//
// Each boundary is counted by the component on either side in the same statement group, so what
// leaves one level is what enters the next.
#include "mem/bypass/bypass.h"
#include "mem/cache_access.h"
#include "mem/explain/memory_explain.h"
#include "mem/memory_state.h"
#include "mem/stream_batch.h"

// One build more, in plain C, feeds the shadows that explain misses; the others have no trace of
// it.
#ifndef WM_PATHS_EXPLAINED
#define WM_PATHS_EXPLAINED false
#endif

// What one request carries down: who asks, and who is to be charged.
struct errand {
    struct wm_cache_origin origin;
    struct wm_cause_counters *cause;
    bool around_l1;                   // whatever the bypass entry
    bool listed;                      // by the machine's bypass list
    const struct wm_request *request; // of the explained build; NULL when the host is the cause
};

WM_CACHE_INLINE void explain(struct wm_memory *memory, struct wm_explain_event event,
                             const struct wm_cache_result *result, const struct errand *errand)
{
    event.result = result;
    event.request = errand->request;
    wm_explain_access(memory, &event);
}

static inline uint64_t bytes_of(uint32_t sectors)
{
    return (uint64_t)__builtin_popcount(sectors) * WM_SECTOR_BYTES;
}

// --- DRAM ---

// Smallest transfers that cover `sectors`.
static inline uint64_t bursts_of(const struct wm_memory *memory, uint32_t sectors)
{
    if (memory->burst_sectors == 1)
        return (uint64_t)__builtin_popcount(sectors);
    uint32_t burst =
        memory->burst_sectors >= 32 ? UINT32_MAX : (UINT32_C(1) << memory->burst_sectors) - 1;
    uint64_t bursts = 0;
    for (uint32_t at = 0; at < 32; at += memory->burst_sectors)
        bursts += (sectors >> at & burst) != 0;
    return bursts;
}

static inline void channel_access(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                                  bool write, struct errand *errand)
{
    uint64_t channel = 0;
    if (memory->channels.divisor != 1)
        wm_divide(&memory->channels, address >> memory->channel_shift, &channel);
    struct wm_dram_counters *dram = &memory->dram[channel];
    uint64_t bytes = bytes_of(sectors), bursts = bursts_of(memory, sectors);
    if (write) {
        dram->writes++;
        dram->bytes_written += bytes;
        dram->write_bursts += bursts;
    } else {
        dram->reads++;
        dram->bytes_read += bytes;
        dram->read_bursts += bursts;
    }
    dram->bytes_transferred += bursts * memory->spec.dram.access_bytes;
    errand->cause->bytes_dram += bytes;
}

// `sectors` of the L2 line at `line_address`, which may span several channels' blocks.
static inline void dram_access(struct wm_memory *memory, uint64_t line_address, uint32_t sectors,
                               bool write, struct errand *errand)
{
    uint64_t block_bytes = UINT64_C(1) << memory->channel_shift;
    if (__builtin_expect(block_bytes >= memory->l2_line_bytes, 1)) {
        channel_access(memory, line_address, sectors, write, errand);
        return;
    }
    uint32_t block_sectors = (uint32_t)(block_bytes / WM_SECTOR_BYTES);
    uint32_t block = (UINT32_C(1) << block_sectors) - 1;
    for (uint32_t at = 0; at < memory->l2_line_sectors; at += block_sectors) {
        uint32_t part = sectors & (block << at);
        if (part != 0)
            channel_access(memory, line_address + (uint64_t)at * WM_SECTOR_BYTES, part, write,
                           errand);
    }
}

// --- L2, for the part of a request that lies in one of its lines ---

// What an access to a slice left to do below it.
static inline void settle_l2(struct wm_memory *memory, struct wm_cache *l2, uint64_t line_address,
                             const struct wm_cache_result *result, struct errand *errand)
{
    bool demand_first = memory->spec.demand_before_writeback;
    if (result->fetch != 0 && demand_first)
        dram_access(memory, line_address, result->fetch, false, errand);
    if (result->victim.dirty != 0) {
        dram_access(memory, result->victim.line << l2->line_shift, result->victim.dirty, true,
                    errand);
        l2->counters.bytes_to_below += bytes_of(result->victim.dirty);
    }
    if (result->fetch != 0 && !demand_first)
        dram_access(memory, line_address, result->fetch, false, errand);
    if (result->forward != 0)
        dram_access(memory, line_address, result->forward, true, errand);
    l2->counters.bytes_from_below += bytes_of(result->fetch);
    l2->counters.bytes_to_below += bytes_of(result->forward);
}

static inline void charge_l2(struct errand *errand, uint32_t sectors, uint32_t missing)
{
    uint64_t misses = (uint64_t)__builtin_popcount(missing);
    errand->cause->l2_misses += misses;
    errand->cause->l2_hits += (uint64_t)__builtin_popcount(sectors) - misses;
}

WM_CACHE_INLINE void l2_read_line(struct wm_memory *memory, uint64_t line_address, uint32_t sectors,
                                  struct errand *errand)
{
    uint64_t bytes = bytes_of(sectors);
    errand->cause->bytes_l1_l2 += bytes;
    if (__builtin_expect(memory->l2 == NULL, 0)) {
        dram_access(memory, line_address, sectors, false, errand);
        return;
    }
    uint64_t line = line_address >> memory->l2_line_shift, index_line;
    struct wm_cache *l2 = &memory->l2[wm_memory_slice(memory, line, &index_line)];
    uint64_t evictions = l2->counters.evictions;
    struct wm_cache_result result =
        wm_cache_read_inline(l2, line, index_line, sectors, true, &errand->origin);
    if (WM_PATHS_EXPLAINED)
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = true,
                                          .evictions = evictions},
                &result, errand);
    l2->counters.bytes_to_above += bytes;
    charge_l2(errand, sectors, result.missing);
    if (result.missing != 0)
        settle_l2(memory, l2, line_address, &result, errand);
}

WM_CACHE_INLINE void l2_write_line(struct wm_memory *memory, enum wm_cache_client client,
                                   uint64_t line_address, uint32_t sectors, uint32_t full_sectors,
                                   struct errand *errand)
{
    uint64_t bytes = bytes_of(sectors);
    bool returns = client == WM_CACHE_ATOMIC && errand->origin.kind == WM_ACCESS_ATOMIC;
    errand->cause->bytes_l1_l2 += returns ? 2 * bytes : bytes;
    if (__builtin_expect(memory->l2 == NULL, 0)) {
        if (client == WM_CACHE_ATOMIC)
            dram_access(memory, line_address, sectors, false, errand);
        dram_access(memory, line_address, sectors, true, errand);
        return;
    }
    uint64_t line = line_address >> memory->l2_line_shift, index_line;
    struct wm_cache *l2 = &memory->l2[wm_memory_slice(memory, line, &index_line)];
    uint64_t evictions = l2->counters.evictions;
    struct wm_cache_result result = wm_cache_write_inline(
        l2, client, line, index_line, sectors, full_sectors, l2->write_allocate, &errand->origin);
    if (WM_PATHS_EXPLAINED)
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = client,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = l2->write_allocate,
                                          .evictions = evictions},
                &result, errand);
    l2->counters.bytes_from_above += bytes;
    l2->counters.bytes_to_above += returns ? bytes : 0;
    if (client != WM_CACHE_WRITEBACK)
        charge_l2(errand, sectors, result.missing);
    if ((result.fetch | result.forward | result.victim.dirty) != 0)
        settle_l2(memory, l2, line_address, &result, errand);
}

// --- L2, for requests in L1's lines: cut into L2's ---

WM_CACHE_INLINE void l2_read(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                             struct errand *errand)
{
    uint64_t within = address & (memory->l2_line_bytes - 1);
    if (__builtin_expect(memory->request_bytes <= memory->l2_line_bytes, 1)) {
        l2_read_line(memory, address - within, sectors << (within / WM_SECTOR_BYTES), errand);
        return;
    }
    uint32_t line = (UINT32_C(1) << memory->l2_line_sectors) - 1;
    for (; sectors != 0; sectors >>= memory->l2_line_sectors) {
        if ((sectors & line) != 0)
            l2_read_line(memory, address, sectors & line, errand);
        address += memory->l2_line_bytes;
    }
}

WM_CACHE_INLINE void l2_write(struct wm_memory *memory, enum wm_cache_client client,
                              uint64_t address, uint32_t sectors, uint32_t full_sectors,
                              struct errand *errand)
{
    uint64_t within = address & (memory->l2_line_bytes - 1);
    if (__builtin_expect(memory->request_bytes <= memory->l2_line_bytes, 1)) {
        l2_write_line(memory, client, address - within, sectors << (within / WM_SECTOR_BYTES),
                      full_sectors << (within / WM_SECTOR_BYTES), errand);
        return;
    }
    uint32_t line = (UINT32_C(1) << memory->l2_line_sectors) - 1;
    for (; sectors != 0; sectors >>= memory->l2_line_sectors) {
        if ((sectors & line) != 0)
            l2_write_line(memory, client, address, sectors & line, full_sectors & line, errand);
        address += memory->l2_line_bytes;
        full_sectors >>= memory->l2_line_sectors;
    }
}

static void l2_write_back(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                          uint32_t dirty, struct errand *errand)
{
    l1->counters.bytes_to_below += bytes_of(dirty);
    l2_write(memory, WM_CACHE_WRITEBACK, address, dirty, dirty, errand);
}

// --- L1 ---

static inline void charge_l1(struct errand *errand, uint32_t sectors, uint32_t missing)
{
    uint64_t misses = (uint64_t)__builtin_popcount(missing);
    errand->cause->l1_misses += misses;
    errand->cause->l1_hits += (uint64_t)__builtin_popcount(sectors) - misses;
}

// The fetch of a miss and the write-back of its victim, in the order the machine says.
WM_CACHE_INLINE void settle_l1(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                               const struct wm_cache_result *result, struct errand *errand)
{
    bool demand_first = memory->spec.demand_before_writeback;
    if (result->victim.dirty != 0 && !demand_first)
        l2_write_back(memory, l1, result->victim.line << l1->line_shift, result->victim.dirty,
                      errand);
    if (result->fetch != 0) {
        l1->counters.bytes_from_below += bytes_of(result->fetch);
        l2_read(memory, address, result->fetch, errand);
    }
    if (result->victim.dirty != 0 && demand_first)
        l2_write_back(memory, l1, result->victim.line << l1->line_shift, result->victim.dirty,
                      errand);
}

// An access that does not use L1: its copy is written back when dirty, so that L2 answers right,
// and dropped when the access changes the bytes or asks for fresh ones.
static void retire_copy(struct wm_memory *memory, struct wm_cache *l1, uint64_t address, bool drop,
                        struct errand *errand)
{
    uint64_t line = address >> l1->line_shift;
    uint32_t dirty = wm_cache_clean(l1, line, line, l1->all_sectors);
    if (drop)
        wm_cache_drop(l1, line, line, l1->all_sectors);
    if (WM_PATHS_EXPLAINED && drop)
        wm_explain_drop(memory, l1, line);
    if (dirty != 0)
        l2_write_back(memory, l1, address, dirty, errand);
}

static void l1_bypass_load(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                           uint32_t sectors, struct errand *errand)
{
    retire_copy(memory, l1, address, errand->origin.hint == WM_HINT_VOLATILE, errand);
    uint64_t bytes = bytes_of(sectors);
    l1->counters.accesses++;
    l1->counters.load_accesses++;
    l1->counters.bypasses += (uint64_t)__builtin_popcount(sectors);
    l1->counters.bytes_from_below += bytes;
    l1->counters.bytes_to_above += bytes;
    l2_read(memory, address, sectors, errand);
}

static void l1_bypass_store(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                            uint32_t sectors, uint32_t full_sectors, struct errand *errand)
{
    retire_copy(memory, l1, address, true, errand);
    uint64_t bytes = bytes_of(sectors);
    l1->counters.accesses++;
    l1->counters.store_accesses++;
    l1->counters.bypasses += (uint64_t)__builtin_popcount(sectors);
    l1->counters.bytes_from_above += bytes;
    l1->counters.bytes_to_below += bytes;
    l2_write(memory, WM_CACHE_STORE, address, sectors, full_sectors, errand);
}

static void l1_atomic(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                      uint32_t sectors, struct errand *errand)
{
    retire_copy(memory, l1, address, true, errand);
    uint64_t bytes = bytes_of(sectors);
    l1->counters.accesses++;
    l1->counters.atomic_accesses++;
    l1->counters.bypasses += (uint64_t)__builtin_popcount(sectors);
    l1->counters.bytes_from_above += bytes;
    l1->counters.bytes_to_below += bytes;
    if (errand->origin.kind == WM_ACCESS_ATOMIC) {
        l1->counters.bytes_from_below += bytes;
        l1->counters.bytes_to_above += bytes;
    }
    l2_write(memory, WM_CACHE_ATOMIC, address, sectors, 0, errand);
}

// Returns the sectors that were not there.
WM_CACHE_INLINE uint32_t l1_load(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 uint32_t sectors, bool allocate, struct errand *errand)
{
    uint64_t line = address >> l1->line_shift;
    uint64_t evictions = l1->counters.evictions;
    struct wm_cache_result result =
        wm_cache_read_inline(l1, line, line, sectors, allocate, &errand->origin);
    if (WM_PATHS_EXPLAINED)
        explain(memory,
                (struct wm_explain_event){.cache = l1,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate,
                                          .evictions = evictions},
                &result, errand);
    l1->counters.bytes_to_above += bytes_of(sectors);
    charge_l1(errand, sectors, result.missing);
    if (result.missing != 0)
        settle_l1(memory, l1, address, &result, errand);
    return result.missing;
}

// Returns the sectors that were not there.
WM_CACHE_INLINE uint32_t l1_store(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                  uint32_t sectors, uint32_t full_sectors, bool allocate,
                                  struct errand *errand)
{
    uint64_t line = address >> l1->line_shift;
    bool takes = allocate && l1->write_allocate;
    uint64_t evictions = l1->counters.evictions;
    struct wm_cache_result result = wm_cache_write_inline(l1, WM_CACHE_STORE, line, line, sectors,
                                                          full_sectors, takes, &errand->origin);
    if (WM_PATHS_EXPLAINED)
        explain(memory,
                (struct wm_explain_event){.cache = l1,
                                          .client = WM_CACHE_STORE,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = takes,
                                          .evictions = evictions},
                &result, errand);
    l1->counters.bytes_from_above += bytes_of(sectors);
    charge_l1(errand, sectors, result.missing);
    if ((result.fetch | result.victim.dirty) != 0)
        settle_l1(memory, l1, address, &result, errand);
    if (result.forward != 0) {
        l1->counters.bytes_to_below += bytes_of(result.forward);
        l2_write(memory, WM_CACHE_STORE, address, result.forward, full_sectors & result.forward,
                 errand);
    }
    return result.missing;
}

// --- The whole way ---

static void without_l1(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                       uint32_t full_sectors, struct errand *errand)
{
    switch (errand->origin.kind) {
    case WM_ACCESS_LOAD: l2_read(memory, address, sectors, errand); break;
    case WM_ACCESS_STORE:
        l2_write(memory, WM_CACHE_STORE, address, sectors, full_sectors, errand);
        break;
    case WM_ACCESS_ATOMIC:
    case WM_ACCESS_REDUCTION: l2_write(memory, WM_CACHE_ATOMIC, address, sectors, 0, errand); break;
    }
}

// A load or a store, done as `decision` says (not WM_BYPASS_YES). Returns the sectors that were
// looked for in L1 and not there.
WM_CACHE_INLINE uint32_t decided(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 uint32_t sectors, uint32_t full_sectors,
                                 enum wm_bypass_decision decision, struct errand *errand)
{
    bool allocate = decision != WM_BYPASS_ALLOCATION;
    if (errand->origin.kind == WM_ACCESS_LOAD) {
        if (__builtin_expect(decision != WM_BYPASS_LOOKUP, 1))
            return l1_load(memory, l1, address, sectors, allocate, errand);
        l1_bypass_load(memory, l1, address, sectors, errand);
    } else {
        if (__builtin_expect(decision != WM_BYPASS_LOOKUP, 1))
            return l1_store(memory, l1, address, sectors, full_sectors, allocate, errand);
        l1_bypass_store(memory, l1, address, sectors, full_sectors, errand);
    }
    return 0;
}

// The same, asking the machine's bypass entry, which is told what became of it.
static void asked_of_entry(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                           uint32_t sectors, uint32_t full_sectors, struct errand *errand)
{
    struct wm_bypass_event event = {.line = address >> l1->line_shift,
                                    .sectors = sectors,
                                    .pc = errand->origin.pc,
                                    .warp = errand->origin.warp,
                                    .sm = errand->origin.sm,
                                    .kind = errand->origin.kind,
                                    .hint = errand->origin.hint,
                                    .listed = errand->listed};
    enum wm_bypass_decision decision = wm_memory_bypass_decide(memory, &event);
    uint32_t missing = decided(memory, l1, address, sectors, full_sectors, decision, errand);
    if (decision != WM_BYPASS_LOOKUP && memory->bypass->served != NULL)
        memory->bypass->served(wm_memory_bypass_state(memory, event.sm), &event, missing);
}

WM_CACHE_INLINE void access_inline(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                                   uint32_t full_sectors, struct errand *errand)
{
    enum wm_access_kind kind = errand->origin.kind;
    enum wm_cache_hint hint = errand->origin.hint;
    if (__builtin_expect(memory->l1 == NULL, 0)) {
        without_l1(memory, address, sectors, full_sectors, errand);
        return;
    }
    struct wm_cache *l1 = &memory->l1[errand->origin.sm];
    if (kind != WM_ACCESS_LOAD && kind != WM_ACCESS_STORE)
        l1_atomic(memory, l1, address, sectors, errand);
    else if (__builtin_expect(
                 memory->bypass != NULL && hint != WM_HINT_VOLATILE && !errand->around_l1, 0))
        asked_of_entry(memory, l1, address, sectors, full_sectors, errand);
    else
        decided(memory, l1, address, sectors, full_sectors,
                hint == WM_HINT_VOLATILE ? WM_BYPASS_LOOKUP : wm_bypass_by_operator(hint), errand);
}

static void access_one(struct wm_memory *memory, const struct wm_request *request)
{
    if (WM_PATHS_EXPLAINED)
        wm_explain_request(memory, request);
    struct errand errand = {
        .origin = {.sm = request->sm,
                   .warp = request->warp,
                   .pc = request->pc,
                   .kind = request->kind,
                   .hint = request->hint},
        .cause = request->cause != NULL ? request->cause : &memory->nobody,
        .around_l1 = request->around_l1,
        .listed = request->listed,
        .request = WM_PATHS_EXPLAINED ? request : NULL,
    };
    access_inline(memory, request->address, request->sectors, request->full_sectors, &errand);
}

// A constant line lies in one line of L2 (memory_check.c).
static void constant_load(struct wm_memory *memory, const struct wm_request *request)
{
    struct wm_cache *cache = &memory->constant[request->sm];
    struct errand errand = {
        .origin = {.sm = request->sm, .warp = request->warp, .pc = request->pc},
        .cause = request->cause != NULL ? request->cause : &memory->nobody,
        .request = WM_PATHS_EXPLAINED ? request : NULL,
    };
    uint64_t line = request->address >> cache->line_shift;
    struct wm_cache_result result =
        wm_cache_read_inline(cache, line, line, request->sectors, true, &errand.origin);
    cache->counters.bytes_to_above += bytes_of(request->sectors);
    if (result.fetch == 0)
        return;
    cache->counters.bytes_from_below += bytes_of(result.fetch);
    uint64_t within = request->address & (memory->l2_line_bytes - 1);
    l2_read_line(memory, request->address - within, result.fetch << (within / WM_SECTOR_BYTES),
                 &errand);
}

static void access_each(struct wm_memory *memory, uint32_t sm, const uint64_t *references,
                        size_t count)
{
    uint64_t line_mask = memory->request_bytes - 1;
    struct errand errand = {.origin = {.sm = sm}, .cause = &memory->nobody};
    for (size_t i = 0; i < count; i++) {
        uint64_t address = references[i] & ASK_ADDRESS, within = address & line_mask;
        errand.origin.kind =
            (references[i] & WM_STREAM_STORE) != 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
        access_inline(memory, address - within, UINT32_C(1) << (within / WM_SECTOR_BYTES), 0,
                      &errand);
    }
}

// --- Streams, a batch at a time: all of L1, then what it asked of L2 in that order ---

// The rest of the way for any other L2: ask by ask.
static void each_ask(struct wm_memory *memory, uint32_t sm, const struct wm_cache *l1,
                     const struct asked *asked)
{
    struct errand errand = {.origin = {.sm = sm}, .cause = &memory->nobody};
    for (size_t i = 0; i < asked->count; i++) {
        uint64_t address = asked->ask[i] & ASK_ADDRESS & ~(uint64_t)(l1->line_bytes - 1);
        if ((asked->ask[i] & ASK_WRITE_BACK) != 0)
            l2_write(memory, WM_CACHE_WRITEBACK, address, l1->all_sectors, l1->all_sectors,
                     &errand);
        else
            l2_read(memory, address, l1->all_sectors, &errand);
    }
}

static void access_stream(struct wm_memory *memory, uint32_t sm, const uint64_t *references,
                          size_t count)
{
    if (WM_PATHS_EXPLAINED || memory->l1 == NULL || memory->bypass != NULL ||
        !wm_cache_can_step(&memory->l1[sm])) {
        access_each(memory, sm, references, count);
        return;
    }
    struct wm_cache *l1 = &memory->l1[sm], *l2 = memory->l2;
    bool l2_steps = l2 != NULL && memory->spec.l2_slices == 1 && memory->spec.dram.channels == 1 &&
                    l2->line_bytes == l1->line_bytes && wm_cache_can_step(l2);
    batch_l1_function *run_l1 = batch_l1_of(l1);
    batch_l2_function *run_l2 = l2_steps ? batch_l2_of(l2) : NULL;
    bool demand_first = memory->spec.demand_before_writeback;
    uint64_t bursts = bursts_of(memory, l1->all_sectors);
    uint64_t burst_bytes = memory->spec.dram.access_bytes;
    for (size_t done = 0; done < count;) {
        struct asked asked;
        size_t now = count - done < BATCH ? count - done : BATCH;
        run_l1(l1, demand_first, references + done, now, &asked);
        if (run_l2 != NULL)
            run_l2(l2, &asked, memory->dram, bursts, burst_bytes);
        else
            each_ask(memory, sm, l1, &asked);
        done += now;
    }
}

static void write_back(struct wm_memory *memory, uint64_t line_address, uint32_t dirty)
{
    struct errand errand = {.cause = &memory->nobody};
    l2_write(memory, WM_CACHE_WRITEBACK, line_address, dirty, dirty, &errand);
}

static void dram_write(struct wm_memory *memory, uint64_t line_address, uint32_t dirty)
{
    struct errand errand = {.cause = &memory->nobody};
    dram_access(memory, line_address, dirty, true, &errand);
}

#define PATHS_NAME_OF(width) #width
#define PATHS_NAME(width) PATHS_NAME_OF(width)
#define PATHS_SYMBOL_OF(width) wm_memory_paths_##width
#define PATHS_SYMBOL(width) PATHS_SYMBOL_OF(width)

const struct wm_memory_paths PATHS_SYMBOL(WM_PATHS) = {
    .name = PATHS_NAME(WM_PATHS),
    .access = access_one,
    .stream = access_stream,
    .constant_load = constant_load,
    .write_back = write_back,
    .dram_write = dram_write,
};
