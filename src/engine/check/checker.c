#include "base/containers/array.h"
#include "engine/check/checker_state.h"
#include "exec/exec.h"
#include "exec/memory/virtual_memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_FINDINGS = 4096, // of different instructions: what comes after is not kept
    FENCE_REACH = 16,    // instructions between an access and its fence
    WHERE_BYTES = 256,
};

enum wm_status wm_checker_new(uint32_t checks, const struct wm_device_memory *memory,
                              struct wm_checker **made, struct wm_error *error)
{
    struct wm_checker *checker = calloc(1, sizeof *checker);
    *made = checker;
    if (!checker)
        return wm_fail_no_memory(error, "a checker");
    wm_arena_init(&checker->arena);
    wm_string_map_init(&checker->texts);
    checker->checks = checks;
    checker->memory = memory;
    return WM_OK;
}

static void free_blocks(struct wm_checker *checker)
{
    for (uint32_t i = 0; i < checker->block_count; i++) {
        struct wm_check_block *block = checker->blocks[i];
        if (!block)
            continue;
        free(block->unwritten);
        free(block->cells);
        free(block->clocks);
        free(block->phases);
        free(block);
    }
    free(checker->blocks);
    checker->blocks = NULL;
    checker->block_count = 0;
}

void wm_checker_free(struct wm_checker *checker)
{
    if (!checker)
        return;
    wm_checker_launch_end(checker);
    wm_uninitialised_bytes_release(&checker->unwritten);
    wm_string_map_release(&checker->texts);
    wm_arena_release(&checker->arena);
    free(checker->findings);
    free(checker);
}

// ---- Launches ----------------------------------------------------------------------------------

struct wm_work *wm_checker_launch_begin(struct wm_checker *checker, struct wm_work *inner,
                                        uint32_t sm_count)
{
    checker->inner = inner;
    checker->sm_count = sm_count;
    checker->kernel = checker->module = NULL;
    memset(checker->remembered, 0, sizeof checker->remembered);
    if (!(checker->checks & (WM_CHECK_INIT | WM_CHECK_RACE)))
        return inner;
    checker->instructions = calloc(inner->instruction_count + 1u, sizeof *checker->instructions);
    if (!checker->instructions)
        return NULL;
    checker->work = *inner;
    checker->work.ops = &wm_checker_work_ops;
    checker->work.parallel = false;
    return &checker->work;
}

void wm_checker_launch_end(struct wm_checker *checker)
{
    free_blocks(checker);
    free(checker->instructions);
    checker->instructions = NULL;
    checker->inner = NULL;
}

// ---- Instructions ------------------------------------------------------------------------------

static bool says(const struct wm_text *text, const char *word)
{
    return text->data && strstr(text->data, word);
}

// Barriers release and acquire unless they say .relaxed (PTX ISA 9.7.13.15.13, 9.7.13.4).
static enum wm_check_role role_of(const struct wm_text *text)
{
    const char *opcode = text->data ? text->data : "";
    if (strncmp(opcode, "cp.async.mbarrier.arrive", 24) == 0)
        return says(text, ".noinc") ? WM_CHECK_PHASE_ARRIVE : WM_CHECK_PHASE_COPIES;
    if (strncmp(opcode, "mbarrier.", 9) != 0)
        return WM_CHECK_NO_PHASE;
    if (says(text, ".test_wait") || says(text, ".try_wait"))
        return WM_CHECK_PHASE_TEST;
    if (says(text, ".init") || says(text, ".inval"))
        return WM_CHECK_PHASES_BEGIN;
    return says(text, ".arrive") ? WM_CHECK_PHASE_ARRIVE : WM_CHECK_PHASE_BYTES;
}

static bool begins(const struct wm_text *text, const char *word)
{
    return text->data && strncmp(text->data, word, strlen(word)) == 0;
}

// What lies between a strong access and a fence.
enum between { GOES_ON, IS_FENCE, ENDS };

static enum between between(const struct wm_instruction_facts *facts, const struct wm_text *text)
{
    if (begins(text, "fence.") || begins(text, "membar."))
        return says(text, "proxy") || says(text, "mbarrier") ? GOES_ON : IS_FENCE;
    if (facts->is_memory || begins(text, "call") || begins(text, "bar") || begins(text, "ret") ||
        begins(text, "exit") || begins(text, "brx"))
        return ENDS;
    return begins(text, "bra") && !facts->guard ? ENDS : GOES_ON;
}

