#include "source/cores/instruction_table.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024 };

void wm_core_table_release(struct wm_core_table *table)
{
    free(table->instructions);
    free(table->buckets);
    *table = (struct wm_core_table){0};
}

// --- Finding ---

static struct wm_core_instruction key_of(uint32_t core, const struct wm_core_step *step)
{
    bool stores = step->access_count > 0 && step->accesses[0].store;
    bool locks = step->access_count > 0 && step->accesses[0].locked;
    if (step->bytes == 0) // of no instruction that is known: one for each place and kind of access
        return (struct wm_core_instruction){
            .address = (uint64_t)step->place << WM_CORE_PLACE_SHIFT | (locks ? 2 : stores),
            .core = core,
            .stores = stores,
            .locks = locks};
    return (struct wm_core_instruction){.address = step->address,
                                        .bytes = step->bytes,
                                        .core = core,
                                        .continues = step->continues,
                                        .stores = stores,
                                        .locks = locks};
}

static bool same_key(const struct wm_core_instruction *a, const struct wm_core_instruction *b)
{
    return a->address == b->address && a->core == b->core && a->continues == b->continues &&
           a->stores == b->stores && a->locks == b->locks && (a->bytes == 0) == (b->bytes == 0);
}

static uint64_t hash_key(const struct wm_core_instruction *key)
{
    return wm_hash_u64(key->address ^ (uint64_t)key->core << 48 ^ (uint64_t)key->continues << 62 ^
                       (uint64_t)key->stores << 61 ^ (uint64_t)key->locks << 60 ^
                       (uint64_t)(key->bytes == 0) << 63);
}

// The bucket that has the instruction, or where it belongs.
static uint32_t bucket_of(const struct wm_core_table *table, const struct wm_core_instruction *key)
{
    uint32_t at = (uint32_t)hash_key(key) & (table->bucket_count - 1);
    while (table->buckets[at] != 0 && !same_key(&table->instructions[table->buckets[at] - 1], key))
        at = (at + 1) & (table->bucket_count - 1);
    return at;
}

const struct wm_core_instruction *wm_core_table_find(const struct wm_core_table *table,
                                                     uint32_t core, const struct wm_core_step *step)
{
    if (table->count == 0)
        return NULL;
    struct wm_core_instruction key = key_of(core, step);
    uint32_t number = table->buckets[bucket_of(table, &key)];
    return number != 0 ? &table->instructions[number - 1] : NULL;
}

// --- Adding ---

static void fill_buckets(struct wm_core_table *table)
{
    memset(table->buckets, 0, table->bucket_count * sizeof *table->buckets);
    for (uint32_t i = 0; i < table->count; i++)
        table->buckets[bucket_of(table, &table->instructions[i])] = i + 1;
}

static bool grow(struct wm_core_table *table)
{
    uint32_t capacity = table->capacity == 0 ? FIRST_CAPACITY : 2 * table->capacity;
    if (!WM_ARRAY_RESIZE(table->instructions, capacity))
        return false;
    uint32_t *buckets = malloc(2 * (size_t)capacity * sizeof *buckets);
    if (buckets == NULL)
        return false;
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_count = 2 * capacity;
    table->capacity = capacity;
    fill_buckets(table);
    return true;
}

static enum wm_status too_many(struct wm_error *error)
{
    wm_fail(error, WM_LIMIT, "the traces execute more than %d different instructions",
            (int)WM_CORE_MOST_INSTRUCTIONS);
    return wm_error_hint(error, "take --data-only, which leaves instructions out and keeps every "
                                "load and store");
}

enum wm_status wm_core_table_add(struct wm_core_table *table, uint32_t core,
                                 const struct wm_core_step *step, struct wm_error *error)
{
    struct wm_core_instruction key = key_of(core, step);
    if (table->count == table->capacity && !grow(table))
        return wm_fail_no_memory(error, "a trace's instructions");
    uint32_t bucket = bucket_of(table, &key);
    if (table->buckets[bucket] == 0) {
        if (table->count == WM_CORE_MOST_INSTRUCTIONS)
            return too_many(error);
        table->instructions[table->count++] = key;
        table->buckets[bucket] = table->count;
    }
    struct wm_core_instruction *it = &table->instructions[table->buckets[bucket] - 1];
    if (key.bytes > it->bytes)
        it->bytes = key.bytes;
    it->loads |= step->access_count > 0 && !it->stores && !it->locks;
    return WM_OK;
}

// --- Numbering ---

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
    const struct wm_core_instruction *left = a, *right = b;
    int order = compare(left->core, right->core);
    if (order == 0)
        order = compare(left->bytes != 0, right->bytes != 0);
    if (order == 0)
        order = compare(left->address, right->address);
    if (order == 0)
        order = compare(left->continues, right->continues);
    if (order == 0)
        order = compare(left->stores, right->stores);
    return order != 0 ? order : compare(left->locks, right->locks);
}

void wm_core_table_number(struct wm_core_table *table)
{
    if (table->count == 0)
        return;
    qsort(table->instructions, table->count, sizeof *table->instructions, by_place);
    uint32_t slots = 0;
    for (uint32_t pc = 0; pc < table->count; pc++) {
        struct wm_core_instruction *it = &table->instructions[pc];
        it->pc = pc;
        it->slot = slots;
        slots += wm_core_instruction_is_memory(it);
    }
    fill_buckets(table);
}
