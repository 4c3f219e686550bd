/* Finds offloadc, and runs `offloadc finish` for a job. Its input is the generic image on standard input, its output a
 * file, and its messages are captured, so nothing appears on the program's own streams. */
#define _GNU_SOURCE /* secure_getenv, memfd_create, dl_iterate_phdr */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "finish.h"

extern char **environ;

/* The compiler ---------------------------------------------------------------------------------- */

/* Writes the path of an object to `path`, if it contains this code. */
static int take_own_path(struct dl_phdr_info *object, size_t size, void *path) {
  uintptr_t own = (uintptr_t)take_own_path;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && own - object->dlpi_addr - part->p_vaddr < part->p_memsz)
      return offloadrt_write_text(path, OFFLOADRT_FINISH_PATH, "%s", object->dlpi_name ? object->dlpi_name : "");
  }
  return 0;
}

/* Callers hold locks that the destructors of a shared object may need, so this must not wait for them, as dladdr() would:
 * dl_iterate_phdr() has a separate lock. The program itself has no name there. */
static void own_path(char path[OFFLOADRT_FINISH_PATH]) {
  *path = 0;
  dl_iterate_phdr(take_own_path, path);
}

int offloadrt_is_in_program(void) {
  char path[OFFLOADRT_FINISH_PATH];
  own_path(path);
  return !*path;
}

/* Writes the folder of the program or shared object that contains this code. */
static int own_folder(char *folder, size_t capacity) {
  char path[OFFLOADRT_FINISH_PATH];
  own_path(path);
  char *real = realpath(*path ? path : "/proc/self/exe", NULL);
  if (!real)
    return 0;
  int fits = offloadrt_write_text(folder, capacity, "%s", dirname(real));
  free(real);
  return fits;
}

/* The part of a program that contains its headers and notes, in bytes. */
enum { START = 16 << 10 };

static size_t padded(size_t size) { return (size + 3) & ~(size_t)3; }

/* Takes the build id from notes; returns 0 if it is not among them. */
static int take_build_id(const unsigned char *notes, size_t size, unsigned char id[OFFLOADRT_BUILD_ID]) {
  static const char owner[] = "GNU";
  Elf64_Nhdr note;
  for (size_t at = 0; size - at >= sizeof note;) {
    memcpy(&note, notes + at, sizeof note);
    size_t name = at + sizeof note, contents = name + padded(note.n_namesz), end = contents + note.n_descsz;
    if (end > size)
      return 0;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
        memcmp(notes + name, owner, sizeof owner) == 0 && note.n_descsz <= OFFLOADRT_BUILD_ID) {
      memcpy(id, notes + contents, note.n_descsz);
      return 1;
    }
    at = padded(end) < size ? padded(end) : size;
  }
  return 0;
}

static void read_build_id(const char *path, unsigned char id[OFFLOADRT_BUILD_ID]) {
  unsigned char start[START];
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : pread(file, start, sizeof start, 0);
  if (file >= 0)
    close(file);
  Elf64_Ehdr header;
  Elf64_Phdr part;
  size_t size = count < (ssize_t)sizeof header ? 0 : (size_t)count;
  if (!size || memcmp(start, ELFMAG, SELFMAG) != 0 || start[EI_CLASS] != ELFCLASS64)
    return;
  memcpy(&header, start, sizeof header);
  for (size_t i = 0, at = header.e_phoff; i < header.e_phnum && at <= size && size - at >= sizeof part; i++) {
    memcpy(&part, start + at, sizeof part);
    at += sizeof part;
    int is_here = part.p_type == PT_NOTE && part.p_offset <= size && part.p_filesz <= size - part.p_offset;
    if (is_here && take_build_id(start + part.p_offset, part.p_filesz, id))
      return;
  }
}

/* Takes the facts of an open program. Its age and its build id are among the facts that are kept. */
static int take_facts(int file, const char *real, struct offloadrt_compiler *compiler) {
  struct stat facts;
  if (fstat(file, &facts) || !offloadrt_write_text(compiler->file, sizeof compiler->file, "%s", real))
    return 0;
  compiler->bytes = (uint64_t)facts.st_size;
  compiler->seconds = facts.st_mtim.tv_sec;
  compiler->nanoseconds = facts.st_mtim.tv_nsec;
  memset(compiler->build_id, 0, sizeof compiler->build_id);
  read_build_id(real, compiler->build_id);
  return 1;
}

/* Whether `path` is a program that may be executed. If it is one that may not, `reason` says why, and otherwise it is "".
 * All folders of a file that may be executed are own, so it is still the same one when it is. */
static int is_program(const char *path, struct offloadrt_compiler *compiler, char *reason, size_t capacity) {
  struct stat facts;
  char *real = realpath(path, NULL);
  *reason = 0;
  int exists = real && stat(real, &facts) == 0 && S_ISREG(facts.st_mode) && access(real, X_OK) == 0;
  int file = exists ? offloadrt_open_own(real, O_PATH, reason, capacity) : -1;
  int is_fine = file >= 0 && take_facts(file, real, compiler) &&
                offloadrt_write_text(compiler->path, sizeof compiler->path, "%s", path);
  if (file >= 0)
    close(file);
  /* Two paths may lead to one file. */
  if (*reason)
    offloadrt_warn_once("the compiler `%s` is not executed: %s", real, reason);
  free(real);
  return is_fine;
}

/* Checks the program that OFFLOADRT_COMPILER names. */
static int take_named(const char *named, struct offloadrt_compiler *compiler, char *reason, size_t capacity) {
  char why[OFFLOADRT_FINISH_REASON];
  if (is_program(named, compiler, why, sizeof why))
    return 1;
  offloadrt_write_text(reason, capacity, "`OFFLOADRT_COMPILER` is `%s`, %s%s", named,
                       *why ? "which is not executed: " : "which is no program", why);
  return 0;
}

