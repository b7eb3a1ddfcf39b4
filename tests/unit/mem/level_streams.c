#include "level_streams.h"
#include "base/numbers/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PCS = 8, MOST_FURTHER = 3 };

static uint64_t below(struct wm_random *random, uint64_t limit)
{
    return wm_random_below(random, limit);
}

static bool one_in(struct wm_random *random, uint64_t count)
{
    return below(random, count) == 0;
}

// --- Drawing ---

// Most within twice what a level of the machine holds, so that its lines come back and go.
static uint64_t draw_address(struct wm_random *random, const struct wm_memory_spec *spec)
{
    uint64_t spread = 4096;
    const struct wm_cache_spec *cache = &spec->levels[below(random, WM_MOST_LEVELS)].cache;
    for (int tried = 0; tried < 20 && !cache->present; tried++)
        cache = &spec->levels[below(random, WM_MOST_LEVELS)].cache;
    if (cache->present && !one_in(random, 8))
        spread = cache->size_bytes * (1 + below(random, 2));
    else if (one_in(random, 8))
        spread = 1 << 20;
    return below(random, spread);
}

// One that the machine has, most often.
static enum wm_side_cache_kind draw_side(struct wm_random *random,
                                         const struct wm_memory_spec *spec)
{
    enum wm_side_cache_kind kind = (enum wm_side_cache_kind)below(random, WM_SIDE_CACHE_KINDS);
    for (int tried = 0; tried < 8 && !spec->levels[WM_LEVEL_SIDE + kind].cache.present; tried++)
        kind = (enum wm_side_cache_kind)below(random, WM_SIDE_CACHE_KINDS);
    return kind;
}

// One sector, some in a row, all, or any.
static uint32_t draw_sectors(struct wm_random *random)
{
    uint32_t first = (uint32_t)below(random, 32), count = 1u << below(random, 4);
    if (one_in(random, 3))
        return UINT32_C(1) << first;
    if (one_in(random, 8))
        return one_in(random, 2) ? UINT32_MAX : (uint32_t)wm_random_u64(random) | 1;
    return ((UINT32_C(1) << count) - 1) << first / count * count;
}

void level_step_draw(struct wm_random *random, const struct wm_memory_spec *spec,
                     struct level_step *step)
{
    static const enum level_step_kind others[] = {STEP_SIDE_LOAD, STEP_SIDE_LOAD,  STEP_SIDE_LOAD,
                                                  STEP_SIDE_LOAD, STEP_TRANSLATE,  STEP_TRANSLATE,
                                                  STEP_HOST_READ, STEP_HOST_READ,  STEP_HOST_WRITE,
                                                  STEP_KERNEL,    STEP_WRITE_BACK, STEP_RESIZE};
    uint64_t kind = below(random, 10);
    memset(step, 0, sizeof *step);
    *step = (struct level_step){
        .kind = one_in(random, 5) ? others[below(random, 12)] : STEP_ACCESS,
        .access = kind < 5   ? WM_ACCESS_LOAD
                  : kind < 8 ? WM_ACCESS_STORE
                  : kind < 9 ? WM_ACCESS_ATOMIC
                             : WM_ACCESS_REDUCTION,
        .hint = one_in(random, 3) ? (enum wm_cache_hint)below(random, WM_HINT_NO_L1 + 1) : 0,
        .side = draw_side(random, spec),
        .listed = one_in(random, 3),
        .whole = one_in(random, 2),
        .unit = (uint32_t)below(random, spec->sm_count + spec->core_count),
        .warp = (uint32_t)below(random, 48),
        .pc = (uint32_t)below(random, PCS),
        .sectors = draw_sectors(random),
        .further = one_in(random, 4) ? (uint32_t)below(random, MOST_FURTHER + 1) : 0,
        .address = draw_address(random, spec),
        .bytes = one_in(random, 8) ? below(random, 30000) : below(random, 600),
        .seed = wm_random_u64(random),
    };
    const struct wm_cache_spec *side = &spec->levels[WM_LEVEL_SIDE + step->side].cache;
    if (step->kind == STEP_SIDE_LOAD && side->present)
        step->address = below(random, 2 * side->size_bytes);
    step->around = step->hint == WM_HINT_L2_ONLY && one_in(random, 2);
}

