#include "mem/timed/coherent/records.h"

#include "base/containers/array.h"
#include "mem/timed/coherent/event_queue.h"

#include <stdlib.h>

enum { CHUNK_RECORDS = 64, FIRST_BUCKETS = 64 };

struct wm_coherent_record_chunk {
    struct wm_coherent_record_chunk *next;
    struct wm_coherent_record records[CHUNK_RECORDS];
};

void wm_coherent_records_release(struct wm_coherent_records *records)
{
    while (records->chunks != NULL) {
        struct wm_coherent_record_chunk *chunk = records->chunks;
        records->chunks = chunk->next;
        free(chunk);
    }
    free(records->buckets);
}

static uint32_t bucket_of(const struct wm_coherent_records *records, uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) & records->bucket_mask;
}

struct wm_coherent_record *wm_coherent_records_find(const struct wm_coherent_records *records,
                                                    uint64_t line)
{
    if (records->count == 0)
        return NULL;
    struct wm_coherent_record *record = records->buckets[bucket_of(records, line)];
    while (record != NULL && record->line != line)
        record = record->next;
    return record;
}

static bool grow_buckets(struct wm_coherent_records *records)
{
    uint32_t before = records->buckets != NULL ? records->bucket_mask + 1 : 0;
    uint32_t buckets = before != 0 ? 2 * before : FIRST_BUCKETS;
    struct wm_coherent_record **old = records->buckets;
    struct wm_coherent_record **larger = wm_array_new(buckets, sizeof *larger);
    if (larger == NULL)
        return false;
    records->buckets = larger;
    records->bucket_mask = buckets - 1;
    for (uint32_t i = 0; i < before; i++)
        for (struct wm_coherent_record *record = old[i]; record != NULL;) {
            struct wm_coherent_record *next = record->next;
            struct wm_coherent_record **bucket = &larger[bucket_of(records, record->line)];
            record->next = *bucket;
            *bucket = record;
            record = next;
        }
    free(old);
    return true;
}

static bool add_chunk(struct wm_coherent_records *records)
{
    struct wm_coherent_record_chunk *chunk = wm_array_new(1, sizeof *chunk);
    if (chunk == NULL)
        return false;
    chunk->next = records->chunks;
    records->chunks = chunk;
    for (uint32_t i = 0; i < CHUNK_RECORDS; i++) {
        chunk->records[i].next = records->free;
        records->free = &chunk->records[i];
    }
    return true;
}

struct wm_coherent_record *wm_coherent_records_add(struct wm_coherent_records *records,
                                                   uint64_t line)
{
    struct wm_coherent_record *record = wm_coherent_records_find(records, line);
    if (record != NULL)
        return record;
    bool is_full = records->buckets == NULL || records->count > records->bucket_mask;
    if (is_full && !grow_buckets(records))
        return NULL;
    if (records->free == NULL && !add_chunk(records))
        return NULL;
    record = records->free;
    records->free = record->next;
    struct wm_coherent_record **bucket = &records->buckets[bucket_of(records, line)];
    *record = (struct wm_coherent_record){
        .line = line, .next = *bucket, .first = WM_COHERENT_NO_EVENT, .last = WM_COHERENT_NO_EVENT};
    *bucket = record;
    records->count++;
    return record;
}

void wm_coherent_records_remove(struct wm_coherent_records *records,
                                struct wm_coherent_record *record)
{
    struct wm_coherent_record **at = &records->buckets[bucket_of(records, record->line)];
    while (*at != record)
        at = &(*at)->next;
    *at = record->next;
    record->next = records->free;
    records->free = record;
    records->count--;
}

void wm_coherent_records_wait(struct wm_coherent_records *records,
                              struct wm_coherent_record *record)
{
    if (record->is_waiting)
        return;
    record->is_waiting = true;
    record->next_waiting = NULL;
    if (records->first_waiting == NULL)
        records->first_waiting = record;
    else
        records->last_waiting->next_waiting = record;
    records->last_waiting = record;
}
