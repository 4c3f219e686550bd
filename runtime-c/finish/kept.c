/* Finished images in the cache of offloadc. A file has the name and the folder of an entry, so that offloadc counts it,
 * and removes it when the cache is full and the file was not used for longest. It contains the key of the job, the age
 * and the build id of the compiler, the image, and a checksum. It is written beside its place and renamed, so that it is
 * complete or absent. */
#define _GNU_SOURCE /* secure_getenv */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "finish.h"

/* FNV-1a with 128 bits. Each step is invertible, so a change of one byte always changes the result. */
typedef unsigned __int128 hash128;

static hash128 hash_more(hash128 hash, const void *bytes, size_t size) {
  const hash128 prime = ((hash128)1 << 88) + 0x13b;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * prime;
  return hash;
}

static hash128 hash_of(unsigned char first, const void *bytes, size_t size) {
  const hash128 start = ((hash128)0x6c62272e07bb0142 << 64) | 0x62b821756295c58d;
  return hash_more(hash_more(start, &first, 1), bytes, size);
}

/* src/cache/store.rs reads the first line. */
static const char magic[24] = "offloadc finished 2\n";

struct header {
  char magic[24];
  unsigned char checksum[16]; /* of all bytes that follow */
  uint64_t compiler_bytes;
  int64_t compiler_seconds, compiler_nanoseconds;
  unsigned char compiler_build_id[OFFLOADRT_BUILD_ID];
  uint64_t key_bytes, container_bytes;
};
_Static_assert(sizeof(struct header) == 112, "the header has no padding");
enum { CHECKED = offsetof(struct header, compiler_bytes) };

/* The folder ------------------------------------------------------------------------------------ */

static const char *variable(const char *name) {
  const char *value = secure_getenv(name);
  return value && *value ? value : NULL;
}

/* Writes the folder of the entries, by the same rules as offloadc (src/job/cache.rs). */
static int entries_folder(char *path, size_t capacity) {
  const char *off = variable("OFFLOADC_NO_CACHE"), *named = variable("OFFLOADC_CACHE_DIR");
  const char *caches = variable("XDG_CACHE_HOME"), *home = variable("HOME");
  int fits = 0;
  if (off && strcmp(off, "0") != 0)
    return 0;
  if (named)
    fits = offloadrt_write_text(path, capacity, "%s/entries", named);
  else if (caches && *caches == '/')
    fits = offloadrt_write_text(path, capacity, "%s/offloadc/entries", caches);
  else if (home)
    fits = offloadrt_write_text(path, capacity, "%s/.cache/offloadc/entries", home);
  return fits;
}

/* Makes a folder and those above it. Others must not write there. */
static int make_folders(char *path) {
  for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
    *end = 0;
    int made = mkdir(path, 0755) == 0 || errno == EEXIST;
    *end = '/';
    if (!made)
      return 0;
  }
  return mkdir(path, 0755) == 0 || errno == EEXIST;
}

/* Whether the part of a path that exists is own, so that folders may be made there. */
static int can_begin(const char *path, char *reason, size_t capacity) {
  char existing[OFFLOADRT_FINISH_PATH];
  offloadrt_write_text(existing, sizeof existing, "%s", path);
  for (char *end; access(existing, F_OK) && (end = strrchr(existing, '/')); *end = 0)
    if (end == existing)
      return offloadrt_is_own_folder("/", reason, capacity);
  return offloadrt_is_own_folder(*existing == '/' || access(existing, F_OK) == 0 ? existing : ".", reason, capacity);
}

/* Makes the folder of an entry, if it can be one that only this user and root write. */
static int prepare_folder(char *folder) {
  char reason[OFFLOADRT_FINISH_REASON] = "";
  int is_made = can_begin(folder, reason, sizeof reason);
  if (is_made && !make_folders(folder)) {
    offloadrt_log("finish: cannot make the folder `%s` of the cache: %s", folder, strerror(errno));
    return 0;
  }
  is_made = is_made && offloadrt_is_own_folder(folder, reason, sizeof reason);
  if (!is_made)
    offloadrt_warn_once("the cache of finished images is not used: %s", reason);
  return is_made;
}

int offloadrt_kept_path(const struct offloadrt_finish_job *job, char *path, size_t capacity) {
  char folder[OFFLOADRT_FINISH_PATH];
  if (!entries_folder(folder, sizeof folder))
    return 0;
  hash128 low = hash_of(0, job->key, job->key_bytes), high = hash_of(1, job->key, job->key_bytes);
  size_t used = strlen(folder);
  offloadrt_write_text(folder + used, sizeof folder - used, "/%02x", (unsigned)(high >> 120));
  if (!prepare_folder(folder))
    return 0;
  int fits = offloadrt_write_text(path, capacity, "%s/%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64, folder,
                        (uint64_t)(high >> 64), (uint64_t)high, (uint64_t)(low >> 64), (uint64_t)low);
  return fits;
}

int offloadrt_can_keep(const char *path) {
  char folder[OFFLOADRT_FINISH_PATH];
  int length = (int)(strrchr(path, '/') - path);
  return offloadrt_write_text(folder, sizeof folder, "%.*s", length, path) && access(folder, W_OK) == 0;
}

