// The intermediate representation of PTX (PTX ISA 9.0): what the parser makes, the printer writes
// back, the interpreter decodes and the bypass compiler rewrites.
//
// Everything of a module lives in the module's arena; all strings are interned in it and
// NUL-terminated. The IR is plain data: a reader may walk it freely from any number of threads.
//
// Lossless: parse → print → parse gives an equal IR (wm_ptx_module_equal). Comments and white
// space are not kept; `.loc` and `.file` are.
#ifndef WM_PTX_PTX_H
#define WM_PTX_PTX_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_ptx_opcode {
    WM_PTX_OP_unknown, // not in opcodes.def: instruction->text holds the whole statement
#define WM_PTX_OPCODE(name, ...) WM_PTX_OP_##name,
#include "ptx/opcodes.def"
    WM_PTX_OP_COUNT
};

// What the opcode table says of an opcode besides (opcodes.def, column "traits").
enum wm_ptx_trait {
    WM_PTX_TRAIT_SEEN = 1,        // it touches memory, other threads or where the thread goes next
    WM_PTX_TRAIT_TOGETHER = 2,    // it waits for other threads, or stops in its middle
    WM_PTX_TRAIT_WARP = 4,        // it is defined for warps of 32 lanes
    WM_PTX_TRAIT_NO_RESULT = 8,   // nothing is written to its first operand, but with .red
    WM_PTX_TRAIT_CARRY = 16,      // it reads the carry flag
    WM_PTX_TRAIT_STORE = 32,      // of memory, and no load
    WM_PTX_TRAIT_ATOMIC = 64,     // of memory: it gives back what was there
    WM_PTX_TRAIT_REDUCTION = 128, // of memory: it gives nothing back
    WM_PTX_TRAIT_IMAGE = 256,     // of a texture or surface
};

enum wm_ptx_modifier {
    WM_PTX_none,
#define WM_PTX_MODIFIER(enumerator, text, class) WM_PTX_##enumerator,
#include "ptx/modifiers.def"
#undef WM_PTX_MODIFIER
    WM_PTX_MODIFIER_COUNT
};

enum wm_ptx_modifier_class {
    WM_PTX_CLASS_TYPE,
    WM_PTX_CLASS_SPACE,
    WM_PTX_CLASS_ROUNDING,
    WM_PTX_CLASS_COMPARE,
    WM_PTX_CLASS_BOOLEAN,
    WM_PTX_CLASS_CACHE,
    WM_PTX_CLASS_SCOPE,
    WM_PTX_CLASS_SEMANTICS,
    WM_PTX_CLASS_VECTOR,
    WM_PTX_CLASS_OPERATION,
    WM_PTX_CLASS_MODE,
    WM_PTX_CLASS_FLAG,
};

enum wm_ptx_special {
#define WM_PTX_SPECIAL(enumerator, text, type) WM_PTX_SPECIAL_##enumerator,
#include "ptx/special_registers.def"
#undef WM_PTX_SPECIAL
    WM_PTX_SPECIAL_COUNT
};

// Types and state spaces are the modifiers of those classes (WM_PTX_u32, WM_PTX_global, …);
// WM_PTX_none as a space means generic addressing.
typedef enum wm_ptx_modifier wm_ptx_type;
typedef enum wm_ptx_modifier wm_ptx_space;

const char *wm_ptx_opcode_text(enum wm_ptx_opcode opcode);
// Bits of enum wm_ptx_trait.
unsigned wm_ptx_opcode_traits(enum wm_ptx_opcode opcode);
const char *wm_ptx_modifier_text(enum wm_ptx_modifier modifier);
enum wm_ptx_modifier_class wm_ptx_modifier_class_of(enum wm_ptx_modifier modifier);
const char *wm_ptx_special_text(enum wm_ptx_special special);
wm_ptx_type wm_ptx_special_type(enum wm_ptx_special special);
// Whether it is a clock: %clock, %globaltimer and their parts (PTX ISA 10.23 to 10.30).
bool wm_ptx_special_is_clock(enum wm_ptx_special special);
// Bytes of a scalar of this type (b8 1, f16x2 4, b128 16); 0 for pred.
unsigned wm_ptx_type_bytes(wm_ptx_type type);
bool wm_ptx_type_is_float(wm_ptx_type type);
bool wm_ptx_type_is_signed(wm_ptx_type type);

