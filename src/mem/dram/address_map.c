#include "mem/dram/address_map.h"

#include <string.h>

#define DEFAULT_MAPPING "ro-ba-ra-co-bg"

static const char *const names[WM_DRAM_FIELDS] = {"ra", "bg", "ba", "ro", "co"};

struct reader {
    const struct wm_dram_channel_spec *spec;
    struct wm_dram_map *map;
    struct wm_error *error;
    const char *text;
    uint32_t width[WM_DRAM_FIELDS], left[WM_DRAM_FIELDS]; // of each field, and not yet placed
    bool whole[WM_DRAM_FIELDS];                           // a piece without a width was seen
};

static enum wm_status wrong(const struct reader *reader, const char *why, const char *piece,
                            size_t length)
{
    wm_fail(reader->error, WM_INVALID, "dram mapping \"%s\": \"%.*s\" %s", reader->text,
            (int)length, piece, why);
    return wm_error_hint(reader->error,
                         "name ro, ra, bg, ba and co from the top bit down, with dashes: \"%s\"; a "
                         "width after a name cuts the field (\"co4\"); \"xor\" comes last",
                         DEFAULT_MAPPING);
}

static uint32_t bits_of(uint32_t count)
{
    return count > 1 ? 32 - (uint32_t)__builtin_clz(count - 1) : 0;
}

static void measure(struct reader *reader)
{
    const struct wm_dram_organisation *organisation = &reader->spec->organisation;
    reader->width[WM_DRAM_RANK] = bits_of(organisation->ranks);
    reader->width[WM_DRAM_BANK_GROUP] = bits_of(organisation->bank_groups);
    reader->width[WM_DRAM_BANK] = bits_of(organisation->banks);
    reader->width[WM_DRAM_ROW] = bits_of(organisation->rows);
    reader->width[WM_DRAM_COLUMN] = bits_of(organisation->columns / organisation->burst_length);
    memcpy(reader->left, reader->width, sizeof reader->left);
}

// Pieces from the top down: a field's earlier pieces are its higher bits. Places are relative to
// the top until all widths are known.
static enum wm_status read_piece(struct reader *reader, const char *piece, size_t length)
{
    uint32_t field = 0, width = 0;
    while (field < WM_DRAM_FIELDS && (length < 2 || memcmp(piece, names[field], 2) != 0))
        field++;
    if (field == WM_DRAM_FIELDS)
        return wrong(reader, "is none of the fields", piece, length);
    for (size_t i = 2; i < length; i++) {
        if (piece[i] < '0' || piece[i] > '9' || width > 64)
            return wrong(reader, "has no width in bits after its name", piece, length);
        width = width * 10 + (uint32_t)(piece[i] - '0');
    }
    if (length == 2) {
        if (reader->whole[field])
            return wrong(reader, "comes twice without a width", piece, length);
        reader->whole[field] = true;
    }
    if (reader->map->count == WM_DRAM_MAP_PIECES)
        return wrong(reader, "is one piece too many", piece, length);
    if (width > reader->left[field])
        return wrong(reader, "is wider than what is left of its field", piece, length);
    reader->left[field] -= width;
    // The whole's width is put in place by `place_fields`, marked here by an empty mask.
    reader->map->pieces[reader->map->count++] = (struct wm_dram_piece){
        .field = (enum wm_dram_field)field,
        .mask = length == 2 ? 0 : (UINT64_C(1) << width) - 1,
    };
    return WM_OK;
}

static enum wm_status place_fields(struct reader *reader)
{
    uint32_t shift = 0, to[WM_DRAM_FIELDS] = {0};
    for (uint32_t field = 0; field < WM_DRAM_FIELDS; field++)
        if (reader->left[field] != 0 && !reader->whole[field])
            return wrong(reader, "does not place all its bits", names[field], 2);
    for (uint32_t i = reader->map->count; i-- > 0;) {
        struct wm_dram_piece *piece = &reader->map->pieces[i];
        bool is_rest = piece->mask == 0;
        uint32_t width =
            is_rest ? reader->left[piece->field] : (uint32_t)__builtin_popcountll(piece->mask);
        piece->shift = shift;
        piece->to = to[piece->field];
        // What lies above the top is the row's when that is where it stands: no two rows are one.
        piece->mask = i == 0 && piece->field == WM_DRAM_ROW && piece->to == 0
                          ? UINT32_MAX
                          : (UINT64_C(1) << width) - 1;
        shift += width;
        to[piece->field] += width;
    }
    return WM_OK;
}

enum wm_status wm_dram_map_init(struct wm_dram_map *map, const struct wm_dram_channel_spec *spec,
                                struct wm_error *error)
{
    struct wm_error unread;
    const char *mapping = spec->controller.mapping;
    struct reader reader = {
        .spec = spec,
        .map = map,
        .error = error ? error : &unread,
        .text = mapping[0] ? mapping : DEFAULT_MAPPING,
    };
    *map = (struct wm_dram_map){
        .burst_shift = (uint32_t)__builtin_ctz(wm_dram_burst_bytes(&spec->organisation)),
        .bank_mask = spec->organisation.banks - 1,
        .group_mask = spec->organisation.bank_groups - 1,
    };
    measure(&reader);
    map->group_bits = reader.width[WM_DRAM_BANK_GROUP];
    for (const char *at = reader.text; at != NULL;) {
        const char *dash = strchr(at, '-');
        size_t length = dash ? (size_t)(dash - at) : strlen(at);
        if (length == 3 && memcmp(at, "xor", 3) == 0 && dash == NULL)
            map->is_hashed = true;
        else
            WM_TRY(read_piece(&reader, at, length));
        at = dash ? dash + 1 : NULL;
    }
    return place_fields(&reader);
}
