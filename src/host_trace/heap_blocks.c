// Each page that has bytes of blocks has two bits a byte: whether it belongs to a block or its
// guards, and whether the program may access it. Blocks are found by where they begin.
//
// The size of the guards and of what is kept are trade-offs as those of AddressSanitizer
// (Serebryany et al., USENIX ATC 2012, 3.1 and 3.4): the more, the more is found.
#include "host_trace/heap_blocks.h"

#include "base/containers/key_table.h"
#include "base/run/host_checks.h"
#include "host_trace/exported_calls.h"
#include "host_trace/libc_heap.h"
#include "host_trace/real_calls.h"

#include <pthread.h>
#include <string.h>

enum {
    GUARD = 64, // bytes, before and behind a block
    PAGE = 4096,
    WORDS = PAGE / 64,
    FREED_BYTES = 64 << 20, // kept of blocks that are freed
};

struct page {
    uint64_t kept[WORDS], open[WORDS]; // a bit a byte
};

struct block {
    char *whole; // with its guards, as the C library gave it
    char *begin;
    size_t bytes, whole_bytes;
    const void *made_by, *freed_by; // NULL: not freed
    uint32_t next;                  // of those that are freed, in order
};

bool wm_host_heap_is_checked;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct wm_key_table page_numbers, block_numbers;
static struct page *pages;
static struct block *blocks;
static uint32_t page_capacity, block_capacity;
static uint32_t first_freed = WM_NO_INDEX, last_freed = WM_NO_INDEX;
static size_t freed_bytes;
static struct wm_host_heap_finding *findings;
static uint32_t finding_count, finding_capacity;
// What the tables here allocate has no guards.
static _Thread_local bool is_inside __attribute__((tls_model("initial-exec")));

static void enter(void)
{
    REAL(pthread_mutex_lock)(&mutex);
    is_inside = true;
}

static void leave(void)
{
    is_inside = false;
    REAL(pthread_mutex_unlock)(&mutex);
}

static void leave_in_child(void)
{
    is_inside = false;
    pthread_mutex_init(&mutex, NULL);
}

void wm_host_heap_begin(void)
{
    pthread_atfork(enter, leave, leave_in_child);
    wm_host_heap_is_checked = true;
}

// Room for the item of index `needed`. False without memory.
static bool make_room(void *items, uint32_t *capacity, uint32_t needed, size_t item_bytes)
{
    void **array = items;
    if (needed < *capacity)
        return true;
    uint32_t larger = needed < 512 ? 1024 : 2 * needed;
    void *moved = __libc_realloc(*array, larger * item_bytes);
    if (moved == NULL)
        return false;
    *array = moved;
    *capacity = larger;
    return true;
}

// --- Bits of bytes ---

static struct page *page_of(uintptr_t address)
{
    uint32_t index = wm_key_table_find(&page_numbers, address / PAGE);
    return index != WM_NO_INDEX ? &pages[index] : NULL;
}

static bool make_pages(uintptr_t begin, size_t bytes)
{
    for (uintptr_t number = begin / PAGE; number <= (begin + bytes - 1) / PAGE; number++) {
        uint32_t before = page_numbers.end;
        uint32_t index = wm_key_table_add(&page_numbers, number);
        if (index == WM_NO_INDEX || !make_room(&pages, &page_capacity, index, sizeof *pages))
            return false;
        if (index == before)
            memset(&pages[index], 0, sizeof *pages);
    }
    return true;
}

// The bits of a word for the bytes from `begin` on, at most to the word's end.
static uint64_t bits_at(uintptr_t begin, size_t bytes, size_t *covered)
{
    size_t first = begin % 64;
    *covered = bytes < 64 - first ? bytes : 64 - first;
    return (*covered == 64 ? ~UINT64_C(0) : (UINT64_C(1) << *covered) - 1) << first;
}

// Of pages that are there.
static void mark(const void *from, size_t bytes, bool kept, bool open)
{
    size_t covered;
    for (uintptr_t at = (uintptr_t)from; bytes > 0; at += covered, bytes -= covered) {
        uint64_t bits = bits_at(at, bytes, &covered);
        struct page *page = page_of(at);
        size_t word = at % PAGE / 64;
        page->kept[word] = kept ? page->kept[word] | bits : page->kept[word] & ~bits;
        page->open[word] = open ? page->open[word] | bits : page->open[word] & ~bits;
    }
}

// The first byte that is kept here and closed; 0 without one.
static uintptr_t find_closed(uintptr_t at, size_t bytes)
{
    for (size_t covered; bytes > 0; at += covered, bytes -= covered) {
        uint64_t bits = bits_at(at, bytes, &covered);
        const struct page *page = page_of(at);
        size_t word = at % PAGE / 64;
        uint64_t closed = page != NULL ? bits & page->kept[word] & ~page->open[word] : 0;
        if (closed != 0)
            return at - at % 64 + (unsigned)__builtin_ctzll(closed);
    }
    return 0;
}

// --- Blocks ---

static bool keep(const struct block *made)
{
    if (!make_pages((uintptr_t)made->whole, made->whole_bytes))
        return false;
    uint32_t index = wm_key_table_add(&block_numbers, (uintptr_t)made->begin);
    if (index == WM_NO_INDEX)
        return false;
    if (!make_room(&blocks, &block_capacity, index, sizeof *blocks)) {
        (void)wm_key_table_remove(&block_numbers, (uintptr_t)made->begin);
        return false;
    }
    blocks[index] = *made;
    mark(made->whole, made->whole_bytes, true, false);
    mark(made->begin, made->bytes, true, true);
    return true;
}

