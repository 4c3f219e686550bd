/* Starts `offloadc`, and exchanges messages with it. It knows nothing of linkers. */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The process, and this end of the socket; -1 if there is none. */
static pid_t child = -1;
static int connection = -1;

static void end_without_memory(void) {
  fputs("error: no memory for the linker plugin of offloadc\n", stderr);
  _exit(1);
}

void *allocate(void *old, size_t size) {
  void *memory = realloc(old, size ? size : 1);
  if (!memory)
    end_without_memory();
  return memory;
}

char *text_of(const char *format, ...) {
  char *text;
  va_list values;
  va_start(values, format);
  int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0)
    end_without_memory();
  return text;
}

void message_add(struct message *message, const char *text) {
  size_t length = strlen(text) + 1;
  if (message->capacity - message->length < length) {
    message->capacity = 2 * message->capacity + length;
    message->texts = allocate(message->texts, message->capacity);
  }
  memcpy(message->texts + message->length, text, length);
  message->length += length;
}

char *message_next(const struct message *message, const char *text) {
  size_t at = text ? (size_t)(text - message->texts) + strlen(text) + 1 : 0;
  return at < message->length ? message->texts + at : NULL;
}

/* The program's standard input is the socket, and its standard output is standard error: a linker's own output may be
   read by a program. The limits of make's job server reach it, because no other descriptor is closed. */
int child_start(char *const *arguments) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return errno;
  posix_spawn_file_actions_t actions;
  int failed = posix_spawn_file_actions_init(&actions);
  if (!failed) {
    failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    if (!failed)
      failed = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (!failed)
      failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(ends[1]);
  if (failed) {
    child = -1;
    close(ends[0]);
    return failed;
  }
  connection = ends[0];
  return 0;
}

static int send_all(const char *bytes, size_t length) {
  while (length) {
    ssize_t sent = send(connection, bytes, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return 0;
    bytes += sent;
    length -= (size_t)sent;
  }
  return 1;
}

static int receive_all(char *bytes, size_t length) {
  while (length) {
    ssize_t received = recv(connection, bytes, length, 0);
    if (received < 0 && errno == EINTR)
      continue;
    if (received <= 0)
      return 0;
    bytes += received;
    length -= (size_t)received;
  }
  return 1;
}

/* A message is its letter, the length of its texts in 4 bytes, and the texts. */
int child_ask(struct message *message) {
  char head[5] = {message->kind};
  uint32_t length = (uint32_t)message->length;
  memcpy(head + 1, &length, 4);
  if (connection < 0 || length != message->length || !send_all(head, 5) || !send_all(message->texts, length))
    return 0;
  if (!receive_all(head, 5))
    return 0;
  memcpy(&length, head + 1, 4);
  message->kind = head[0];
  message->length = length;
  message->texts = allocate(message->texts, length + 1u);
  message->capacity = length;
  message->texts[length] = 0;
  return receive_all(message->texts, length);
}

int child_end(void) {
  int status = 0;
  if (connection >= 0)
    close(connection);
  connection = -1;
  if (child > 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
  child = -1;
  return status;
}
