// The commands of "warpmem trace", each in its own file, and what they share.
#ifndef WM_CLI_TRACE_TRACE_COMMANDS_H
#define WM_CLI_TRACE_TRACE_COMMANDS_H

#include "cli/framework/command.h"
#include "trace/recording_cut.h"
#include "trace/recording_reader.h"

extern const struct wm_command wm_command_trace_check;
extern const struct wm_command wm_command_trace_cut;
extern const struct wm_command wm_command_trace_diff;
extern const struct wm_command wm_command_trace_dump;
extern const struct wm_command wm_command_trace_info;

// "ld.global.f32 %f1, [%rd4]" of a pc; "(nothing)" where there is no text.
const char *wm_trace_instruction(const struct wm_recorded_code *code, uint32_t pc);
// "allocate 4096 bytes at 0x7000000000", "launch 2".
void wm_trace_event_text(const struct wm_recorded_event *event, struct wm_text *text);
// "kernel f, grid 4x1x1, block 256x1x1, stream 0".
void wm_trace_launch_text(const struct wm_recorded_launch *launch,
                          const struct wm_recorded_code *code, struct wm_text *text);
// "; behind launches 1, 2": what it waits for, or nothing where that is all before it.
void wm_trace_order_text(const struct wm_recorded_order *order, struct wm_text *text);

#endif
