#include "study/picture/picture.h"

#include "machine/machine_dram.h"
#include "study/picture/box_words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Columns: what accesses pass first at the left, a rail and what hangs from it at the right.
enum {
    LEFT_WIDTH = 40,
    TRUNK = 4, // of the left boxes' wires
    RAIL = 42,
    RIGHT = 45,
};

struct layout {
    const struct wm_drawn_machine *drawn;
    struct wm_picture *picture;
    bool has_network; // it is drawn
};

enum wm_status wm_drawn_machine_of(const struct wm_machine *machine, struct wm_drawn_machine *drawn,
                                   struct wm_error *error)
{
    struct wm_dram_channel_spec channel;
    WM_TRY(wm_machine_dram_channel(machine, &channel, error));
    drawn->machine = machine;
    drawn->memory_bytes_per_second = wm_dram_channel_peak(&channel) * machine->memory.dram.channels;
    wm_memory_graph_make(&machine->memory, "gpu0", &drawn->graph);
    return WM_OK;
}

// --- Boxes, wires and labels ---

// A box without words, of a height that wm_box_finish sets.
static struct wm_picture_box *open_box(struct layout *layout, uint32_t x, uint32_t y,
                                       uint32_t width)
{
    struct wm_picture *picture = layout->picture;
    assert(picture->box_count < WM_PICTURE_BOXES);
    struct wm_picture_box *box = &picture->boxes[picture->box_count++];
    *box = (struct wm_picture_box){.x = x, .y = y, .width = width, .line_count = 1};
    return box;
}

static void wire(struct layout *layout, uint32_t x, uint32_t y, uint32_t to_x, uint32_t to_y)
{
    struct wm_picture *picture = layout->picture;
    assert(picture->wire_count < WM_PICTURE_WIRES);
    picture->wires[picture->wire_count++] = (struct wm_picture_wire){x, y, to_x, to_y};
}

