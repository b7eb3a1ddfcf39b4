#include "source/accelsim/code.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"
#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "a kernel's instructions");
}

enum wm_status wm_accelsim_code_init(struct wm_accelsim_code *code,
                                     const struct wm_accelsim_header *header,
                                     struct wm_error *error)
{
    *code = (struct wm_accelsim_code){.registers = header->registers,
                                      .binary_version = header->binary_version};
    wm_arena_init(&code->arena);
    code->name = wm_arena_copy_text(&code->arena, header->name, strlen(header->name));
    return code->name != NULL ? WM_OK : no_memory(error);
}

void wm_accelsim_code_release(struct wm_accelsim_code *code)
{
    wm_arena_release(&code->arena);
    free(code->entries);
    free(code->buckets);
    free(code->slot_before);
}

// --- Adding instructions ---

static bool matches(const struct wm_accelsim_entry *entry, const struct wm_accelsim_instruction *it)
{
    return entry->pc == it->pc && entry->words_length == it->words_length &&
           memcmp(entry->words, it->words, it->words_length) == 0;
}

// Functions that a kernel calls have addresses from 0 on as it has: words distinguish them.
static uint64_t hash_of(uint64_t pc, const char *words, size_t length)
{
    return wm_hash_u64(pc) ^ wm_hash_bytes(words, length);
}

static void fill_buckets(struct wm_accelsim_code *code)
{
    memset(code->buckets, 0, code->bucket_count * sizeof *code->buckets);
    for (uint32_t i = 0; i < code->count; i++) {
        const struct wm_accelsim_entry *entry = &code->entries[i];
        uint64_t at = hash_of(entry->pc, entry->words, entry->words_length);
        while (code->buckets[at & (code->bucket_count - 1)] != 0)
            at++;
        code->buckets[at & (code->bucket_count - 1)] = i + 1;
    }
}

struct wm_accelsim_entry *wm_accelsim_code_find(struct wm_accelsim_code *code,
                                                const struct wm_accelsim_instruction *it)
{
    // Mostly the next one, or the one before again.
    for (uint32_t i = code->last + 1; i <= code->last + 2; i++)
        if (i < code->count && matches(&code->entries[i], it)) {
            code->last = i;
            return &code->entries[i];
        }
    if (code->bucket_count == 0)
        return NULL;
    for (uint64_t at = hash_of(it->pc, it->words, it->words_length);; at++) {
        uint32_t found = code->buckets[at & (code->bucket_count - 1)];
        if (found == 0)
            return NULL;
        if (matches(&code->entries[found - 1], it)) {
            code->last = found - 1;
            return &code->entries[found - 1];
        }
    }
}

static enum wm_status grow(struct wm_accelsim_code *code, struct wm_error *error)
{
    uint32_t capacity = code->capacity == 0 ? 64 : 2 * code->capacity;
    if (!WM_ARRAY_RESIZE(code->entries, capacity) ||
        !WM_ARRAY_RESIZE(code->buckets, 2 * (size_t)capacity))
        return no_memory(error);
    code->capacity = capacity;
    code->bucket_count = 2 * capacity;
    fill_buckets(code);
    return WM_OK;
}

static enum wm_status add(struct wm_accelsim_code *code, const struct wm_accelsim_instruction *it,
                          struct wm_error *error)
{
    if (code->count == WM_ACCELSIM_MOST_INSTRUCTIONS)
        return wm_fail(error, WM_INVALID, "kernel %.200s has more than %d instructions", code->name,
                       (int)WM_ACCELSIM_MOST_INSTRUCTIONS);
    if (code->count == code->capacity)
        WM_TRY(grow(code, error));
    struct wm_accelsim_entry *entry = &code->entries[code->count];
    *entry = (struct wm_accelsim_entry){.pc = it->pc,
                                        .words_length = it->words_length,
                                        .source_line = it->source_line,
                                        .order = code->count};
    entry->words = wm_arena_copy_text(&code->arena, it->words, it->words_length);
    if (entry->words == NULL)
        return no_memory(error);
    struct wm_accelsim_words words;
    wm_accelsim_words_read(entry->words, entry->words_length, &words);
    wm_sass_opcode(words.opcode, words.opcode_length, &entry->opcode);
    uint64_t at = hash_of(it->pc, it->words, it->words_length);
    while (code->buckets[at & (code->bucket_count - 1)] != 0)
        at++;
    code->buckets[at & (code->bucket_count - 1)] = code->count + 1;
    code->last = code->count++;
    return WM_OK;
}

