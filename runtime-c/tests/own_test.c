/* Tests which files the runtime executes or believes: those that only its user and root can have written. Most cases need
 * root, because files of other users are made, and users are changed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../finish/finish.h"
#include "check.h"

enum { NOBODY = 65534 };

static char folder[] = "/tmp/own_test.XXXXXX";

static const char *in_folder(const char *name) {
  static char path[4][4096];
  static int next;
  char *to = path[next++ % 4];
  snprintf(to, sizeof path[0], "%s/%s", folder, name);
  return to;
}

static void make_file(const char *name, mode_t mode) {
  int file = open(in_folder(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
  CHECK(file >= 0 && write(file, "text", 4) == 4 && fchmod(file, mode) == 0 && close(file) == 0);
}

static void make_folder(const char *name, mode_t mode) {
  CHECK(mkdir(in_folder(name), 0700) == 0 && chmod(in_folder(name), mode) == 0);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at) {
  (void)facts, (void)kind, (void)at;
  return remove(path);
}

/* Checks that a file is opened, or the end of the reason why it is not. */
static void expect(const char *name, const char *reason) {
  char text[8192] = "unset";
  int file = offloadrt_open_own(in_folder(name), O_RDONLY, text, sizeof text);
  size_t length = strlen(text), wanted = reason ? strlen(reason) : 0;
  int is_right = reason ? file < 0 && length >= wanted && strcmp(text + length - wanted, reason) == 0 : file >= 0;
  if (!is_right)
    fprintf(stderr, "%s\n  is: %d, %s\n  wanted: %s\n", name, file, text, reason ? reason : "open");
  CHECK(is_right);
  if (file >= 0)
    close(file);
}

/* Runs a part of a test as another user. */
static void as_user(uid_t user, gid_t group, const char *name, const char *reason) {
  pid_t child = fork();
  if (child == 0) {
    CHECK(setgroups(0, NULL) == 0 && setgid(group) == 0 && setuid(user) == 0);
    expect(name, reason);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Files that any user can make --------------------------------------------------------------------- */

static void own_files_are_opened(void) {
  make_file("file", 0644);
  expect("file", NULL);
  expect("absent", "");
  CHECK(symlink(".", in_folder("here")) == 0);
  expect("here/file", NULL);
}

static void only_regular_files_are(void) {
  CHECK(mkfifo(in_folder("fifo"), 0600) == 0 && symlink("file", in_folder("link")) == 0);
  CHECK(symlink("nothing", in_folder("dangling")) == 0);
  make_folder("inner", 0755);
  alarm(10); /* nobody opens the other end */
  expect("fifo", "fifo` is no regular file");
  alarm(0);
  expect("link", "link` cannot be opened: it is a link");
  expect("dangling", "dangling` cannot be opened: it is a link");
  expect("inner", "inner` is no regular file");
  char reason[4096];
  CHECK(offloadrt_open_own(in_folder("dangling"), O_RDWR | O_CREAT, reason, sizeof reason) < 0);
  CHECK(access(in_folder("nothing"), F_OK) != 0);
}

static void nobody_else_may_write_it(void) {
  make_file("open", 0646);
  expect("open", "open`");
  make_folder("shared", 0777);
  make_file("shared/file", 0644);
  expect("shared/file", "shared`");
  make_folder("shared/inner", 0755);
  make_file("shared/inner/file", 0644);
  expect("shared/inner/file", "shared`");
  make_folder("sticky", 01777);
  make_file("sticky/file", 0644);
  expect("sticky/file", NULL);
}

/* Cases that need root ----------------------------------------------------------------------------- */

static void files_of_others_are_refused(void) {
  make_file("theirs", 0755);
  CHECK(chown(in_folder("theirs"), NOBODY, NOBODY) == 0);
  expect("theirs", "theirs` belongs to user 65534");
  as_user(NOBODY, NOBODY, "theirs", NULL);
  as_user(NOBODY, NOBODY, "file", NULL); /* root's */
  make_folder("home", 0755);
  make_file("home/file", 0644);
  CHECK(chown(in_folder("home"), NOBODY, NOBODY) == 0);
  expect("home/file", "home` belongs to user 65534");
  as_user(NOBODY, NOBODY, "home/file", NULL);
  as_user(1, 1, "home/file", "home` belongs to user 65534");
  make_file("sticky/theirs", 0644);
  CHECK(chown(in_folder("sticky/theirs"), NOBODY, NOBODY) == 0);
  expect("sticky/theirs", "theirs` belongs to user 65534");
}

/* Finds a user with a private group, and a group without members, by the functions of the system. */
static int has_members(gid_t group, uid_t except) {
  struct group *found = getgrgid(group);
  int count = found && *found->gr_mem;
  setpwent();
  for (struct passwd *user; (user = getpwent());)
    count += user->pw_gid == group && user->pw_uid != except;
  return count;
}

static void groups_are_asked_for_their_members(void) {
  uid_t user = 0;
  gid_t own = 0, empty = 0;
  for (uid_t i = 1; i < NOBODY && !user; i++) {
    struct passwd *one = getpwuid(i);
    if (one && one->pw_gid && !has_members(one->pw_gid, i)) {
      user = i;
      own = one->pw_gid;
    }
  }
  for (gid_t i = 1; i < NOBODY && !empty; i++)
    empty = getgrgid(i) && !has_members(i, 0) ? i : 0;
  CHECK(user && empty);
  make_folder("group", 0775);
  make_file("group/file", 0664);
  CHECK(chown(in_folder("group"), 0, empty) == 0 && chown(in_folder("group/file"), 0, empty) == 0);
  expect("group/file", NULL);
  as_user(user, own, "group/file", NULL);
  CHECK(chown(in_folder("group"), 0, own) == 0);
  expect("group/file", "group`");
  as_user(user, own, "group/file", NULL); /* the user's own group */
  CHECK(chown(in_folder("group"), 0, 54321) == 0);
  expect("group/file", "group`");
}

/* Enters a user namespace that maps user 1 only. Returns 0 if that is not permitted here. */
static int enter_namespace(void) {
  CHECK(setgroups(0, NULL) == 0 && setgid(1) == 0 && setuid(1) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0);
  int file = unshare(CLONE_NEWUSER) ? -1 : open("/proc/self/uid_map", O_WRONLY);
  return file >= 0 && write(file, "1000 1 1", 8) == 8 && close(file) == 0;
}

/* It shows the system's own folders as those of nobody. */
static void folders_from_outside_a_namespace_are_the_systems(void) {
  CHECK(chown(folder, 1, 1) == 0 && chown(in_folder("home"), 0, 0) == 0);
  make_folder("home/sticky", 01777);
  make_file("home/sticky/file", 0644);
  pid_t child = fork();
  if (child == 0) {
    if (!enter_namespace())
      _exit(2);
    expect("file", NULL);
    expect("home/file", NULL);
    expect("home/sticky/file", "file` belongs to user 65534");
    expect("shared/file", "shared`");
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) != 1);
  if (WEXITSTATUS(status))
    printf("skipped: no user namespace can be made here\n");
}

int main(void) {
  umask(022);
  CHECK(mkdtemp(folder) && chmod(folder, 0755) == 0);
  RUN(own_files_are_opened);
  RUN(only_regular_files_are);
  RUN(nobody_else_may_write_it);
  if (geteuid() == 0) {
    RUN(files_of_others_are_refused);
    RUN(groups_are_asked_for_their_members);
    RUN(folders_from_outside_a_namespace_are_the_systems);
  } else {
    printf("skipped %s: files of other users need root\n", __FILE__);
  }
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  return 0;
}
