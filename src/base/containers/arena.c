#include "base/containers/arena.h"

#include <stdint.h>

enum { FIRST_CHUNK_BYTES = 16 * 1024, LARGEST_CHUNK_BYTES = 1024 * 1024, CHUNK_ALIGNMENT = 64 };

struct wm_arena_chunk {
    struct wm_arena_chunk *next;
    size_t size; // usable bytes in data
    _Alignas(CHUNK_ALIGNMENT) unsigned char data[];
};

void wm_arena_init(struct wm_arena *arena)
{
    *arena = (struct wm_arena){0};
}

void wm_arena_release(struct wm_arena *arena)
{
    struct wm_arena_chunk *chunk = arena->head;
    while (chunk) {
        struct wm_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (struct wm_arena){0};
}

// Chunks grow with the arena, so that a large module costs few allocations and a small one little.
static struct wm_arena_chunk *add_chunk(struct wm_arena *arena, size_t at_least)
{
    size_t size = arena->total_bytes < FIRST_CHUNK_BYTES ? FIRST_CHUNK_BYTES : arena->total_bytes;
    if (size > LARGEST_CHUNK_BYTES)
        size = LARGEST_CHUNK_BYTES;
    if (size < at_least)
        size = at_least;
    if (size > SIZE_MAX - sizeof(struct wm_arena_chunk) - CHUNK_ALIGNMENT)
        return NULL;
    size = (size + CHUNK_ALIGNMENT - 1) & ~(size_t)(CHUNK_ALIGNMENT - 1);
    struct wm_arena_chunk *chunk = aligned_alloc(CHUNK_ALIGNMENT, sizeof *chunk + size);
    if (!chunk)
        return NULL;
    memset(chunk->data, 0, size);
    chunk->size = size;
    chunk->next = arena->head;
    arena->head = chunk;
    arena->used = 0;
    arena->total_bytes += size;
    return chunk;
}

void *wm_arena_alloc(struct wm_arena *arena, size_t size, size_t alignment)
{
    size_t begin = (arena->used + alignment - 1) & ~(alignment - 1);
    struct wm_arena_chunk *chunk = arena->head;
    if (!chunk || begin > chunk->size || size > chunk->size - begin) {
        chunk = add_chunk(arena, size ? size : 1);
        if (!chunk)
            return NULL;
        begin = 0;
    }
    arena->used = begin + (size ? size : 1);
    return chunk->data + begin;
}

char *wm_arena_copy_text(struct wm_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX)
        return NULL;
    char *copy = wm_arena_alloc(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}
