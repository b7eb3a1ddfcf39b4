// Device-side assert (private to exec/): a call of __assertfail ends the launch with a finding.
#ifndef WM_EXEC_ASSERTION_H
#define WM_EXEC_ASSERTION_H

#include "exec/interpreter.h"

// Places of the call's arguments in the caller's parameter space.
struct wm_assert_form {
    uint32_t caller, message, file, line, function;
};

wm_op_handler wm_run_assert;

#endif
