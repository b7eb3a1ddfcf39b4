#include "source/accelsim/accelsim_import_parts.h"

#include "base/containers/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "importing a trace");
}

void wm_accelsim_files_release(struct wm_accelsim_files *files)
{
    for (uint64_t i = 0; files->files != NULL && i < files->list.count; i++) {
        bool shared = false;
        for (uint64_t j = 0; j < i && !shared; j++)
            shared = files->files[j] == files->files[i];
        if (!shared)
            free(files->files[i]);
    }
    free(files->files);
    for (uint64_t i = 0; i < files->code_count; i++) {
        wm_accelsim_code_release(files->codes[i]);
        free(files->codes[i]);
    }
    free(files->codes);
    wm_accelsim_list_release(&files->list);
}

// --- Spaces ---

static bool within(uint64_t address, uint64_t base)
{
    return base != 0 && address - base < WM_ACCELSIM_WINDOW_BYTES;
}

enum wm_address_space wm_accelsim_space(const struct wm_accelsim_header *header,
                                        const struct wm_sass_opcode *opcode, uint64_t address,
                                        uint64_t *offset)
{
    bool is_shared = within(address, header->shared_base);
    bool is_local = within(address, header->local_base);
    enum wm_address_space space = opcode->space;
    if (opcode->generic) {
        bool known = header->shared_base != 0 && header->local_base != 0;
        bool low = !known && address < WM_ACCELSIM_WINDOW_BYTES;
        space = is_shared || low ? WM_SPACE_SHARED : (is_local ? WM_SPACE_LOCAL : WM_SPACE_GLOBAL);
    }
    *offset = address;
    if (space == WM_SPACE_SHARED && is_shared)
        *offset -= header->shared_base;
    if (space == WM_SPACE_LOCAL && is_local)
        *offset -= header->local_base;
    return space;
}

// --- The first reading ---

struct reading {
    struct wm_accelsim_files *files;
    struct wm_accelsim_file *file;
    uint8_t *seen; // owned; a bit for each block
};

// The code of that kernel: launches of one kernel have one, whatever each executes of it.
static enum wm_status find_code(struct wm_accelsim_files *files,
                                const struct wm_accelsim_header *header,
                                struct wm_accelsim_code **code, struct wm_error *error)
{
    for (uint64_t i = 0; i < files->code_count; i++) {
        *code = files->codes[i];
        if (strcmp((*code)->name, header->name) == 0 && (*code)->registers == header->registers &&
            (*code)->binary_version == header->binary_version)
            return WM_OK;
    }
    *code = calloc(1, sizeof **code);
    if (*code == NULL || !WM_ARRAY_ADD(files->codes, files->code_count, files->code_room, *code)) {
        free(*code);
        return no_memory(error);
    }
    return wm_accelsim_code_init(*code, header, error);
}

static enum wm_status on_header(void *context, const struct wm_accelsim_header *header,
                                struct wm_error *error)
{
    struct reading *reading = context;
    struct wm_accelsim_import *import = reading->files->import;
    uint64_t most = import->most_blocks, rows = (uint64_t)header->grid[1] * header->grid[2];
    if (rows > most || rows * header->grid[0] > most)
        return wm_fail(error, WM_INVALID,
                       "a grid of %" PRIu32 "×%" PRIu32 "×%" PRIu32 " blocks: at most %" PRIu64
                       " are imported",
                       header->grid[0], header->grid[1], header->grid[2], most);
    reading->file->header = *header;
    reading->seen = calloc(rows * header->grid[0] / 8 + 1, 1);
    if (reading->seen == NULL)
        return no_memory(error);
    return find_code(reading->files, header, &reading->file->code, error);
}

static enum wm_status on_block(void *context, uint64_t block, struct wm_error *error)
{
    struct reading *reading = context;
    if ((reading->seen[block / 8] >> block % 8 & 1) != 0)
        return wm_fail(error, WM_INVALID, "the thread block stands in the trace twice");
    reading->seen[block / 8] |= (uint8_t)(1 << block % 8);
    reading->file->blocks++;
    return WM_OK;
}

static enum wm_status on_warp(void *context, uint32_t warp, uint64_t instructions,
                              struct wm_error *error)
{
    (void)context;
    (void)warp;
    (void)instructions;
    (void)error;
    return WM_OK;
}

static enum wm_status on_block_end(void *context, struct wm_error *error)
{
    (void)context;
    (void)error;
    return WM_OK;
}

