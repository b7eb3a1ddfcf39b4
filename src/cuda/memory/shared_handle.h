// What the 64 bytes of a handle for other processes say: which file of which process has the memory
// or the event. The other process opens the file through /proc, so nothing is left behind by
// processes that have ended, and a handle is good as long as its maker lives.
#ifndef WM_CUDA_SHARED_HANDLE_H
#define WM_CUDA_SHARED_HANDLE_H

#include "exec/memory/device_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// cudaIpcMemHandle_t, cudaIpcEventHandle_t, cudaMemPoolPtrExportData.
struct wm_shared_handle {
    char bytes[64];
};

struct wm_shared_object {
    char maker[8];
    pid_t process;
    int file;      // of that process
    uint64_t node; // the file's number, by which it is known again
    uint64_t offset, size_bytes;
};
_Static_assert(sizeof(struct wm_shared_object) <= sizeof(struct wm_shared_handle), "all fits");

// False when the host does not know the file.
bool wm_shared_handle_fill(struct wm_shared_handle *handle, const struct wm_shared_place *place);
// False for what no function of ours has filled.
bool wm_shared_handle_read(const struct wm_shared_handle *handle, struct wm_shared_object *object);
// Whether an open file is what another process shares: "memory" of its allocations, "physical"
// memory, an "event".
bool wm_shared_file_is(int file, const char *kind);
// The number of an open file; 0 when the host does not know it.
uint64_t wm_shared_file_node(int file);
// A descriptor of this process for the object's file, which the caller closes. -1 when the process
// that made it has ended, has closed it, or is another user's: then `reason` says so.
int wm_shared_object_open(const struct wm_shared_object *object, char *reason, size_t size);

#endif
