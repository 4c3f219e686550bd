/* Writes JSON to files that several processes may share. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void offloadrt_write_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fputc('\\', out);
    if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

int offloadrt_append(const char *path, const char *text, size_t bytes) {
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
    return 0;
  int is_whole = write(file, text, bytes) == (ssize_t)bytes, error = errno;
  close(file);
  errno = error;
  return is_whole;
}
