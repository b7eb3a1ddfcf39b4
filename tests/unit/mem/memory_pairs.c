#include "memory_pairs.h"
#include "base/numbers/random.h"
#include "choosy.h"
#include "mem/bypass/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <stdio.h>

static const char *const names[CHOICES] = {
#define AS_TEXT(name, values) #name,
    MEMORY_CHOICES(AS_TEXT)
#undef AS_TEXT
};

#define AS_ASSERTION(name, values) \
    _Static_assert((values) <= CHOICE_MOST_VALUES, "of " #name " there are more");
MEMORY_CHOICES(AS_ASSERTION)
#undef AS_ASSERTION

static const uint8_t values_of[CHOICES] = {
#define AS_COUNT(name, values) values,
    MEMORY_CHOICES(AS_COUNT)
#undef AS_COUNT
};

// --- From choices to a machine ---

static const struct {
    const struct wm_set_index_ops *index;
    uint32_t sets;
} set_choices[CHOICE_SETS] = {{&wm_set_index_modulo, 4},     {&wm_set_index_modulo, 3},
                              {&wm_set_index_xor, 4},        {&wm_set_index_xor, 5},
                              {&wm_set_index_ipoly, 8},      {&wm_set_index_ipoly, 6},
                              {&wm_set_index_fermi_hash, 32}};

static const struct wm_replacement_ops *replacement_of(uint8_t choice)
{
    size_t count;
    const struct wm_replacement_ops *entry = wm_replacement_table(&count)[choice];
    // opt leaves open which line goes: test_opt_memory.c is about its machines.
    return entry == &wm_replacement_opt ? &choosy_replacement : entry;
}

// Choices of one cache follow each other in the same order for L1 and L2.
static struct wm_cache_spec cache_spec_of(const uint8_t *v, bool present)
{
    static const uint32_t ways[] = {1, 2, 3, 4, 8, 20, 40}, lines[] = {32, 64, 128, 256, 1024};
    static const uint32_t sectors[] = {32, 64, 1024};
    uint32_t line = lines[v[3]], sector = sectors[v[4]];
    return (struct wm_cache_spec){
        .present = present,
        .size_bytes = (uint64_t)set_choices[v[5]].sets * ways[v[2]] * line,
        .ways = ways[v[2]],
        .line_bytes = line,
        .sector_bytes = sector < line ? sector : line,
        .write_policy = write_choices[v[0]].policy,
        .write_allocate = write_choices[v[0]].allocate,
        .write_fetch = (enum wm_write_fetch)v[1],
        .replacement = replacement_of(v[6]),
        .set_index = set_choices[v[5]].index,
    };
}

static void add_side_caches(struct wm_memory_spec *spec, const uint8_t *v)
{
    uint32_t line =
        spec->levels[WM_LEVEL_L1].cache.line_bytes < spec->levels[WM_LEVEL_L2].cache.line_bytes
            ? spec->levels[WM_LEVEL_L1].cache.line_bytes
            : spec->levels[WM_LEVEL_L2].cache.line_bytes;
    for (int kind = 0; v[CHOICE_BESIDE] != 0 && kind < WM_SIDE_CACHE_KINDS; kind++) {
        spec->levels[WM_LEVEL_SIDE + kind].units_each = v[CHOICE_BESIDE];
        spec->levels[WM_LEVEL_SIDE + kind].cache = (struct wm_cache_spec){
            .present = true,
            .size_bytes = (uint64_t)(kind + 1) * 2 * line,
            .ways = 2,
            .line_bytes = line,
            .sector_bytes = line,
            .replacement = replacement_of(v[CHOICE_L1_REPLACEMENT]),
            .set_index = &wm_set_index_modulo,
        };
    }
}

static void add_tlbs(struct wm_memory_spec *spec, const uint8_t *v)
{
    uint8_t choice = v[CHOICE_TLB]; // none; then one or two levels, with or without L2
    spec->tlb = (struct wm_tlb_spec){
        .present = choice != 0,
        .page_bytes = choice == 3 ? 65536 : 4096,
        .sms_each = choice < 3 ? 1 : 2,
        .l1 = {.entries = 6, .ways = 3, .replacement = replacement_of(v[CHOICE_L1_REPLACEMENT])},
        .l2 = {.entries = choice % 2 == 0 ? 12 : 0,
               .ways = 4,
               .replacement = replacement_of(v[CHOICE_L2_REPLACEMENT])},
        .walk_levels = choice < 3 ? 4 : 2,
        .walks_use_l2 = choice == 1 || choice == 4,
    };
}

// None; one of all SMs that knows every holder; one a group that knows one, the last or the first;
// and one that writes leave alone.
static void add_tracker(struct wm_memory_spec *spec, const uint8_t *v)
{
    uint8_t choice = v[CHOICE_TRACKER];
    uint32_t group =
        spec->levels[WM_LEVEL_L1].units_each > 1 ? spec->levels[WM_LEVEL_L1].units_each : 2;
    spec->levels[WM_LEVEL_L1].tracker = (struct wm_tracker_spec){
        .present = choice != 0,
        .sms_each = choice == 2 || choice == 3 ? group : CHOICE_SMS,
        .sets = choice % 2 == 0 ? 12 : 4,
        .ways = 3,
        .banks = choice % 2 == 0 ? 1 : 4,
        .sharers = choice == 2 || choice == 3 ? 1 : CHOICE_SMS,
        .keep = choice == 3 ? WM_TRACKER_KEEPS_FIRST : WM_TRACKER_KEEPS_LAST,
        .keeps_on_write = choice == 4,
    };
}

struct wm_memory_spec memory_spec_of(const struct memory_choices *choices)
{
    static const uint32_t slices[] = {1, 4, 12, 6}, channels[] = {1, 2, 6, 3};
    static const struct wm_bypass_ops *const bypasses[] = {NULL, &wm_bypass_none, &wm_bypass_per_pc,
                                                           &wm_bypass_per_pc};
    const uint8_t *v = choices->value;
    struct wm_memory_spec spec = {
        .sm_count = CHOICE_SMS,
        .levels[WM_LEVEL_L1].cache = cache_spec_of(v + CHOICE_L1_WRITE, v[CHOICE_L1_PRESENT] == 0),
        .levels[WM_LEVEL_L1].units_each = v[CHOICE_L1_SMS_EACH],                   // 0 is 1
        .levels[WM_LEVEL_L1].victim_lines = v[CHOICE_VICTIMS] * v[CHOICE_VICTIMS], // 0, 1, 4
        .levels[WM_LEVEL_L2].cache = cache_spec_of(v + CHOICE_L2_WRITE, v[CHOICE_L2_PRESENT] == 0),
        .levels[WM_LEVEL_L2].inclusion = (enum wm_inclusion)v[CHOICE_INCLUSION],
        .levels[WM_LEVEL_L2].slices = slices[v[CHOICE_SLICES]],
        .dram = {.channels = channels[v[CHOICE_SLICES]],
                 .channel_interleave_bytes = UINT64_C(64) << (3 * v[CHOICE_INTERLEAVE]),
                 .interleave_hash = (enum wm_interleave_hash)v[CHOICE_HASH],
                 .access_bytes = v[CHOICE_DRAM_ACCESS] == 0 ? 32 : 64},
        .levels[WM_LEVEL_L2].interleave_hash = (enum wm_interleave_hash)v[CHOICE_HASH],
        .levels[WM_LEVEL_L1].bypass = bypasses[v[CHOICE_BYPASS]],
        .levels[WM_LEVEL_L1].bypass_means =
            v[CHOICE_BYPASS] == 3 ? WM_BYPASS_MEANS_NO_ALLOCATION : WM_BYPASS_MEANS_NO_LOOKUP,
        .levels[WM_LEVEL_L1].flush_at_kernel = v[CHOICE_L1_FLUSH] == 1,
        .demand_before_writeback = v[CHOICE_ORDER] == 0,
        .levels[WM_LEVEL_L1].allocation =
            v[CHOICE_ALLOCATION] == 0 ? WM_ALLOCATE_ON_MISS : WM_ALLOCATE_STREAMING,
    };
    if (spec.levels[WM_LEVEL_L1].units_each == 2) // groups of 2 and 1, or all
        spec.levels[WM_LEVEL_L1].units_each = CHOICE_SMS;
    else if (spec.levels[WM_LEVEL_L1].units_each == 1)
        spec.levels[WM_LEVEL_L1].units_each = 2;
    spec.levels[WM_LEVEL_L2].cache.size_bytes *= spec.levels[WM_LEVEL_L2].slices;
    spec.levels[WM_LEVEL_L2].interleave_bytes = (uint64_t)spec.levels[WM_LEVEL_L2].cache.line_bytes
                                                << (2 * v[CHOICE_INTERLEAVE]);
    struct wm_cache_spec *l2 = &spec.levels[WM_LEVEL_L2].cache;
    if (v[CHOICE_L2_LIMIT] == 1) // a line and a sector more, of each set
        l2->dirty_limit_bytes =
            l2->size_bytes / l2->ways / l2->line_bytes * (l2->line_bytes + WM_SECTOR_BYTES);
    add_side_caches(&spec, v);
    add_tlbs(&spec, v);
    add_tracker(&spec, v);
    spec.levels[WM_LEVEL_L2].atomic_buffer_lines = v[CHOICE_ATOMICS];
    spec.levels[WM_LEVEL_L2].load_allocation =
        v[CHOICE_L2_LOADS] == 0 ? WM_L2_TAKES_ALL : WM_L2_TAKES_UNCACHED;
    return spec;
}

_Static_assert(CHOICE_L1_SETS - CHOICE_L1_WRITE == 5 && CHOICE_L2_SETS - CHOICE_L2_WRITE == 5 &&
                   CHOICE_L1_REPLACEMENT - CHOICE_L1_WRITE == 6 &&
                   CHOICE_L2_REPLACEMENT - CHOICE_L2_WRITE == 6,
               "cache_spec_of reads them in this order");

void memory_choices_print(const struct memory_choices *choices)
{
    for (int i = 0; i < CHOICES; i++)
        fprintf(stderr, "%s=%d%s", names[i], choices->value[i], i + 1 < CHOICES ? " " : "\n");
}

// --- The covering array ---

struct pairs {
    struct wm_random random;
    bool met[CHOICES][CHOICE_MOST_VALUES][CHOICES][CHOICE_MOST_VALUES]; // or given up
};

static bool is_legal(const struct memory_choices *choices)
{
    struct wm_memory_spec spec = memory_spec_of(choices);
    struct wm_error error;
    return wm_memory_spec_check(&spec, &error) == WM_OK;
}

static void shuffle(struct wm_random *random, int *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    for (int i = count; i > 1; i--) {
        int other = (int)wm_random_below(random, (uint64_t)i), swap = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = swap;
    }
}

// Values, a bit each, that no machine has together.
static const struct {
    int choice;
    uint32_t values;
    int other;
    uint32_t other_values;
} illegal[] = {
    // Byte masks do not move to a victim cache.
    {CHOICE_L1_FETCH, UINT32_C(1) << WM_FETCH_NEVER, CHOICE_VICTIMS, ~UINT32_C(1)},
    // Nor between levels that know of each other, for which there must be two.
    {CHOICE_L1_FETCH, UINT32_C(1) << WM_FETCH_NEVER, CHOICE_INCLUSION, ~UINT32_C(1)},
    {CHOICE_INCLUSION, ~UINT32_C(1), CHOICE_L2_FETCH, UINT32_C(1) << WM_FETCH_NEVER},
    {CHOICE_INCLUSION, ~UINT32_C(1), CHOICE_L2_PRESENT, ~UINT32_C(1)},
    // A tracker needs L1s of their own that write through and take no line for a store.
    {CHOICE_L1_PRESENT, ~UINT32_C(1), CHOICE_TRACKER, ~UINT32_C(1)},
    {CHOICE_L1_WRITE, 7, CHOICE_TRACKER, ~UINT32_C(1)},
    {CHOICE_L1_FETCH, UINT32_C(1) << WM_FETCH_NEVER, CHOICE_TRACKER, ~UINT32_C(1)},
    {CHOICE_VICTIMS, ~UINT32_C(1), CHOICE_TRACKER, ~UINT32_C(1)},
    {CHOICE_INCLUSION, ~UINT32_C(1), CHOICE_TRACKER, ~UINT32_C(1)},
    // A slice with a limit of what is dirty writes back, and has whole lines that stay.
    {CHOICE_L2_WRITE, ~UINT32_C(3), CHOICE_L2_LIMIT, ~UINT32_C(1)},
    {CHOICE_L2_FETCH, UINT32_C(1) << WM_FETCH_NEVER, CHOICE_L2_LIMIT, ~UINT32_C(1)},
    {CHOICE_INCLUSION, ~UINT32_C(1), CHOICE_L2_LIMIT, ~UINT32_C(1)},
    {CHOICE_L2_LIMIT, ~UINT32_C(1), CHOICE_ATOMICS, ~UINT32_C(1)},
    // And a slice with an atomic buffer knows nothing of L1.
    {CHOICE_INCLUSION, ~UINT32_C(1), CHOICE_ATOMICS, ~UINT32_C(1)},
};

static bool is_illegal_pair(int choice, uint8_t value, int other, uint8_t other_value)
{
    for (size_t i = 0; i < sizeof illegal / sizeof illegal[0]; i++)
        if (illegal[i].choice == choice && illegal[i].other == other &&
            (illegal[i].values >> value & 1) && (illegal[i].other_values >> other_value & 1))
            return true;
    return false;
}

// Values of other choices, a bit each, that no machine has together with one of a choice: as
// `illegal` has it, seen from either, for it is read millions of times.
static uint32_t never_with[CHOICES][CHOICE_MOST_VALUES][CHOICES];

static void find_never_with(void)
{
    for (size_t i = 0; i < sizeof illegal / sizeof illegal[0]; i++)
        for (int value = 0; value < CHOICE_MOST_VALUES; value++) {
            if ((illegal[i].values >> value & 1) != 0)
                never_with[illegal[i].choice][value][illegal[i].other] |= illegal[i].other_values;
            if ((illegal[i].other_values >> value & 1) != 0)
                never_with[illegal[i].other][value][illegal[i].choice] |= illegal[i].values;
        }
}

// What of a machine is chosen for good, and values of each choice, a bit each, that may not stand
// with it.
struct fixed {
    bool choice[CHOICES];
    uint32_t forbids[CHOICES];
};

static void fix(struct fixed *fixed, const struct memory_choices *machine, int choice)
{
    const uint32_t *never = never_with[choice][machine->value[choice]];
    fixed->choice[choice] = true;
    for (int other = 0; other < CHOICES; other++)
        fixed->forbids[other] |= never[other];
}

static bool fits(const struct fixed *fixed, int choice, uint8_t value)
{
    return (fixed->forbids[choice] >> value & 1) == 0;
}

// The value of `choice` that makes most new pairs with what is fixed already.
static uint8_t best_value(struct pairs *pairs, const struct memory_choices *machine,
                          const struct fixed *fixed, int choice)
{
    uint8_t best = 0;
    int best_new = -1;
    uint64_t first = wm_random_below(&pairs->random, values_of[choice]);
    for (uint32_t i = 0; i < values_of[choice]; i++) {
        uint8_t value = (uint8_t)((first + i) % values_of[choice]);
        int new_pairs = 0;
        if (!fits(fixed, choice, value))
            continue;
        for (int other = 0; other < CHOICES; other++)
            new_pairs +=
                fixed->choice[other] && !pairs->met[choice][value][other][machine->value[other]];
        if (new_pairs > best_new) {
            best_new = new_pairs;
            best = value;
        }
    }
    return best;
}

// A legal machine with the two values, and with many new pairs besides; the later the attempt, the
// more is left to chance.
static bool find_machine(struct pairs *pairs, const int *choice, const uint8_t *value,
                         struct memory_choices *machine)
{
    enum { ATTEMPTS = 400 };
    static const int levels[] = {CHOICE_L1_PRESENT, CHOICE_L2_PRESENT};
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct fixed fixed = {0};
        int order[CHOICES];
        shuffle(&pairs->random, order, CHOICES);
        for (int i = 0; i < 2; i++) {
            machine->value[choice[i]] = value[i];
            fix(&fixed, machine, choice[i]);
        }
        // Most parts are only met where both levels are there.
        for (int i = 0; i < 2; i++)
            if (!fixed.choice[levels[i]]) {
                machine->value[levels[i]] = wm_random_below(&pairs->random, 16) == 0;
                fix(&fixed, machine, levels[i]);
            }
        for (int i = 0; i < CHOICES; i++) {
            if (fixed.choice[order[i]])
                continue;
            bool by_chance = wm_random_below(&pairs->random, ATTEMPTS / 4) < (uint64_t)attempt;
            machine->value[order[i]] =
                by_chance ? (uint8_t)wm_random_below(&pairs->random, values_of[order[i]])
                          : best_value(pairs, machine, &fixed, order[i]);
            fix(&fixed, machine, order[i]);
        }
        if (is_legal(machine))
            return true;
    }
    return false;
}

