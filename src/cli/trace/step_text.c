#include "cli/trace/step_text.h"

#include "cli/trace/trace_commands.h"

#include <inttypes.h>

static const char *const spaces[] = {"global",   "local",     "shared",
                                     "constant", "parameter", "texture"};
static const char *const kinds[] = {"load", "store", "atomic", "reduction"};
static const char *const hints[] = {"",           ", past L1",   ", streaming", ", last use",
                                    ", volatile", ", read-only", ", no L1"};

// "0x7000000100 + 4 a lane", or every address.
static void addresses_text(const struct wm_warp_access *access, struct wm_text *text)
{
    uint64_t rest = access->active, stride = 0;
    uint32_t first = (uint32_t)__builtin_ctzll(rest), before = first;
    bool regular = true, known = false;
    for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        uint64_t apart = access->addresses[lane] - access->addresses[before];
        regular &= lane == before + 1 && (!known || apart == stride);
        stride = apart;
        known = true;
        before = lane;
    }
    wm_text_format(text, "0x%" PRIx64, access->addresses[first]);
    if (regular && known)
        wm_text_format(text, " %c %" PRIu64 " a lane", (int64_t)stride < 0 ? '-' : '+',
                       (int64_t)stride < 0 ? 0 - stride : stride);
    rest = access->active & (access->active - 1);
    for (; !regular && rest != 0; rest &= rest - 1)
        wm_text_format(text, " 0x%" PRIx64, access->addresses[__builtin_ctzll(rest)]);
}

static void access_text(const struct wm_warp_access *access, uint64_t path, const char *indent,
                        struct wm_text *text)
{
    wm_text_format(text, "%s        %s %s %" PRIu32 " B%s", indent, spaces[access->space],
                   kinds[access->kind], access->bytes_per_lane, hints[access->hint]);
    if (access->active != path)
        wm_text_format(text, ", lanes %" PRIx64, access->active);
    wm_text_add(text, ": ");
    addresses_text(access, text);
    wm_text_add(text, "\n");
}

// What a CPU core does between its instructions.
static void core_text(const struct wm_warp_step *step, const char *indent, struct wm_text *text)
{
    wm_text_format(text, "%s        ", indent);
    switch (wm_trace_phase_operation(step->barrier)) {
    case WM_PHASE_FENCE: wm_text_add(text, "fence\n"); break;
    case WM_PHASE_ISSUES:
        wm_text_format(text, "issues command %" PRIu32 "\n", step->threads);
        break;
    case WM_PHASE_AWAITS:
        wm_text_format(text, "after the end of commands up to %" PRIu32 "\n", step->threads);
        break;
    case WM_PHASE_TURN_END: wm_text_add(text, "gives its turn away\n"); break;
    default:
        wm_text_format(text, "after %" PRIu32 " accesses of block %" PRIu32 "\n", step->threads,
                       wm_trace_phase_object(step->barrier));
    }
}

static void phase_text(const struct wm_warp_step *step, const char *indent, struct wm_text *text)
{
    static const struct {
        const char *does, *counts;
    } operations[WM_PHASE_RECORDED] = {
        [WM_PHASE_INIT] = {"make", "threads"},
        [WM_PHASE_ARRIVE] = {"arrive at", "each"},
        [WM_PHASE_DROP] = {"arrive at and leave", "each"},
        [WM_PHASE_EXPECT] = {"expect at", "bytes each"},
        [WM_PHASE_COMPLETE] = {"complete at", "bytes each"},
        [WM_PHASE_TEST_PASSED] = {"are past the wait at", "phases ended"},
        [WM_PHASE_EXPECT_ARRIVE] = {"expect and arrive at", "bytes each"},
        [WM_PHASE_EXPECT_DROP] = {"expect, arrive at and leave", "bytes each"},
        [WM_PHASE_CLUSTER_ARRIVE] = {"arrive at", NULL},
        [WM_PHASE_CLUSTER_WAIT] = {"wait at", NULL},
        [WM_PHASE_CLUSTER_WAIT_OTHERS] = {"wait at", NULL},
    };
    enum wm_phase_operation operation = wm_trace_phase_operation(step->barrier);
    if (wm_trace_phase_of_core(operation)) {
        core_text(step, indent, text);
        return;
    }
    wm_text_format(text, "%s        lanes %" PRIx64 " %s ", indent, step->lanes,
                   operations[operation].does);
    if (wm_trace_phase_of_cluster(operation))
        wm_text_add(text, "the barrier of the cluster\n");
    else
        wm_text_format(text, "mbarrier 0x%" PRIx32 ", %" PRIu32 " %s\n",
                       wm_trace_phase_object(step->barrier) * WM_MBARRIER_BYTES, step->threads,
                       operations[operation].counts);
}

void wm_trace_step_text(const struct wm_recorded_code *code, const struct wm_warp_step *step,
                        const char *indent, struct wm_text *text)
{
    if (step->skipped != 0)
        wm_text_format(text, "%s      (%" PRIu64 " not listed one by one)\n", indent,
                       step->skipped);
    if (step->executed)
        wm_text_format(text, "%s%5" PRIu32 "  %0*" PRIx64 "  %s\n", indent, step->pc,
                       step->active > UINT32_MAX ? 16 : 8, step->active,
                       wm_trace_instruction(code, step->pc));
    for (uint32_t i = 0; i < step->access_count; i++)
        access_text(&step->accesses[i], step->active, indent, text);
    if (step->event == WM_TRACE_EXIT)
        wm_text_format(text, "%s        lanes %" PRIx64 " end\n", indent, step->lanes);
    if (step->event == WM_TRACE_PHASE)
        phase_text(step, indent, text);
    if (step->event != WM_TRACE_ARRIVAL)
        return;
    wm_text_format(text, "%s        lanes %" PRIx64 " %s barrier %" PRIu32, indent, step->lanes,
                   step->waits ? "wait at" : "arrive at", step->barrier);
    if (step->threads != 0)
        wm_text_format(text, " of %" PRIu32 " threads", step->threads);
    wm_text_add(text, "\n");
}
