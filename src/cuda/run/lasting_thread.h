// Work on a thread that stays. What a thread allocates lies in a heap of its own, which is another
// thread's when it has ended: with one that stays, addresses of the program's own memory depend
// neither on what the work allocates nor on how long names of files are. Private to cuda/.
#ifndef WM_CUDA_RUN_LASTING_THREAD_H
#define WM_CUDA_RUN_LASTING_THREAD_H

#include <stdbool.h>

// Returns when `work` has returned on that thread, which takes no signals. Once in a process.
// False: there is no such thread, and nothing has been done.
bool wm_cuda_run_on_lasting_thread(void (*work)(void *context), void *context);

#endif