enum wm_ptx_operand_kind {
    WM_PTX_OPERAND_REGISTER, // .index into function->registers
    WM_PTX_OPERAND_SPECIAL,  // .special
    WM_PTX_OPERAND_INTEGER,  // .bits, two's complement, printed as signed decimal
    WM_PTX_OPERAND_F32,      // .bits holds the 32-bit pattern (0fXXXXXXXX)
    WM_PTX_OPERAND_F64,      // .bits holds the 64-bit pattern (0dX…X, or decimal in the source)
    WM_PTX_OPERAND_SYMBOL,   // .symbol (variable, parameter or function) + .offset
    WM_PTX_OPERAND_ADDRESS,  // [base + offset]: base is a register (.index), a symbol, or neither
    WM_PTX_OPERAND_VECTOR,   // {a, b, …}: .list
    WM_PTX_OPERAND_LIST,     // (a, b, …) of a call: .list
    WM_PTX_OPERAND_PAIR,     // d|p of setp and shfl, {…}|p of tex: .list of two
    // [object, coordinates] or [object, sampler, coordinates] of textures and surfaces: .list of
    // two or three, of which the last is a VECTOR or a single coordinate.
    WM_PTX_OPERAND_TEXTURE,
    WM_PTX_OPERAND_LABEL, // .index into function->labels
    WM_PTX_OPERAND_SINK,  // "_"
};

struct wm_ptx_symbol;
struct wm_ptx_function;

struct wm_ptx_operand {
    enum wm_ptx_operand_kind kind;
    enum wm_ptx_special special;
    bool negated;       // "!p"; of vmad "-a"
    bool base_register; // ADDRESS: the base is register `index`
    uint8_t list_count;
    // Of a register of a video instruction, the parts named (PTX ISA 9.7.18): ".b3", ".h10", …
    uint8_t part_count, part_bytes; // 0: none named; .b 1, .h 2
    uint8_t parts[4];               // lowest first: of ".h10" 0, then 1
    uint32_t index;                 // REGISTER, ADDRESS with a register base, LABEL
    int64_t offset;                 // SYMBOL and ADDRESS, bytes
    uint64_t bits;                  // INTEGER, F32, F64
    struct wm_ptx_symbol *symbol;   // SYMBOL, ADDRESS with a symbol base; else NULL
    struct wm_ptx_operand *list;    // VECTOR, LIST, PAIR, TEXTURE: list_count operands
};

enum { WM_PTX_MAX_MODIFIERS = 12, WM_PTX_NO_REGISTER = -1 };

// Operands stand as written. A call's are, in this order: the LIST of results (absent when the
// call has none), the callee (SYMBOL of a function, or REGISTER), the LIST of arguments (absent
// likewise). brx.idx has the index and the LABEL of its .branchtargets statement. Instructions that
// name vector registers or their components ("%v.x") are kept as WM_PTX_OP_unknown.
struct wm_ptx_instruction {
    enum wm_ptx_opcode opcode;
    int32_t guard; // register of "@p", or WM_PTX_NO_REGISTER
    bool guard_negated;
    uint8_t modifier_count, operand_count;
    // Of what the modifiers say, worked out once by the parser: the first modifier of each class.
    // So `compare` is WM_PTX_lo for mul.lo, and `cache` is WM_PTX_nc for
    // ld.global.nc.L1::no_allocate.
    uint8_t vector_length;                    // 1, 2, 4 or 8
    uint16_t modifiers[WM_PTX_MAX_MODIFIERS]; // enum wm_ptx_modifier, in source order
    wm_ptx_type type; // the first type modifier (the destination's, for cvt), or none
    struct wm_ptx_operand *operands; // in source order, destination first
    const char *text;                // unknown opcode: the statement without ";"; else NULL
    wm_ptx_type type2;               // the second (the source's, for cvt, set, …), or none
    wm_ptx_space space;              // memory instructions; none is generic
    enum wm_ptx_modifier rounding, compare, cache, scope, semantics;
    uint32_t prototype;         // of an indirect call: which of the function's prototypes
    const char *call_prototype; // and its name, that of a .callprototype or .calltargets; or NULL
};

