/* Which files are executed or believed: those that only this process's user and root can have written. The compiler has
 * the same rule (src/system/own_files.rs); docs/cache.md describes it. */
#define _GNU_SOURCE /* O_PATH, strsep */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "own.h"

/* Says why a file is refused. */
__attribute__((format(printf, 3, 4))) static int refuse(char *reason, size_t capacity, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(reason, capacity, format, values);
  va_end(values);
  return 0;
}

static int is_own(uid_t user) { return user == geteuid() || user == 0; }

/* Users and groups ------------------------------------------------------------------------------ */

/* Whether a text is this number. */
static int is_number(const char *text, unsigned long number) {
  char *end;
  return text && *text >= '0' && *text <= '9' && strtoul(text, &end, 10) == number && !*end;
}

/* Whether a name is in a list with commas. */
static int is_in_list(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (length && strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
      return 1;
  return 0;
}

static size_t count_of_list(const char *list) {
  size_t count = *list != 0;
  for (; *list; list++)
    count += *list == ',';
  return count;
}

/* Returns the users whom /etc/group names in a group; null if the group is not there. The caller frees the text. The
 * files are read here, because getgrgid() would load libraries into the program. */
static char *members_of(gid_t group) {
  FILE *file = fopen("/etc/group", "re");
  char *line = NULL, *found = NULL;
  size_t capacity = 0;
  while (file && !found && getline(&line, &capacity, file) > 0) {
    char *rest = line;
    strsep(&rest, ":\n");
    strsep(&rest, ":\n");
    char *number = strsep(&rest, ":\n"), *members = strsep(&rest, ":\n");
    if (members && is_number(number, group))
      found = strdup(members);
  }
  free(line);
  if (file)
    fclose(file);
  return found;
}

/* Whether a group has members other than the user and root. Of a group that is not in /etc/group, nothing is known. */
static int has_other_members(gid_t group) {
  char *members = members_of(group), *line = NULL;
  FILE *file = members ? fopen("/etc/passwd", "re") : NULL;
  size_t capacity = 0, known = 0;
  int others = !file;
  while (file && getline(&line, &capacity, file) > 0) {
    char *rest = line, *name = strsep(&rest, ":\n");
    strsep(&rest, ":\n");
    const char *user = strsep(&rest, ":\n"), *first = strsep(&rest, ":\n");
    int is_named = is_in_list(members, name);
    known += (size_t)is_named;
    if ((is_named || is_number(first, group)) && !is_number(user, geteuid()) && !is_number(user, 0))
      others = 1;
  }
  others |= !members || known < count_of_list(members);
  free(line);
  free(members);
  if (file)
    fclose(file);
  return others;
}

/* Whether a user namespace shows users from outside as this one. If it maps few users, the system's root is among those
 * from outside. */
static int is_from_outside(uid_t user) {
  unsigned long shown = 0, first, outside, count;
  FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
  int is_outside = file && fscanf(file, "%lu", &shown) == 1 && shown == user;
  if (file)
    fclose(file);
  file = is_outside ? fopen("/proc/self/uid_map", "re") : NULL;
  is_outside = file != NULL;
  while (file && fscanf(file, "%lu %lu %lu", &first, &outside, &count) == 3)
    is_outside &= user < first || user - first >= count;
  if (file)
    fclose(file);
  return is_outside;
}

/* Places ---------------------------------------------------------------------------------------- */

/* Returns 1 if others cannot change the file or folder at a path, and otherwise writes the reason why they can. In a
 * folder with the sticky bit everybody can make files, but nobody can replace those of others. `in_sticky`: the path is
 * in such a folder. */
static int is_own_place(const char *path, const struct stat *facts, int in_sticky, char *reason, size_t capacity) {
  int is_sticky = S_ISDIR(facts->st_mode) && (facts->st_mode & S_ISVTX);
  if (is_from_outside(facts->st_uid) ? in_sticky : !is_own(facts->st_uid))
    return refuse(reason, capacity, "`%s` belongs to user %lu", path, (unsigned long)facts->st_uid);
  if (is_sticky)
    return 1;
  if (facts->st_mode & S_IWOTH)
    return refuse(reason, capacity, "everybody can write `%s`", path);
  if (!(facts->st_mode & S_IWGRP))
    return 1;
  if (getxattr(path, "system.posix_acl_access", NULL, 0) > 0)
    return refuse(reason, capacity, "others can write `%s` by its access control list", path);
  if (has_other_members(facts->st_gid))
    return refuse(reason, capacity, "group %lu, which has other members, can write `%s`",
                  (unsigned long)facts->st_gid, path);
  return 1;
}

/* Checks a folder and those above it; the path has no links. */
static int are_own_folders(const char *folder, int *in_sticky, char *reason, size_t capacity) {
  char place[PATH_MAX];
  struct stat facts;
  size_t length = 1;
  *in_sticky = 0;
  for (;;) {
    snprintf(place, sizeof place, "%.*s", (int)length, folder);
    if (lstat(place, &facts) || !S_ISDIR(facts.st_mode))
      return refuse(reason, capacity, "`%s` is no folder", place);
    if (!is_own_place(place, &facts, *in_sticky, reason, capacity))
      return 0;
    *in_sticky = (facts.st_mode & S_ISVTX) != 0;
    if (!folder[length] || !folder[1])
      return 1;
    length += length > 1; /* the slash */
    length += strcspn(folder + length, "/");
  }
}

int offloadrt_is_own_folder(const char *folder, char *reason, size_t capacity) {
  int in_sticky;
  char *real = realpath(folder, NULL);
  if (!real)
    return refuse(reason, capacity, "`%s` cannot be found: %s", folder, strerror(errno));
  int is_fine = are_own_folders(real, &in_sticky, reason, capacity);
  free(real);
  return is_fine;
}

/* Opens a file whose folder has no links on its path. */
static int open_in(const char *folder, const char *name, int flags, char *reason, size_t capacity) {
  char path[PATH_MAX];
  int in_sticky;
  struct stat facts;
  if (!are_own_folders(folder, &in_sticky, reason, capacity) ||
      snprintf(path, sizeof path, "%s/%s", folder[1] ? folder : "", name) >= (int)sizeof path)
    return -1;
  int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (file < 0) {
    if (errno != ENOENT)
      refuse(reason, capacity, "`%s` cannot be opened: %s", path, errno == ELOOP ? "it is a link" : strerror(errno));
    return -1;
  }
  int is_file = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  if (!is_file)
    refuse(reason, capacity, "`%s` is no regular file", path);
  if (is_file && is_own_place(path, &facts, in_sticky, reason, capacity))
    return file;
  close(file);
  return -1;
}

int offloadrt_open_own(const char *path, int flags, char *reason, size_t capacity) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  *reason = 0;
  if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".") >= (int)sizeof folder)
    return -1;
  char *real = realpath(folder, NULL);
  int file = real ? open_in(real, name, flags, reason, capacity) : -1;
  free(real);
  return file;
}
