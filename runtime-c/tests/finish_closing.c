/* A program without a runtime, which closes a shared object that has one: `finish_closing FOLDER`. A thread of that
 * runtime works meanwhile, and continues for longer than a second, because it writes to a full pipe. */
#define _GNU_SOURCE /* nanosleep, pipe2 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *drain(void *unused) {
  const struct timespec some_time = {.tv_sec = 1, .tv_nsec = 300000000};
  char bytes[4096];
  nanosleep(&some_time, NULL);
  while (read(ends[0], bytes, sizeof bytes) > 0) {
  }
  return unused;
}

static void fill(void) {
  static const char zeros[4096];
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (write(ends[1], zeros, sizeof zeros) > 0) {
  }
  fcntl(ends[1], F_SETFL, 0);
}

int main(int count, char **words) {
  const struct timespec some_time = {.tv_nsec = 600000000};
  pthread_t thread;
  void *library = dlopen(IMAGES "/finish_closed.so", RTLD_NOW);
  void (*begin)(const char *) = library ? (void (*)(const char *))dlsym(library, "begin") : NULL;
  if (count != 2 || !begin || pipe2(ends, O_CLOEXEC) || setenv("OFFLOADRT_LOG", "1", 1))
    return 1;
  int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  begin(words[1]);
  fill();
  if (pthread_create(&thread, NULL, drain, NULL) || dlclose(library) || dlopen(IMAGES "/finish_closed.so", RTLD_NOW | RTLD_NOLOAD))
    return 1;
  nanosleep(&some_time, NULL);
  dup2(before, STDERR_FILENO);
  close(ends[1]);
  return pthread_join(thread, NULL);
}
