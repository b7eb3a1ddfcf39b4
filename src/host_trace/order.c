#include "host_trace/order.h"

#include "base/numbers/hash.h"
#include "host_trace/access_word.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BUCKETS = 1024,
    WORD_SHIFT = 3,    // atomic variables that lie in one word of 8 bytes are one place
    LOOP_LOADS = 4,    // so many loads of one place, one behind the other, are a loop that waits
    FILTER_BITS = 4096 // of words that were waited for, by a hash
};

// Of a place in memory that an access names, in place of one that a call does.
#define OF_ACCESS (UINT64_C(1) << 63)

// A thread's release of a place: what it had done, and what it knew of others. Some of that it
// waits for with its next access alone: what comes behind the release has to wait for it as well.
struct release {
    struct release *older; // owned
    uint64_t made;
    uint32_t thread, known, extra_count;
    uint64_t clock[]; // by thread, `known` of them; then extra_count pairs of thread and accesses
};

struct place {
    uint64_t key;
    bool used, watched;       // watched: threads have waited for it in a loop
    struct release *releases; // owned; the newest first
};

struct thread {
    uint64_t made;
    // What the thread has waited for, by thread; and with what its next access waits for.
    uint64_t waited[WM_HOST_ORDER_THREADS], known[WM_HOST_ORDER_THREADS];
    bool waits;       // they differ
    uint64_t last;    // access
    uint32_t repeats; // of the same load
};

struct wm_host_order {
    struct thread threads[WM_HOST_ORDER_THREADS];
    uint32_t thread_count; // the highest number so far, plus 1
    struct place *places;  // owned; open addressing
    uint64_t place_count, bucket_count;
    bool watches; // any place
    uint64_t filter[FILTER_BITS / 64];
};

struct wm_host_order *wm_host_order_new(void)
{
    struct wm_host_order *order = calloc(1, sizeof *order);
    if (order == NULL)
        return NULL;
    order->bucket_count = FIRST_BUCKETS;
    order->places = calloc(order->bucket_count, sizeof *order->places);
    if (order->places != NULL)
        return order;
    free(order);
    return NULL;
}

static void free_releases(struct release *release)
{
    while (release != NULL) {
        struct release *older = release->older;
        free(release);
        release = older;
    }
}

void wm_host_order_free(struct wm_host_order *order)
{
    if (order == NULL)
        return;
    for (uint64_t i = 0; i < order->bucket_count; i++)
        free_releases(order->places[i].releases);
    free(order->places);
    free(order);
}

// --- Places ---

static struct place *bucket_of(const struct wm_host_order *order, uint64_t key)
{
    uint64_t at = wm_hash_u64(key) & (order->bucket_count - 1);
    while (order->places[at].used && order->places[at].key != key)
        at = (at + 1) & (order->bucket_count - 1);
    return &order->places[at];
}

static struct place *find(const struct wm_host_order *order, uint64_t key)
{
    struct place *place = bucket_of(order, key);
    return place->used ? place : NULL;
}

static bool grow(struct wm_host_order *order)
{
    struct wm_host_order larger = *order;
    larger.bucket_count *= 2;
    larger.places = calloc(larger.bucket_count, sizeof *larger.places);
    if (larger.places == NULL)
        return false;
    for (uint64_t i = 0; i < order->bucket_count; i++)
        if (order->places[i].used)
            *bucket_of(&larger, order->places[i].key) = order->places[i];
    free(order->places);
    order->places = larger.places;
    order->bucket_count = larger.bucket_count;
    return true;
}

static struct place *get(struct wm_host_order *order, uint64_t key)
{
    struct place *place = find(order, key);
    if (place != NULL)
        return place;
    if (2 * order->place_count >= order->bucket_count && !grow(order))
        return NULL;
    place = bucket_of(order, key);
    *place = (struct place){.key = key, .used = true};
    order->place_count++;
    return place;
}

// --- Meeting ---

static void learn(struct thread *thread, uint32_t awaited, uint64_t accesses)
{
    if (accesses <= thread->known[awaited])
        return;
    thread->known[awaited] = accesses;
    thread->waits = true;
}

// What comes with waiting for another thread's release: that has waited for it.
static void learn_with(struct thread *thread, uint32_t own, const struct release *release)
{
    for (uint32_t i = 0; i < release->known; i++) {
        if (i != own && release->clock[i] >= thread->known[i])
            thread->known[i] = thread->waited[i] = release->clock[i];
    }
}

static void acquire(struct wm_host_order *order, uint32_t number, const struct place *place)
{
    struct thread *thread = &order->threads[number];
    for (const struct release *it = place->releases; it != NULL; it = it->older) {
        if (it->thread == number)
            continue;
        learn(thread, it->thread, it->made);
        learn_with(thread, number, it);
        const uint64_t *extra = it->clock + it->known;
        for (uint32_t i = 0; i < it->extra_count; i++)
            if (extra[2 * i] != number)
                learn(thread, (uint32_t)extra[2 * i], extra[2 * i + 1]);
    }
}

