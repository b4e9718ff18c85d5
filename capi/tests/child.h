/* What the tests of forked processes have in common. */
#ifndef CHILD_H
#define CHILD_H

#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Runs something in a child process. What waits there for ever is ended by a signal. */
static void in_a_child(int (*run)(unsigned seed), unsigned seed)
{
    int status;
    pid_t process;

    fflush(NULL);
    process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        alarm(60);
        status = run(seed);
        fflush(NULL);
        /* Not exit: there Mesa waits for threads of the parent, or crashes. */
        _exit(status);
    }
    CHECK(waitpid(process, &status, 0) > 0);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0)
        fprintf(stderr, "a child, seed %u: status %#x\n", seed, (unsigned)status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
