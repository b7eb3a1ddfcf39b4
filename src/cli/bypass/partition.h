// warpmem bypass --partition and --fit: which partition of L1 and shared memory loads are decided
// for, and how the model is made that says so.
#ifndef WM_CLI_BYPASS_PARTITION_H
#define WM_CLI_BYPASS_PARTITION_H

#include "cli/bypass/report.h"
#include "cli/commands.h"
#include "cli/framework/options.h"

#include <jansson.h>

// What the options say; NULL where they are not given.
struct wm_bypass_partition_words {
    const char *partition, *model, *fit;
};

// What was made of them.
struct wm_bypass_partitioning {
    bool requested;
    bool is_auto;
    uint64_t shared_bytes; // unless it is automatic
    struct wm_partition_model model;
    char model_name[256]; // empty: there is none
    struct wm_partitions partitions;
};

// Before the program runs: the machine's partitions, the size, and the model, which is the
// machine's by its name when none is named. Errors have the option as their place.
enum wm_status wm_bypass_partition_read(const struct wm_bypass_partition_words *words,
                                        const struct wm_machine *machine,
                                        struct wm_bypass_partitioning *partitioning,
                                        struct wm_error *error);
// Chooses, and sets the machine to it. `options` has all but the model.
enum wm_status wm_bypass_partition_choose(struct wm_bypass_partitioning *partitioning,
                                          struct wm_recording *recording,
                                          const struct wm_plugins *plugins,
                                          const struct wm_partition_options *options,
                                          struct wm_machine *machine, struct wm_error *error);
void wm_bypass_partition_release(struct wm_bypass_partitioning *partitioning);

// The table, what is chosen, and how a program requests it; nothing without partitions.
void wm_bypass_partition_text(const struct wm_bypass_report *report, unsigned columns,
                              struct wm_text *text);
// The same as the value of "partition", null without; NULL when out of memory.
json_t *wm_bypass_partition_json(const struct wm_bypass_report *report);
// And in the page; false when out of memory.
bool wm_bypass_partition_html(FILE *stream, const struct wm_bypass_report *report);

// --fit: measures the invocation's recordings with each partition, by the walk and in time, fits
// the model, writes it and says how well it chooses. Returns the command's exit status.
struct wm_bypass_fit_options {
    const char *path; // of the model
    const struct wm_machine *machine;
    const struct wm_plugins *plugins;
    struct wm_partition_options measure; // in time
    const char *report;                  // file of the tables; NULL: what the command prints
    bool quiet;
};
int wm_bypass_fit(const struct wm_invocation *invocation,
                  const struct wm_bypass_fit_options *options);

#endif
