// How the tables write their rows; the file of each defines STATE(name). Private to
// mem/coherence/.
#ifndef WM_MEM_COHERENCE_ROWS_H
#define WM_MEM_COHERENCE_ROWS_H

#include "mem/coherence/coherence.h"

#define IF(fact) WM_COHERENCE_IF_##fact
#define ROW(from, on, when, unless, to, actions, why)                         \
    {                                                                         \
        STATE(from), WM_COHERENCE_##on, STATE(to), when, unless, actions, why \
    }
#define DO0 \
    {       \
        0   \
    }
#define DO1(a)              \
    {                       \
        WM_COHERENCE_DO_##a \
    }
#define DO2(a, b)                                \
    {                                            \
        WM_COHERENCE_DO_##a, WM_COHERENCE_DO_##b \
    }
#define DO3(a, b, c)                                                  \
    {                                                                 \
        WM_COHERENCE_DO_##a, WM_COHERENCE_DO_##b, WM_COHERENCE_DO_##c \
    }

#endif
