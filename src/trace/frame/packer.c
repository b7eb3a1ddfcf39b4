#include "base/numbers/hash.h"
#include "trace/frame/frame.h"
#include "trace/warp/shape_fields.h"

#include <stdlib.h>

void wm_frame_packer_begin(struct wm_frame_packer *packer, uint32_t slots, uint32_t warps)
{
    struct wm_bytes *columns[] = {&packer->chunks,     &packer->ids,   &packer->lengths,
                                  &packer->strings,    &packer->bases, &packer->shapes,
                                  &packer->slot_column};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        columns[i]->length = 0;
    packer->chunk_count = packer->string_count = 0;
    packer->previous_block = packer->previous_control = packer->previous_data = 0;
    packer->previous_steps = packer->steps = 0;
    packer->warps = warps;
    if (packer->table_size != 0)
        memset(packer->numbers, 0, packer->table_size * sizeof *packer->numbers);
    if (slots != packer->slots || packer->last == NULL) {
        free(packer->last);
        free(packer->last_step);
        packer->last = calloc(slots + 1, sizeof *packer->last);
        packer->last_step = calloc(slots + 1, sizeof *packer->last_step);
        packer->slots = slots;
        packer->failed |= packer->last == NULL || packer->last_step == NULL;
        return;
    }
    memset(packer->last, 0, slots * sizeof *packer->last);
    memset(packer->last_step, 0, slots * sizeof *packer->last_step);
}

void wm_frame_packer_release(struct wm_frame_packer *packer)
{
    wm_bytes_release(&packer->chunks);
    wm_bytes_release(&packer->ids);
    wm_bytes_release(&packer->lengths);
    wm_bytes_release(&packer->strings);
    wm_bytes_release(&packer->slot_column);
    wm_bytes_release(&packer->bases);
    wm_bytes_release(&packer->shapes);
    free(packer->table);
    free(packer->numbers);
    free(packer->last);
    free(packer->last_step);
    *packer = (struct wm_frame_packer){0};
}

// --- Strings ---

