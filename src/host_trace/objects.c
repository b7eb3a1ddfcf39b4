#include "host_trace/objects.h"

#include "base/numbers/hash.h"
#include "host_trace/access_word.h"

#include <limits.h>
#include <link.h>
#include <string.h>

// The dynamic linker's own list. dl_iterate_phdr() takes a lock, which a thread without the turn
// may have.
static const struct link_map *first_object(void)
{
    return _r_debug.r_map;
}

// Of the objects that are there; another where one was loaded or has gone.
static uint64_t hash_objects(void)
{
    uint64_t hash = 1;
    for (const struct link_map *object = first_object(); object != NULL; object = object->l_next)
        hash = wm_hash_u64(hash ^ wm_hash_u64(object->l_addr ^ (uintptr_t)object->l_name << 1));
    return hash;
}

bool wm_host_objects_visit(bool (*visit)(void *context, uint64_t moved, const char *path),
                           void *context)
{
    bool good = true;
    for (const struct link_map *object = first_object(); object != NULL && good;
         object = object->l_next)
        good = visit(context, object->l_addr, object->l_name);
    return good;
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

bool wm_host_is_programs_library(const char *path)
{
    static const char *const folders[] = {"/lib/", "/lib32/", "/lib64/", "/usr/"};
    static const char *const names[] = {"libwarpmem", "libcudart.so", "libcuda.so"};
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (begins(path, folders[i]))
            return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (begins(slash + 1, names[i]))
            return false;
    return true;
}

// What takes frames.
struct sink {
    bool (*send)(const void *data, size_t bytes);
};

static bool send_object(void *context, uint64_t moved, const char *path)
{
    static struct {
        uint64_t first, moved;
        char path[PATH_MAX + sizeof(uint64_t)];
    } frame;
    const struct sink *sink = context;
    size_t length = strnlen(path, PATH_MAX);
    uint64_t words = length / sizeof frame.first + 1; // of the path
    frame.first = wm_host_frame_word(WM_HOST_FRAME_OBJECT, 1 + words);
    frame.moved = moved;
    memset(frame.path, 0, sizeof frame.path);
    memcpy(frame.path, path, length);
    return sink->send(&frame, (2 + words) * sizeof frame.first);
}

bool wm_host_objects_send(bool (*send)(const void *data, size_t bytes))
{
    static uint64_t sent;
    struct sink sink = {send};
    uint64_t hash = hash_objects();
    if (hash == sent)
        return true;
    sent = hash;
    return wm_host_objects_visit(send_object, &sink);
}
