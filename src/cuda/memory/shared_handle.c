#include "cuda/memory/shared_handle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char maker[8] = "warpmem";

uint64_t wm_shared_file_node(int file)
{
    struct stat facts;
    return fstat(file, &facts) == 0 ? facts.st_ino : 0;
}

bool wm_shared_handle_fill(struct wm_shared_handle *handle, const struct wm_shared_place *place)
{
    struct wm_shared_object object = {
        .process = getpid(),
        .file = place->file,
        .node = wm_shared_file_node(place->file),
        .offset = place->offset,
        .size_bytes = place->size_bytes,
    };
    memcpy(object.maker, maker, sizeof maker);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &object, sizeof object);
    return object.node != 0;
}

bool wm_shared_handle_read(const struct wm_shared_handle *handle, struct wm_shared_object *object)
{
    memcpy(object, handle, sizeof *object);
    return memcmp(object->maker, maker, sizeof maker) == 0;
}

// 1 for a file whose name begins so, 0 for another one, -1 for none.
static int has_name(const char *path, const char *kind)
{
    char name[64], wanted[64];
    size_t wanted_length =
        (size_t)snprintf(wanted, sizeof wanted, "/memfd:warpmem-shared-%s", kind);
    ssize_t length = readlink(path, name, sizeof name);
    if (length < 0)
        return -1;
    return (size_t)length >= wanted_length && memcmp(name, wanted, wanted_length) == 0;
}

bool wm_shared_file_is(int file, const char *kind)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return has_name(path, kind) == 1;
}

// Nothing but a file of ours is opened: the number may be another one's by now.
static int open_ours(const char *path)
{
    int ours = has_name(path, "");
    if (ours == 0)
        errno = ENOENT;
    return ours == 1 ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

int wm_shared_object_open(const struct wm_shared_object *object, char *reason, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)object->process, object->file);
    int file = open_ours(path);
    if (file >= 0 && wm_shared_file_node(file) == object->node)
        return file;
    if (file >= 0) {
        close(file);
        errno = ENOENT;
    }
    if (errno == ENOENT)
        snprintf(reason, size, "process %ld has ended, or has freed it", (long)object->process);
    else
        snprintf(reason, size, "process %ld: %s", (long)object->process, strerror(errno));
    return -1;
}
