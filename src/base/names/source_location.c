#include "base/names/source_location.h"

#include <ctype.h>
#include <string.h>

// A folder's name within a path.
struct folder {
    const char *name;
    size_t length;
};

// The folder that ends before `end`; empty at the path's begin.
static struct folder folder_before(const char *path, const char *end)
{
    const char *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    return (struct folder){begin, (size_t)(end - begin)};
}

static bool is_named(struct folder folder, const char *name)
{
    return folder.length == strlen(name) && memcmp(folder.name, name, folder.length) == 0;
}

// "cuda", "cuda-13.0".
static bool is_cuda(struct folder folder)
{
    static const char versioned[] = "cuda-";
    size_t length = sizeof versioned - 1;
    return is_named(folder, "cuda") ||
           (folder.length > length && memcmp(folder.name, versioned, length) == 0 &&
            isdigit((unsigned char)folder.name[length]));
}

bool wm_is_toolkit_file(const char *path)
{
    static const char *const roots[] = {"/usr/include/", "/usr/lib/"};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        if (strncmp(path, roots[i], strlen(roots[i])) == 0)
            return true;
    if (strstr(path, "/warpmem/cuda/") != NULL)
        return true;
    for (const char *at = path; (at = strstr(at, "/include/")) != NULL; at++) {
        struct folder parent = folder_before(path, at);
        struct folder above = {"", 0};
        if (parent.name > path)
            above = folder_before(path, parent.name - 1);
        if (is_cuda(parent) || is_named(above, "targets") || is_named(above, "nvidia"))
            return true;
    }
    return false;
}
