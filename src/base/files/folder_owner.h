// Who owns a temporary folder: a file in it that its owner keeps locked. The lock goes with the
// process, however that ends, so that others know what is left over.
#ifndef WM_BASE_FOLDER_OWNER_H
#define WM_BASE_FOLDER_OWNER_H

#include <stdbool.h>

#define WM_FOLDER_OWNER_NAME "owner"

// Makes the file in the folder and locks it. Returns its descriptor, which exec closes, or -1: then
// another process has taken the folder for one left over, or the file could not be made.
int wm_folder_owner_take(int folder);
// Notes in the file that its owner ends as it should. The file and the lock stay until the
// descriptor is closed, by the caller. Nothing for -1.
void wm_folder_owner_end(int owner);

// Where the owner of the folder has ended, in whatever way, the caller may remove the folder as
// long as it keeps the descriptor that is returned: no other process does so meanwhile, or takes a
// folder that was just made for its own. -1: the owner is there, or, without the file, not known.
// `folder` is a descriptor.
int wm_folder_owner_take_over(int folder);

// Waits until the owner of the folder of that name has ended. True when it ended without
// wm_folder_owner_end; false also when there is no owner's file.
bool wm_folder_owner_wait(const char *folder);

#endif
