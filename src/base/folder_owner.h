// Who owns a temporary folder: a file in it that its owner keeps locked. The lock goes with the
// process, however that ends, so that others know what is left over.
#ifndef WM_BASE_FOLDER_OWNER_H
#define WM_BASE_FOLDER_OWNER_H

#include <stdbool.h>

#define WM_FOLDER_OWNER_NAME "owner"

// Makes the file in the folder and locks it. Returns its descriptor, which exec closes, or -1: then
// another process has taken the folder for one left over, or the file could not be made.
int wm_folder_owner_take(int folder);
// Says that the owner has ended as it should; the file is still there.
void wm_folder_owner_end(int owner);

// Whether the owner of the folder has gone without saying so. `folder` is a descriptor. One without
// such a file has an owner that is not known.
bool wm_folder_owner_is_gone(int folder);

// Waits until the owner of the folder of that name is gone. True when it went without saying so.
bool wm_folder_owner_wait(const char *folder);

#endif
