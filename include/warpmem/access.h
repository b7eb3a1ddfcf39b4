// The words for a memory access that warpmem's own code, plug-ins and programs that drive its
// memory system share.
#ifndef WARPMEM_ACCESS_H
#define WARPMEM_ACCESS_H

enum wm_access_kind {
    WM_ACCESS_LOAD,
    WM_ACCESS_STORE,
    WM_ACCESS_ATOMIC,    // read-modify-write that returns the old value
    WM_ACCESS_REDUCTION, // read-modify-write whose old value is not used (red, atom to "_")
};

// Cache operators of PTX ISA 9.7.9.1 and the non-coherent path of ld.global.nc.
enum wm_cache_hint {
    WM_HINT_DEFAULT,   // .ca for loads, .wb for stores
    WM_HINT_L2_ONLY,   // .cg: cache in L2, not L1
    WM_HINT_STREAMING, // .cs: likely used once
    WM_HINT_LAST_USE,  // .lu
    WM_HINT_VOLATILE,  // .cv, ld.volatile: fetch again; stores .wt
    WM_HINT_READ_ONLY, // ld.global.nc
    WM_HINT_NO_L1,     // L1::no_allocate, or the bypass compiler's decision
};

// What an instruction says of how long a cache should keep its lines (PTX ISA 9.7.9.2), at one
// level.
enum wm_eviction_priority {
    WM_EVICT_NORMAL,
    WM_EVICT_FIRST,
    WM_EVICT_LAST,
    WM_EVICT_UNCHANGED,
};

#endif
