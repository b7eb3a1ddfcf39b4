#include "engine/session/host_device_races.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_MEETINGS = 64, // of different instructions and allocations: what comes after is not kept
    KNOWN_WORDS = 4096, // of memory whose content is known: a power of two
    NOTED = 256,
    KERNELS = 256,
    WORD_BYTES = 4,
};

// A word of memory as the device saw or left it last. Address 0: none.
struct known_word {
    uint64_t address;
    uint32_t value;
};

// What was noted of an instruction last. Allocation 0: nothing.
struct noted {
    uint64_t allocation;
    uint32_t pc;
    bool changed;
};

// A launch whose accesses are observed.
struct observed_launch {
    struct wm_work work; // first: what is driven
    struct observed_launch *next;
    struct wm_host_device_races *races;
    struct noted noted[NOTED];
    struct wm_work *inner;
    uint8_t *strong; // owned, by pc: reads with the scope of the system
};

struct wm_host_device_races {
    const struct wm_device_memory *memory;
    struct wm_arena arena; // of the texts
    struct wm_host_device_race found[MOST_MEETINGS];
    uint32_t count;
    struct known_word words[KNOWN_WORDS];
    uint64_t quiet[KERNELS];          // fingerprints of kernels that cannot race with the host
    struct observed_launch *launches; // owned
};

struct wm_host_device_races *wm_host_device_races_new(const struct wm_device_memory *memory)
{
    struct wm_host_device_races *races = calloc(1, sizeof *races);
    if (races == NULL)
        return NULL;
    wm_arena_init(&races->arena);
    races->memory = memory;
    return races;
}

void wm_host_device_races_free(struct wm_host_device_races *races)
{
    if (races == NULL)
        return;
    while (races->launches != NULL)
        wm_host_device_races_end(races, &races->launches->work);
    wm_arena_release(&races->arena);
    free(races);
}

// ---- What is found -----------------------------------------------------------------------------

static const char *copy(struct wm_arena *arena, const char *text)
{
    return text != NULL ? wm_arena_copy_text(arena, text, strlen(text)) : NULL;
}

// One line of the source, however often the compiler has unrolled it.
static bool is_like(const struct wm_host_device_race *a, const struct wm_host_device_race *b)
{
    size_t opcode = strcspn(a->text, " \t");
    if (strncmp(a->text, b->text, opcode) != 0 || strcmp(a->what, b->what) != 0 ||
        strcmp(a->kernel, b->kernel) != 0 || strcmp(a->module, b->module) != 0)
        return false;
    return a->source_file != NULL && b->source_file != NULL
               ? a->source_line == b->source_line && strcmp(a->source_file, b->source_file) == 0
               : a->ptx_line == b->ptx_line;
}

static void keep(struct wm_host_device_races *races, const struct wm_host_device_race *seen)
{
    struct wm_arena *arena = &races->arena;
    for (uint32_t i = 0; i < races->count; i++)
        if (is_like(&races->found[i], seen)) {
            races->found[i].changed |= seen->changed;
            return;
        }
    if (races->count == MOST_MEETINGS)
        return;
    struct wm_host_device_race made = *seen;
    made.kernel = copy(arena, seen->kernel);
    made.module = copy(arena, seen->module);
    made.what = copy(arena, seen->what);
    made.text = copy(arena, seen->text);
    made.source_file = copy(arena, seen->source_file);
    if (made.kernel != NULL && made.module != NULL && made.what != NULL && made.text != NULL)
        races->found[races->count++] = made;
}

// A kernel that polls comes here each time.
static bool is_noted(struct observed_launch *launch, uint32_t pc, uint64_t allocation, bool changed)
{
    struct noted *noted = &launch->noted[pc % NOTED];
    if (noted->pc == pc && noted->allocation == allocation && (noted->changed || !changed))
        return true;
    *noted = (struct noted){.pc = pc, .allocation = allocation, .changed = changed};
    return false;
}

static void note(struct observed_launch *launch, uint32_t pc,
                 const struct wm_allocation *allocation, bool changed)
{
    const struct wm_work *inner = launch->inner;
    struct wm_instruction_facts facts;
    struct wm_text text;
    if (is_noted(launch, pc, allocation->address, changed))
        return;
    wm_text_init(&text);
    inner->ops->describe(inner, pc, &facts, &text);
    keep(launch->races, &(struct wm_host_device_race){.kernel = inner->kernel,
                                                      .module = inner->module,
                                                      .what = allocation->label,
                                                      .text = text.data != NULL ? text.data : "",
                                                      .source_file = facts.source_file,
                                                      .source_line = facts.source_line,
                                                      .ptx_line = facts.ptx_line,
                                                      .changed = changed});
    wm_text_release(&text);
}

// ---- Observing ---------------------------------------------------------------------------------

static bool host_can_write(const struct wm_allocation *allocation)
{
    return allocation != NULL && wm_device_memory_host_writes(allocation);
}

