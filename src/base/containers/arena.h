// Arena: memory that is freed all at once. For objects that live as long as their owner (a
// parsed module, a built machine). Not thread-safe; one owner at a time.
#ifndef WM_BASE_ARENA_H
#define WM_BASE_ARENA_H

#include <stddef.h>

struct wm_arena_chunk;
struct wm_arena {
    struct wm_arena_chunk *head; // owned, newest first
    size_t used;                 // bytes handed out from the newest chunk
    size_t total_bytes;          // bytes reserved from the host, for accounting
};

void wm_arena_init(struct wm_arena *arena);
// Frees everything; the arena is empty and usable again.
void wm_arena_release(struct wm_arena *arena);

// Zeroed memory, aligned to `alignment` (a power of two, at most 64). NULL when the host is out of
// memory. Size 0 gives a valid unique pointer.
void *wm_arena_alloc(struct wm_arena *arena, size_t size, size_t alignment);
// A NUL-terminated copy of `length` bytes; NULL when out of memory.
char *wm_arena_copy_text(struct wm_arena *arena, const char *text, size_t length);

#define WM_ARENA_NEW(arena, type) ((type *)wm_arena_alloc((arena), sizeof(type), _Alignof(type)))
#define WM_ARENA_ARRAY(arena, type, count) \
    ((type *)wm_arena_alloc((arena), sizeof(type) * (size_t)(count), _Alignof(type)))

#endif