// --- Doing ---

static uint64_t drawn(const struct level_step *step, uint64_t number)
{
    return wm_hash_u64(step->seed + number);
}

static struct wm_request request_of(const struct level_step *step, const struct wm_memory *memory)
{
    return (struct wm_request){
        .kind = step->access,
        .hint = step->hint,
        .around_l1 = step->around,
        .sm = step->unit % (memory->spec.sm_count + memory->spec.core_count),
        .warp = step->warp,
        .pc = step->pc,
        .listed = step->listed,
    };
}

// The requests of an instruction, each in one line, and the bytes that they write.
struct instruction {
    struct wm_request requests[WM_MAX_LINE_REQUESTS];
    uint32_t bytes[(MOST_FURTHER + 1) * OBVIOUS_SECTORS]; // of all lines, one behind the other
    uint32_t count, byte_words;
};

// Whole sectors, halves of them that may meet, and odd parts.
static uint32_t draw_bytes(const struct level_step *step, uint64_t sector)
{
    static const uint32_t parts[] = {0xffff, 0xffff0000, 0xff, 0xf0000000, 0xfffffffe};
    uint64_t number = drawn(step, sector);
    return step->whole || number % 2 == 0 ? UINT32_MAX : parts[number / 2 % 5];
}

static void add_block(const struct level_step *step, uint64_t block, uint32_t sectors,
                      uint32_t line_bytes, const struct wm_request *who,
                      struct instruction *instruction)
{
    uint32_t line_sectors = line_bytes / WM_SECTOR_BYTES;
    for (uint32_t at = 0; at < 32; at += line_sectors) {
        uint32_t mask = sectors >> at & (UINT32_MAX >> (32 - line_sectors));
        struct wm_request *request = &instruction->requests[instruction->count];
        if (mask == 0)
            continue;
        *request = *who;
        request->address = block + (uint64_t)at * WM_SECTOR_BYTES;
        request->sectors = mask;
        request->bytes = instruction->bytes + instruction->byte_words;
        for (uint32_t i = 0; i < line_sectors; i++) {
            uint32_t bytes = draw_bytes(step, block / WM_SECTOR_BYTES + at + i);
            instruction->bytes[instruction->byte_words++] = bytes;
            if (who->kind == WM_ACCESS_STORE && (mask >> i & 1) && bytes == UINT32_MAX)
                request->full_sectors |= UINT32_C(1) << i;
        }
        instruction->count++;
    }
}

static void fill_instruction(const struct level_step *step, const struct wm_memory *memory,
                             struct instruction *instruction)
{
    struct wm_request who = request_of(step, memory);
    uint32_t line_bytes = level_machine_request_bytes(&memory->spec, who.sm);
    uint64_t block = step->address / LEVEL_BLOCK;
    instruction->count = instruction->byte_words = 0;
    add_block(step, block * LEVEL_BLOCK, step->sectors, line_bytes, &who, instruction);
    for (uint32_t i = 0; i < step->further; i++) {
        block += 1 + drawn(step, i) % 4;
        uint32_t sectors = (uint32_t)drawn(step, 100 + i) & (uint32_t)drawn(step, 200 + i);
        add_block(step, block * LEVEL_BLOCK, sectors, line_bytes, &who, instruction);
    }
    for (uint32_t i = 0; i < instruction->count; i++)
        instruction->requests[i].lines = (uint16_t)instruction->count;
}

