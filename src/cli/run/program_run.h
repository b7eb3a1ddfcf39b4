// Runs a CUDA program with warpmem's runtime library in front of NVIDIA's: what `warpmem run` and
// `warpmem annotate` share.
#ifndef WM_CLI_RUN_PROGRAM_RUN_H
#define WM_CLI_RUN_PROGRAM_RUN_H

#include "base/run/run_settings.h"
#include "cli/framework/command.h"
#include "cli/options/launch_options.h"
#include "cli/options/limit_option.h"
#include "cli/options/machine_options.h"

enum { WM_RUN_OUTPUTS = 3 };

// A file that the program's process writes when it ends.
struct wm_run_output {
    const char *option;          // "--json": the place of its errors
    enum wm_run_setting setting; // names it to the process
    const char *path;            // NULL: not requested
};

// The values of the options that every command has which runs a program: the first member of its
// struct of values.
struct wm_run_values {
    const char *machine; // NULL: v100
    struct wm_option_list settings, plugins;
    const char *report; // for the text: a file; NULL or "-": standard output
    struct wm_limit_values limits;
    bool fail_on_error; // a launch that did not run to its end makes the exit status 1
    bool quiet;         // no text, no progress
};

// Their rows of the command's table. `text` is what the command prints.
// clang-format off
#define WM_FAIL_OPTION                                                                             \
    {0, "fail-on-error", WM_OPTION_FLAG, NULL, offsetof(struct wm_run_values, fail_on_error),      \
     "make the exit status 1 when a kernel failed or was refused, though the program ended with 0",\
     WM_COMPLETES_NOTHING}
#define WM_RUN_OPTIONS(text)                                                                       \
    WM_MACHINE_OPTION(struct wm_run_values),                                                       \
    WM_SETTING_OPTION(struct wm_run_values),                                                       \
    WM_PLUGIN_OPTION(struct wm_run_values),                                                        \
    {0, "report", WM_OPTION_ARGUMENT, "FILE", offsetof(struct wm_run_values, report),              \
     "write the " text " to FILE instead of standard output (-)", WM_COMPLETES_FILES},             \
    WM_LIMIT_OPTIONS(struct wm_run_values, limits),                                                \
    WM_FAIL_OPTION,                                                                                \
    {'q', "quiet", WM_OPTION_FLAG, NULL, offsetof(struct wm_run_values, quiet),                    \
     "print no " text, WM_COMPLETES_NOTHING}
#define WM_SERIAL_STREAMS_OPTION(values)                                                           \
    {0, "serial-streams", WM_OPTION_FLAG, NULL, offsetof(values, serial_streams),                  \
     "run the work of all streams in the order of issue, one kernel at a time",                    \
     WM_COMPLETES_NOTHING}
// clang-format on

// The request of one run. Everything is borrowed.
struct wm_program_run {
    const struct wm_run_values *values;
    const struct wm_launch_values *chosen; // NULL: every launch is counted
    bool memory, explain, profiled;
    bool serial_streams;     // kernels of several streams one after the other
    bool host_threads;       // on the machine's CPU cores
    const char *checks;      // "init,race"; NULL: none
    bool clock;              // by the clock engine
    uint64_t sample_cycles;  // with a timeline, if not 0
    bool annotate;           // the text is the annotated source; else the report
    const char *measure;     // "walk", "clock", "none": how advice is measured; NULL: it is not
    bool inline_chain;       // and says of inlined functions where they are
    bool output_to_error;    // the program's own output goes to standard error in any case
    bool no_report;          // the text is not printed, whatever `values` says
    const char *record;      // a file for the recording; NULL: none
    bool record_memory_only; // of memory instructions alone
    bool record_any_order;   // not in the order of the machine
    struct wm_run_output outputs[WM_RUN_OUTPUTS];
};

// Runs the invocation's operands: a program and its arguments. Returns the exit status: the
// program's own, or 128 plus its signal; WM_EXIT_LIMIT when it was stopped at a limit;
// WM_EXIT_MISUSE when it was not started (--quiet with --report among the reasons); WM_EXIT_FAILURE
// when the program ended well, but a requested output could not be written, checks found
// something, or a launch failed and that counts (fail_on_error). Reasons are printed.
int wm_program_run(const struct wm_program_run *request, const struct wm_invocation *invocation);

#endif
