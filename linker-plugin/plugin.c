/* liboffloadc_plugin.so: a linker that loads it compiles the kernels of the LLVM modules among its files.

   The plugin claims the modules, asks the linker which of them the program has, and adds the objects that offloadc
   makes of these. All work is done by `offloadc linker-plugin`, one process for a link, so that the linker's process
   has neither LLVM nor its signal handlers. src/linker/plugin/ is the other side. */
#define _GNU_SOURCE
#include "child.h"
#include "finish/own.h"
#include "linker_api.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The version of the messages between the plugin and `offloadc`. */
#define PROTOCOL "1"

/* The first bytes of modules: bitcode, and bitcode in a wrapper. */
static const unsigned char BITCODE[] = {'B', 'C', 0xc0, 0xde}, WRAPPER[] = {0xde, 0xc0, 0x17, 0x0b};

/* The linker's functions. */
static int (*say)(int, const char *, ...);
static int (*add_symbols)(void *, int, const struct linker_symbol *);
static int (*get_symbols)(const void *, int, struct linker_symbol *);
static int (*add_input_file)(const char *);
static int has_types, version_of_get_symbols;

/* The arguments of `offloadc`. */
static char **arguments;
static size_t argument_count;

/* A module of the link. The names of its symbols are in the answer that came with them. */
struct claimed {
  void *handle;
  int count;
  struct linker_symbol *symbols;
  struct message names;
};
static struct claimed *claimed;
static size_t claimed_count;

/* Linkers whose version of the interface is 1 may claim files on several threads. */
static pthread_mutex_t one_claim = PTHREAD_MUTEX_INITIALIZER;

/* Whether the link has failed. Some linkers go on after that, and nothing must be said again. */
static int has_failed;

/* Says a text. One of the linkers prints the format alone, so the text is given as the format. */
static void say_text(int level, const char *text) {
  size_t length = strlen(text);
  char *format = allocate(NULL, 2 * length + 1), *end = format;
  for (const char *byte = text; *byte; byte++) {
    if (*byte == '%')
      *end++ = '%';
    *end++ = *byte;
  }
  *end = 0;
  say(level, format);
  free(format);
}

/* Ends the link. Some linkers return from the message, and stop at the status. */
static int fail(const char *text) {
  if (!has_failed) {
    has_failed = 1;
    say_text(MESSAGE_FATAL, text);
  }
  return STATUS_ERROR;
}

static void add_argument(const char *text) {
  arguments = allocate(arguments, (argument_count + 2) * sizeof *arguments);
  arguments[argument_count++] = text_of("%s", text);
  arguments[argument_count] = NULL;
}

/* Whether only this user and root can have written a program. Otherwise a warning has the reason. */
static int may_be_executed(const char *path) {
  char reason[4096] = "";
  char *real = realpath(path, NULL);
  int file = real ? offloadrt_open_own(real, O_PATH, reason, sizeof reason) : -1;
  free(real);
  if (file >= 0)
    return !close(file);
  char *text = text_of("`%s` is not executed: %s", path, reason);
  say_text(MESSAGE_WARNING, text);
  free(text);
  return 0;
}

/* `make install` puts the plugin into lib/offloadc and the program into bin. Elsewhere, PATH has it. */
static char *path_of_offloadc(void) {
  Dl_info own;
  if (dladdr((void *)path_of_offloadc, &own) && own.dli_fname) {
    const char *slash = strrchr(own.dli_fname, '/');
    int length = slash ? (int)(slash - own.dli_fname + 1) : 0;
    char *path = text_of("%.*s../../bin/offloadc", length, own.dli_fname);
    if (slash && !access(path, X_OK) && may_be_executed(path))
      return path;
    free(path);
  }
  return text_of("offloadc");
}

static int start(void) {
  static int started;
  if (started)
    return STATUS_OK;
  free(arguments[0]);
  arguments[0] = path_of_offloadc();
  int failed = child_start(arguments);
  started = !failed;
  if (!failed)
    return STATUS_OK;
  char *text = text_of("cannot start `%s` for the linker plugin: %s; install offloadc next to the plugin, or put it "
                       "into `PATH`", arguments[0], strerror(failed));
  fail(text);
  free(text);
  return STATUS_ERROR;
}