// Whether a fence stands before the instruction, or behind it, with no access between: then a
// strong write there releases, and a strong read acquires (PTX ISA 8.8, release and acquire
// patterns). Looked for in the text, along the path on which no guarded branch is taken.
static bool is_fenced(const struct wm_checker *checker, uint32_t pc, bool behind)
{
    enum between what = GOES_ON;
    for (uint32_t steps = 1; steps <= FENCE_REACH && what == GOES_ON; steps++) {
        if (behind ? pc + steps >= checker->inner->instruction_count : steps > pc)
            break;
        struct wm_instruction_facts facts = {0};
        struct wm_text text;
        wm_text_init(&text);
        checker->inner->ops->describe(checker->inner, behind ? pc + steps : pc - steps, &facts,
                                      &text);
        what = between(&facts, &text);
        wm_text_release(&text);
    }
    return what == IS_FENCE;
}

const struct wm_check_instruction *wm_checker_instruction(struct wm_checker *checker, uint32_t pc)
{
    struct wm_check_instruction *instruction = &checker->instructions[pc];
    if (instruction->known)
        return instruction;
    struct wm_instruction_facts facts;
    struct wm_text text;
    wm_text_init(&text);
    checker->inner->ops->describe(checker->inner, pc, &facts, &text);
    bool atomic = facts.kind == WM_ACCESS_ATOMIC || facts.kind == WM_ACCESS_REDUCTION;
    bool is_volatile = says(&text, ".volatile");
    bool swaps = says(&text, ".cas") || says(&text, ".exch");
    instruction->known = true;
    instruction->strong = atomic || is_volatile || says(&text, ".relaxed") ||
                          says(&text, ".acquire") || says(&text, ".release") ||
                          says(&text, ".mmio");
    instruction->acquires = swaps || says(&text, ".acquire") || says(&text, ".acq_rel") ||
                            (is_volatile && facts.kind == WM_ACCESS_LOAD);
    instruction->releases = swaps || says(&text, ".release") || says(&text, ".acq_rel") ||
                            (is_volatile && facts.kind == WM_ACCESS_STORE);
    bool reads = facts.kind == WM_ACCESS_LOAD || facts.kind == WM_ACCESS_ATOMIC;
    if (instruction->strong && reads && !instruction->acquires)
        instruction->acquires = is_fenced(checker, pc, true);
    if (instruction->strong && facts.kind != WM_ACCESS_LOAD && !instruction->releases)
        instruction->releases = is_fenced(checker, pc, false);
    instruction->role = role_of(&text);
    if (instruction->role != WM_CHECK_NO_PHASE || says(&text, "barrier.cluster")) {
        instruction->strong = instruction->role != WM_CHECK_PHASES_BEGIN;
        bool orders = !says(&text, ".relaxed");
        instruction->acquires = orders && instruction->role == WM_CHECK_PHASE_TEST;
        instruction->releases = orders && (instruction->role == WM_CHECK_NO_PHASE ||
                                           instruction->role == WM_CHECK_PHASE_ARRIVE ||
                                           instruction->role == WM_CHECK_PHASE_COPIES);
    }
    wm_text_release(&text);
    return instruction;
}

// ---- Findings ----------------------------------------------------------------------------------

// One copy of each text: a finding that an instruction makes again and again is described each time
// that the table of the last ones has forgotten it, and in every launch.
static const char *copy(struct wm_checker *checker, const char *text)
{
    if (!text)
        return NULL;
    size_t length = strlen(text);
    char *made = wm_string_map_get(&checker->texts, text, length);
    if (!made && (made = wm_arena_copy_text(&checker->arena, text, length)) != NULL)
        (void)wm_string_map_put(&checker->texts, made, length, made);
    return made;
}

static struct wm_check_finding *add_finding(struct wm_checker *checker)
{
    if (checker->finding_count == MAX_FINDINGS)
        return NULL;
    return WM_ARRAY_PUSH(checker->findings, checker->finding_count, checker->finding_capacity);
}

static void place(const struct wm_checker *checker, uint32_t thread, uint32_t *to)
{
    const uint32_t *block = checker->inner->block;
    to[0] = thread % block[0];
    to[1] = thread / block[0] % block[1];
    to[2] = thread / block[0] / block[1];
}

static void describe_access(struct wm_checker *checker, uint32_t pc, enum wm_access_kind kind,
                            struct wm_check_access *access)
{
    struct wm_instruction_facts facts;
    struct wm_text text;
    wm_text_init(&text);
    checker->inner->ops->describe(checker->inner, pc, &facts, &text);
    *access = (struct wm_check_access){
        .text = copy(checker, text.data ? text.data : ""),
        .source_file = copy(checker, facts.source_file),
        .source_line = facts.source_line,
        .ptx_line = facts.ptx_line,
        .kind = kind,
    };
    wm_text_release(&text);
}

