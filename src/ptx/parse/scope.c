#include "ptx/parse/scope.h"

#include "base/numbers/hash.h"

#include <assert.h>

enum { FIRST_TABLE_SIZE = 2048 };

static uint32_t find_slot(const struct wm_ptx_scopes *scopes, const char *text, uint32_t length,
                          uint32_t hash)
{
    uint32_t mask = scopes->table_size - 1;
    uint32_t slot = hash & mask;
    for (; scopes->table[slot]; slot = (slot + 1) & mask) {
        const struct wm_ptx_name *name = scopes->table[slot];
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
            break;
    }
    return slot;
}

static bool grow(struct wm_ptx_scopes *scopes)
{
    uint32_t old_size = scopes->table_size;
    if (old_size > UINT32_MAX / 4)
        return false;
    struct wm_ptx_name **old = scopes->table;
    struct wm_ptx_name **table = calloc((size_t)old_size * 2, sizeof *table);
    if (!table)
        return false;
    scopes->table = table;
    scopes->table_size = old_size * 2;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i])
            table[find_slot(scopes, old[i]->text, old[i]->length, old[i]->hash)] = old[i];
    free(old);
    return true;
}

// `is_static`: the text outlives the module and need not be copied.
static struct wm_ptx_name *intern(struct wm_ptx_scopes *scopes, const char *text, uint32_t length,
                                  bool is_static)
{
    uint32_t hash = (uint32_t)wm_hash_bytes(text, length);
    uint32_t slot = find_slot(scopes, text, length, hash);
    if (scopes->table[slot])
        return scopes->table[slot];
    if (scopes->name_count >= scopes->table_size / 2) {
        if (!grow(scopes))
            return NULL;
        slot = find_slot(scopes, text, length, hash);
    }
    struct wm_ptx_name *name = WM_ARENA_NEW(&scopes->arena, struct wm_ptx_name);
    const char *copy = is_static ? text : wm_arena_copy_text(scopes->strings, text, length);
    if (!name || !copy)
        return NULL;
    name->text = copy;
    name->length = length;
    name->hash = hash;
    name->special = -1;
    scopes->table[slot] = name;
    scopes->name_count++;
    return name;
}

static bool intern_language(struct wm_ptx_scopes *scopes)
{
    for (int i = 1; i < WM_PTX_OP_COUNT; i++) {
        const char *text = wm_ptx_opcode_text((enum wm_ptx_opcode)i);
        struct wm_ptx_name *name = intern(scopes, text, (uint32_t)strlen(text), true);
        if (!name)
            return false;
        name->opcode = (uint8_t)i;
    }
    for (int i = 1; i < WM_PTX_MODIFIER_COUNT; i++) {
        const char *text = wm_ptx_modifier_text((enum wm_ptx_modifier)i);
        struct wm_ptx_name *name = intern(scopes, text, (uint32_t)strlen(text), true);
        if (!name)
            return false;
        name->modifier = (uint16_t)i;
    }
    for (int i = 0; i < WM_PTX_SPECIAL_COUNT; i++) {
        const char *text = wm_ptx_special_text((enum wm_ptx_special)i);
        struct wm_ptx_name *name = intern(scopes, text, (uint32_t)strlen(text), true);
        if (!name)
            return false;
        name->special = (int16_t)i;
    }
    return true;
}

bool wm_ptx_scopes_init(struct wm_ptx_scopes *scopes, struct wm_arena *strings)
{
    *scopes = (struct wm_ptx_scopes){.strings = strings, .table_size = FIRST_TABLE_SIZE};
    wm_arena_init(&scopes->arena);
    scopes->table = calloc(FIRST_TABLE_SIZE, sizeof *scopes->table);
    return scopes->table && intern_language(scopes);
}

void wm_ptx_scopes_release(struct wm_ptx_scopes *scopes)
{
    wm_arena_release(&scopes->arena);
    free(scopes->table);
    *scopes = (struct wm_ptx_scopes){0};
}

struct wm_ptx_name *wm_ptx_scopes_intern(struct wm_ptx_scopes *scopes, const char *text,
                                         uint32_t length)
{
    return intern(scopes, text, length, false);
}

struct wm_ptx_name *wm_ptx_scopes_find(const struct wm_ptx_scopes *scopes, const char *text,
                                       uint32_t length)
{
    uint32_t hash = (uint32_t)wm_hash_bytes(text, length);
    return scopes->table[find_slot(scopes, text, length, hash)];
}

void wm_ptx_scopes_push(struct wm_ptx_scopes *scopes)
{
    assert(scopes->depth < WM_PTX_MAX_SCOPES);
    scopes->declared[++scopes->depth] = NULL;
}

void wm_ptx_scopes_pop(struct wm_ptx_scopes *scopes)
{
    struct wm_ptx_binding *binding = scopes->declared[scopes->depth];
    while (binding) {
        struct wm_ptx_binding *next = binding->next;
        if (binding->kind == WM_PTX_BINDING_REGISTER_RANGE)
            binding->name->range = binding->hidden;
        else
            binding->name->binding = binding->hidden;
        binding->next = scopes->free_bindings;
        scopes->free_bindings = binding;
        binding = next;
    }
    scopes->declared[scopes->depth--] = NULL;
}

struct wm_ptx_binding *wm_ptx_scopes_bind(struct wm_ptx_scopes *scopes, struct wm_ptx_name *name,
                                          enum wm_ptx_binding_kind kind, uint32_t line)
{
    struct wm_ptx_binding *binding = scopes->free_bindings;
    if (binding)
        scopes->free_bindings = binding->next;
    else
        binding = WM_ARENA_NEW(&scopes->arena, struct wm_ptx_binding);
    if (!binding)
        return NULL;
    struct wm_ptx_binding **slot =
        kind == WM_PTX_BINDING_REGISTER_RANGE ? &name->range : &name->binding;
    *binding = (struct wm_ptx_binding){
        .kind = kind,
        .scope = scopes->depth,
        .line = line,
        .name = name,
        .hidden = *slot,
        .next = scopes->declared[scopes->depth],
    };
    *slot = binding;
    scopes->declared[scopes->depth] = binding;
    return binding;
}

bool wm_ptx_scopes_numbered_register(const struct wm_ptx_scopes *scopes, const char *text,
                                     uint32_t length, uint32_t *index)
{
    // "%r112" may be number 112 of "%r<…>" or number 12 of "%r1<…>": the shortest prefix first.
    // Ten digits are more than any count.
    uint32_t first_digit = length;
    while (first_digit > 1 && length - first_digit < 10 && text[first_digit - 1] >= '0' &&
           text[first_digit - 1] <= '9')
        first_digit--;
    for (; first_digit < length; first_digit++) {
        if (text[first_digit] == '0' && first_digit + 1 < length)
            continue;
        const struct wm_ptx_name *prefix = wm_ptx_scopes_find(scopes, text, first_digit);
        if (!prefix || !prefix->range)
            continue;
        uint64_t number = 0;
        for (uint32_t i = first_digit; i < length; i++)
            number = number * 10 + (uint64_t)(text[i] - '0');
        if (number < prefix->range->count) {
            *index = prefix->range->index + (uint32_t)number;
            return true;
        }
    }
    return false;
}
