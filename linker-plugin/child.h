/* The program `offloadc`, which the plugin starts once for a link and asks over a socket. */
#ifndef CHILD_H
#define CHILD_H

#include <stddef.h>

/* A request or an answer: a letter, and texts that each end in a NUL. */
struct message {
  char kind;
  char *texts;
  size_t length;
  size_t capacity;
};

/* Starts `offloadc` with these arguments, the first of which is its own name. Returns 0, or why it was not started. */
int child_start(char *const *arguments);

/* Sends a request and replaces it by the answer. Returns 0 if the program has ended without one. */
int child_ask(struct message *message);

/* Closes the socket, after which the program removes its files and ends. Returns its status as of waitpid. */
int child_end(void);

/* Appends a text to a message. */
void message_add(struct message *message, const char *text);

/* The text after `text` in a message; null after the last one. The first follows null. */
char *message_next(const struct message *message, const char *text);

/* Memory, or the end of the process. */
void *allocate(void *old, size_t size);

/* A text like printf's, or the end of the process. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