/* Sends a request to offloadc. Its diagnostics about the program are on standard error already. */
static int ask(struct message *message) {
  if (!child_ask(message)) {
    int status = child_end();
    char *text = WIFEXITED(status) ? text_of("`%s` has ended with status %d", arguments[0], WEXITSTATUS(status))
                                   : text_of("`%s` was ended by signal %d", arguments[0], WTERMSIG(status));
    fail(text);
    free(text);
    return STATUS_ERROR;
  }
  if (message->kind == 'E')
    return fail(message->length ? message->texts : "offloadc has failed");
  return STATUS_OK;
}

/* The symbols in an answer: three texts for each, of which the first is its kind, its type and its visibility, a digit
   each, and its size. */
static void read_symbols(struct claimed *file) {
  size_t texts = 0;
  for (char *text = NULL; (text = message_next(&file->names, text));)
    texts++;
  file->count = (int)(texts / 3);
  file->symbols = allocate(NULL, (size_t)file->count * sizeof *file->symbols);
  char *text = NULL;
  for (int i = 0; i < file->count; i++) {
    text = message_next(&file->names, text);
    struct linker_symbol symbol = {.definition = text[0] - '0', .visibility = text[2] - '0'};
    if (has_types)
      symbol.type = text[1] - '0';
    symbol.size = strtoull(text + 3, NULL, 10);
    symbol.name = text = message_next(&file->names, text);
    text = message_next(&file->names, text);
    symbol.comdat_key = *text ? text : NULL;
    file->symbols[i] = symbol;
  }
}

static int claim(const struct input_file *file, int *is_claimed) {
  unsigned char magic[4];
  *is_claimed = 0;
  if (pread(file->fd, magic, sizeof magic, file->offset) != sizeof magic ||
      (memcmp(magic, BITCODE, sizeof magic) && memcmp(magic, WRAPPER, sizeof magic)))
    return STATUS_OK;
  if (has_failed || start())
    return STATUS_ERROR;
  struct claimed new = {.handle = file->handle, .names = {.kind = 'C'}};
  char *numbers[] = {text_of("%lld", (long long)file->offset), text_of("%lld", (long long)file->size)};
  message_add(&new.names, file->name);
  message_add(&new.names, numbers[0]);
  message_add(&new.names, numbers[1]);
  free(numbers[0]);
  free(numbers[1]);
  if (ask(&new.names))
    return STATUS_ERROR;
  read_symbols(&new);
  claimed = allocate(claimed, (claimed_count + 1) * sizeof *claimed);
  claimed[claimed_count++] = new;
  *is_claimed = 1;
  return add_symbols(file->handle, new.count, new.symbols);
}

static int on_claim_file(const struct input_file *file, int *is_claimed) {
  pthread_mutex_lock(&one_claim);
  int status = claim(file, is_claimed);
  pthread_mutex_unlock(&one_claim);
  return status;
}

/* One text for each module: the linker's resolution of each symbol as a digit, or `-` if the program does not have the
   module. */
static int on_all_symbols_read(void) {
  if (has_failed)
    return STATUS_ERROR;
  if (!claimed_count)
    return STATUS_OK;
  struct message message = {.kind = 'L'};
  message_add(&message, version_of_get_symbols == 3 ? "3" : "2");
  for (struct claimed *file = claimed; file < claimed + claimed_count; file++) {
    int status = get_symbols(file->handle, file->count, file->symbols);
    if (status != STATUS_OK && status != STATUS_NO_SYMBOLS)
      return fail("the linker does not say how it has resolved symbols");
    char *text = allocate(NULL, (size_t)file->count + 2), *end = text;
    *end++ = status == STATUS_OK ? '=' : '-';
    for (int i = 0; i < file->count && status == STATUS_OK; i++)
      *end++ = (char)('0' + file->symbols[i].resolution % 10);
    *end = 0;
    message_add(&message, text);
    free(text);
  }
  if (ask(&message))
    return STATUS_ERROR;
  for (char *path = NULL; (path = message_next(&message, path));)
    if (add_input_file(path) != STATUS_OK)
      return fail("the linker does not take an object of offloadc");
  free(message.texts);
  return STATUS_OK;
}

