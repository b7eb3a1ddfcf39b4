#include "listener.h"

#include "base/numbers/hash.h"

#include <criterion/criterion.h>

static void note(struct listener *listener, uint32_t pc)
{
    if (listener->pending_count < LISTENER_PENDING)
        listener->pending[listener->pending_count++] = pc;
    else
        listener->lost++; // one that no stretch took stops the queue
}

static void hear_access(struct listener *listener, const struct wm_warp_access *access)
{
    uint64_t words[] = {access->kind,           access->space, access->hint,  access->pc,
                        access->bytes_per_lane, access->lanes, access->active};
    listener->digest ^= wm_hash_bytes(words, sizeof words);
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        listener->digest = wm_hash_u64(listener->digest ^ access->addresses[__builtin_ctzll(rest)]);
    listener->accesses++;
    note(listener, access->pc);
}

static void access_event(void *context, const struct wm_warp_access *access)
{
    struct listener *listener = context;
    hear_access(listener, access);
    if (!listener->has_by_registers[access->pc % LISTENER_BY_REGISTERS])
        return;
    for (int i = 0; i < LISTENER_BY_REGISTERS; i++)
        if (listener->last[i].pc == access->pc)
            listener->last[i].active = 0; // like no access after it
}

// That of one instruction of one warp, or else a free one. Not by a hash of where the registers
// lie: which of them meet would differ from run to run.
static struct listener_by_registers *last_of(struct listener *listener, uint32_t pc,
                                             const void *registers)
{
    struct listener_by_registers *last = listener->last, *end = last + LISTENER_BY_REGISTERS;
    while (last < end && last->registers && (last->registers != registers || last->pc != pc))
        last++;
    cr_assert_lt(last, end, "more than %d instructions of warps", LISTENER_BY_REGISTERS);
    return last;
}

// Whether the addresses are what the interpreter says to know of them.
static bool lie_so(const struct wm_warp_access *access, enum wm_half_warp_pattern rows)
{
    uint64_t stride = rows == WM_HALF_WARPS_UNIFORM ? 0 : access->bytes_per_lane;
    bool good = rows == WM_HALF_WARPS_UNKNOWN || access->active == UINT32_MAX;
    for (int lane = 0; good && rows != WM_HALF_WARPS_UNKNOWN && lane < 32; lane++)
        good = access->addresses[lane] == access->addresses[lane & 16] + (lane & 15) * stride;
    return good;
}

static void event_by_registers(void *context, const struct wm_memory_instruction *instruction,
                               const void *registers, uint64_t active,
                               enum wm_half_warp_pattern rows)
{
    struct listener *listener = context;
    struct listener_by_registers made = {.registers = registers,
                                         .pc = instruction->pc,
                                         .space = instruction->space,
                                         .active = active};
    struct wm_warp_access access =
        wm_access_of_instruction(instruction, registers, active, made.addresses);
    listener->broken += !lie_so(&access, rows);
    listener->rows += rows != WM_HALF_WARPS_UNKNOWN;
    const struct listener_by_registers *like =
        last_of(listener, instruction->reference_pc, registers);
    hear_access(listener, &access);
    listener->by_registers++;
    if (instruction->reference_pc != instruction->pc && like->pc == instruction->reference_pc &&
        like->registers == registers && like->space == instruction->space &&
        like->active == active) {
        listener->likes++;
        for (uint64_t rest = active; rest != 0; rest &= rest - 1) {
            int lane = __builtin_ctzll(rest);
            listener->broken += like->addresses[lane] + instruction->apart != made.addresses[lane];
        }
    }
    *last_of(listener, instruction->pc, registers) = made;
    listener->has_by_registers[instruction->pc % LISTENER_BY_REGISTERS] = true;
}

static void arrival_event(void *context, const struct wm_warp_arrival *arrival)
{
    struct listener *listener = context;
    listener->arrivals++;
    note(listener, arrival->pc);
}

static void exit_event(void *context, uint32_t pc, uint64_t lanes)
{
    struct listener *listener = context;
    listener->exits++;
    listener->exited_lanes += (uint64_t)__builtin_popcountll(lanes);
    note(listener, pc);
}

// Takes the events of this stretch off the list, which come in order of their pcs.
static void stretch_event(void *context, const struct wm_warp_stretch *stretch)
{
    struct listener *listener = context;
    listener->warp_instructions += stretch->count;
    listener->thread_instructions +=
        stretch->count * (uint64_t)__builtin_popcountll(stretch->active);
    uint32_t taken = 0, last = stretch->first_pc;
    while (taken < listener->pending_count && listener->pending[taken] >= last &&
           listener->pending[taken] < stretch->first_pc + stretch->count)
        last = listener->pending[taken++];
    listener->pending_count -= taken;
    for (uint32_t i = 0; i < listener->pending_count; i++)
        listener->pending[i] = listener->pending[i + taken];
}

struct wm_access_sink listener_sink(struct listener *listener)
{
    return (struct wm_access_sink){.access = access_event,
                                   .arrival = arrival_event,
                                   .exit = exit_event,
                                   .stretch = stretch_event,
                                   .context = listener};
}

struct wm_access_sink listener_by_registers_sink(struct listener *listener)
{
    struct wm_access_sink sink = listener_sink(listener);
    sink.access_by_registers = event_by_registers;
    return sink;
}