static struct release *new_release(const struct wm_host_order *order, uint32_t number)
{
    const struct thread *thread = &order->threads[number];
    uint32_t known = order->thread_count, extra = 0;
    for (uint32_t i = 0; thread->waits && i < known; i++)
        extra += thread->known[i] > thread->waited[i];
    struct release *made = malloc(sizeof *made + (known + 2 * extra) * sizeof made->clock[0]);
    if (made == NULL)
        return NULL;
    *made = (struct release){
        .made = thread->made, .thread = number, .known = known, .extra_count = extra};
    memcpy(made->clock, thread->waited, known * sizeof made->clock[0]);
    uint64_t *to = made->clock + known;
    for (uint32_t i = 0; thread->waits && i < known; i++) {
        if (thread->known[i] <= thread->waited[i])
            continue;
        *to++ = i;
        *to++ = thread->known[i];
    }
    return made;
}

// Releases that the thread knows of are behind its own.
static void drop_known(const struct thread *thread, uint32_t number, struct place *place, bool all)
{
    for (struct release **at = &place->releases; *at != NULL;) {
        struct release *it = *at;
        if (!all && it->thread != number &&
            (it->made > thread->known[it->thread] || it->extra_count > 0)) {
            at = &it->older;
            continue;
        }
        *at = it->older;
        free(it);
    }
}

static bool release(struct wm_host_order *order, uint32_t number, struct place *place, bool alone)
{
    struct release *made = place != NULL ? new_release(order, number) : NULL;
    if (made == NULL)
        return false;
    drop_known(&order->threads[number], number, place, alone);
    made->older = place->releases;
    place->releases = made;
    return true;
}

static struct thread *enter(struct wm_host_order *order, uint32_t number)
{
    if (number >= order->thread_count)
        order->thread_count = number + 1;
    return &order->threads[number];
}

void wm_host_order_acquire(struct wm_host_order *order, uint32_t thread, uint64_t place)
{
    const struct place *found = find(order, place);
    enter(order, thread);
    if (found != NULL)
        acquire(order, thread, found);
}

bool wm_host_order_release(struct wm_host_order *order, uint32_t thread, uint64_t place)
{
    enter(order, thread);
    return release(order, thread, get(order, place), false);
}

// --- Accesses ---

static uint64_t word_of(uint64_t word)
{
    return wm_host_word_address(word) >> WORD_SHIFT | OF_ACCESS;
}

static bool may_be_watched(const struct wm_host_order *order, uint64_t key)
{
    uint64_t hash = wm_hash_u64(key) % FILTER_BITS;
    return (order->filter[hash / 64] >> hash % 64 & 1) != 0;
}

// Whether accesses of the place order threads.
static bool is_watched(const struct wm_host_order *order, uint64_t key)
{
    const struct place *place =
        order->watches && may_be_watched(order, key) ? find(order, key) : NULL;
    return place != NULL && place->watched;
}

bool wm_host_order_before(struct wm_host_order *order, uint32_t number, uint64_t word)
{
    struct thread *thread = enter(order, number);
    uint64_t key = word_of(word);
    bool reads = !wm_host_word_is_store(word);
    if (reads && (wm_host_word_is_atomic(word) || is_watched(order, key))) {
        const struct place *place = find(order, key);
        if (place != NULL)
            acquire(order, number, place);
    }
    return thread->waits;
}

bool wm_host_order_next_wait(struct wm_host_order *order, uint32_t number, uint32_t *awaited,
                             uint64_t *accesses)
{
    struct thread *thread = &order->threads[number];
    for (uint32_t i = 0; i < order->thread_count; i++) {
        if (thread->known[i] <= thread->waited[i])
            continue;
        *awaited = i;
        *accesses = thread->waited[i] = thread->known[i];
        return true;
    }
    thread->waits = false;
    return false;
}

// A load that comes again and again: the next store there lets the thread go on.
static bool watch(struct wm_host_order *order, uint64_t key)
{
    struct place *place = get(order, key);
    if (place == NULL)
        return false;
    uint64_t hash = wm_hash_u64(key) % FILTER_BITS;
    order->filter[hash / 64] |= UINT64_C(1) << hash % 64;
    place->watched = order->watches = true;
    return true;
}

bool wm_host_order_after(struct wm_host_order *order, uint32_t number, uint64_t word)
{
    struct thread *thread = &order->threads[number];
    uint64_t key = word_of(word);
    bool writes = wm_host_word_is_store(word) || wm_host_word_is_locked(word);
    thread->made++;
    thread->repeats = word == thread->last && !writes ? thread->repeats + 1 : 1;
    thread->last = word;
    if (thread->repeats == LOOP_LOADS && !wm_host_word_is_atomic(word))
        return watch(order, key);
    if (writes && (wm_host_word_is_atomic(word) || is_watched(order, key)))
        return release(order, number, get(order, key), true);
    return true;
}
