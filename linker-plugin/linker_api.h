/* The interface between linkers and plugins: the parts that this plugin uses. Linkers give `onload` a list of values
   with numbers, among them their functions, and get the plugin's functions back. */
#ifndef LINKER_API_H
#define LINKER_API_H

#include <stdint.h>
#include <sys/types.h>

enum { STATUS_OK = 0, STATUS_NO_SYMBOLS = 1, STATUS_ERROR = 3 };

enum { MESSAGE_INFO = 0, MESSAGE_WARNING = 1, MESSAGE_ERROR = 2, MESSAGE_FATAL = 3 };

/* The numbers of the values. Linkers leave out the values that they do not have. */
enum {
  TAG_END = 0,
  TAG_API_VERSION = 1,
  TAG_GOLD_VERSION = 2,
  TAG_OUTPUT_KIND = 3,
  TAG_OPTION = 4,
  TAG_REGISTER_CLAIM_FILE = 5,
  TAG_REGISTER_ALL_SYMBOLS_READ = 6,
  TAG_REGISTER_CLEANUP = 7,
  TAG_ADD_SYMBOLS = 8,
  TAG_GET_SYMBOLS = 9,
  TAG_ADD_INPUT_FILE = 10,
  TAG_MESSAGE = 11,
  TAG_OUTPUT_NAME = 15,
  TAG_GNU_LD_VERSION = 17,
  TAG_GET_SYMBOLS_V2 = 25,
  TAG_GET_SYMBOLS_V3 = 28,
  TAG_ADD_SYMBOLS_V2 = 33,
  TAG_GET_API_VERSION = 34,
};

/* A file, or a member of an archive, whose name is then the archive's. */
struct input_file {
  const char *name;
  int fd;
  off_t offset;
  off_t size;
  void *handle;
};

/* The kind of a symbol, its type and its section's kind; the last two are for the second version of add_symbols, and
   padding before. */
struct linker_symbol {
  char *name;
  char *version;
  char definition;
  char type;
  char section_kind;
  char unused;
  int visibility;
  uint64_t size;
  char *comdat_key;
  int resolution;
};

typedef int claim_file(const struct input_file *, int *claimed);
typedef int all_symbols_read(void);
typedef int cleanup(void);

struct value {
  int tag;
  union {
    int number;
    const char *text;
    int (*register_claim_file)(claim_file *);
    int (*register_all_symbols_read)(all_symbols_read *);
    int (*register_cleanup)(cleanup *);
    int (*add_symbols)(void *handle, int count, const struct linker_symbol *);
    int (*get_symbols)(const void *handle, int count, struct linker_symbol *);
    int (*add_input_file)(const char *path);
    int (*message)(int level, const char *format, ...);
    int (*get_api_version)(const char *plugin, const char *version, int lowest, int highest, const char **linker,
                           const char **linker_version);
  } is;
};

#endif
