/* A program that runs with the rights of another user (setuid) ignores the environment of its caller. The test runs a
 * copy of itself that belongs to another user, so it needs root, and a file system with such rights. */
#define _GNU_SOURCE
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { READS = 10, IGNORES, IS_ORDINARY, NOBODY = 65534 };

/* Opens a device with two invalid names in the environment, and returns whether they had an effect. */
static int look(int wants_rights) {
  offloadrt_device *device;
  if (wants_rights && !getauxval(AT_SECURE))
    return IS_ORDINARY;
  if (offloadrt_device_open(NULL, &device))
    return READS;
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  return IGNORES;
}

/* Returns the exit status of `program`, a copy of this program, if `variable` has an invalid value. */
static int run_copy(const char *program, const char *mode, const char *variable) {
  pid_t child = fork();
  if (child == 0) {
    setenv(variable, "nonsense", 1);
    execl(program, program, mode, (char *)NULL);
    _exit(1);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void copy_itself(const char *to) {
  FILE *in = fopen("/proc/self/exe", "rb"), *out = fopen(to, "wb");
  CHECK(in && out);
  char bytes[4096];
  for (size_t count; (count = fread(bytes, 1, sizeof bytes, in)) > 0;)
    CHECK(fwrite(bytes, 1, count, out) == count);
  CHECK(fclose(out) == 0 && fclose(in) == 0);
}

int main(int count, char **words) {
  if (count > 1)
    return look(strcmp(words[1], "with-rights") == 0);
  char copy[4096];
  snprintf(copy, sizeof copy, "%s.copy", words[0]);
  copy_itself(copy);
  static const char *const variables[] = {"OFFLOADRT_DEVICE", "OFFLOADRT_CPU_THREADS"};
  int other = geteuid() == 0 && chown(copy, NOBODY, NOBODY) == 0 && chmod(copy, 04755) == 0, ordinary = 0;
  for (int i = 0; i < 2; i++) {
    CHECK(run_copy("/proc/self/exe", "as-it-is", variables[i]) == READS);
    int heard = other ? run_copy(copy, "with-rights", variables[i]) : IS_ORDINARY;
    CHECK(heard == IGNORES || heard == IS_ORDINARY);
    ordinary |= heard == IS_ORDINARY;
  }
  unlink(copy);
  printf(ordinary ? "skipped %s: no program has another's rights here\n" : "ok %s\n", __FILE__);
  return 0;
}
