// How many of its random machines, programs or streams a test draws. What it finds wrong in numbers
// it finds without the sanitizers, on all of them. What these find is a matter of paths in the
// code, which the rounds share, and each round takes them ten times as long: they make a fourth.
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#ifdef __SANITIZE_ADDRESS__
enum { TEST_SHARE = 4 };
#else
enum { TEST_SHARE = 1 };
#endif

#define TEST_ROUNDS(all) (((all) + TEST_SHARE - 1) / TEST_SHARE)

#endif