// Whether a word has another content than the device saw or left there last; then that is known.
static bool look(struct wm_host_device_races *races, uint64_t address, bool reads)
{
    uint64_t mixed = address / WORD_BYTES * UINT64_C(0x9e3779b97f4a7c15);
    struct known_word *word = &races->words[mixed >> 52 & (KNOWN_WORDS - 1)];
    // The host may write it at this moment: one read, whose value is used.
    uint32_t now = __atomic_load_n((const uint32_t *)(uintptr_t)address, __ATOMIC_RELAXED);
    bool changed = reads && word->address == address && word->value != now;
    *word = (struct known_word){.address = address, .value = now};
    return changed;
}

static void follow(struct observed_launch *launch, const struct wm_warp_access *access)
{
    struct wm_host_device_races *races = launch->races;
    bool strong = launch->strong[access->pc] != 0, reads = access->kind == WM_ACCESS_LOAD;
    const struct wm_allocation *noted = NULL;
    for (uint64_t lanes = access->active; lanes != 0; lanes &= lanes - 1) {
        uint64_t begin = access->addresses[__builtin_ctzll(lanes)];
        const struct wm_allocation *allocation = wm_device_memory_find(races->memory, begin);
        if (!host_can_write(allocation))
            continue;
        bool changed = false;
        for (uint64_t at = begin & -(uint64_t)WORD_BYTES; at < begin + access->bytes_per_lane;
             at += WORD_BYTES)
            changed |= look(races, at, reads);
        if (changed || (strong && allocation != noted))
            note(launch, access->pc, allocation, changed);
        noted = allocation;
    }
}

struct observer {
    struct observed_launch *launch;
    const struct wm_access_sink *next; // or NULL
};

static void observe_access(void *context, const struct wm_warp_access *access)
{
    const struct observer *observer = context;
    if (access->space == WM_SPACE_GLOBAL)
        follow(observer->launch, access);
    if (observer->next != NULL)
        observer->next->access(observer->next->context, access);
}

static void observe_arrival(void *context, const struct wm_warp_arrival *arrival)
{
    const struct observer *observer = context;
    observer->next->arrival(observer->next->context, arrival);
}

static void observe_exit(void *context, uint32_t pc, uint64_t lanes)
{
    const struct observer *observer = context;
    observer->next->exit(observer->next->context, pc, lanes);
}

static void observe_cluster(void *context, uint32_t pc, uint64_t lanes, bool waits, bool others)
{
    const struct observer *observer = context;
    observer->next->cluster(observer->next->context, pc, lanes, waits, others);
}

static void observe_phase(void *context, const struct wm_warp_phase *phase)
{
    const struct observer *observer = context;
    observer->next->phase(observer->next->context, phase);
}

static void observe_stretch(void *context, const struct wm_warp_stretch *stretch)
{
    const struct observer *observer = context;
    observer->next->stretch(observer->next->context, stretch);
}

static void observe_fence(void *context, uint32_t pc)
{
    const struct observer *observer = context;
    observer->next->fence(observer->next->context, pc);
}

// ---- The work that is driven -------------------------------------------------------------------

static struct wm_work *inner_of(const void *work)
{
    return ((const struct observed_launch *)work)->inner;
}

static void run(void *work, struct wm_block *block, uint32_t warp, uint64_t budget,
                enum wm_run_until until, const struct wm_access_sink *sink,
                struct wm_run_result *result)
{
    struct observed_launch *launch = work;
    struct observer observer = {.launch = launch,
                                .next = sink != NULL && sink->access != NULL ? sink : NULL};
    const struct wm_access_sink *next = observer.next;
    struct wm_access_sink mine = {
        .access = observe_access,
        .arrival = next != NULL && next->arrival != NULL ? observe_arrival : NULL,
        .exit = next != NULL && next->exit != NULL ? observe_exit : NULL,
        .cluster = next != NULL && next->cluster != NULL ? observe_cluster : NULL,
        .phase = next != NULL && next->phase != NULL ? observe_phase : NULL,
        .stretch = next != NULL && next->stretch != NULL ? observe_stretch : NULL,
        .fence = next != NULL && next->fence != NULL ? observe_fence : NULL,
        .fences = next != NULL ? next->fences : NULL,
        .context = &observer,
    };
    launch->inner->ops->run(launch->inner, block, warp, budget, until, &mine, result);
}

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    const struct wm_work *inner = inner_of(work);
    inner->ops->describe(inner, pc, facts, text);
}

static enum wm_status start_block(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                  struct wm_block **block, struct wm_error *error)
{
    struct wm_work *inner = inner_of(work);
    return inner->ops->start_block(inner, index, sm, slot, block, error);
}

static void finish_block(void *work, struct wm_block *block)
{
    struct wm_work *inner = inner_of(work);
    inner->ops->finish_block(inner, block);
}

