// Command-line options from one table a command gives: parsing, the help text, and a check of the
// table itself all come from it.
#ifndef WM_CLI_FRAMEWORK_OPTIONS_H
#define WM_CLI_FRAMEWORK_OPTIONS_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_option_kind {
    WM_OPTION_FLAG,     // takes no argument; its field is a bool
    WM_OPTION_ARGUMENT, // takes one argument; its field is a const char *, NULL when not given
    WM_OPTION_LIST,     // may be given again; its field is a struct wm_option_list
};

// What a shell may complete an argument or an operand to (cli/completion/completion.h).
enum wm_completes {
    WM_COMPLETES_FILES,
    WM_COMPLETES_MACHINES, // presets, else files
    WM_COMPLETES_SETTINGS, // KEY=VALUE of machine files
    WM_COMPLETES_KINDS,    // of parts, and "machine"
    WM_COMPLETES_NAMES,    // of parts, presets and keys
    WM_COMPLETES_ENGINES,
    WM_COMPLETES_SOLVERS,      // of the bypass compiler
    WM_COMPLETES_EFFICIENCIES, // likewise: sources of load efficiencies
    WM_COMPLETES_MEASURES,     // walk, clock, none
    WM_COMPLETES_NOTHING,
};

struct wm_option_list {
    const char **items; // in the order given; NULL when none
    uint32_t count;
};

struct wm_option {
    char letter;      // "-s", or 0
    const char *name; // "set" for "--set"
    enum wm_option_kind kind;
    const char *argument;        // what help calls it, "KEY=VALUE"; NULL for a flag
    size_t offset;               // of the field in the command's own struct of values
    const char *sentence;        // for help: lower case, no full stop
    enum wm_completes completes; // its argument
};

// An option that a command reads by itself, as help shows it.
struct wm_usage_word {
    const char *spelling; // "-O0 -O1 -O2"
    const char *sentence; // lower case, no full stop
};

// How a command is called. --help (-h) is added to every table and must not be in it.
struct wm_usage {
    const char *synopsis;    // after the command's name: "[options] NAME"
    const char *description; // paragraphs for help, newline between them
    const char *examples;    // whole command lines, newline between them; NULL for none
    const struct wm_option *options;
    size_t option_count;
    size_t values_size; // of the command's struct of values; 0 when it has no options
    bool options_first; // options end at the first operand: the rest is another program's line
    bool operands_only; // every word but --help and -h is an operand: the command reads its line
    const struct wm_usage_word *words; // what it understands, for help; ends with a NULL spelling
    uint32_t min_operands;
    uint32_t max_operands; // UINT32_MAX: any number
    enum wm_completes operands_are;
};

struct wm_parsed_options {
    void *values;                // values_size bytes, zero where nothing was given; in the arena
    const char *const *operands; // in the arena; the texts are borrowed from argv
    uint32_t operand_count;
    bool help; // --help was found: nothing else counts
};

// Parses argv[0..argc), without the command's own name. "--name value", "--name=value",
// "-s value", "-svalue" and letters of flags together ("-ab") are understood; "--" ends the
// options. WM_INVALID for misuse, with the nearest known option in the hint. An option that is not
// a list may be given once. `error` must not be NULL.
enum wm_status wm_options_parse(const struct wm_usage *usage, int argc, char *const *argv,
                                struct wm_arena *arena, struct wm_parsed_options *parsed,
                                struct wm_error *error);

// Help for people, 80 columns: usage line, description, commands, options, examples. `path` is the
// whole name ("warpmem machine show"); `commands` the rows of a group's commands, or NULL.
void wm_usage_print(const struct wm_usage *usage, const char *path, const char *commands,
                    struct wm_text *text);
// One row of a list in help: `left` in a column of `width`, `right` wrapped to the right of it.
void wm_usage_row(const char *left, const char *right, unsigned width, struct wm_text *text);

// WM_INVALID when the table itself is wrong: a name or letter twice, "help" in it, fields that
// overlap or lie outside the values, a missing sentence. A test runs it over every command.
enum wm_status wm_usage_check(const struct wm_usage *usage, struct wm_error *error);

#endif