// The part of local memory that is used.
static enum wm_status measure(struct wm_accelsim_file *file, const struct wm_sass_opcode *opcode,
                              const struct wm_accelsim_instruction *it, struct wm_error *error)
{
    uint32_t bytes = wm_accelsim_bytes(opcode, it->width);
    if (bytes > 256)
        return wm_fail(error, WM_INVALID, "an access of %" PRIu32 " bytes a lane", bytes);
    if (opcode->space != WM_SPACE_LOCAL && !opcode->generic)
        return WM_OK;
    for (uint32_t rest = it->mask; rest != 0; rest &= rest - 1) {
        uint64_t offset, address = it->addresses[__builtin_ctz(rest)];
        if (wm_accelsim_space(&file->header, opcode, address, &offset) != WM_SPACE_LOCAL)
            continue;
        if (offset >= WM_ACCELSIM_WINDOW_BYTES)
            return wm_fail(error, WM_INVALID,
                           "the local address 0x%" PRIx64 " lies outside the 16 MiB of a thread",
                           address);
        if (offset < file->local_low)
            file->local_low = offset;
        if (offset + bytes > file->local_high)
            file->local_high = offset + bytes;
    }
    return WM_OK;
}

static enum wm_status on_instruction(void *context, const struct wm_accelsim_instruction *it,
                                     struct wm_error *error)
{
    struct reading *reading = context;
    struct wm_accelsim_import *import = reading->files->import;
    struct wm_accelsim_entry *entry;
    WM_TRY(wm_accelsim_code_add(reading->file->code, it, &entry, error));
    if (entry->opcode.class == WM_SASS_MEMORY && it->has_addresses)
        return measure(reading->file, &entry->opcode, it, error);
    if (entry->opcode.class == WM_SASS_UNTOLD && it->mask != 0) {
        struct wm_accelsim_words words;
        wm_accelsim_words_read(entry->words, entry->words_length, &words);
        if (import->skipped_accesses++ == 0)
            snprintf(import->skipped_opcode, sizeof import->skipped_opcode, "%.*s",
                     (int)words.opcode_length, words.opcode);
    }
    return WM_OK;
}

// Accel-Sim 2.0 packs its traces into a container of its own.
static enum wm_status refuse_container(const char *path, struct wm_error *error)
{
    if (strstr(path, ".tracez") == NULL)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "traces in the .tracez container of Accel-Sim 2.0 are not read");
    wm_error_place(error, "%s", path);
    return wm_error_hint(error, "give the text form: its tracer writes .traceg with --text");
}

static enum wm_status read_file(struct wm_accelsim_files *files, struct wm_accelsim_file *file,
                                struct wm_error *error)
{
    struct reading reading = {.files = files, .file = file};
    const struct wm_accelsim_callbacks callbacks = {.header = on_header,
                                                    .block_begin = on_block,
                                                    .warp = on_warp,
                                                    .instruction = on_instruction,
                                                    .block_end = on_block_end,
                                                    .context = &reading};
    enum wm_status status = refuse_container(file->path, error);
    if (status == WM_OK)
        status = wm_accelsim_trace_read(file->path, &callbacks, error);
    free(reading.seen);
    return status;
}

// A kernel of the list cannot be opened: that is said with the line that names it.
static enum wm_status place_in_list(const struct wm_accelsim_files *files,
                                    const struct wm_accelsim_line *line, struct wm_error *error)
{
    if (error == NULL || error->status != WM_NOT_FOUND ||
        strcmp(files->import->path, line->path) == 0)
        return error != NULL ? error->status : WM_INVALID;
    char message[256];
    snprintf(message, sizeof message, "%.200s", line->path);
    wm_fail(error, WM_NOT_FOUND, "there is no %s", message);
    return wm_error_place(error, "%s:%" PRIu64, files->import->path, line->number);
}

enum wm_status wm_accelsim_files_read(struct wm_accelsim_files *files,
                                      struct wm_accelsim_import *import, struct wm_error *error)
{
    *files = (struct wm_accelsim_files){.import = import};
    WM_TRY(refuse_container(import->path, error));
    WM_TRY(wm_accelsim_list_read(&files->list, import->path, error));
    files->files = calloc(files->list.count, sizeof *files->files);
    if (files->files == NULL)
        return no_memory(error);
    for (uint64_t i = 0; i < files->list.count; i++) {
        const struct wm_accelsim_line *line = &files->list.lines[i];
        if (line->kind != WM_ACCELSIM_KERNEL)
            continue;
        for (uint64_t j = 0; j < i && files->files[i] == NULL; j++)
            if (files->files[j] != NULL && strcmp(files->files[j]->path, line->path) == 0)
                files->files[i] = files->files[j];
        if (files->files[i] != NULL)
            continue;
        struct wm_accelsim_file *file = calloc(1, sizeof *file);
        if (file == NULL)
            return no_memory(error);
        files->files[i] = file;
        file->path = line->path;
        file->local_low = UINT64_MAX;
        if (read_file(files, file, error) != WM_OK)
            return place_in_list(files, line, error);
    }
    for (uint64_t i = 0; i < files->code_count; i++) {
        if (files->codes[i]->count == 0) {
            wm_fail(error, WM_INVALID, "the traces of kernel %.200s have no instruction",
                    files->codes[i]->name);
            return wm_error_place(error, "%s", import->path);
        }
        WM_TRY(wm_accelsim_code_complete(files->codes[i], error));
    }
    return WM_OK;
}
