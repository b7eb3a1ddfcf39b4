#include "base/containers/array.h"
#include "engine/check/checker_state.h"
#include "exec/exec.h"
#include "exec/memory/virtual_memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_FINDINGS = 4096, // of different instructions: what comes after is not kept
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

void wm_checker_free(struct wm_checker *checker)
{
    if (!checker)
        return;
    wm_uninitialised_bytes_release(&checker->unwritten);
    wm_string_map_release(&checker->texts);
    wm_arena_release(&checker->arena);
    free(checker->findings);
    free(checker);
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

static void place(const struct wm_checked_launch *launch, uint32_t thread, uint32_t *to)
{
    const uint32_t *block = launch->inner->block;
    to[0] = thread % block[0];
    to[1] = thread / block[0] % block[1];
    to[2] = thread / block[0] / block[1];
}

static void describe_access(struct wm_checked_launch *launch, uint32_t pc, enum wm_access_kind kind,
                            struct wm_check_access *access)
{
    struct wm_instruction_facts facts;
    struct wm_text text;
    wm_text_init(&text);
    launch->inner->ops->describe(launch->inner, pc, &facts, &text);
    *access = (struct wm_check_access){
        .text = copy(launch->checker, text.data ? text.data : ""),
        .source_file = copy(launch->checker, facts.source_file),
        .source_line = facts.source_line,
        .ptx_line = facts.ptx_line,
        .kind = kind,
    };
    wm_text_release(&text);
}

// "byte 12 of cudaMalloc #3", in `text`; NULL: it is in none.
static const char *allocation_label(const struct wm_checked_launch *launch, enum wm_check_kind kind,
                                    uint64_t address, char text[WHERE_BYTES])
{
    const struct wm_allocation *allocation = NULL;
    if (kind == WM_FOUND_UNINITIALISED_GLOBAL && launch->checker->memory)
        allocation = wm_device_memory_find(launch->checker->memory, address);
    if (!allocation)
        return NULL;
    snprintf(text, WHERE_BYTES, "byte %llu of %s",
             (unsigned long long)(address - allocation->address), allocation->label);
    return text;
}

static uint32_t lanes_of(const struct wm_checked_launch *launch)
{
    const uint32_t *block = launch->inner->block;
    uint32_t threads = block[0] * block[1] * block[2], warps = launch->inner->warps_per_block;
    return warps > 0 && threads > 32 * warps ? 64 : 32;
}

static void name_kernel(struct wm_checked_launch *launch)
{
    if (launch->kernel)
        return;
    launch->kernel = copy(launch->checker, launch->inner->kernel);
    launch->module = copy(launch->checker, launch->inner->module);
}

// `where` has the finding's `what`, until it is kept.
static void fill(struct wm_checked_launch *launch, enum wm_check_kind kind,
                 const struct wm_check_seen *seen, char where[WHERE_BYTES],
                 struct wm_check_finding *finding)
{
    const uint32_t *grid = launch->inner->grid;
    uint64_t index = seen->block->block->index;
    uint32_t lanes = lanes_of(launch);
    name_kernel(launch);
    *finding = (struct wm_check_finding){
        .kind = kind,
        .kernel = launch->kernel,
        .module = launch->module,
        .what = allocation_label(launch, kind, seen->address, where),
        .block = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]),
                  (uint32_t)(index / grid[0] / grid[1])},
        .address = seen->address,
        .bytes = seen->bytes,
    };
    describe_access(launch, seen->pc, seen->kind, &finding->accesses[0]);
    place(launch, seen->warp * lanes + seen->lane, finding->accesses[0].thread);
    if (!seen->earlier)
        return;
    describe_access(launch, seen->earlier->pc, (enum wm_access_kind)seen->earlier->kind,
                    &finding->accesses[1]);
    place(launch, seen->earlier->warp * lanes + seen->earlier->lane, finding->accesses[1].thread);
}

// As above.
static void fill_stray(struct wm_checked_launch *launch, const struct wm_stray_access *access,
                       char where[WHERE_BYTES], struct wm_check_finding *finding)
{
    name_kernel(launch);
    wm_allocation_describe(access->near, access->address, where, WHERE_BYTES);
    *finding = (struct wm_check_finding){
        .kind = WM_FOUND_STRAY,
        .kernel = launch->kernel,
        .module = launch->module,
        .what = where,
        .address = access->address,
        .bytes = access->bytes,
    };
    memcpy(finding->block, access->block, sizeof finding->block);
    describe_access(launch, access->pc, access->kind, &finding->accesses[0]);
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
static uint32_t *remembered(struct wm_checked_launch *launch, enum wm_check_kind kind, uint32_t pc,
                            uint32_t earlier)
{
    uint32_t key = (pc * 31 + earlier * 7 + (uint32_t)kind) % WM_CHECK_REMEMBERED;
    struct wm_check_memory *memory = &launch->remembered[key];
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

void wm_checked_report(struct wm_checked_launch *launch, enum wm_check_kind kind,
                       const struct wm_check_seen *seen)
{
    uint32_t *index = remembered(launch, kind, seen->pc, seen->earlier ? seen->earlier->pc : 0);
    if (*index == 0) {
        struct wm_check_finding finding;
        char where[WHERE_BYTES];
        fill(launch, kind, seen, where, &finding);
        *index = keep(launch->checker, &finding);
    }
    if (*index != 0)
        launch->checker->findings[*index - 1].count++;
}

bool wm_checked_launch_stray(void *context, const struct wm_stray_access *access)
{
    struct wm_checked_launch *launch = context;
    uint32_t *index = remembered(launch, WM_FOUND_STRAY, access->pc, 0);
    if (*index == 0) {
        struct wm_check_finding finding;
        char where[WHERE_BYTES];
        fill_stray(launch, access, where, &finding);
        *index = keep(launch->checker, &finding);
    }
    if (*index != 0)
        launch->checker->findings[*index - 1].count++;
    return !(launch->checker->checks & WM_CHECK_MEMORY);
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