// Only for the table: no file has it.
static uint64_t hash_of(const uint8_t *data, size_t length)
{
    uint64_t hash = length, word;
    for (; length >= sizeof word; data += sizeof word, length -= sizeof word) {
        memcpy(&word, data, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    word = 0;
    if (length != 0)
        memcpy(&word, data, length);
    return wm_hash_u64(hash ^ word);
}

static uint64_t place_of(const struct wm_frame_packer *packer, uint64_t hash, const uint8_t *data,
                         size_t length)
{
    uint64_t at = hash & (packer->table_size - 1);
    for (; packer->numbers[at] != 0; at = (at + 1) & (packer->table_size - 1)) {
        const struct wm_frame_string *string = &packer->table[at];
        if (string->hash == hash && string->length == length &&
            (length == 0 || memcmp(packer->strings.data + string->offset, data, length) == 0))
            break;
    }
    return at;
}

static bool grow_table(struct wm_frame_packer *packer)
{
    if (packer->string_count * 2 < packer->table_size)
        return true;
    uint64_t old_size = packer->table_size, size = old_size == 0 ? 256 : 2 * old_size;
    struct wm_frame_string *old_table = packer->table;
    uint32_t *old_numbers = packer->numbers;
    struct wm_frame_string *table = calloc(size, sizeof *table);
    uint32_t *numbers = calloc(size, sizeof *numbers);
    if (table == NULL || numbers == NULL) {
        free(table);
        free(numbers);
        packer->failed = true;
        return false;
    }
    packer->table = table;
    packer->numbers = numbers;
    packer->table_size = size;
    for (uint64_t i = 0; i < old_size; i++)
        if (old_numbers[i] != 0) {
            const struct wm_frame_string *string = &old_table[i];
            uint64_t at = place_of(packer, string->hash, packer->strings.data + string->offset,
                                   string->length);
            table[at] = *string;
            numbers[at] = old_numbers[i];
        }
    free(old_table);
    free(old_numbers);
    return true;
}

static uint64_t intern(struct wm_frame_packer *packer, const struct wm_bytes *bytes)
{
    if (packer->failed || !grow_table(packer))
        return 0;
    uint64_t hash = hash_of(bytes->data, bytes->length);
    uint64_t at = place_of(packer, hash, bytes->data, bytes->length);
    if (packer->numbers[at] == 0) {
        packer->table[at] = (struct wm_frame_string){
            .hash = hash, .offset = packer->strings.length, .length = bytes->length};
        packer->numbers[at] = (uint32_t)++packer->string_count;
        wm_bytes_put(&packer->strings, bytes->data, bytes->length);
        wm_bytes_put_number(&packer->lengths, bytes->length);
    }
    return packer->numbers[at] - 1;
}

// --- Firsts ---

static void put_shape(struct wm_bytes *shapes, const struct wm_trace_shape *shape)
{
    bool rows = shape->row_shift != 0;
    wm_bytes_put_number(shapes, 1 | (uint64_t)shape->irregular << 1 | (uint64_t)rows << 2);
    wm_bytes_put_number(shapes, shape->mask);
    wm_bytes_put_signed(shapes, shape->stride);
    wm_trace_rows_put(shapes, shape);
    wm_trace_words_put(shapes, shape);
}

static void put_firsts(struct wm_frame_packer *packer, const struct wm_warp_encoder *encoder)
{
    uint32_t expected = 0;
    wm_bytes_put_number(&packer->slot_column, encoder->first_count);
    for (uint32_t i = 0; i < encoder->first_count; i++) {
        const struct wm_trace_first_access *first = &encoder->firsts[i];
        struct wm_trace_first_access *last = &packer->last[first->slot];
        uint64_t step = first->base - last->base;
        wm_bytes_put_signed(&packer->slot_column,
                            (uint64_t)((int64_t)first->slot - (int64_t)expected));
        expected = first->slot + 1;
        wm_bytes_put_signed(&packer->bases, step - packer->last_step[first->slot]);
        packer->last_step[first->slot] = step;
        if (wm_trace_shape_equal(&first->shape, &last->shape))
            wm_bytes_put_number(&packer->shapes, 0);
        else
            put_shape(&packer->shapes, &first->shape);
        *last = *first;
    }
}

// --- Chunks ---

void wm_frame_packer_add(struct wm_frame_packer *packer, uint64_t block, uint64_t sequence,
                         bool last, const struct wm_warp_encoder *encoders)
{
    if (packer->failed)
        return;
    wm_bytes_put_signed(&packer->chunks, block - packer->previous_block);
    wm_bytes_put_number(&packer->chunks, sequence << 1 | last);
    packer->previous_block = block;
    packer->chunk_count++;
    for (uint32_t warp = 0; warp < packer->warps; warp++) {
        uint64_t control = intern(packer, &encoders[warp].control);
        uint64_t data = intern(packer, &encoders[warp].data);
        wm_bytes_put_signed(&packer->ids, control - packer->previous_control);
        wm_bytes_put_signed(&packer->ids, data - packer->previous_data);
        wm_bytes_put_signed(&packer->ids, encoders[warp].steps - packer->previous_steps);
        packer->steps += encoders[warp].steps;
        packer->previous_steps = encoders[warp].steps;
        packer->previous_control = control;
        packer->previous_data = data;
        put_firsts(packer, &encoders[warp]);
        packer->failed |= encoders[warp].failed;
    }
}

static void put_column(struct wm_bytes *content, const struct wm_bytes *column)
{
    content->failed |= column->failed;
    wm_bytes_put_number(content, column->length);
    wm_bytes_put(content, column->data, column->length);
}

void wm_frame_packer_end(struct wm_frame_packer *packer, uint64_t launch, struct wm_bytes *content)
{
    content->failed |= packer->failed;
    wm_bytes_put_number(content, launch);
    wm_bytes_put_number(content, packer->chunk_count);
    wm_bytes_put_number(content, packer->string_count);
    put_column(content, &packer->chunks);
    put_column(content, &packer->ids);
    put_column(content, &packer->lengths);
    put_column(content, &packer->slot_column);
    put_column(content, &packer->bases);
    put_column(content, &packer->shapes);
    put_column(content, &packer->strings);
}