enum wm_ptx_statement_kind {
    WM_PTX_STATEMENT_INSTRUCTION,
    WM_PTX_STATEMENT_LABEL,          // .label
    WM_PTX_STATEMENT_LOC,            // .loc
    WM_PTX_STATEMENT_PRAGMA,         // .text
    WM_PTX_STATEMENT_SCOPE_BEGIN,    // {
    WM_PTX_STATEMENT_SCOPE_END,      // }
    WM_PTX_STATEMENT_REGISTERS,      // .reg: .registers
    WM_PTX_STATEMENT_VARIABLE,       // .local, .shared, .param, .const, .global: .variable
    WM_PTX_STATEMENT_BRANCH_TARGETS, // "label: .branchtargets a, b;": .label and .targets
    WM_PTX_STATEMENT_CALL_PROTOTYPE, // "label: .callprototype …;", .calltargets: .text kept
};

// A place in the CUDA source, from `.loc file line column` (with inlined_at when given).
struct wm_ptx_loc {
    uint32_t file, line, column; // file: the index in `.file`
    const char *function_name;   // of inlined_at's "function_name label+offset", as text, or NULL
    uint32_t inlined_file, inlined_line, inlined_column; // 0 when not inlined
};

// ".reg .b32 %r<100>;" (count 100, names %r0 … %r99) or ".reg .pred p;" (count 0).
struct wm_ptx_register_declaration {
    wm_ptx_type type;
    uint8_t vector_length; // 1 but for ".reg .v4 .f32 …"
    const char *name;
    uint32_t count;       // 0: a single register without number
    uint32_t first_index; // of its registers in function->registers
};

struct wm_ptx_statement {
    enum wm_ptx_statement_kind kind;
    uint32_t line, column; // in the PTX text, 1-based
    union {
        struct wm_ptx_instruction *instruction;
        uint32_t label; // index into function->labels
        struct wm_ptx_loc *loc;
        const char *text;
        struct wm_ptx_register_declaration *registers;
        struct wm_ptx_symbol *variable;
        struct {
            uint32_t label, target_count;
            uint32_t *targets; // labels
        } branch;
    };
};

enum wm_ptx_linkage {
    WM_PTX_LINKAGE_INTERNAL,
    WM_PTX_LINKAGE_VISIBLE,
    WM_PTX_LINKAGE_EXTERN,
    WM_PTX_LINKAGE_WEAK,
    WM_PTX_LINKAGE_COMMON,
};

enum wm_ptx_symbol_kind { WM_PTX_SYMBOL_VARIABLE, WM_PTX_SYMBOL_FUNCTION };

// One element of a variable's initialiser, in declaration order (flattened, row-major).
struct wm_ptx_initializer {
    uint64_t bits;                // the value, or 0 with a symbol
    struct wm_ptx_symbol *symbol; // address of: &symbol + offset, else NULL
    int64_t offset;
    bool generic;  // generic(symbol)
    uint8_t shift; // "0xFF00(symbol)" masks: byte number, 255 when whole
};

// A variable (module scope, function scope or parameter) or a function, by name.
struct wm_ptx_symbol {
    enum wm_ptx_symbol_kind kind;
    enum wm_ptx_linkage linkage;
    const char *name;
    const struct wm_ptx_module *module; // that declares it
    uint32_t line, column;
    // Functions
    struct wm_ptx_function *function; // the definition when the module has one: an alias's too
    // Variables
    wm_ptx_space space;
    wm_ptx_type type; // element type
    uint8_t vector_length;
    bool unsized;    // "s[]"
    bool managed;    // .attribute(.managed)
    bool is_unified; // .attribute(.unified(u, v))
    uint64_t unified[2];
    uint32_t alignment; // bytes, as declared, or the natural one
    bool alignment_declared;
    uint8_t dimension_count; // 0: scalar
    uint64_t dimensions[4];
    uint64_t size_bytes; // 0 when unsized
    struct wm_ptx_initializer *initializers;
    uint64_t initializer_count; // missing elements are zero
    // Parameters: ".ptr .space .align n" of kernel parameters
    bool pointer;
    wm_ptx_space pointer_space;
    uint32_t pointer_alignment;
};

// What an indirect call may reach: functions of this layout, or one of these targets.
struct wm_ptx_prototype {
    struct wm_ptx_symbol **results, **parameters; // of .callprototype
    uint32_t result_count, parameter_count;
    struct wm_ptx_symbol **targets; // of .calltargets, else NULL
    uint32_t target_count;
};

struct wm_ptx_register {
    const char *name; // "%r12"
    wm_ptx_type type;
    uint8_t vector_length;
};

// A performance directive of a function: ".maxntid 256, 1, 1", ".noreturn".
struct wm_ptx_directive {
    const char *name; // with the dot
    uint8_t value_count;
    uint32_t values[3];
};

