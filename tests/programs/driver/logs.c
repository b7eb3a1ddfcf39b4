/* The log of errors, through the driver API. */
#include "driver_api.h"

#ifndef TOOLKIT
typedef enum { CU_LOG_LEVEL_ERROR = 0 } CUlogLevel;
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef void (*CUlogsCallback)(void *, CUlogLevel, char *, size_t);
typedef unsigned CUlogIterator;
CUresult cuLogsRegisterCallback(CUlogsCallback, void *, CUlogsCallbackHandle *);
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle);
CUresult cuLogsCurrent(CUlogIterator *, unsigned);
CUresult cuLogsDumpToFile(CUlogIterator *, const char *, unsigned);
CUresult cuLogsDumpToMemory(CUlogIterator *, char *, size_t *, unsigned);
#endif

static void hear(void *data, CUlogLevel level, char *message, size_t length)
{
    CHECK(level == CU_LOG_LEVEL_ERROR && strlen(message) == length);
    CHECK(strstr(message, "CUDA_ERROR_INVALID_DEVICE"));
    ++*(int *)data;
}

int main(int count, char **arguments)
{
    CUlogIterator start, at;
    CUlogsCallbackHandle handle;
    CUdevice device;
    char text[1024], path[4096];
    size_t size = sizeof text;
    int heard = 0;
    EXPECT(cuLogsCurrent(&start, 0), NOT_INITIALIZED);
    GOOD(cuInit(0));
    GOOD(cuLogsCurrent(&start, 0));
    at = start;
    GOOD(cuLogsRegisterCallback(hear, &heard, &handle));
    EXPECT(cuDeviceGet(&device, 5), INVALID_DEVICE);
    CHECK(heard == 1);
    GOOD(cuLogsUnregisterCallback(handle));
    EXPECT(cuLogsUnregisterCallback(handle), INVALID_VALUE);
    EXPECT(cuDeviceGet(NULL, 0), INVALID_VALUE);
    CHECK(heard == 1);
    GOOD(cuLogsDumpToMemory(&at, text, &size, 0));
    CHECK(size == strlen(text) && at == start + 2);
    CHECK(strstr(text, "CUDA_ERROR_INVALID_DEVICE") && strstr(text, "CUDA_ERROR_INVALID_VALUE"));
    EXPECT(cuLogsDumpToMemory(&at, text, &size, 1), INVALID_VALUE);
    snprintf(path, sizeof path, "%s/driver_log.txt", count > 1 ? arguments[1] : ".");
    at = start;
    GOOD(cuLogsDumpToFile(&at, path, 0));
    FILE *file = fopen(path, "r");
    char again[1024] = "";
    CHECK(file && fread(again, 1, sizeof again - 1, file) == size);
    CHECK(strcmp(again, text) == 0 && at == start + 2);
    if (file)
        fclose(file);
    return verdict();
}