// All its requests at once; the model gets them one by one, in the order that docs/memory-system.md
// says (R6).
static void access_lines(const struct level_step *step, struct wm_memory *memory,
                         struct obvious_memory *model)
{
    struct instruction instruction;
    struct wm_line_request lines[WM_MAX_LINE_REQUESTS];
    bool first[WM_MAX_LINE_REQUESTS];
    fill_instruction(step, memory, &instruction);
    for (uint32_t i = 0; i < instruction.count; i++) {
        const struct wm_request *request = &instruction.requests[i];
        first[i] = obvious_comes_first(model, request);
        lines[i] = (struct wm_line_request){.line_address = request->address,
                                            .sectors = request->sectors,
                                            .full_sectors = request->full_sectors};
    }
    struct wm_request who = request_of(step, memory);
    who.bytes = instruction.bytes;
    bool tries_hit = instruction.count == 1 && drawn(step, 300) % 2 == 0;
    if (!tries_hit || !wm_memory_hit(memory, &instruction.requests[0]))
        wm_memory_access_lines(memory, &who, lines, instruction.count);
    for (int later = 0; later < 2; later++)
        for (uint32_t i = 0; i < instruction.count; i++)
            if (first[i] == (later == 0))
                obvious_serve(model, &instruction.requests[i]);
}

// What of the first of its lines that it touches.
static void side_load(const struct level_step *step, struct wm_memory *memory,
                      struct obvious_memory *model)
{
    const struct wm_level_spec *side = &memory->spec.levels[WM_LEVEL_SIDE + step->side];
    struct wm_request who = request_of(step, memory);
    struct instruction instruction = {.count = 0};
    if (!side->cache.present || who.sm >= memory->spec.sm_count)
        return;
    add_block(step, step->address / LEVEL_BLOCK * LEVEL_BLOCK,
              UINT32_C(1) << step->address % LEVEL_BLOCK / WM_SECTOR_BYTES, side->cache.line_bytes,
              &who, &instruction);
    wm_memory_side_load(memory, step->side, &instruction.requests[0]);
    obvious_side_cache_load(model, step->side, &instruction.requests[0]);
}

static void translate(const struct level_step *step, struct wm_memory *memory,
                      struct obvious_memory *model)
{
    uint64_t addresses[MOST_FURTHER + 1] = {step->address / 32 * 32};
    struct wm_request who = request_of(step, memory);
    for (uint32_t i = 1; i <= step->further; i++)
        addresses[i] = (step->address + drawn(step, i) % (1 << 17)) / 32 * 32;
    wm_memory_translate(memory, &who, addresses, step->further + 1);
    obvious_translate(model, &who, addresses, step->further + 1);
}

static void resize(const struct level_step *step, struct wm_memory *memory,
                   struct obvious_memory *model)
{
    const struct wm_cache_spec *l1 = &memory->spec.levels[WM_LEVEL_L1].cache;
    if (!l1->present)
        return;
    uint64_t way_bytes = l1->size_bytes / l1->ways;
    uint32_t ways = step->whole ? 1 : l1->ways + 1;
    struct wm_error error;
    if (wm_memory_resize_l1(memory, ways * way_bytes, ways, &error) != WM_OK)
        abort();
    obvious_resize_l1(model, ways * way_bytes, ways);
}

void level_step_do(const struct level_step *step, struct wm_memory *memory,
                   struct obvious_memory *model)
{
    switch (step->kind) {
    case STEP_ACCESS: access_lines(step, memory, model); return;
    case STEP_SIDE_LOAD: side_load(step, memory, model); return;
    case STEP_TRANSLATE: translate(step, memory, model); return;
    case STEP_HOST_READ:
        wm_memory_host_read(memory, step->address, step->bytes);
        obvious_host_read(model, step->address, step->bytes);
        return;
    case STEP_HOST_WRITE:
        wm_memory_host_write(memory, step->address, step->bytes);
        obvious_host_write(model, step->address, step->bytes);
        return;
    case STEP_KERNEL:
        wm_memory_kernel_begin(memory);
        obvious_kernel_begin(model);
        return;
    case STEP_WRITE_BACK:
        wm_memory_write_back_all(memory);
        obvious_drain(model);
        return;
    case STEP_RESIZE: resize(step, memory, model); return;
    }
}