static void meet(struct pairs *pairs, const struct memory_choices *machine)
{
    for (int i = 0; i < CHOICES; i++)
        for (int j = 0; j < CHOICES; j++)
            pairs->met[i][machine->value[i]][j][machine->value[j]] = true;
}

size_t memory_pairs(struct memory_choices *machines, size_t *impossible)
{
    static struct pairs pairs;
    find_never_with();
    memset(&pairs, 0, sizeof pairs);
    wm_random_init(&pairs.random, 1, "memory pairs");
    size_t count = 0;
    *impossible = 0;
    for (int i = 0; i < CHOICES; i++)
        for (int j = i + 1; j < CHOICES; j++)
            for (uint8_t a = 0; a < values_of[i]; a++)
                for (uint8_t b = 0; b < values_of[j]; b++) {
                    if (pairs.met[i][a][j][b] || is_illegal_pair(i, a, j, b))
                        continue;
                    if (count < CHOICE_MOST_MACHINES &&
                        find_machine(&pairs, (int[]){i, j}, (uint8_t[]){a, b}, &machines[count])) {
                        meet(&pairs, &machines[count++]);
                        continue;
                    }
                    fprintf(stderr, "no machine with %s=%d %s=%d\n", names[i], a, names[j], b);
                    ++*impossible;
                }
    return count;
}

void memory_any(struct wm_random *random, struct memory_choices *machine)
{
    find_never_with();
    do {
        struct fixed fixed = {0};
        int order[CHOICES];
        shuffle(random, order, CHOICES);
        machine->value[CHOICE_L1_PRESENT] = machine->value[CHOICE_L2_PRESENT] = 0;
        fix(&fixed, machine, CHOICE_L1_PRESENT);
        fix(&fixed, machine, CHOICE_L2_PRESENT);
        for (int i = 0; i < CHOICES; i++) {
            int choice = order[i];
            // Values of the others may leave this one but its first.
            for (int tried = 0; !fixed.choice[choice]; tried++) {
                machine->value[choice] =
                    tried < 8 ? (uint8_t)wm_random_below(random, values_of[choice]) : 0;
                if (tried == 9 || fits(&fixed, choice, machine->value[choice]))
                    fix(&fixed, machine, choice);
            }
        }
    } while (!is_legal(machine));
}
