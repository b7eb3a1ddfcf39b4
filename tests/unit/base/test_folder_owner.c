// The owner's file of a folder: taken once, kept until its process ends, and told from one that
// ended as it should.
#include "base/files/folder_owner.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static int here = -1;

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/warpmem-owner-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    here = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_geq(here, 0);
}

static void remove_folder(void)
{
    unlinkat(here, WM_FOLDER_OWNER_NAME, 0);
    close(here);
    cr_expect_eq(rmdir(folder), 0);
}

Test(folder_owner, has_one_owner_until_it_ends)
{
    make_folder();
    cr_expect_eq(wm_folder_owner_take_over(here), -1, "without the file no owner is known");
    int owner = wm_folder_owner_take(here);
    cr_assert_geq(owner, 0);
    cr_expect_eq(wm_folder_owner_take_over(here), -1);
    cr_expect_eq(wm_folder_owner_take(here), -1, "a second one");
    close(owner);
    owner = wm_folder_owner_take_over(here);
    cr_expect_geq(owner, 0);
    cr_expect_eq(wm_folder_owner_take_over(here), -1, "while it is being removed");
    close(owner);
    remove_folder();
}

Test(folder_owner, waiting_tells_how_it_ended)
{
    make_folder();
    cr_expect_not(wm_folder_owner_wait(folder), "without the file");
    int owner = wm_folder_owner_take(here);
    close(owner);
    cr_expect(wm_folder_owner_wait(folder), "as killed");
    unlinkat(here, WM_FOLDER_OWNER_NAME, 0);
    owner = wm_folder_owner_take(here);
    wm_folder_owner_end(owner);
    close(owner);
    cr_expect_not(wm_folder_owner_wait(folder), "as it should");
    remove_folder();
}

static void *wait_for_owner(void *gone)
{
    *(bool *)gone = wm_folder_owner_wait(folder);
    return NULL;
}

// Whether the descriptor is the waiting thread's, of the owner's file.
static bool is_of_owner(int descriptor)
{
    char link[64], path[256] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    return length > 0 && strstr(path, "/" WM_FOLDER_OWNER_NAME) != NULL;
}

// The thread that waits runs in the user's program, which may close what it has not opened.
Test(folder_owner, a_program_that_takes_the_descriptor_keeps_it)
{
    make_folder();
    int owner = wm_folder_owner_take(here), null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int next = dup(null); // the number that the thread's descriptor will have
    close(next);
    bool gone = true;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, wait_for_owner, &gone), 0);
    while (!is_of_owner(next))
        usleep(1000);
    usleep(100000); // until it waits
    cr_assert_eq(dup2(null, next), next);
    close(owner);
    pthread_join(thread, NULL);
    cr_expect_not(gone, "what became of the owner is not known");
    cr_expect_geq(fcntl(next, F_GETFD), 0, "the program's descriptor was closed");
    close(next);
    close(null);
    remove_folder();
}