/* The linker has read all objects. Their files are offloadc's. */
static int on_cleanup(void) {
  child_end();
  return STATUS_OK;
}

/* Adds the options that the linker passes on, for `offloadc` to read. A linker that does not know plugins refuses those
   of ours, so that it makes no program without device code; therefore one of them must be there. */
static int take_options(const struct value *values) {
  const char *output = "a.out", *kind = "1";
  int ours = 0, is_wild = 0, is_gnu = 0;
  for (const struct value *each = values; each->tag; each++) {
    if (each->tag == TAG_OUTPUT_NAME && each->is.text)
      output = each->is.text;
    if (each->tag == TAG_OUTPUT_KIND && each->is.number == 0)
      kind = "0";
    is_wild |= each->tag == TAG_API_VERSION;
    is_gnu |= each->tag == TAG_GOLD_VERSION || each->tag == TAG_GNU_LD_VERSION;
    ours |= each->tag == TAG_OPTION && !strncmp(each->is.text, "offload-", 8);
  }
  /* wild resolves no name of machine code by objects that a plugin adds, unless a claimed file has defined the name. It
     does not say its own name, and mold has no version of the interface among its values. */
  const char *first[] = {"offloadc", "linker-plugin", PROTOCOL, output, kind, is_wild && !is_gnu ? "1" : "0", "--"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    add_argument(first[i]);
  for (const struct value *each = values; each->tag; each++)
    if (each->tag == TAG_OPTION)
      add_argument(each->is.text);
  if (ours)
    return STATUS_OK;
  return fail("the linker plugin of offloadc needs an option such as `-plugin-opt=offload-arch=cpu`: a linker "
              "without plugins refuses it, and would otherwise make a program without device code");
}

/* Linkers differ in the functions that they have; those of the newest version are taken. */
static void take_functions(const struct value *values) {
  for (const struct value *each = values; each->tag; each++) {
    int version = each->tag == TAG_GET_SYMBOLS_V3 ? 3 : each->tag == TAG_GET_SYMBOLS_V2 ? 2 : 0;
    if (version > version_of_get_symbols) {
      version_of_get_symbols = version;
      get_symbols = each->is.get_symbols;
    }
    if (each->tag == TAG_ADD_SYMBOLS_V2 || (each->tag == TAG_ADD_SYMBOLS && !has_types)) {
      add_symbols = each->is.add_symbols;
      has_types = each->tag == TAG_ADD_SYMBOLS_V2;
    }
    if (each->tag == TAG_ADD_INPUT_FILE)
      add_input_file = each->is.add_input_file;
  }
}

static int say_on_standard_error(int level, const char *format, ...) {
  (void)level;
  fprintf(stderr, "error: %s\n", format);
  return STATUS_OK;
}

__attribute__((visibility("default"))) int onload(const struct value *values) {
  say = say_on_standard_error;
  for (const struct value *each = values; each->tag; each++)
    if (each->tag == TAG_MESSAGE)
      say = each->is.message;
  take_functions(values);
  if (!add_symbols || !get_symbols || !add_input_file)
    return fail("this linker is too old for the linker plugin of offloadc: it has no `get_symbols` of version 2");
  if (take_options(values))
    return STATUS_ERROR;
  for (const struct value *each = values; each->tag; each++) {
    /* Without this call, mold takes the plugin for an old one and links everything twice. */
    const char *linker, *version;
    if (each->tag == TAG_GET_API_VERSION)
      each->is.get_api_version("offloadc", PROTOCOL, 0, 1, &linker, &version);
    if (each->tag == TAG_REGISTER_CLAIM_FILE)
      each->is.register_claim_file(on_claim_file);
    if (each->tag == TAG_REGISTER_ALL_SYMBOLS_READ)
      each->is.register_all_symbols_read(on_all_symbols_read);
    if (each->tag == TAG_REGISTER_CLEANUP)
      each->is.register_cleanup(on_cleanup);
  }
  return STATUS_OK;
}
