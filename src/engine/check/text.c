#include "base/names/demangle.h"
#include "engine/check/checker_state.h"

#include <string.h>

static const struct {
    const char *name, *title;
} kinds[WM_FOUND_KINDS] = {
    [WM_FOUND_UNINITIALISED_GLOBAL] = {"uninitialised_global",
                                       "read of device memory that nothing has written"},
    [WM_FOUND_UNINITIALISED_SHARED] = {"uninitialised_shared",
                                       "read of shared memory that the block has not written"},
    [WM_FOUND_WRITE_AFTER_WRITE] = {"write_after_write",
                                    "race on shared memory: two warps write, nothing orders them"},
    [WM_FOUND_READ_AFTER_WRITE] = {"read_after_write",
                                   "race on shared memory: a warp reads what another may not have "
                                   "written yet"},
    [WM_FOUND_WRITE_AFTER_READ] = {"write_after_read",
                                   "race on shared memory: a warp writes what another may not have "
                                   "read yet"},
    [WM_FOUND_LEAK] = {"leak", "memory that was never freed"},
    [WM_FOUND_STRAY] = {"out_of_bounds",
                        "access beyond an allocation, in memory that drivers map with it: a GPU "
                        "lets it pass"},
    [WM_FOUND_HOST_FREED] = {"host_freed", "access of host code to memory that was freed"},
    [WM_FOUND_HOST_BEYOND] = {"host_out_of_bounds", "access of host code beyond an allocation"},
    [WM_FOUND_HOST_FREED_AGAIN] = {"host_freed_again", "host code frees what it has freed"},
    [WM_FOUND_HEAP_LEAK] = {"heap_leak", "memory of malloc in kernels that was never freed"},
};

const char *wm_check_kind_name(enum wm_check_kind kind)
{
    return kinds[kind].name;
}

static const char *verb(enum wm_access_kind kind)
{
    switch (kind) {
    case WM_ACCESS_LOAD: return "read ";
    case WM_ACCESS_STORE: return "write";
    default: return "atomic";
    }
}

static void put_access(const struct wm_check_access *access, const char *module,
                       struct wm_text *text)
{
    if (!access->text)
        return;
    if (access->source_file && access->source_line)
        wm_text_format(text, "  %s %s:%u  ", verb(access->kind), access->source_file,
                       access->source_line);
    else
        wm_text_format(text, "  %s %s:%u  ", verb(access->kind), module, access->ptx_line);
    wm_text_format(text, "%s  thread (%u,%u,%u)\n", access->text, access->thread[0],
                   access->thread[1], access->thread[2]);
}

static void put_place(const struct wm_check_finding *finding, struct wm_text *text)
{
    wm_text_format(text, "  first in block (%u,%u,%u), ", finding->block[0], finding->block[1],
                   finding->block[2]);
    if (finding->kind == WM_FOUND_UNINITIALISED_GLOBAL)
        wm_text_format(text, "%s, ", finding->what ? finding->what : "device memory");
    else if (finding->kind == WM_FOUND_STRAY)
        wm_text_format(text, "%s, ", finding->what ? finding->what : "beyond an allocation");
    else
        wm_text_format(text, "byte %llu of shared memory, ", (unsigned long long)finding->address);
    wm_text_format(text, "%llu bytes; %llu times\n", (unsigned long long)finding->bytes,
                   (unsigned long long)finding->count);
}

static void put_host_code(const struct wm_check_finding *finding, struct wm_text *text)
{
    bool frees = finding->kind == WM_FOUND_HOST_FREED_AGAIN;
    wm_text_format(text, "  %s %s\n  first %s", frees ? "free " : verb(finding->accesses[0].kind),
                   finding->place, finding->what ? finding->what : "?");
    if (!frees)
        wm_text_format(text, ", %llu bytes", (unsigned long long)finding->bytes);
    wm_text_format(text, "; %llu times\n", (unsigned long long)finding->count);
}

static void put_finding(const struct wm_check_finding *finding, struct wm_text *text)
{
    wm_text_format(text, "%s\n", kinds[finding->kind].title);
    if (finding->place) {
        put_host_code(finding, text);
        return;
    }
    if (!finding->kernel && finding->bytes == 0) {
        wm_text_format(text, "  %s: %llu\n", finding->what ? finding->what : "?",
                       (unsigned long long)finding->count);
        return;
    }
    if (!finding->kernel) {
        wm_text_format(text, "  %llu bytes in %llu piece%s: %s\n",
                       (unsigned long long)finding->bytes, (unsigned long long)finding->count,
                       finding->count == 1 ? "" : "s", finding->what ? finding->what : "?");
        return;
    }
    wm_text_add(text, "  kernel ");
    wm_demangle(finding->kernel, text);
    wm_text_add(text, "\n");
    // In the order of time.
    put_access(&finding->accesses[1], finding->module, text);
    put_access(&finding->accesses[0], finding->module, text);
    put_place(finding, text);
}

void wm_check_text(const struct wm_check_finding *findings, uint32_t count, struct wm_text *text)
{
    for (uint32_t i = 0; i < count; i++)
        put_finding(&findings[i], text);
}
