#include "cuda/driver/driver_assembler.h"

#include "base/containers/array.h"
#include "cuda/image/binary_image.h"

#include <stdlib.h>
#include <string.h>

// CUjit_option: the ones that say something back.
enum {
    JIT_WALL_TIME = 2,
    JIT_INFO_LOG = 3,
    JIT_INFO_LOG_BYTES = 4,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_BYTES = 6,
    JIT_OPTIONS = 35,
};

bool wm_driver_assembler_read(struct wm_driver_assembler *assembler, unsigned count,
                              const int *options, void **values)
{
    if (count > 0 && (!options || !values))
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct wm_driver_log *log =
            options[i] <= JIT_INFO_LOG_BYTES ? &assembler->info : &assembler->wrong;
        if (options[i] < 0 || options[i] >= JIT_OPTIONS)
            return false;
        if (options[i] == JIT_INFO_LOG || options[i] == JIT_ERROR_LOG) {
            log->text = values[i];
        } else if (options[i] == JIT_INFO_LOG_BYTES || options[i] == JIT_ERROR_LOG_BYTES) {
            log->bytes_value = &values[i];
            log->bytes = (unsigned)(uintptr_t)values[i];
        } else if (options[i] == JIT_WALL_TIME) {
            values[i] = NULL; // a float of milliseconds: there is no assembler to be waited for
        }
    }
    return true;
}

static void write_log(const struct wm_driver_log *log, const char *text)
{
    size_t length = strlen(text);
    if (length > 0)
        length++;
    if (length > log->bytes)
        length = log->bytes;
    if (log->text && log->bytes > 0) {
        memcpy(log->text, text, length);
        log->text[length > 0 ? length - 1 : 0] = '\0';
    }
    if (log->bytes_value)
        *log->bytes_value = (void *)(uintptr_t)length;
}

void wm_driver_assembler_log(const struct wm_driver_assembler *assembler,
                             const struct wm_error *error)
{
    char text[sizeof *error + 64] = "";
    if (error->message[0])
        wm_error_format(error, text, sizeof text);
    write_log(&assembler->info, "");
    write_log(&assembler->wrong, text);
}

// The whole file with a NUL after it, as PTX text requires.
wm_cuda_status wm_driver_read_file(const char *path, char **text, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return cudaErrorFileNotFound;
    size_t length = 0, capacity = 0;
    wm_cuda_status status = cudaSuccess;
    bool good;
    *text = NULL;
    do {
        good =
            length <= WM_CUDA_IMAGE_MAX_BYTES && WM_ARRAY_RESERVE(*text, length, capacity, 1 << 16);
        length += good ? fread(*text + length, 1, capacity - length - 1, file) : 0;
    } while (good && length + 1 == capacity);
    if (!good) {
        free(*text);
        *text = NULL;
        status = cudaErrorMemoryAllocation;
    } else if (ferror(file))
        status = cudaErrorOperatingSystem;
    else
        (*text)[length] = '\0';
    *bytes = length;
    fclose(file);
    return status;
}
