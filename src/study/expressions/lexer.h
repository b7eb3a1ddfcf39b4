// What the parser of expressions reads word by word. Private to study/expressions/.
#ifndef WM_STUDY_EXPRESSIONS_LEXER_H
#define WM_STUDY_EXPRESSIONS_LEXER_H

#include "study/expressions/tree.h"

enum { WM_LONGEST_NAME = 100 };

struct wm_parser {
    const char *text;
    size_t at; // the next byte
    const struct wm_expression_names *names;
    struct wm_arena *arena;
    bool is_claim;
    unsigned depth, over, prefixes; // how deep it is in each
    size_t *offset;                 // takes the byte that an error is about
    struct wm_error *error;
};

// Says what the error already set is about; returns its status.
enum wm_status wm_parser_at(const struct wm_parser *parser, size_t offset);

void wm_parser_skip(struct wm_parser *parser);
bool wm_is_word_character(char c);
// Takes the symbol, or the word, when it comes next.
bool wm_parser_accept(struct wm_parser *parser, const char *symbol);
bool wm_parser_accept_word(struct wm_parser *parser, const char *word);
// The same, WM_INVALID without it; `why` is the hint.
enum wm_status wm_parser_expect(struct wm_parser *parser, const char *symbol, const char *why);

// A name as in brackets, and where it began.
enum wm_status wm_parser_name(struct wm_parser *parser, char name[WM_LONGEST_NAME + 1],
                              size_t *offset);
bool wm_parser_find(const char *const *names, uint32_t count, const char *name, uint32_t *index);
// WM_NOT_FOUND: `kind` is what the name should have been; offers what there is.
enum wm_status wm_parser_unknown(const struct wm_parser *parser, const char *kind, const char *name,
                                 const char *const *names, uint32_t count, size_t offset);
// "lbm, spmv" as a set.
enum wm_status wm_parser_set(struct wm_parser *parser, const char *kind, const char *const *names,
                             uint32_t count, uint64_t *set);
// "on lbm, spmv", "except cutcp", or nothing, which is all.
enum wm_status wm_parser_workloads(struct wm_parser *parser, uint64_t *set);
// "1MiB, tracker", "l2=1MiB", with a workload: into the node of a metric.
enum wm_status wm_parser_selectors(struct wm_parser *parser, struct wm_expression *node);

// A node with nothing selected. WM_NO_MEMORY.
enum wm_status wm_parser_node(struct wm_parser *parser, enum wm_expression_kind kind, size_t offset,
                              const struct wm_expression *a, const struct wm_expression *b,
                              struct wm_expression **made);

#endif