int offloadrt_name_temporary(const char *path, char *temporary, size_t capacity) {
  static atomic_uint number;
  const char *name = strrchr(path, '/');
  /* Processes in different containers may have the same number. If the entry's name is the same as well, they write the
   * same bytes. */
  int fits = offloadrt_write_text(temporary, capacity, "%.*s/.offloadc-%s-%ld-%u", (int)(name - path), path, name + 1,
                        (long)getpid(), atomic_fetch_add_explicit(&number, 1, memory_order_relaxed));
  return fits;
}

/* Files ----------------------------------------------------------------------------------------- */

unsigned char *offloadrt_read_all(int file, size_t *bytes) {
  struct stat facts;
  if (fstat(file, &facts) || !S_ISREG(facts.st_mode) || facts.st_size <= 0)
    return NULL;
  size_t size = (size_t)facts.st_size, used = 0;
  unsigned char *all = malloc(size);
  while (all && used < size) {
    ssize_t count = pread(file, all + used, size - used, (off_t)used);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      free(all);
      return NULL;
    }
    used += (size_t)count;
  }
  *bytes = size;
  return all;
}

int offloadrt_write_all(int file, const void *bytes, size_t size) {
  for (size_t used = 0; used < size;) {
    ssize_t count = write(file, (const char *)bytes + used, size - used);
    if (count < 0 && errno != EINTR)
      return 0;
    used += count > 0 ? (size_t)count : 0;
  }
  return 1;
}

/* Whether the bytes of a file are complete and belong to the key. */
static int is_whole(const struct offloadrt_finish_job *job, const struct header *header, const unsigned char *file,
                    size_t bytes) {
  if (memcmp(header->magic, magic, sizeof magic) != 0 || header->key_bytes != job->key_bytes ||
      header->container_bytes > bytes || sizeof *header + header->key_bytes + header->container_bytes != bytes)
    return 0;
  hash128 hash = hash_of(0, file + CHECKED, bytes - CHECKED);
  return memcmp(header->checksum, &hash, sizeof hash) == 0 &&
         memcmp(file + sizeof *header, job->key, job->key_bytes) == 0;
}

static int is_from(const struct header *header, const struct offloadrt_compiler *compiler) {
  return header->compiler_bytes == compiler->bytes && header->compiler_seconds == compiler->seconds &&
         header->compiler_nanoseconds == compiler->nanoseconds &&
         memcmp(header->compiler_build_id, compiler->build_id, sizeof compiler->build_id) == 0;
}

/* Takes the container out of the bytes of a file. */
static int take_container(struct offloadrt_finish_job *job, const struct header *header, const unsigned char *file) {
  job->container = malloc(header->container_bytes);
  if (!job->container)
    return 0;
  job->container_bytes = header->container_bytes;
  memcpy(job->container, file + sizeof *header + header->key_bytes, header->container_bytes);
  return offloadrt_finish_parse(job);
}

int offloadrt_read_kept(struct offloadrt_finish_job *job, const char *path, const struct offloadrt_compiler *compiler) {
  char reason[OFFLOADRT_FINISH_REASON];
  int file = offloadrt_open_own(path, O_RDONLY, reason, sizeof reason), is_read = 0;
  if (file < 0) {
    if (*reason)
      offloadrt_warn_once("an image of the cache is not used: %s", reason);
    return 0;
  }
  struct header header = {.magic = ""};
  size_t size = 0;
  unsigned char *bytes = offloadrt_read_all(file, &size);
  if (bytes && size >= sizeof header)
    memcpy(&header, bytes, sizeof header);
  if (!bytes || !is_whole(job, &header, bytes, size)) {
    offloadrt_log("finish: `%s` is damaged", path);
    unlink(path);
  } else if (compiler && !is_from(&header, compiler)) {
    offloadrt_log("finish: `%s` was made by another compiler than `%s`", path, compiler->path);
  } else {
    /* The time of an entry is that of its last use. It is only for the order in which entries are removed. */
    futimens(file, NULL);
    is_read = take_container(job, &header, bytes);
  }
  free(bytes);
  close(file);
  return is_read;
}

static int write_parts(int file, const struct offloadrt_finish_job *job, const struct offloadrt_compiler *compiler) {
  struct header header = {.compiler_bytes = compiler->bytes,
                          .compiler_seconds = compiler->seconds,
                          .compiler_nanoseconds = compiler->nanoseconds,
                          .key_bytes = job->key_bytes,
                          .container_bytes = job->container_bytes};
  memcpy(header.magic, magic, sizeof magic);
  memcpy(header.compiler_build_id, compiler->build_id, sizeof header.compiler_build_id);
  hash128 hash = hash_of(0, (const char *)&header + CHECKED, sizeof header - CHECKED);
  hash = hash_more(hash_more(hash, job->key, job->key_bytes), job->container, job->container_bytes);
  memcpy(header.checksum, &hash, sizeof hash);
  return offloadrt_write_all(file, &header, sizeof header) && offloadrt_write_all(file, job->key, job->key_bytes) &&
         offloadrt_write_all(file, job->container, job->container_bytes);
}

void offloadrt_write_kept(const struct offloadrt_finish_job *job, const char *path,
                          const struct offloadrt_compiler *compiler) {
  char temporary[OFFLOADRT_FINISH_PATH];
  if (!offloadrt_name_temporary(path, temporary, sizeof temporary))
    return;
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  int written = file >= 0 && write_parts(file, job, compiler);
  if (file >= 0)
    written = close(file) == 0 && written;
  if (written && rename(temporary, path) == 0)
    return;
  offloadrt_log("finish: cannot write `%s`: %s", path, strerror(errno));
  unlink(temporary);
}
