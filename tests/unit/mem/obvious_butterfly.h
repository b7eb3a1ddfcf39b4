// A butterfly flit by flit and cycle by cycle: every buffer, port and wire is visited in every
// cycle. What mem/timed/network/butterfly.h does by reckoning.
#ifndef WM_TESTS_OBVIOUS_BUTTERFLY_H
#define WM_TESTS_OBVIOUS_BUTTERFLY_H

#include "mem/timed/network/butterfly.h"

enum { OBVIOUS_STAGES = 5, OBVIOUS_WIDTH = 32, OBVIOUS_PACKETS = 64, OBVIOUS_EVENTS = 4096 };

struct obvious_flits {
    struct wm_packet packet;
    uint32_t come, gone; // of its flits
};

// A buffer at the entry of a stage, and the port that its packets go on by.
struct obvious_buffer {
    struct obvious_flits packets[OBVIOUS_PACKETS];
    uint32_t count;
};

struct obvious_port {
    int32_t from; // the input whose packet it sends, or -1
    uint32_t turn, room;
};

enum obvious_kind { OBVIOUS_FLIT, OBVIOUS_ROOM };

// Something that has happened and is seen in a later cycle.
struct obvious_event {
    uint64_t cycle;
    enum obvious_kind kind;
    uint32_t stage, position;
    struct wm_packet packet; // whose first flit comes; its later ones have none
    bool is_first;
};

struct obvious_butterfly {
    struct wm_butterfly_spec spec;
    uint32_t stages, width;
    uint32_t digits[OBVIOUS_WIDTH][OBVIOUS_STAGES]; // of each position, counted from the left
    struct obvious_buffer buffers[OBVIOUS_STAGES][OBVIOUS_WIDTH];
    struct obvious_port ports[OBVIOUS_STAGES][OBVIOUS_WIDTH];
    struct obvious_event events[OBVIOUS_EVENTS];
    uint32_t event_count;
    // What left, and the credits for senders, in the cycle that has been run.
    struct wm_packet out[OBVIOUS_WIDTH];
    uint32_t out_count;
    struct wm_crossbar_credit credits[OBVIOUS_WIDTH];
    uint32_t credit_count;
};

void obvious_butterfly_init(struct obvious_butterfly *model, const struct wm_butterfly_spec *spec);
// As wm_butterfly_add and wm_butterfly_credit.
void obvious_butterfly_add(struct obvious_butterfly *model, uint32_t sender,
                           const struct wm_packet *packet);
void obvious_butterfly_credit(struct obvious_butterfly *model, uint32_t receiver, uint64_t when);
// Cycle after cycle, each once.
void obvious_butterfly_cycle(struct obvious_butterfly *model, uint64_t cycle);

#endif