// --- Simpler ones ---

const uint32_t level_step_ways = 12;

bool level_step_simplify(struct level_step *step, uint32_t way)
{
    struct level_step simpler = *step;
    switch (way) {
    case 0: simpler.further = 0; break;
    case 1: simpler.further -= simpler.further > 0; break;
    case 2:
        simpler.hint = 0;
        simpler.around = false;
        break;
    case 3: simpler.listed = false; break;
    case 4: simpler.whole = true; break;
    case 5: simpler.sectors &= ~simpler.sectors + 1; break; // the lowest
    case 6:                                                 // all but that, where there are others
        if ((simpler.sectors & (simpler.sectors - 1)) != 0)
            simpler.sectors &= simpler.sectors - 1;
        break;
    case 7: simpler.sectors = 1; break;
    case 8: simpler.unit = simpler.warp = simpler.pc = 0; break;
    case 9: simpler.address = 0; break;
    case 10: simpler.address /= 2; break;
    default: simpler.bytes /= 2; break;
    }
    bool same = memcmp(&simpler, step, sizeof simpler) == 0;
    memcpy(step, &simpler, sizeof simpler);
    return !same;
}

void level_step_print(FILE *file, const struct level_step *step)
{
    static const char *const accesses[] = {
        [WM_ACCESS_LOAD] = "loads",
        [WM_ACCESS_STORE] = "stores",
        [WM_ACCESS_ATOMIC] = "does an atomic on",
        [WM_ACCESS_REDUCTION] = "does a reduction on",
    };
    static const char *const sides[] = {"constant", "texture", "scalar", "instruction"};
    switch (step->kind) {
    case STEP_ACCESS:
        fprintf(file, "unit %" PRIu32 " %s sectors 0x%" PRIx32 " from 0x%" PRIx64 " on", step->unit,
                accesses[step->access], step->sectors, step->address / LEVEL_BLOCK * LEVEL_BLOCK);
        if (step->further > 0)
            fprintf(file, ", and %" PRIu32 " blocks (seed 0x%" PRIx64 ")", step->further,
                    step->seed);
        if (step->access == WM_ACCESS_STORE && !step->whole)
            fprintf(file, ", in part (seed 0x%" PRIx64 ")", step->seed);
        if (step->hint != 0)
            fprintf(file, ", hint %d", step->hint);
        fprintf(file, "%s%s; warp %" PRIu32 ", pc %" PRIu32 "\n", step->around ? ", around" : "",
                step->listed ? ", listed" : "", step->warp, step->pc);
        return;
    case STEP_SIDE_LOAD:
        fprintf(file,
                "unit %" PRIu32 " loads the sector of 0x%" PRIx64 " by the %s cache; warp %" PRIu32
                ", pc %" PRIu32 "\n",
                step->unit, step->address, sides[step->side], step->warp, step->pc);
        return;
    case STEP_TRANSLATE:
        fprintf(file,
                "unit %" PRIu32 " translates 0x%" PRIx64 " and %" PRIu32
                " more addresses (seed 0x%" PRIx64 ")\n",
                step->unit, step->address, step->further, step->seed);
        return;
    case STEP_HOST_READ:
    case STEP_HOST_WRITE:
        fprintf(file, "the host %s %" PRIu64 " bytes at 0x%" PRIx64 "\n",
                step->kind == STEP_HOST_READ ? "reads" : "writes", step->bytes, step->address);
        return;
    case STEP_KERNEL: fprintf(file, "a kernel begins\n"); return;
    case STEP_WRITE_BACK: fprintf(file, "all that is dirty is written back\n"); return;
    case STEP_RESIZE: fprintf(file, "L1 gets %s\n", step->whole ? "1 way" : "a way more"); return;
    }
}