// "byte 12 of cudaMalloc #3", in `text`; NULL: it is in none.
static const char *allocation_label(const struct wm_checker *checker, enum wm_check_kind kind,
                                    uint64_t address, char text[WHERE_BYTES])
{
    const struct wm_allocation *allocation = NULL;
    if (kind == WM_FOUND_UNINITIALISED_GLOBAL && checker->memory)
        allocation = wm_device_memory_find(checker->memory, address);
    if (!allocation)
        return NULL;
    snprintf(text, WHERE_BYTES, "byte %llu of %s",
             (unsigned long long)(address - allocation->address), allocation->label);
    return text;
}

static uint32_t lanes_of(const struct wm_checker *checker)
{
    const uint32_t *block = checker->inner->block;
    uint32_t threads = block[0] * block[1] * block[2], warps = checker->inner->warps_per_block;
    return warps > 0 && threads > 32 * warps ? 64 : 32;
}

static void name_kernel(struct wm_checker *checker)
{
    if (checker->kernel)
        return;
    checker->kernel = copy(checker, checker->inner->kernel);
    checker->module = copy(checker, checker->inner->module);
}

// `where` has the finding's `what`, until it is kept.
static void fill(struct wm_checker *checker, enum wm_check_kind kind,
                 const struct wm_check_seen *seen, char where[WHERE_BYTES],
                 struct wm_check_finding *finding)
{
    const uint32_t *grid = checker->inner->grid;
    uint64_t index = seen->block->block->index;
    uint32_t lanes = lanes_of(checker);
    name_kernel(checker);
    *finding = (struct wm_check_finding){
        .kind = kind,
        .kernel = checker->kernel,
        .module = checker->module,
        .what = allocation_label(checker, kind, seen->address, where),
        .block = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]),
                  (uint32_t)(index / grid[0] / grid[1])},
        .address = seen->address,
        .bytes = seen->bytes,
    };
    describe_access(checker, seen->pc, seen->kind, &finding->accesses[0]);
    place(checker, seen->warp * lanes + seen->lane, finding->accesses[0].thread);
    if (!seen->earlier)
        return;
    describe_access(checker, seen->earlier->pc, (enum wm_access_kind)seen->earlier->kind,
                    &finding->accesses[1]);
    place(checker, seen->earlier->warp * lanes + seen->earlier->lane, finding->accesses[1].thread);
}

// As above.
static void fill_stray(struct wm_checker *checker, const struct wm_stray_access *access,
                       char where[WHERE_BYTES], struct wm_check_finding *finding)
{
    name_kernel(checker);
    wm_allocation_describe(access->near, access->address, where, WHERE_BYTES);
    *finding = (struct wm_check_finding){
        .kind = WM_FOUND_STRAY,
        .kernel = checker->kernel,
        .module = checker->module,
        .what = where,
        .address = access->address,
        .bytes = access->bytes,
    };
    memcpy(finding->block, access->block, sizeof finding->block);
    describe_access(checker, access->pc, access->kind, &finding->accesses[0]);
    memcpy(finding->accesses[0].thread, access->thread, sizeof access->thread);
}

