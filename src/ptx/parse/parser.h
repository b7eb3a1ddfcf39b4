// Internal to src/ptx: the state of one parse and the functions that its parts call of each other.
// Recursive descent over one token of lookahead; every function that fails has filled the error.
// Private to ptx/parse/.
#ifndef WM_PTX_PARSE_PARSER_H
#define WM_PTX_PARSE_PARSER_H

#include "ptx/parse/growing_array.h"
#include "ptx/parse/lexer.h"
#include "ptx/parse/scope.h"

#include <locale.h>

// A label named before or after it stands: resolved when the scope that names it ends.
struct wm_ptx_reference {
    struct wm_ptx_name *name;
    enum wm_ptx_binding_kind expected;
    uint32_t *slot; // receives the index of the label or the prototype
    struct wm_ptx_token token;
};

struct wm_ptx_parser {
    struct wm_ptx_lexer lexer;
    struct wm_ptx_token token; // the current one
    struct wm_ptx_module *module;
    struct wm_arena *arena; // the module's
    struct wm_ptx_scopes scopes;
    locale_t c_locale; // for decimal floats; 0 until the first one
    WM_PTX_LIST(struct wm_ptx_item) items;
    WM_PTX_LIST(struct wm_ptx_file *) files;
    // What declarations may still cost beyond their own text: "%r<1000000>" and "{{1},{2}}" of a
    // wide array are small to write and large to hold.
    uint64_t budget_bytes;
    // The function in progress
    struct wm_ptx_function *function;
    WM_PTX_LIST(struct wm_ptx_register) registers;
    WM_PTX_LIST(const char *) labels;
    WM_PTX_LIST(struct wm_ptx_statement) statements;
    WM_PTX_LIST(struct wm_ptx_prototype *) prototypes;
    WM_PTX_LIST(struct wm_ptx_reference) references;
    uint32_t first_reference[WM_PTX_MAX_SCOPES + 1]; // by scope
    struct wm_ptx_token scope_begin[WM_PTX_MAX_SCOPES + 1];
    // Lists in progress, nested ones behind the outer ones
    WM_PTX_LIST(struct wm_ptx_operand) operands;
    WM_PTX_LIST(struct wm_ptx_symbol *) symbols;
    WM_PTX_LIST(struct wm_ptx_initializer) initializers;
    WM_PTX_LIST(struct wm_ptx_directive) directives;
    WM_PTX_LIST(uint32_t) targets;
    bool vector_register_named; // by the instruction in progress
    bool in_prototype;          // names of parameters declare nothing
};

// words.c: tokens
enum wm_status wm_ptx_advance(struct wm_ptx_parser *parser);
#define WM_PTX_FAIL(parser, token, ...) \
    wm_ptx_lexer_fail(&(parser)->lexer, (token), WM_INVALID, __VA_ARGS__)
enum wm_status wm_ptx_out_of_memory(struct wm_ptx_parser *parser);
// "'text'" or "the end of the file", for messages; cut when long.
struct wm_ptx_shown {
    char text[64];
};
struct wm_ptx_shown wm_ptx_show(const struct wm_ptx_token *token);
bool wm_ptx_token_is(const struct wm_ptx_token *token, const char *text);
static inline bool wm_ptx_at(const struct wm_ptx_parser *parser, int punctuation)
{
    return parser->token.kind == WM_PTX_TOKEN_PUNCTUATION &&
           parser->token.punctuation == punctuation;
}
// Takes the punctuation when it is there.
enum wm_status wm_ptx_accept(struct wm_ptx_parser *parser, char punctuation, bool *taken);
// `after`: what precedes, for "expected ';' after AFTER, found 'x'".
enum wm_status wm_ptx_expect(struct wm_ptx_parser *parser, char punctuation, const char *after);
enum wm_status wm_ptx_expect_name(struct wm_ptx_parser *parser, const char *what,
                                  struct wm_ptx_token *token, struct wm_ptx_name **name);
enum wm_status wm_ptx_expect_u32(struct wm_ptx_parser *parser, const char *what, uint32_t *value);
// The modifier that a dotted word is, or WM_PTX_none.
enum wm_ptx_modifier wm_ptx_token_modifier(const struct wm_ptx_parser *parser,
                                           const struct wm_ptx_token *token);
// The source text from `begin` up to the end of the last token taken: comments dropped, blanks
// folded to one (to one newline, with `keep_lines`, where they held one).
enum wm_status wm_ptx_keep_text(struct wm_ptx_parser *parser, const char *begin, const char *end,
                                bool keep_lines, const char **text);
// Skips to the ';' (not taken) of a statement whose form is unknown, and keeps its text.
enum wm_status wm_ptx_skip_statement(struct wm_ptx_parser *parser, const char *begin,
                                     const char **text);
