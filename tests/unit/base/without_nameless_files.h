// A file system that makes no files without a name, as some network ones: O_TMPFILE is refused.
#ifndef WM_TESTS_WITHOUT_NAMELESS_FILES_H
#define WM_TESTS_WITHOUT_NAMELESS_FILES_H

#include <fcntl.h>

#undef O_TMPFILE
#define O_TMPFILE O_DIRECTORY // which cannot be opened for writing

#endif
