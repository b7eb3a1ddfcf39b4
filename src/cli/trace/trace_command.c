// warpmem trace: looks into recordings.
#include "cli/commands.h"
#include "cli/trace/trace_commands.h"

#include <inttypes.h>

// --- Shared ---

const char *wm_trace_instruction(const struct wm_recorded_code *code, uint32_t pc)
{
    const char *text = code->instructions[pc].text;
    return text[0] != '\0' ? text : "(nothing)";
}

void wm_trace_event_text(const struct wm_recorded_event *event, struct wm_text *text)
{
    static const char *const names[] = {"allocate",
                                        "free",
                                        "host writes",
                                        "host reads",
                                        "device copies",
                                        "device fills",
                                        "a profiler's range begins",
                                        "a profiler's range ends",
                                        "order",
                                        "launch"};
    wm_text_add(text, names[event->kind]);
    if (event->kind == WM_RECORDED_LAUNCH) {
        wm_text_format(text, " %" PRIu64, event->launch);
        return;
    }
    bool marks = wm_recorded_marks_range(event->kind);
    if (!marks && event->kind != WM_RECORDED_FREE)
        wm_text_format(text, " %" PRIu64 " bytes", event->bytes);
    if (!marks)
        wm_text_format(text, " at 0x%" PRIx64, event->address);
    if (event->kind == WM_RECORDED_DEVICE_COPY)
        wm_text_format(text, " from 0x%" PRIx64, event->from);
    if (event->stream != 0)
        wm_text_format(text, ", stream %" PRIu32, event->stream);
}

void wm_trace_launch_text(const struct wm_recorded_launch *launch,
                          const struct wm_recorded_code *code, struct wm_text *text)
{
    wm_text_format(text,
                   "kernel %s, grid %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", block %" PRIu32 "x%" PRIu32
                   "x%" PRIu32,
                   code->name, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                   launch->block[1], launch->block[2]);
    if (launch->dynamic_shared_bytes != 0)
        wm_text_format(text, ", %" PRIu32 " B of dynamic shared memory",
                       launch->dynamic_shared_bytes);
    if (launch->preferred_carveout != 0)
        wm_text_format(text, ", carve-out %" PRIu32 "%%", launch->preferred_carveout - 1);
    if (launch->local_bytes_per_block != 0)
        wm_text_format(text, ", %" PRIu64 " B of local memory a block",
                       launch->local_bytes_per_block);
    wm_text_format(text, ", stream %" PRIu32, launch->stream);
}

static void numbers_text(const struct wm_recorded_numbers *numbers, const char *before,
                         struct wm_text *text)
{
    for (uint32_t i = 0; i < numbers->count; i++)
        wm_text_format(text, "%s%" PRIu64, i == 0 ? before : ", ", numbers->items[i]);
}

void wm_trace_order_text(const struct wm_recorded_order *order, struct wm_text *text)
{
    if (order->waited)
        wm_text_add(text, "; the host waited for launches");
    bool below = order->waited && (order->ended_below != 0 || order->ended.count == 0);
    if (below)
        wm_text_format(text, " below %" PRIu64, order->ended_below);
    numbers_text(&order->ended, below ? " and " : " ", text);
    if (order->concurrent)
        wm_text_add(text, order->behind.count == 0 ? "; behind none" : "; behind");
    numbers_text(&order->behind, order->behind.count == 1 ? " launch " : " launches ", text);
    if (order->priority != 0)
        wm_text_format(text, "; priority %" PRId32, order->priority);
    if (order->alone)
        wm_text_add(text, "; runs alone");
    if (order->gpu != 0)
        wm_text_format(text, "; on GPU %" PRIu32, order->gpu);
    if (order->command != 0)
        wm_text_format(text, "; command %" PRIu32, order->command);
}

// --- The group ---

static const struct wm_usage usage = {
    .synopsis = "COMMAND [options] [operands]",
    .description =
        "Looks into recordings that warpmem record made: what they have, whether they are whole, "
        "where two of them part; and cuts parts out.",
    .examples = "warpmem trace info app.wmt\n"
                "warpmem trace diff before.wmt after.wmt",
};

static const struct wm_command *const commands[] = {
    &wm_command_trace_info, &wm_command_trace_dump, &wm_command_trace_check,
    &wm_command_trace_diff, &wm_command_trace_cut,  NULL,
};

const struct wm_command wm_command_trace = {
    .name = "trace",
    .summary = "look into recordings, check, compare and cut them",
    .usage = &usage,
    .subcommands = commands,
};