// The same instructions of the same kernel, also in an earlier launch: by what people read of them.
static bool same(const struct wm_check_finding *a, const struct wm_check_finding *b)
{
    if (a->kind != b->kind || strcmp(a->kernel, b->kernel) != 0 ||
        strcmp(a->module, b->module) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (a->accesses[i].ptx_line != b->accesses[i].ptx_line ||
            !a->accesses[i].text != !b->accesses[i].text)
            return false;
    return true;
}

static uint32_t earlier_index(const struct wm_checker *checker,
                              const struct wm_check_finding *finding)
{
    for (uint32_t i = 0; i < checker->finding_count; i++)
        if (checker->findings[i].kernel && same(&checker->findings[i], finding))
            return i + 1;
    return 0;
}

// Which finding a pair of instructions made last: a race in a loop is met millions of times.
static uint32_t *remembered(struct wm_checker *checker, enum wm_check_kind kind, uint32_t pc,
                            uint32_t earlier)
{
    uint32_t key = (pc * 31 + earlier * 7 + (uint32_t)kind) % WM_CHECK_REMEMBERED;
    struct wm_check_memory *memory = &checker->remembered[key];
    if (memory->pc != pc || memory->earlier != earlier || memory->kind != (uint32_t)kind)
        *memory = (struct wm_check_memory){pc, earlier, (uint32_t)kind, 0};
    return &memory->index;
}

// The index, from 1, of a finding that was filled now; 0 when it cannot be kept.
static uint32_t keep(struct wm_checker *checker, const struct wm_check_finding *finding)
{
    if (!finding->kernel || !finding->module || !finding->accesses[0].text)
        return 0;
    uint32_t index = earlier_index(checker, finding);
    struct wm_check_finding *added = index == 0 ? add_finding(checker) : NULL;
    if (!added)
        return index;
    *added = *finding;
    added->what = copy(checker, finding->what);
    return checker->finding_count;
}

void wm_checker_report(struct wm_checker *checker, enum wm_check_kind kind,
                       const struct wm_check_seen *seen)
{
    uint32_t *index = remembered(checker, kind, seen->pc, seen->earlier ? seen->earlier->pc : 0);
    if (*index == 0) {
        struct wm_check_finding finding;
        char where[WHERE_BYTES];
        fill(checker, kind, seen, where, &finding);
        *index = keep(checker, &finding);
    }
    if (*index != 0)
        checker->findings[*index - 1].count++;
}

bool wm_checker_stray(void *context, const struct wm_stray_access *access)
{
    struct wm_checker *checker = context;
    uint32_t *index = remembered(checker, WM_FOUND_STRAY, access->pc, 0);
    if (*index == 0) {
        struct wm_check_finding finding;
        char where[WHERE_BYTES];
        fill_stray(checker, access, where, &finding);
        *index = keep(checker, &finding);
    }
    if (*index != 0)
        checker->findings[*index - 1].count++;
    return !(checker->checks & WM_CHECK_MEMORY);
}

uint32_t wm_checker_checks(const struct wm_checker *checker)
{
    return checker->checks;
}

const struct wm_check_finding *wm_checker_findings(const struct wm_checker *checker,
                                                   uint32_t *count)
{
    *count = checker->finding_count;
    return checker->findings;
}

// ---- Outside of kernels ------------------------------------------------------------------------

uint64_t wm_checker_canonical(const struct wm_checker *checker, uint64_t address, uint64_t *bytes)
{
    if (!checker->memory)
        return address;
    return wm_virtual_canonical(wm_device_memory_virtual(checker->memory), address, bytes);
}

void wm_checker_allocated(struct wm_checker *checker, uint64_t address, uint64_t bytes)
{
    if (checker->checks & WM_CHECK_INIT)
        wm_uninitialised_bytes_mark(&checker->unwritten, address, bytes, true);
}

void wm_checker_written(struct wm_checker *checker, uint64_t address, uint64_t bytes)
{
    if (!(checker->checks & WM_CHECK_INIT))
        return;
    for (uint64_t piece; bytes > 0; address += piece, bytes -= piece) {
        piece = bytes;
        uint64_t first = wm_checker_canonical(checker, address, &piece);
        wm_uninitialised_bytes_mark(&checker->unwritten, first, piece, false);
    }
}

void wm_checker_copied(struct wm_checker *checker, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (!(checker->checks & WM_CHECK_INIT))
        return;
    for (uint64_t piece; bytes > 0; to += piece, from += piece, bytes -= piece) {
        piece = bytes;
        uint64_t target = wm_checker_canonical(checker, to, &piece);
        uint64_t source = wm_checker_canonical(checker, from, &piece);
        wm_uninitialised_bytes_copy(&checker->unwritten, target, source, piece);
    }
}

void wm_checker_leak(struct wm_checker *checker, enum wm_check_kind kind, const char *what,
                     uint64_t address, uint64_t bytes, uint64_t count)
{
    struct wm_check_finding *finding = add_finding(checker);
    if (finding)
        *finding = (struct wm_check_finding){.kind = kind,
                                             .count = count,
                                             .what = copy(checker, what),
                                             .address = address,
                                             .bytes = bytes};
}

void wm_checker_host(struct wm_checker *checker, enum wm_check_kind kind,
                     const struct wm_check_host_access *access)
{
    struct wm_check_finding *finding = add_finding(checker);
    if (finding)
        *finding = (struct wm_check_finding){.kind = kind,
                                             .count = access->count,
                                             .what = copy(checker, access->what),
                                             .place = copy(checker, access->place),
                                             .accesses[0].kind = access->kind,
                                             .address = access->address,
                                             .bytes = access->bytes};
}
