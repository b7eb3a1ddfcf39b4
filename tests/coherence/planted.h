// Faults planted in the tables: in each row, each other next state, and each action left out.
#ifndef WM_TESTS_COHERENCE_PLANTED_H
#define WM_TESTS_COHERENCE_PLANTED_H

#include "explorer.h"

#include <stdio.h>

struct fault {
    enum wm_coherence_side side;
    size_t row;
    int next;   // instead of the row's own; -1: as it is
    int action; // the number of the one that is left out; -1: none
};

// All faults of one row, at most `room`; how many.
size_t faults_of(const struct wm_coherence_protocol *protocol, enum wm_coherence_side side,
                 size_t row, struct fault *faults, size_t room);
// "cache E + RFO: M for E", "home owned + GetS: without add".
void fault_name(const struct wm_coherence_protocol *protocol, const struct fault *fault, char *name,
                size_t size);

// The explorer's runs without a fault: which rows each tree reaches.
struct baseline {
    bool reached[WM_COHERENCE_SIDES][MOST_ROWS];
};

// Whether walking `tree` with the fault shows it: something is wrong, or a row that was reached
// without it is not. `how` says which, in at most `size` bytes.
bool fault_is_found(struct explorer *explorer, const struct tree *tree,
                    const struct baseline *baseline, const struct wm_coherence_protocol *protocol,
                    const struct fault *fault, char *how, size_t size);

#endif