static void label(struct layout *layout, uint32_t x, uint32_t y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void label(struct layout *layout, uint32_t x, uint32_t y, const char *format, ...)
{
    struct wm_picture *picture = layout->picture;
    assert(picture->label_count < WM_PICTURE_WIRES);
    struct wm_picture_label *added = &picture->labels[picture->label_count++];
    va_list arguments;
    added->x = x;
    added->y = y;
    va_start(arguments, format);
    vsnprintf(added->text, sizeof added->text, format, arguments);
    va_end(arguments);
}

static const struct wm_memory_link *link_between(const struct layout *layout, uint32_t from,
                                                 uint32_t to)
{
    const struct wm_memory_graph *graph = &layout->drawn->graph;
    for (uint32_t i = 0; i < graph->link_count; i++)
        if (graph->links[i].from == from && graph->links[i].to == to)
            return &graph->links[i];
    return NULL;
}

static double peak(const struct layout *layout, const struct wm_memory_link *link)
{
    return wm_memory_link_peak(link, layout->drawn->machine->device.clock_hz);
}

// --- Sections: units, and what is below them ---

enum {
    MOST_CHAINS = WM_MEMORY_GRAPH_COMPONENTS,
    RAIL_ROOM = 3,
    MOST_RAILS = 3, // that there is room for
};

// What hangs beside the spine: from a component that units reach to the last one before `target`,
// on the spine, or before none.
struct chain {
    uint32_t first, last, target;
    bool told; // where its misses go is said in words: it lies where no line leads
};

// From units down: the spine is what data accesses pass, at the left; beside it lie chains, on a
// rail that leads from the units to where they join the spine. What a rail joins, and what has a
// part beside it, is a boundary: between two of them lies a region, where one rail has chains.
// Rails of regions further down pass at the right.
struct section {
    struct layout *layout;
    uint32_t units;
    uint32_t spine[WM_MEMORY_GRAPH_COMPONENTS + 1], spine_count; // without its last one, the target
    struct chain chains[MOST_CHAINS];
    uint32_t chain_count;
    uint32_t width;       // of all of it
    uint32_t last;        // drawn last on the spine
    uint32_t units_row;   // the last of the units' box
    uint32_t trunk;       // the last row of what the spine's line leads on from
    uint32_t left, right; // free rows
    bool crossed;         // the interconnect is drawn right above what comes next
};

static const struct wm_memory_graph *graph_of(const struct section *section)
{
    return &section->layout->drawn->graph;
}

// The interconnect, which all that goes through it shares: it is drawn once.
static void fill_network(struct layout *layout, struct wm_picture_box *box,
                         const struct wm_memory_link *link)
{
    wm_box_fill_network(layout->drawn, box, link);
    layout->has_network = true;
}

static bool crosses_network(const struct section *section, uint32_t from, uint32_t to)
{
    const struct wm_memory_link *link = link_between(section->layout, from, to);
    return link != NULL && link->topology != WM_LINK_WIRE && !section->layout->has_network;
}

// What `ports` ports of the interconnect carry.
static void label_ports(struct layout *layout, const struct wm_memory_link *of, uint32_t y,
                        uint32_t ports)
{
    struct wm_memory_link link = *of;
    char rate[WM_NUMBER_BYTES];
    link.ports_above = link.ports_below = ports;
    label(layout, TRUNK + 2, y, "%s each way", wm_rate_text(peak(layout, &link), rate));
}

// What the line from the last one on the spine to the next carries.
static void label_trunk(struct section *section, uint32_t next)
{
    struct layout *layout = section->layout;
    const struct wm_memory_graph *graph = graph_of(section);
    const struct wm_memory_link *link = link_between(layout, section->last, next);
    char number[WM_NUMBER_BYTES], rate[WM_NUMBER_BYTES];
    uint32_t row = section->trunk + 1;
    if (next == graph->memory)
        label(layout, TRUNK + 2, row, "%s",
              wm_rate_text(layout->drawn->memory_bytes_per_second, rate));
    else if (section->last == section->units && link != NULL && link->bytes_per_cycle != 0)
        label(layout, TRUNK + 2, row, "%s a cycle each, %s",
              wm_bytes_text(link->bytes_per_cycle, number), wm_rate_text(peak(layout, link), rate));
}

// The spine's line goes on to the row where what is next begins, through the interconnect if it
// leads there. Returns that row.
static uint32_t reach(struct section *section, uint32_t next, uint32_t width)
{
    struct layout *layout = section->layout;
    uint32_t y = section->left + 1;
    bool is_wide = width > LEFT_WIDTH;
    if (is_wide && section->right > y)
        y = section->right;
    section->crossed = crosses_network(section, section->last, next);
    if (section->crossed) {
        const struct wm_memory_link *link = link_between(layout, section->last, next);
        wire(layout, TRUNK, section->trunk, TRUNK, y);
        label_ports(layout, link, section->trunk + 1, link->ports_above);
        struct wm_picture_box *box = open_box(layout, 0, y, width);
        fill_network(layout, box, link);
        section->left = wm_box_finish(box);
        section->trunk = section->left - 1;
        label_ports(layout, link, section->left, link->ports_below);
        y = section->left + 1;
    } else {
        label_trunk(section, next);
    }
    wire(layout, TRUNK, section->trunk, TRUNK, y);
    return y;
}

static bool is_joined(const struct section *section, uint32_t component)
{
    for (uint32_t i = 0; i < section->chain_count; i++)
        if (section->chains[i].target == component)
            return true;
    return false;
}

static uint32_t buffer_of(const struct section *section, uint32_t component)
{
    const struct wm_memory_graph *graph = graph_of(section);
    const struct wm_memory_component *it = &graph->components[component];
    return it->kind == WM_COMPONENT_LEVEL ? graph->atomic_buffers[it->level] : WM_NO_COMPONENT;
}

// The next one of the spine, `width` wide with what is beside it.
static void draw_on_spine(struct section *section, uint32_t component, uint32_t y, uint32_t width)
{
    struct layout *layout = section->layout;
    uint32_t buffer = buffer_of(section, component);
    uint32_t own = width;
    if (buffer != WM_NO_COMPONENT) // a rail that ends there ends in the box
        own = is_joined(section, component) && !section->crossed ? RAIL + 2 : LEFT_WIDTH;
    struct wm_picture_box *box = open_box(layout, 0, y, own);
    wm_box_fill(layout->drawn, box, component);
    section->left = wm_box_finish(box);
    section->trunk = section->left - 1;
    section->last = component;
    if (section->right < section->left && width > LEFT_WIDTH)
        section->right = section->left;
    if (buffer == WM_NO_COMPONENT)
        return;
    struct wm_picture_box *beside = open_box(layout, RIGHT, y, width - RIGHT);
    wire(layout, own - 1, y + 1, RIGHT, y + 1);
    wm_box_fill(layout->drawn, beside, buffer);
    section->right = wm_box_finish(beside);
}

// --- What hangs on a rail ---

// Where boxes of chains lie: from RIGHT on, and the rail at their left, or, where it passes the
// region, at their right.
struct column {
    uint32_t rail, end; // the column behind the boxes
    uint32_t last;      // row of the rail; 0: nothing hangs there
};

static void hang(struct section *section, struct column *column, uint32_t y)
{
    bool at_left = column->rail < RIGHT;
    wire(section->layout, at_left ? column->rail : column->end - 1, y + 1,
         at_left ? RIGHT : column->rail, y + 1);
    column->last = y + 1;
}

// A box of a chain, below the one before. NULL: the first.
static struct wm_picture_box *chain_box(struct section *section, const struct column *column,
                                        struct wm_picture_box *before)
{
    uint32_t y = section->right;
    if (before != NULL) {
        y = wm_box_finish(before);
        wire(section->layout, RIGHT + TRUNK, y - 1, RIGHT + TRUNK, y + 1);
        y++;
    }
    return open_box(section->layout, RIGHT, y, column->end - RIGHT);
}

// Boxes of one chain, the first of which hangs on the rail, and the last, where it goes on. Unless
// the spine does, it crosses the interconnect on its way.
static void hang_chain(struct section *section, const struct chain *chain, struct column *column,
                       bool spine_crosses)
{
    struct layout *layout = section->layout;
    const struct wm_memory_graph *graph = graph_of(section);
    struct wm_picture_box *box = NULL;
    char rate[WM_NUMBER_BYTES];
    for (uint32_t at = chain->first, below;; at = below) {
        const struct wm_memory_link *link = link_between(layout, section->units, at);
        box = chain_box(section, column, box);
        wm_box_fill(layout->drawn, box, at);
        if (link != NULL && link->bytes_per_cycle != 0)
            wm_box_add(box, "%s from the %ss", wm_rate_text(peak(layout, link), rate),
                       wm_unit_word(layout->drawn, graph->components[section->units].place));
        if (at == chain->first)
            hang(section, column, box->y);
        below = graph->components[at].below;
        bool is_last = at == chain->last;
        if (below != WM_NO_COMPONENT && crosses_network(section, at, below) &&
            !(is_last && spine_crosses)) {
            box = chain_box(section, column, box);
            fill_network(layout, box, link_between(layout, at, below));
        }
        if (is_last)
            break;
    }
    uint32_t below = graph->components[chain->last].below;
    wm_box_next_line(box);
    if (chain->told && below != WM_NO_COMPONENT)
        wm_box_add(box, "below: %s", graph->components[below].title);
    if (chain->target != WM_NO_COMPONENT && column->last != box->y + 1)
        hang(section, column, box->y);
    section->right = wm_box_finish(box);
}

static bool joins_nothing(const struct section *section)
{
    return is_joined(section, WM_NO_COMPONENT);
}

// All chains of the spine's one at `end`, and, in the first region, those that join nothing.
static void hang_chains(struct section *section, uint32_t end, bool is_first, struct column *column)
{
    uint32_t target = section->spine[end],
             before = end > 0 ? section->spine[end - 1] : section->units;
    bool spine_crosses = crosses_network(section, before, target);
    for (uint32_t i = 0; i < section->chain_count; i++) {
        const struct chain *chain = &section->chains[i];
        if (chain->target == target || (is_first && chain->target == WM_NO_COMPONENT))
            hang_chain(section, chain, column, spine_crosses && chain->target == target);
    }
}

// --- From top to bottom ---

static bool is_on_spine(const struct section *section, uint32_t component)
{
    for (uint32_t i = 0; i <= section->spine_count; i++)
        if (section->spine[i] == component)
            return true;
    return false;
}

// What of the units is not on the spine: chains that end there, or where one was before. What is
// among `others` is drawn elsewhere.
static void find_chains(struct section *section, uint64_t others)
{
    const struct wm_memory_graph *graph = graph_of(section);
    uint32_t rails = 0;
    for (uint32_t i = 0; i < graph->link_count; i++) {
        uint32_t first = graph->links[i].to, at = first, last = first;
        if (graph->links[i].from != section->units || is_on_spine(section, first) ||
            (others >> first & 1))
            continue;
        for (; at != WM_NO_COMPONENT && !is_on_spine(section, at) && !(others >> at & 1);
             at = graph->components[at].below) {
            others |= UINT64_C(1) << at;
            last = at;
        }
        bool joins = at != WM_NO_COMPONENT && is_on_spine(section, at) &&
                     (is_joined(section, at) || rails < MOST_RAILS);
        rails += joins && !is_joined(section, at);
        section->chains[section->chain_count++] = (struct chain){
            .first = first, .last = last, .target = joins ? at : WM_NO_COMPONENT, .told = !joins};
    }
}

static bool is_boundary(const struct section *section, uint32_t index)
{
    uint32_t component = section->spine[index];
    return is_joined(section, component) || buffer_of(section, component) != WM_NO_COMPONENT;
}

// Rails that pass a region that ends before `index`.
static uint32_t rails_behind(const struct section *section, uint32_t index)
{
    uint32_t count = 0;
    for (uint32_t i = index; i <= section->spine_count; i++)
        count += is_joined(section, section->spine[i]);
    return count;
}

// From one of the spine to the boundary at `end`, and that too if it is not the target, which is
// left to draw at the row that is returned.
static uint32_t draw_region(struct section *section, uint32_t begin, uint32_t end, bool is_first)
{
    struct layout *layout = section->layout;
    const struct wm_memory_graph *graph = graph_of(section);
    uint32_t width = section->width - RAIL_ROOM * rails_behind(section, end + 1);
    uint32_t target = section->spine[end];
    struct column column = {.rail = is_first ? RAIL : width - 2,
                            .end = is_first ? width : width - 2 - RAIL_ROOM};
    bool hangs = is_joined(section, target) || (is_first && joins_nothing(section));
    if (section->right < section->left + 1)
        section->right = section->left + 1;
    hang_chains(section, end, is_first, &column);
    for (uint32_t i = begin; i < end; i++) {
        bool of_all = graph->components[section->spine[i]].units_each == 0 &&
                      graph->components[section->spine[i]].kind == WM_COMPONENT_LEVEL;
        bool beside = hangs && is_joined(section, target);
        uint32_t own = of_all && !beside ? width : LEFT_WIDTH;
        uint32_t y = reach(section, section->spine[i], own);
        draw_on_spine(section, section->spine[i], y, own);
    }
    uint32_t network = layout->picture->box_count;
    uint32_t y = reach(section, target, width);
    if (is_joined(section, target))
        column.last = section->crossed ? layout->picture->boxes[network].y : y;
    if (column.last != 0)
        wire(layout, column.rail, section->units_row, column.rail, column.last);
    if (end < section->spine_count)
        draw_on_spine(section, target, y, width);
    return y;
}

// Returns the row where the target is to be drawn.
static uint32_t draw_section(struct section *section, uint32_t y)
{
    struct layout *layout = section->layout;
    struct wm_picture_box *box = open_box(layout, 0, y, section->width);
    wm_box_fill(layout->drawn, box, section->units);
    section->left = section->right = wm_box_finish(box);
    section->trunk = section->units_row = section->left - 1;
    section->last = section->units;
    for (uint32_t begin = 0, end; begin <= section->spine_count; begin = end + 1) {
        for (end = begin; end < section->spine_count && !is_boundary(section, end);)
            end++;
        y = draw_region(section, begin, end, begin == 0);
    }
    return y;
}

// The units' spine down to the first of the targets, and the chains beside it.
static struct section section_of(struct layout *layout, uint32_t units, uint64_t targets,
                                 uint64_t others)
{
    const struct wm_memory_graph *graph = &layout->drawn->graph;
    struct section section = {.layout = layout, .units = units};
    uint32_t at = graph->memory;
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const struct wm_memory_component *to = &graph->components[graph->links[i].to];
        bool is_way =
            to->kind == WM_COMPONENT_MEMORY ||
            (to->kind == WM_COMPONENT_LEVEL && (to->serves == 0 || (to->serves & WM_SERVES_DATA)));
        if (graph->links[i].from == units && is_way)
            at = graph->links[i].to;
    }
    for (; !(targets >> at & 1); at = graph->components[at].below)
        section.spine[section.spine_count++] = at;
    section.spine[section.spine_count] = at;
    find_chains(&section, others | (targets & ~(UINT64_C(1) << at)));
    return section;
}

