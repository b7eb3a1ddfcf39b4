// Virtual memory of the device, as the driver API manages it (CUDA Driver API, "Virtual Memory
// Management"): addresses are reserved, physical memory is created, and mappings put the one behind
// the other. A mapping that was given access is a record of device memory, as any allocation is.
//
// Reservations lie in a range of their own above all other allocations. Physical memory is one file
// in the host's memory, which is mapped to the host's addresses of the same number: memory that is
// mapped twice is the same bytes at both addresses, for kernels and for copies.
//
// Thread rules: those of device memory.
#ifndef WM_EXEC_MEMORY_VIRTUAL_MEMORY_H
#define WM_EXEC_MEMORY_VIRTUAL_MEMORY_H

#include "exec/memory/device_memory.h"

// The first reserved address, unless the machine's memory reaches beyond.
#define WM_RESERVED_BASE UINT64_C(0x280000000000)
// Of sizes and addresses of mappings: the 2 MiB that CUDA's devices report.
#define WM_MAPPING_GRANULARITY (UINT64_C(1) << 21)

// The numbers are CUmemAccess_flags'.
enum wm_mapping_access {
    WM_MAPPING_NO_ACCESS = 0,
    WM_MAPPING_READ = 1,
    WM_MAPPING_READ_WRITE = 3,
};

struct wm_reservation {
    uint64_t address, size_bytes;
    char label[64]; // "cuMemAddressReserve #2"
};

struct wm_physical_memory {
    uint64_t handle; // from 1, never used again
    uint64_t size_bytes;
    uint64_t offset;     // in the file of all physical memory; multiple of the granularity
    int file;            // its own, from the first byte, when processes share it; else -1
    bool imported;       // another process's: takes no capacity here
    uint32_t references; // of the program's to the handle
    uint32_t mappings;   // it goes when both are none
    char label[64];      // "cuMemCreate #3"
    // The caller's: kinds of handles for other processes that were requested, and by which call.
    uint32_t shareable, call;
};

struct wm_mapping {
    uint64_t address, size_bytes;
    uint64_t handle; // of the physical memory behind it, from its first byte
    enum wm_mapping_access access;
};

struct wm_virtual_memory;

// For device memory, which owns it. `end` is the first address beyond all other allocations.
struct wm_virtual_memory *wm_virtual_memory_new(struct wm_device_memory *memory, uint64_t end);
void wm_virtual_memory_free(struct wm_virtual_memory *self);

// Reserves addresses: at `hint` when it is free and aligned, else first fit. Sizes and `hint` are
// multiples of the host's page, `alignment` is a power of two, or 0. WM_INVALID, WM_NO_MEMORY.
enum wm_status wm_virtual_reserve(struct wm_virtual_memory *self, uint64_t size_bytes,
                                  uint64_t alignment, uint64_t hint, const char *label,
                                  uint64_t *address, struct wm_error *error);
// Gives a whole reservation back. WM_INVALID for anything else, and while something is mapped.
enum wm_status wm_virtual_unreserve(struct wm_virtual_memory *self, uint64_t address,
                                    uint64_t size_bytes, struct wm_error *error);

// Creates physical memory that is zero, with one reference. It takes capacity of the device. What
// it returns stays in place until the next one is created.
enum wm_status wm_virtual_create(struct wm_virtual_memory *self, uint64_t size_bytes,
                                 const char *label, struct wm_physical_memory **created,
                                 struct wm_error *error);
// The same for memory that other processes may import by its file, `(*created)->file`: it lives as
// long as any process has the file open or mapped.
enum wm_status wm_virtual_create_shared(struct wm_virtual_memory *self, uint64_t size_bytes,
                                        const char *label, struct wm_physical_memory **created,
                                        struct wm_error *error);
// Another process's file as physical memory of this one, with one reference. `file` is borrowed.
enum wm_status wm_virtual_import(struct wm_virtual_memory *self, int file, const char *label,
                                 struct wm_physical_memory **imported, struct wm_error *error);
// NULL when it is unknown, or has gone.
const struct wm_physical_memory *wm_virtual_physical(const struct wm_virtual_memory *self,
                                                     uint64_t handle);
// One more reference, and one less: WM_INVALID when there is none.
enum wm_status wm_virtual_retain(struct wm_virtual_memory *self, uint64_t handle,
                                 struct wm_error *error);
enum wm_status wm_virtual_release(struct wm_virtual_memory *self, uint64_t handle,
                                  struct wm_error *error);

// Puts the first `size_bytes` of physical memory behind reserved addresses that have none. Nothing
// has access to it yet.
enum wm_status wm_virtual_map(struct wm_virtual_memory *self, uint64_t address, uint64_t size_bytes,
                              uint64_t handle, struct wm_error *error);
// Whether the range is one or more whole mappings without a gap: what the two below require.
bool wm_virtual_is_whole(const struct wm_virtual_memory *self, uint64_t address,
                         uint64_t size_bytes);
enum wm_status wm_virtual_unmap(struct wm_virtual_memory *self, uint64_t address,
                                uint64_t size_bytes, struct wm_error *error);
enum wm_status wm_virtual_set_access(struct wm_virtual_memory *self, uint64_t address,
                                     uint64_t size_bytes, enum wm_mapping_access access,
                                     struct wm_error *error);

// The mapping, and the reservation, that hold an address; or NULL.
const struct wm_mapping *wm_virtual_mapping_of(const struct wm_virtual_memory *self,
                                               uint64_t address);
const struct wm_reservation *wm_virtual_reservation_of(const struct wm_virtual_memory *self,
                                                       uint64_t address);
// In order of address; in order of creation.
const struct wm_mapping *wm_virtual_mappings(const struct wm_virtual_memory *self, uint32_t *count);
const struct wm_physical_memory *wm_virtual_physicals(const struct wm_virtual_memory *self,
                                                      uint32_t *count);
// Whether the address is, or was, one of a reservation.
bool wm_virtual_owns(const struct wm_virtual_memory *self, uint64_t address);

// One name for each byte, however often it is mapped: of a mapped address, a number beyond all
// addresses of other allocations; of every other address, that address. `bytes` is cut to what lies
// in the same mapping.
uint64_t wm_virtual_canonical(const struct wm_virtual_memory *self, uint64_t address,
                              uint64_t *bytes);
uint64_t wm_virtual_canonical_of(const struct wm_virtual_memory *self,
                                 const struct wm_physical_memory *physical);

// Drops everything: mappings, physical memory, reservations.
void wm_virtual_reset(struct wm_virtual_memory *self);

#endif