struct wm_ptx_function {
    const char *name;
    struct wm_ptx_symbol *symbol; // of its name, which all its declarations share
    enum wm_ptx_linkage linkage;
    bool entry;   // .entry (a kernel) rather than .func
    bool defined; // has a body
    uint32_t line, column;
    struct wm_ptx_symbol **results; // return parameters (.func only)
    uint32_t result_count;
    struct wm_ptx_symbol **parameters;
    uint32_t parameter_count;
    struct wm_ptx_directive *directives;
    uint32_t directive_count;
    struct wm_ptx_register *registers; // all of the function's, scopes flattened
    uint32_t register_count;
    const char **labels; // names by index
    uint32_t label_count;
    struct wm_ptx_statement *statements; // the body, in order
    uint32_t statement_count;
    struct wm_ptx_prototype **prototypes; // of its .callprototype and .calltargets, in order
    uint32_t prototype_count;
};

enum wm_ptx_item_kind {
    WM_PTX_ITEM_VARIABLE,
    WM_PTX_ITEM_FUNCTION,  // a declaration or a definition
    WM_PTX_ITEM_FILE,      // .file index "name"[, timestamp, size]
    WM_PTX_ITEM_SECTION,   // ".section name { … }" of debug information: text kept
    WM_PTX_ITEM_DIRECTIVE, // .pragma "…"; and other module-level text kept as written
    WM_PTX_ITEM_LOC,       // module-level .loc
};

struct wm_ptx_file {
    uint32_t index;
    const char *name;
    bool has_details;
    uint64_t timestamp, size;
};

struct wm_ptx_item {
    enum wm_ptx_item_kind kind;
    union {
        struct wm_ptx_symbol *variable;
        struct wm_ptx_function *function;
        struct wm_ptx_file *file;
        const char *text;
        struct wm_ptx_loc *loc;
    };
};

struct wm_ptx_module {
    struct wm_arena arena; // owns everything below
    const char *name;      // of the file or the program it came from, for messages
    const char *source;    // the text as parsed, NUL-terminated, for excerpts
    uint64_t source_length;
    uint32_t version_major, version_minor;
    const char *target; // "sm_75", with its options as written ("sm_90a, texmode_independent")
    uint32_t target_architecture; // 75
    uint32_t address_size;        // 64
    struct wm_ptx_item *items;    // in source order
    uint32_t item_count;
    struct wm_ptx_file **files; // by position, for wm_ptx_module_file_name
    uint32_t file_count;
};

// Parses `length` bytes of PTX (a NUL ends it early). `name` is used in messages. On success the
// caller owns *module (wm_ptx_module_free). Errors: WM_INVALID at file:line:column with the source
// line and a caret; WM_UNSUPPORTED for a version or address size this parser cannot read;
// WM_NO_MEMORY. Instructions that are unknown are no error here.
enum wm_status wm_ptx_parse(const char *text, uint64_t length, const char *name,
                            struct wm_ptx_module **module, struct wm_error *error);
void wm_ptx_module_free(struct wm_ptx_module *module);

// Appends the module's text. Check text->failed at the end.
void wm_ptx_print(const struct wm_ptx_module *module, struct wm_text *text);
// One instruction without guard, label or semicolon ("ld.global.f32 %f1, [%rd4]"): for messages
// and reports.
void wm_ptx_print_instruction(const struct wm_ptx_function *function,
                              const struct wm_ptx_instruction *instruction, struct wm_text *text);

// Deep equality of two modules, lines and columns aside. When they differ, `difference` (may be
// NULL) receives one line that says where.
bool wm_ptx_module_equal(const struct wm_ptx_module *a, const struct wm_ptx_module *b,
                         struct wm_text *difference);

// The defined function of that name, or NULL.
const struct wm_ptx_function *wm_ptx_module_function(const struct wm_ptx_module *module,
                                                     const char *name);
// The name given by `.file index`, or NULL.
const char *wm_ptx_module_file_name(const struct wm_ptx_module *module, uint32_t index);
bool wm_ptx_has(const struct wm_ptx_instruction *instruction, enum wm_ptx_modifier modifier);
// Whether its first operand is written to: not those that hold an address, and what the opcode
// table says.
bool wm_ptx_writes_first(const struct wm_ptx_instruction *instruction);
// Whether one of its operands is a clock (wm_ptx_special_is_clock).
bool wm_ptx_reads_clock(const struct wm_ptx_instruction *instruction);

#endif
