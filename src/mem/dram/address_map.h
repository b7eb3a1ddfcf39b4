// Where a byte of a channel lies: address bits to rank, bank group, bank, row and column.
// Private to mem/dram/.
#ifndef WM_MEM_DRAM_ADDRESS_MAP_H
#define WM_MEM_DRAM_ADDRESS_MAP_H

#include "mem/dram/dram_spec.h"

enum wm_dram_field {
    WM_DRAM_RANK,
    WM_DRAM_BANK_GROUP,
    WM_DRAM_BANK,
    WM_DRAM_ROW,
    WM_DRAM_COLUMN,
    WM_DRAM_FIELDS,
};

enum { WM_DRAM_MAP_PIECES = 16 };

// `mask` bits of the burst number from `shift` on go to bit `to` of their field.
struct wm_dram_piece {
    uint32_t shift, to;
    uint64_t mask;
    enum wm_dram_field field;
};

struct wm_dram_map {
    uint32_t burst_shift; // of an address: its burst number
    uint32_t count;
    struct wm_dram_piece pieces[WM_DRAM_MAP_PIECES];
    uint32_t group_bits; // low row bits for the bank group's hash; the bank's are those above
    bool is_hashed;
    uint32_t bank_mask, group_mask;
};

struct wm_dram_place {
    uint32_t field[WM_DRAM_FIELDS]; // by enum wm_dram_field
};

// Reads controller.mapping. WM_INVALID, with the text and a hint.
enum wm_status wm_dram_map_init(struct wm_dram_map *map, const struct wm_dram_channel_spec *spec,
                                struct wm_error *error);

static inline struct wm_dram_place wm_dram_map_place(const struct wm_dram_map *map,
                                                     uint64_t address)
{
    struct wm_dram_place place = {{0}};
    uint64_t burst = address >> map->burst_shift;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct wm_dram_piece *piece = &map->pieces[i];
        place.field[piece->field] |= (uint32_t)((burst >> piece->shift & piece->mask) << piece->to);
    }
    if (map->is_hashed) {
        uint32_t row = place.field[WM_DRAM_ROW];
        place.field[WM_DRAM_BANK_GROUP] ^= row & map->group_mask;
        place.field[WM_DRAM_BANK] ^= row >> map->group_bits & map->bank_mask;
    }
    return place;
}

#endif