static char *copy_ptx(const void *work)
{
    const struct wm_work *inner = inner_of(work);
    return inner->ops->copy_ptx != NULL ? inner->ops->copy_ptx(inner) : NULL;
}

static bool next_pc(void *work, struct wm_block *block, uint32_t warp, uint32_t *pc)
{
    struct wm_work *inner = inner_of(work);
    return inner->ops->next_pc(inner, block, warp, pc);
}

static enum wm_status fault(const void *work, struct wm_error *error)
{
    const struct wm_work *inner = inner_of(work);
    return inner->ops->fault(inner, error);
}

static enum wm_status deadlock(void *work, struct wm_block *const *blocks, uint32_t count,
                               struct wm_error *error)
{
    struct wm_work *inner = inner_of(work);
    return inner->ops->deadlock(inner, blocks, count, error);
}

static const struct wm_work_ops observed_ops = {
    .describe = describe,
    .copy_ptx = copy_ptx,
    .start_block = start_block,
    .finish_block = finish_block,
    .run = run,
    .next_pc = next_pc,
    .fault = fault,
    .deadlock = deadlock,
};

// ---- Launches ----------------------------------------------------------------------------------

static bool says(const struct wm_text *text, const char *word)
{
    return text->data != NULL && strstr(text->data, word) != NULL;
}

// Loads and atomics with the scope of the system. A store or a reduction returns nothing to the
// kernel.
static bool has_system_scope(const struct wm_work *work, uint32_t pc)
{
    struct wm_instruction_facts facts;
    work->ops->describe(work, pc, &facts, NULL);
    if (!facts.is_memory || (facts.space != WM_SPACE_GLOBAL && !facts.generic) ||
        (facts.kind != WM_ACCESS_LOAD && facts.kind != WM_ACCESS_ATOMIC))
        return false;
    struct wm_text text;
    wm_text_init(&text);
    work->ops->describe(work, pc, &facts, &text);
    bool strong = says(&text, ".volatile") || says(&text, ".sys") || says(&text, ".mmio");
    wm_text_release(&text);
    return strong;
}

struct wm_work *wm_host_device_races_begin(struct wm_host_device_races *races,
                                           struct wm_work *inner)
{
    bool any = false;
    if (races == NULL)
        return inner;
    uint64_t *quiet = &races->quiet[inner->fingerprint % KERNELS];
    if (wm_device_memory_host_count(races->memory) == 0 || *quiet == inner->fingerprint)
        return inner;
    struct observed_launch *launch = calloc(1, sizeof *launch);
    uint8_t *strong = calloc(inner->instruction_count + UINT64_C(1), sizeof *strong);
    for (uint32_t pc = 0; launch != NULL && strong != NULL && pc < inner->instruction_count; pc++) {
        strong[pc] = has_system_scope(inner, pc);
        any |= strong[pc] != 0;
    }
    if (!any) {
        *quiet = launch != NULL && strong != NULL ? inner->fingerprint : *quiet;
        free(strong);
        free(launch);
        return inner;
    }
    memset(races->words, 0, sizeof races->words);
    launch->work = *inner;
    launch->work.ops = &observed_ops;
    launch->work.parallel = false;
    launch->races = races;
    launch->inner = inner;
    launch->strong = strong;
    launch->next = races->launches;
    races->launches = launch;
    return &launch->work;
}

void wm_host_device_races_end(struct wm_host_device_races *races, struct wm_work *work)
{
    if (races == NULL)
        return;
    for (struct observed_launch **link = &races->launches; *link != NULL; link = &(*link)->next) {
        struct observed_launch *launch = *link;
        if (&launch->work != work)
            continue;
        *link = launch->next;
        free(launch->strong);
        free(launch);
        return;
    }
}

void wm_host_device_races_forget(struct wm_host_device_races *races)
{
    if (races->launches != NULL)
        memset(races->words, 0, sizeof races->words);
}

// ---- Results -----------------------------------------------------------------------------------

bool wm_host_device_races_copy(const struct wm_host_device_races *races, struct wm_results *results)
{
    struct wm_host_device_race *list =
        WM_ARENA_ARRAY(&results->arena, struct wm_host_device_race, races->count + 1);
    bool good = list != NULL;
    for (uint32_t i = 0; i < races->count && good; i++) {
        const struct wm_host_device_race *from = &races->found[i];
        list[i] = *from;
        list[i].kernel = copy(&results->arena, from->kernel);
        list[i].module = copy(&results->arena, from->module);
        list[i].what = copy(&results->arena, from->what);
        list[i].text = copy(&results->arena, from->text);
        list[i].source_file = copy(&results->arena, from->source_file);
        good = list[i].kernel != NULL && list[i].module != NULL && list[i].what != NULL &&
               list[i].text != NULL;
    }
    results->races = list;
    results->race_count = good ? races->count : 0;
    return good;
}
