// What form_coverage.py learns from the tests. With PTX_SEEN=FILE in the environment, a test leaves
// a line "suite/test<TAB>name" there for each instruction of the PTX it loads and each lane kernel
// it asks for; the file is there when all tests of the program have passed. With PTX_WITHOUT=NAME,
// the instructions or the lane kernel of that name do nothing: a test that still passes does not
// notice them.
#ifndef EXEC_COVERAGE_H
#define EXEC_COVERAGE_H

#include "ptx/ptx.h"

enum { COVERAGE_LONGEST = 256 }; // of a name

// Notes that the running test uses what has this name; false when it is to do without.
bool coverage_use(const char *name);
// The same for all instructions of a module; those to do without go.
void coverage_use_module(struct wm_ptx_module *module);

#endif