enum wm_status wm_accelsim_code_add(struct wm_accelsim_code *code,
                                    const struct wm_accelsim_instruction *it,
                                    struct wm_accelsim_entry **entry, struct wm_error *error)
{
    *entry = wm_accelsim_code_find(code, it);
    if (*entry == NULL) {
        WM_TRY(add(code, it, error));
        *entry = &code->entries[code->count - 1];
    }
    (*entry)->is_memory |= (*entry)->opcode.class == WM_SASS_MEMORY && it->has_addresses;
    return WM_OK;
}

// --- The complete code ---

static int by_address(const void *left, const void *right)
{
    const struct wm_accelsim_entry *a = left, *b = right;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

enum wm_status wm_accelsim_code_complete(struct wm_accelsim_code *code, struct wm_error *error)
{
    code->slot_before = calloc(code->count + UINT64_C(1), sizeof *code->slot_before);
    if (code->slot_before == NULL)
        return no_memory(error);
    if (code->count == 0)
        return WM_OK;
    qsort(code->entries, code->count, sizeof *code->entries, by_address);
    for (uint32_t i = 0; i < code->count; i++) {
        code->entries[i].index = i;
        code->slot_before[i] = code->slots;
        code->slots += code->entries[i].is_memory;
    }
    code->slot_before[code->count] = code->slots;
    code->last = 0;
    fill_buckets(code);
    return WM_OK;
}

static void add_registers(struct wm_text *text, const struct wm_accelsim_words *words,
                          uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            wm_text_add(text, ", ");
        wm_text_append(text, words->registers[from + i], words->register_lengths[from + i]);
    }
}

// "LDG.E.SYS R4, [R2]", "ISETP.GE.AND _, R6, R5" ("_" is what the trace does not name).
static char *text_of(const struct wm_accelsim_entry *entry)
{
    struct wm_accelsim_words words;
    wm_accelsim_words_read(entry->words, entry->words_length, &words);
    struct wm_text text;
    wm_text_init(&text);
    wm_text_append(&text, words.opcode, words.opcode_length);
    bool memory = entry->opcode.class == WM_SASS_MEMORY;
    uint32_t destinations = words.destination_count, sources = words.source_count;
    bool store = memory && destinations == 0;
    if (destinations + sources > 0)
        wm_text_add(&text, " ");
    if (destinations > 1)
        wm_text_add(&text, "{");
    add_registers(&text, &words, 0, destinations);
    if (destinations > 1)
        wm_text_add(&text, "}");
    if (destinations == 0 && !store && sources > 0)
        wm_text_add(&text, "_");
    if (sources > 0 && !store)
        wm_text_add(&text, ", ");
    if (sources > 0 && memory) {
        // The reference to memory comes first, and its base is the first source.
        wm_text_add(&text, "[");
        add_registers(&text, &words, destinations, 1);
        wm_text_add(&text, sources > 1 ? "], " : "]");
        add_registers(&text, &words, destinations + 1, sources - 1);
    } else {
        add_registers(&text, &words, destinations, sources);
    }
    return wm_text_take(&text);
}

static uint64_t fingerprint(const struct wm_accelsim_code *code)
{
    uint64_t hash = wm_hash_u64(code->binary_version | (uint64_t)code->registers << 32);
    for (uint32_t i = 0; i < code->count; i++) {
        const struct wm_accelsim_entry *entry = &code->entries[i];
        hash = wm_hash_u64(hash + hash_of(entry->pc, entry->words, entry->words_length));
    }
    return hash;
}

enum wm_status wm_accelsim_code_write(struct wm_accelsim_code *code, const char *module,
                                      struct wm_recording_writer *writer, struct wm_error *error)
{
    struct wm_recorded_instruction *instructions =
        calloc(code->count + UINT64_C(1), sizeof *instructions);
    bool good = instructions != NULL;
    for (uint32_t i = 0; good && i < code->count; i++) {
        const struct wm_accelsim_entry *entry = &code->entries[i];
        instructions[i] = (struct wm_recorded_instruction){
            .text = text_of(entry),
            .source_line = entry->source_line,
            .exists = true,
            .is_memory = entry->is_memory,
            .generic = entry->is_memory && entry->opcode.generic,
            .kind = entry->opcode.kind,
            .space = entry->opcode.space,
        };
        good = instructions[i].text != NULL;
    }
    if (good)
        code->number = wm_recording_write_code(
            writer, &(struct wm_recorded_code){.name = code->name,
                                               .module = module,
                                               .fingerprint = fingerprint(code),
                                               .registers_per_thread = code->registers,
                                               .instruction_count = code->count,
                                               .instructions = instructions});
    code->written = good;
    for (uint32_t i = 0; instructions != NULL && i < code->count; i++)
        free((char *)(uintptr_t)instructions[i].text);
    free(instructions);
    return good ? WM_OK : no_memory(error);
}
