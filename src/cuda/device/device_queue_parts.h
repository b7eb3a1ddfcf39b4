// Of the device's queue, what queue_waiters.c does: host threads that wait. Private to
// cuda/device/.
#ifndef WM_CUDA_DEVICE_DEVICE_QUEUE_PARTS_H
#define WM_CUDA_DEVICE_DEVICE_QUEUE_PARTS_H

#include "cuda/device/device_queue.h"

// Something has completed, or the engine has made `steps` steps. A waiter whose wait is over is
// taken off at once: the device stands still until the host waits again.
void wm_cuda_notify_waiters(struct wm_cuda_queue *queue, uint32_t steps, bool completed);

#endif
