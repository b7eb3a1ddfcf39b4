// Growing arrays and new ones: the one place where an array grows, and where a count times a size
// is checked for overflow. An array is three variables of whatever struct owns it: a pointer to its
// elements, how many there are, and how many there is room for (0 and NULL at first; free()
// releases it). Growth at least doubles the room, so an element costs a constant time on average,
// and moves the elements: pointers to them hold until the next one is added.
//
// In all macros `items`, `count` and `room` are lvalues without side effects, evaluated more than
// once; count and room are of any unsigned type, and an array never has more elements than the type
// of `room` counts. When the host has no memory, or that many elements have no size, an array is as
// it was: its owner still releases it.
#ifndef WM_BASE_ARRAY_H
#define WM_BASE_ARRAY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Whether there is room, made where it lacks, for `more` elements behind those that there are. The
// new room is not written.
#define WM_ARRAY_RESERVE(items, count, room, more)                                   \
    __extension__({                                                                  \
        const size_t wm_count_ = (size_t)(count), wm_more_ = (size_t)(more);         \
        bool wm_has_room_ = (size_t)(room)-wm_count_ >= wm_more_;                    \
        if (__builtin_expect(!wm_has_room_, 0)) {                                    \
            size_t wm_room_ = (size_t)(room);                                        \
            void *wm_grown_ = wm_array_grow((items), wm_count_, &wm_room_, wm_more_, \
                                            (__typeof__(room))-1, sizeof *(items));  \
            wm_has_room_ = wm_grown_ != NULL;                                        \
            if (wm_has_room_) {                                                      \
                (items) = wm_grown_;                                                 \
                (room) = (__typeof__(room))wm_room_;                                 \
            }                                                                        \
        }                                                                            \
        wm_has_room_;                                                                \
    })

// Adds a value at the end, which may be an element of the array; false without memory.
#define WM_ARRAY_ADD(items, count, room, ...)                     \
    __extension__({                                               \
        __typeof__(*(items)) wm_value_ = __VA_ARGS__;             \
        bool wm_added_ = WM_ARRAY_RESERVE(items, count, room, 1); \
        if (wm_added_)                                            \
            (items)[(count)++] = wm_value_;                       \
        wm_added_;                                                \
    })

// A new element of zeros at the end; NULL without memory.
#define WM_ARRAY_PUSH(items, count, room)                                          \
    ((__typeof__(&*(items)))(WM_ARRAY_RESERVE(items, count, room, 1)               \
                                 ? memset(&(items)[(count)++], 0, sizeof *(items)) \
                                 : NULL))

// Exactly `wanted` elements instead of as many as there were: those that both have stay. The macro
// is for arrays whose length is known at once. False without memory.
#define WM_ARRAY_RESIZE(items, wanted)                                                   \
    __extension__({                                                                      \
        void *wm_resized_ = wm_array_resize((items), (size_t)(wanted), sizeof *(items)); \
        if (wm_resized_ != NULL)                                                         \
            (items) = wm_resized_;                                                       \
        wm_resized_ != NULL;                                                             \
    })

// The same for more elements than the `before` that there were; the new ones are zeros.
#define WM_ARRAY_EXTEND(items, before, wanted) \
    (WM_ARRAY_RESIZE(items, wanted) &&         \
     memset((items) + (before), 0, ((size_t)(wanted) - (size_t)(before)) * sizeof *(items)))

// A new array of `number` zero elements, which the caller frees: WM_OK, or WM_NO_MEMORY with the
// error of wm_fail_no_memory for what the other arguments say (printf style). `items` is then NULL.
#define WM_ARRAY_NEW(items, number, error, ...)                          \
    (((items) = wm_array_new((size_t)(number), sizeof *(items))) != NULL \
         ? WM_OK                                                         \
         : wm_fail_no_memory((error), __VA_ARGS__))

// What the macros call. wm_array_grow: the elements with room for `more` behind `count` of them, at
// most for `most`, and the new room in `*room`; NULL, with all as before, when that cannot be.
void *wm_array_grow(void *items, size_t count, size_t *room, size_t more, size_t most,
                    size_t element_bytes);
// The elements with room for `wanted` exactly; NULL, with all as before, without memory.
void *wm_array_resize(void *items, size_t wanted, size_t element_bytes);
// Zero elements, of which the caller frees the first; NULL without memory. Not NULL for none.
void *wm_array_new(size_t count, size_t element_bytes);

#endif