int offloadrt_find_compiler(struct offloadrt_compiler *compiler, char *reason, size_t capacity) {
  static const char *const places[] = {"offloadc", "../bin/offloadc"};
  const char *named = secure_getenv("OFFLOADRT_COMPILER");
  char folder[OFFLOADRT_FINISH_PATH - sizeof "/../bin/offloadc"], path[OFFLOADRT_FINISH_PATH];
  char why[OFFLOADRT_FINISH_REASON], refused[OFFLOADRT_FINISH_REASON] = "";
  if (named && *named)
    return take_named(named, compiler, reason, capacity);
  int has_folder = own_folder(folder, sizeof folder);
  for (size_t i = 0; has_folder && i < sizeof places / sizeof *places; i++) {
    offloadrt_write_text(path, sizeof path, "%s/%s", folder, places[i]);
    if (is_program(path, compiler, why, sizeof why))
      return 1;
    if (*why && !*refused)
      offloadrt_write_text(refused, sizeof refused, "; `%s` is not executed: %s", path, why);
  }
  offloadrt_write_text(reason, capacity,
                       "there is no `offloadc` in `%s` or in `bin` beside it, and `OFFLOADRT_COMPILER` names none%s",
                       has_folder ? folder : "the folder of the runtime", refused);
  return 0;
}

/* Its run --------------------------------------------------------------------------------------- */

/* Returns a file in memory, whose number is none of the standard streams. */
static int memory_file(const char *name) {
  int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0 || file > STDERR_FILENO)
    return file;
  int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(file);
  return moved;
}

/* The signals of the child are those of a program that a shell starts, whatever the calling thread blocks or ignores. */
static void set_signals(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Starts the program, and returns 0 or the number of an error. */
static int spawn(pid_t *child, const char *path, char **words, int in, int messages) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    set_signals(&attributes);
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!error)
      error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    if (!error)
      error = posix_spawn(child, path, &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Writes the first error of the compiler's messages, or else their first line. */
static void first_error(const char *messages, char *line, size_t capacity) {
  const char *found = strncmp(messages, "error", 5) == 0 ? messages : strstr(messages, "\nerror");
  found = found ? found : messages;
  found += strspn(found, "\n");
  offloadrt_write_text(line, capacity, "%.*s", (int)strcspn(found, "\n"), found);
}

/* Describes how the compiler has ended; returns 1 if it has done its work. */
static int describe_end(const char *path, int status, const char *messages, char *reason, size_t capacity) {
  char line[OFFLOADRT_FINISH_REASON / 2];
  first_error(messages, line, sizeof line);
  const char *between = *line ? ": " : "";
  if (status == -1 && strncmp(line, "error", 5) != 0)
    return 1; /* a handler of the program has taken the status, so the output decides */
  if (status == -1)
    offloadrt_write_text(reason, capacity, "`%s finish` has ended%s%s", path, between, line);
  else if (WIFSIGNALED(status))
    offloadrt_write_text(reason, capacity, "`%s finish` was ended by signal %d (%s)%s%s", path, WTERMSIG(status),
             strsignal(WTERMSIG(status)), between, line);
  else if (WEXITSTATUS(status))
    offloadrt_write_text(reason, capacity, "`%s finish` ended with status %d%s%s", path, WEXITSTATUS(status), between, line);
  return status != -1 && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Runs the program with its files open. */
static int run_with(struct offloadrt_finish_job *job, const struct offloadrt_compiler *compiler, char **words, int in,
                    int messages, char *reason, size_t capacity) {
  const char *path = compiler->path;
  pid_t child;
  int error = spawn(&child, compiler->file, words, in, messages);
  if (error) {
    offloadrt_write_text(reason, capacity, "`%s` cannot be started: %s", path, strerror(error));
    return 0;
  }
  if (!offloadrt_finish_set_child(job, child))
    kill(child, SIGKILL);
  int status = offloadrt_finish_wait_for_child(job);
  char text[16384] = "";
  ssize_t count = pread(messages, text, sizeof text - 1, 0);
  text[count > 0 ? count : 0] = 0;
  if (*text)
    offloadrt_log("finish: messages of `%s`:\n%s", path, text);
  return describe_end(path, status, text, reason, capacity);
}

int offloadrt_run_compiler(struct offloadrt_finish_job *job, const struct offloadrt_compiler *compiler, const char *out,
                           char *reason, size_t capacity) {
  size_t count = 0;
  while (job->words[count])
    count++;
  enum { BEFORE = 2, AFTER = 5 };
  const char **words = calloc(BEFORE + count + AFTER, sizeof *words);
  int in = memory_file("generic image"), messages = memory_file("messages of offloadc"), is_done = 0;
  if (!words || in < 0 || messages < 0 || !offloadrt_write_all(in, job->generic, job->generic_bytes) ||
      lseek(in, 0, SEEK_SET) != 0) {
    offloadrt_write_text(reason, capacity, "there is no memory for the streams of `%s`: %s", compiler->path, strerror(errno));
  } else {
    const char *const after[] = {"--emit=bundle", "-o", out, "-", NULL};
    words[0] = compiler->path;
    words[1] = "finish";
    memcpy(words + BEFORE, job->words, count * sizeof *words);
    memcpy(words + BEFORE + count, after, sizeof after);
    is_done = run_with(job, compiler, (char **)(uintptr_t)words, in, messages, reason, capacity);
  }
  if (in >= 0)
    close(in);
  if (messages >= 0)
    close(messages);
  free(words);
  return is_done;
}