static uint64_t spine_of(const struct section *section)
{
    uint64_t spine = 0;
    for (uint32_t i = 0; i <= section->spine_count; i++)
        spine |= UINT64_C(1) << section->spine[i];
    return spine;
}

// All that the section draws, but its units.
static uint64_t drawn_by(const struct section *section)
{
    uint64_t drawn = spine_of(section);
    for (uint32_t i = 0; i < section->chain_count; i++) {
        uint32_t at = section->chains[i].first;
        for (; at != section->chains[i].last; at = graph_of(section)->components[at].below)
            drawn |= UINT64_C(1) << at;
        drawn |= UINT64_C(1) << at;
    }
    return drawn;
}

static bool has_right(const struct section *section)
{
    bool has = section->chain_count != 0;
    for (uint32_t i = 0; i <= section->spine_count; i++)
        has = has || buffer_of(section, section->spine[i]) != WM_NO_COMPONENT;
    return has;
}

void wm_picture_lay_out(const struct wm_drawn_machine *drawn, struct wm_picture *picture)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    struct layout layout = {.drawn = drawn, .picture = picture};
    uint64_t shared = UINT64_C(1) << graph->memory, of_cores = 0;
    bool two = graph->cores != WM_NO_COMPONENT;
    memset(picture, 0, sizeof *picture);
    if (two) { // what is on both ways to memory is drawn behind them, what cores reach with them
        const struct section sms = section_of(&layout, graph->units, shared, 0);
        const struct section cores = section_of(&layout, graph->cores, shared, 0);
        shared = spine_of(&sms) & spine_of(&cores);
        of_cores = drawn_by(&cores) & ~spine_of(&sms);
    }
    struct section section = section_of(&layout, graph->units, shared, of_cores);
    picture->width = two || has_right(&section) ? WM_PICTURE_WIDTH : LEFT_WIDTH;
    section.width = picture->width;
    uint32_t y = draw_section(&section, 0), passing = y;
    if (two) { // the SMs' line goes round the cores
        wire(&layout, TRUNK, y, picture->width - 2, y);
        section = section_of(&layout, graph->cores, shared, drawn_by(&section));
        section.width = picture->width - RAIL_ROOM;
        y = draw_section(&section, y + 2);
        wire(&layout, picture->width - 2, passing, picture->width - 2, y);
    }
    uint32_t first = section.spine[section.spine_count];
    for (uint32_t at = first;; at = graph->components[at].below) {
        if (at != first)
            y = reach(&section, at, picture->width);
        draw_on_spine(&section, at, y, picture->width);
        if (at == graph->memory)
            break;
    }
    picture->height = section.left > section.right ? section.left : section.right;
}
