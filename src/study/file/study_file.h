// A study file: which workloads run on which machines, what is measured, and what is claimed of it.
// The format: docs/studies.md. Everything in it is checked before any work starts.
#ifndef WM_STUDY_FILE_STUDY_FILE_H
#define WM_STUDY_FILE_STUDY_FILE_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text/yaml_tree.h"
#include "machine/plugins.h"
#include "study/expressions/expression.h"

enum {
    WM_STUDY_MOST_METRICS = 256,
    WM_STUDY_HASH_BYTES = 17,
    WM_STUDY_MOST_PLUGINS = 32,
    WM_STUDY_LARGEST_PLUGIN = 1 << 28, // bytes
};

struct wm_study_texts {
    const char **items;
    uint32_t count;
};

struct wm_study_workload {
    const char *label;
    const char *source;                       // path of a .cu file; NULL when `command` is given
    const char *command;                      // path of a program
    const char *program;                      // as the file names it: for people
    struct wm_study_texts arguments, options; // the program's; of `warpmem cc`
    char hash[WM_STUDY_HASH_BYTES];           // of source or program, arguments and machine
    const struct wm_yaml_node *node;
};

struct wm_study_machine {
    const char *label;              // "1MiB, tracker"
    const char *description;        // effective, as YAML
    uint32_t plugins;               // those whose entries it names, a bit each
    char hash[WM_STUDY_HASH_BYTES]; // of the description, what else makes its results, its plug-ins
};

// A machine that is chosen workload by workload, among those that run: a value of an axis that
// stands for others of its values. Numbered behind the machines, in figures and claims.
enum { WM_STUDY_NO_MACHINE = WM_STUDY_MOST_MACHINES }; // nothing is chosen for the workload
struct wm_study_choice {
    const char *label;
    uint32_t *machines; // by workload
};

// A shared object with entries (machine/plugins.h).
struct wm_study_plugin {
    const char *name, *path;        // for people, without its folder; absolute
    const char *entries;            // their names, each with a blank on both sides: " lfu "
    char hash[WM_STUDY_HASH_BYTES]; // of the file's bytes
};

struct wm_study_metric {
    const char *name, *title, *unit; // title and unit may be empty
    const char *text;
    const struct wm_expression *expression;
    // Of a metric whose numbers are in a file, which then has no expression: by workload, then
    // machine, NAN where there is none. NULL: it is arithmetic.
    const double *given;
};

struct wm_study_figure {
    const char *id, *title;
    const char *specification; // JSON, as docs/formats/results-database.md has it
};

struct wm_study_claim {
    const char *id, *place, *text, *statement, *paper; // place and paper may be empty
    const struct wm_expression *expression;
};

struct wm_study {
    struct wm_arena arena; // owns everything
    struct wm_yaml_tree tree;
    char hash[WM_STUDY_HASH_BYTES]; // of the file's text
    const char *folder;             // the file's, for paths in it
    const char *name, *title, *paper;
    bool any_order;    // workloads are recorded so, not in the order of the machine's warps
    bool clock;        // replays are in time, by the clock engine
    bool explain;      // replays explain misses
    bool profiled;     // replays count profiler's ranges alone
    bool host_threads; // programs run on each machine, their threads on its CPU cores: no recording
    bool used_points;  // points that no figure and no claim is made of are not run
    struct wm_study_workload *workloads;
    struct wm_study_machine *machines;
    struct wm_study_choice *choices;
    struct wm_study_metric *metrics;
    struct wm_study_figure *figures;
    struct wm_study_claim *claims;
    uint32_t workload_count, machine_count, choice_count, metric_count, figure_count, claim_count;
    const char *recorded_on;   // description of the machine that workloads are recorded on
    uint32_t recorded_plugins; // those whose entries it names
    struct wm_study_plugin *plugins;
    uint32_t plugin_count;
    struct wm_plugins loaded; // all of them
    struct wm_expression_names names;
};

// Reads and checks the whole file. `workload_folder` is where sources are looked for that do not
// lie in the file's folder; may be NULL. `plugins` are loaded after those that it names; may be
// NULL. Release it in any case. Errors have a place in the file.
enum wm_status wm_study_read(struct wm_study *study, const char *path, const char *workload_folder,
                             const struct wm_study_texts *plugins, struct wm_error *error);
// The same from a text in memory, which errors call `path`; sources are not read, and no plug-ins
// loaded.
enum wm_status wm_study_read_text(struct wm_study *study, const char *text, size_t length,
                                  const char *path, struct wm_error *error);
void wm_study_release(struct wm_study *study);

// The label of a machine, or of a choice behind them.
const char *wm_study_machine_label(const struct wm_study *study, uint32_t machine);
// The machine or choice with that label; machine_count + choice_count when there is none.
uint32_t wm_study_machine_of(const struct wm_study *study, const char *label);
// The workload with that label; workload_count when there is none.
uint32_t wm_study_workload_of(const struct wm_study *study, const char *label);
// The machine that the workload runs on: itself, or what a choice has for it, which may be
// WM_STUDY_NO_MACHINE.
uint32_t wm_study_machine_for(const struct wm_study *study, uint32_t machine, uint32_t workload);

// The hash of a text, 16 hexadecimal digits.
void wm_study_hash(const void *data, size_t length, char hash[WM_STUDY_HASH_BYTES]);

#endif