// The unquoted text of the current string token, escapes left as written; takes the token.
enum wm_status wm_ptx_take_string(struct wm_ptx_parser *parser, const char **text);
// Fails when the innermost scope declares the name already.
enum wm_status wm_ptx_check_new(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                                const struct wm_ptx_binding *binding);
enum wm_status wm_ptx_spend(struct wm_ptx_parser *parser, const struct wm_ptx_token *token,
                            uint64_t bytes, const char *what); // a plural

// constant.c: constant expressions (PTX ISA 4.6)
struct wm_ptx_constant {
    enum wm_ptx_operand_kind kind; // INTEGER, F32 or F64
    bool is_unsigned;
    uint64_t bits;
};
enum wm_status wm_ptx_parse_constant(struct wm_ptx_parser *parser,
                                     struct wm_ptx_constant *constant);
// As above, but fails unless it is an integer. `what` for the message.
enum wm_status wm_ptx_parse_integer(struct wm_ptx_parser *parser, const char *what,
                                    uint64_t *value);
// "+ constant" and "- constant" behind a symbol or register, as often as they stand.
enum wm_status wm_ptx_parse_offset(struct wm_ptx_parser *parser, int64_t *offset);

// variable.c: declarations of variables and parameters (PTX ISA 5.4)
enum wm_ptx_variable_place { WM_PTX_IN_MODULE, WM_PTX_IN_FUNCTION, WM_PTX_IN_PARAMETERS };
// From the state space on. Declares one variable, with its initialiser where allowed; the caller
// handles "," and ";". `model` is the first of a comma list, or NULL.
enum wm_status wm_ptx_parse_variable(struct wm_ptx_parser *parser, enum wm_ptx_variable_place place,
                                     enum wm_ptx_linkage linkage, const struct wm_ptx_symbol *model,
                                     struct wm_ptx_symbol **symbol);
// initializer.c: after the "=".
enum wm_status wm_ptx_parse_initializer(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol,
                                        const struct wm_ptx_token *name);
// Works out size_bytes from type, vector length and dimensions.
enum wm_status wm_ptx_size_variable(struct wm_ptx_parser *parser, struct wm_ptx_symbol *symbol,
                                    const struct wm_ptx_token *name);

// directive.c: .file, .loc, .section, text kept as written
enum wm_status wm_ptx_parse_loc(struct wm_ptx_parser *parser, struct wm_ptx_loc **loc);
enum wm_status wm_ptx_parse_file(struct wm_ptx_parser *parser);
enum wm_status wm_ptx_parse_section(struct wm_ptx_parser *parser);
enum wm_status wm_ptx_parse_kept_directive(struct wm_ptx_parser *parser);
enum wm_status wm_ptx_parse_header(struct wm_ptx_parser *parser);

// function.c
enum wm_status wm_ptx_parse_function(struct wm_ptx_parser *parser, enum wm_ptx_linkage linkage);
// From the '(' to the ')'.
enum wm_status wm_ptx_parse_parameters(struct wm_ptx_parser *parser,
                                       struct wm_ptx_symbol ***parameters, uint32_t *count);
// prototype.c: from ".callprototype" or ".calltargets" to the ';'
enum wm_status wm_ptx_parse_prototype(struct wm_ptx_parser *parser,
                                      const struct wm_ptx_token *label);
// register.c
enum wm_status wm_ptx_parse_registers(struct wm_ptx_parser *parser);
enum wm_status wm_ptx_declare_register(struct wm_ptx_parser *parser,
                                       const struct wm_ptx_token *token, struct wm_ptx_name *name,
                                       wm_ptx_type type, uint8_t vector_length);
// statement.c: the body, from its '{' to its '}'
enum wm_status wm_ptx_parse_body(struct wm_ptx_parser *parser);
struct wm_ptx_statement *wm_ptx_add_statement(struct wm_ptx_parser *parser,
                                              enum wm_ptx_statement_kind kind,
                                              const struct wm_ptx_token *token);
// instruction.c: from the guard or the opcode to the ';'
enum wm_status wm_ptx_parse_instruction(struct wm_ptx_parser *parser,
                                        const struct wm_ptx_token *guard_begin, int32_t guard,
                                        bool guard_negated, const struct wm_ptx_token *opcode);
// operand.c
enum wm_status wm_ptx_parse_operand(struct wm_ptx_parser *parser, struct wm_ptx_operand *operand);
enum wm_status wm_ptx_parse_operand_list(struct wm_ptx_parser *parser, char close,
                                         enum wm_ptx_operand_kind kind, unsigned limit,
                                         struct wm_ptx_operand *operand);
// Notes that `slot` waits for the label named by the current token, and takes it.
enum wm_status wm_ptx_refer_to_label(struct wm_ptx_parser *parser,
                                     enum wm_ptx_binding_kind expected, uint32_t *slot,
                                     const char **text);
// The register that a token names, or a failure that says so.
enum wm_status wm_ptx_resolve_register(struct wm_ptx_parser *parser,
                                       const struct wm_ptx_token *token, uint32_t *index);
enum wm_status wm_ptx_fail_undeclared(struct wm_ptx_parser *parser,
                                      const struct wm_ptx_token *token);

#endif
