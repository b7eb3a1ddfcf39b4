// Internal to src/ptx: every name of a module, once, with what it means where the parser stands.
// Names are interned; a declaration binds its name in the innermost scope and hides outer ones
// until that scope ends. Lookup is one hash and one pointer, whatever the depth.
// Private to ptx/parse/.
#ifndef WM_PTX_PARSE_SCOPE_H
#define WM_PTX_PARSE_SCOPE_H

#include "ptx/ptx.h"

// Scopes nest as deep as inlined assembly does in practice (2 or 3); the limit keeps hostile
// nesting from costing time for every unresolved label at every level.
enum { WM_PTX_MAX_SCOPES = 128 };

enum wm_ptx_binding_kind {
    WM_PTX_BINDING_REGISTER,
    WM_PTX_BINDING_REGISTER_RANGE, // the prefix of "%r<100>"
    WM_PTX_BINDING_SYMBOL,
    WM_PTX_BINDING_LABEL,
    WM_PTX_BINDING_TARGET_LIST, // label of a .branchtargets
    WM_PTX_BINDING_PROTOTYPE,   // label of a .callprototype or .calltargets
};

struct wm_ptx_name;

struct wm_ptx_binding {
    enum wm_ptx_binding_kind kind;
    uint32_t scope;               // depth of the scope it belongs to
    uint32_t line;                // of the declaration
    uint32_t index, count;        // REGISTER and RANGE: in function->registers; LABEL: in labels
    struct wm_ptx_symbol *symbol; // SYMBOL
    struct wm_ptx_name *name;
    struct wm_ptx_binding *hidden; // what the name meant outside
    struct wm_ptx_binding *next;   // declared in the same scope before this
};

struct wm_ptx_name {
    const char *text; // NUL-terminated, in the module's arena
    uint32_t length;
    uint32_t hash;
    // What the language itself means by the word; 0 (unknown, none) where it means nothing.
    uint8_t opcode;
    uint16_t modifier;
    int16_t special;                // -1 where it is no special register
    struct wm_ptx_binding *binding; // innermost meaning, or NULL
    struct wm_ptx_binding *range;   // likewise as a prefix of numbered registers
};

struct wm_ptx_scopes {
    struct wm_arena *strings; // borrowed: the module's
    struct wm_arena arena;    // names and bindings
    struct wm_ptx_name **table;
    uint32_t table_size, name_count;
    struct wm_ptx_binding *free_bindings;
    struct wm_ptx_binding *declared[WM_PTX_MAX_SCOPES + 1]; // newest first, by scope
    uint32_t depth;                                         // 0: module
};

// False when out of memory (release it all the same).
bool wm_ptx_scopes_init(struct wm_ptx_scopes *scopes, struct wm_arena *strings);
void wm_ptx_scopes_release(struct wm_ptx_scopes *scopes);

// The interned name; NULL when out of memory.
struct wm_ptx_name *wm_ptx_scopes_intern(struct wm_ptx_scopes *scopes, const char *text,
                                         uint32_t length);
// The interned name, or NULL when it was never interned.
struct wm_ptx_name *wm_ptx_scopes_find(const struct wm_ptx_scopes *scopes, const char *text,
                                       uint32_t length);

// The caller checks depth < WM_PTX_MAX_SCOPES.
void wm_ptx_scopes_push(struct wm_ptx_scopes *scopes);
void wm_ptx_scopes_pop(struct wm_ptx_scopes *scopes);

// Binds `name` in the innermost scope; NULL when out of memory. The caller has checked that the
// scope does not declare it yet.
struct wm_ptx_binding *wm_ptx_scopes_bind(struct wm_ptx_scopes *scopes, struct wm_ptx_name *name,
                                          enum wm_ptx_binding_kind kind, uint32_t line);

// The register "%r12" of a range "%r<100>" in sight: true with its index.
bool wm_ptx_scopes_numbered_register(const struct wm_ptx_scopes *scopes, const char *text,
                                     uint32_t length, uint32_t *index);

#endif