void *wm_host_heap_make(size_t bytes, size_t alignment, const void *code)
{
    size_t before = alignment > GUARD ? alignment : GUARD;
    struct block made = {.bytes = bytes, .made_by = code, .next = WM_NO_INDEX};
    if (bytes > SIZE_MAX / 2 || before > SIZE_MAX / 4)
        return NULL;
    made.whole_bytes = before + bytes + GUARD;
    if (is_inside)
        return __libc_memalign(alignment, bytes);
    made.whole = __libc_memalign(alignment, made.whole_bytes);
    if (made.whole == NULL)
        return NULL;
    made.begin = made.whole + before;
    enter();
    bool kept = keep(&made);
    leave();
    if (kept)
        return made.begin;
    __libc_free(made.whole);
    return NULL;
}

// Those that were freed first go back to the C library.
static void give_back(void)
{
    while (freed_bytes > FREED_BYTES) {
        struct block *block = &blocks[first_freed];
        first_freed = block->next;
        if (first_freed == WM_NO_INDEX)
            last_freed = WM_NO_INDEX;
        freed_bytes -= block->whole_bytes;
        mark(block->whole, block->whole_bytes, false, false);
        (void)wm_key_table_remove(&block_numbers, (uintptr_t)block->begin);
        __libc_free(block->whole);
    }
}

static void put_in_line(uint32_t index)
{
    struct block *block = &blocks[index];
    block->next = WM_NO_INDEX;
    if (last_freed == WM_NO_INDEX)
        first_freed = index;
    else
        blocks[last_freed].next = index;
    last_freed = index;
    freed_bytes += block->whole_bytes;
}

static void note(const struct wm_host_heap_finding *found)
{
    for (uint32_t i = 0; i < finding_count; i++) {
        struct wm_host_heap_finding *finding = &findings[i];
        if (finding->code == found->code && finding->what == found->what &&
            finding->write == found->write) {
            finding->count++;
            return;
        }
    }
    if (make_room(&findings, &finding_capacity, finding_count, sizeof *findings))
        findings[finding_count++] = *found;
}

bool wm_host_heap_free(void *begin, const void *code)
{
    if (is_inside)
        return false;
    enter();
    uint32_t index = wm_key_table_find(&block_numbers, (uintptr_t)begin);
    struct block *block = index != WM_NO_INDEX ? &blocks[index] : NULL;
    if (block != NULL && block->freed_by != NULL) {
        note(&(struct wm_host_heap_finding){.code = code,
                                            .what = WM_HOST_HEAP_FREED_AGAIN,
                                            .write = true,
                                            .block_bytes = block->bytes,
                                            .made_by = block->made_by,
                                            .freed_by = block->freed_by,
                                            .count = 1});
    } else if (block != NULL) {
        block->freed_by = code;
        mark(block->begin, block->bytes, true, false);
        put_in_line(index);
        give_back();
    }
    leave();
    return block != NULL;
}

size_t wm_host_heap_size(const void *begin)
{
    size_t bytes = WM_HOST_NO_BLOCK;
    if (is_inside)
        return bytes;
    enter();
    uint32_t index = wm_key_table_find(&block_numbers, (uintptr_t)begin);
    if (index != WM_NO_INDEX)
        bytes = blocks[index].bytes;
    leave();
    return bytes;
}

// --- Accesses ---

// The block that the address is in, or in whose guards. Seldom: of what is found the first time.
static const struct block *block_around(uintptr_t address)
{
    for (uint32_t i = 0; i < block_numbers.end; i++) {
        const struct block *block = &blocks[i];
        if (address - (uintptr_t)block->whole < block->whole_bytes &&
            wm_key_table_find(&block_numbers, (uintptr_t)block->begin) == i)
            return block;
    }
    return NULL;
}

static void note_access(uintptr_t address, uintptr_t closed, size_t bytes, bool write,
                        const void *code)
{
    const struct block *block = block_around(closed);
    if (block == NULL)
        return;
    bool freed = closed - (uintptr_t)block->begin < block->bytes;
    note(&(struct wm_host_heap_finding){
        .code = code,
        .what = freed ? WM_HOST_HEAP_FREED : WM_HOST_HEAP_BEYOND,
        .write = write,
        .offset = (int64_t)(address - (uintptr_t)block->begin),
        .bytes = bytes,
        .block_bytes = block->bytes,
        .made_by = block->made_by,
        .freed_by = block->freed_by,
        .count = 1,
    });
}

void wm_host_heap_check(const volatile void *address, size_t bytes, bool write, const void *code)
{
    if (is_inside)
        return;
    enter();
    uintptr_t closed = find_closed((uintptr_t)address, bytes);
    if (closed != 0)
        note_access((uintptr_t)address, closed, bytes, write, code);
    leave();
}

EXPORTED void wm_host_heap_findings(void (*visit)(void *context,
                                                  const struct wm_host_heap_finding *finding),
                                    void *context)
{
    for (uint32_t i = 0; i < finding_count; i++)
        visit(context, &findings[i]);
}
