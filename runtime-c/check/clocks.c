/* The order of threads by atomic operations.
 *
 * A release at an address adds an entry to the list of that address: the run of the block, the thread, and the tick up
 * to which the thread's accesses come before; those of the whole block come before its last barrier. An acquire at the
 * address remembers the length of the list at that time. Read-modify-write operations and stores never shorten a list,
 * so an acquire may order more than the language says, which never causes a wrong report. */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

enum { SHARDS = 256, MOST_DEPTH = 8, MOST_ENTRIES = 1 << 22, MOST_KNOWN = 256 };

/* One release. */
struct entry {
  uint32_t run, thread, tick, barrier;
  uint32_t older;    /* 1 + the index of the previous entry of this run; 0: none */
  uint8_t of_block;
};

/* The acquires at other addresses by a thread that released this one. */
struct link {
  struct sync *to;
  uint32_t length, at; /* the length of the other list, and of this one */
  uint32_t run;        /* of the thread that acquired there and released here */
  uint8_t of_block;    /* the scope of its acquire, and of its release */
  uint8_t released_of_block;
};

/* An address at which threads release. */
struct sync {
  struct sync *next;
  uintptr_t address;
  pthread_mutex_t lock;
  struct entry *entries;
  uint32_t length, room;
  uint32_t *newest;    /* a hash table: 1 + the index of the newest entry of a run */
  uint32_t table_size; /* a power of two */
  uint32_t acquired;   /* the length at the last acquire */
  struct link *links;
  uint32_t link_count, link_room;
  int knows_all; /* the list became too long: everything counts as ordered */
};

/* The acquires of a thread or a block. */
struct check_known {
  struct check_known *next;
  struct sync *sync;
  uint32_t length;
  uint8_t of_block;
};

static pthread_mutex_t shard_locks[SHARDS] = {[0 ... SHARDS - 1] = PTHREAD_MUTEX_INITIALIZER};
static struct sync *_Atomic shards[SHARDS];

static uint32_t hash(uint64_t key) { return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32); }

static struct sync *find_sync(uintptr_t address, int make) {
  uint32_t shard = hash(address) % SHARDS;
  /* Most programs release nowhere. */
  if (!make && !atomic_load_explicit(&shards[shard], memory_order_relaxed))
    return NULL;
  pthread_mutex_lock(&shard_locks[shard]);
  struct sync *sync = shards[shard];
  while (sync && sync->address != address)
    sync = sync->next;
  if (!sync && make && (sync = calloc(1, sizeof *sync))) {
    sync->address = address;
    sync->next = shards[shard];
    pthread_mutex_init(&sync->lock, NULL);
    shards[shard] = sync;
  }
  pthread_mutex_unlock(&shard_locks[shard]);
  return sync;
}

/* Entries --------------------------------------------------------------------------------------- */

static uint32_t *slot_of(const struct sync *sync, uint32_t run) {
  uint32_t at = hash(run) & (sync->table_size - 1);
  while (sync->newest[at] && sync->entries[sync->newest[at] - 1].run != run)
    at = (at + 1) & (sync->table_size - 1);
  return &sync->newest[at];
}

static int grow_table(struct sync *sync) {
  uint32_t size = sync->table_size ? 2 * sync->table_size : 16;
  uint32_t *before = sync->newest, count = sync->table_size, *grown = calloc(size, sizeof *grown);
  if (!grown)
    return 0;
  sync->newest = grown;
  sync->table_size = size;
  for (uint32_t i = 0; i < count; i++)
    if (before[i])
      *slot_of(sync, sync->entries[before[i] - 1].run) = before[i];
  free(before);
  return 1;
}

static int make_room(struct sync *sync) {
  if (sync->length < sync->room)
    return 1;
  uint32_t room = sync->room ? 2 * sync->room : 8;
  struct entry *grown = room <= MOST_ENTRIES ? realloc(sync->entries, room * sizeof *grown) : NULL;
  if (!grown)
    return 0;
  sync->entries = grown;
  sync->room = room;
  return 2 * sync->room <= sync->table_size || grow_table(sync);
}

static void add_entry(struct sync *sync, struct entry entry) {
  uint32_t *slot = sync->table_size ? slot_of(sync, entry.run) : NULL;
  struct entry *newest = slot && *slot ? &sync->entries[*slot - 1] : NULL;
  /* Nobody has seen the last release of the same thread yet. */
  if (newest && *slot > sync->acquired && newest->thread == entry.thread && newest->of_block == entry.of_block) {
    newest->tick = entry.tick;
    newest->barrier = entry.barrier;
    return;
  }
  if (!make_room(sync) || (sync->table_size < 2 * sync->room && !grow_table(sync))) {
    sync->knows_all = 1;
    return;
  }
  slot = slot_of(sync, entry.run);
  entry.older = *slot;
  sync->entries[sync->length] = entry;
  *slot = ++sync->length;
}

/* Whether a link already contains another one. */
static int covers(const struct link *link, const struct link *other) {
  return link->to == other->to && link->run == other->run && link->length >= other->length &&
         link->of_block <= other->of_block && link->released_of_block <= other->released_of_block;
}

static void add_link(struct sync *sync, struct link link) {
  for (uint32_t i = sync->link_count; i-- > 0;)
    if (covers(&sync->links[i], &link))
      return;
  if (sync->link_count == sync->link_room) {
    uint32_t room = sync->link_room ? 2 * sync->link_room : 4;
    struct link *grown = realloc(sync->links, room * sizeof *grown);
    if (!grown) {
      sync->knows_all = 1;
      return;
    }
    sync->links = grown;
    sync->link_room = room;
  }
  sync->links[sync->link_count++] = link;
}

static void add_links(struct sync *sync, const struct check_known *known, uint32_t run, int of_block) {
  for (; known; known = known->next)
    if (known->sync != sync)
      add_link(sync, (struct link){.to = known->sync,
                                   .length = known->length,
                                   .at = sync->length,
                                   .run = run,
                                   .of_block = known->of_block,
                                   .released_of_block = (uint8_t)of_block});
}

void check_release(struct check_run *run, uintptr_t address, uint32_t tick, int of_block) {
  struct sync *sync = find_sync(address, 1);
  if (!sync)
    return;
  uint32_t number = (uint32_t)(run->base >> CHECK_TICKS);
  pthread_mutex_lock(&sync->lock);
  add_entry(sync, (struct entry){number, run->thread, tick, (uint32_t)run->barrier, 0, (uint8_t)of_block});
  add_links(sync, run->known, number, of_block);
  add_links(sync, run->threads[run->thread].known, number, of_block);
  pthread_mutex_unlock(&sync->lock);
  run->tick++;
}

/* Acquires -------------------------------------------------------------------------------------- */

static void remember(struct check_known **list, struct sync *sync, uint32_t length, int of_block) {
  unsigned count = 0;
  for (struct check_known *each = *list; each; each = each->next, count++)
    if (each->sync == sync && each->of_block == of_block) {
      if (length > each->length)
        each->length = length;
      return;
    }
  struct check_known *known = count < MOST_KNOWN ? calloc(1, sizeof *known) : NULL;
  if (!known) {
    /* Too much to remember: the list says so, and everything counts as ordered. */
    if (*list)
      (*list)->sync = NULL;
    return;
  }
  *known = (struct check_known){*list, sync, length, (uint8_t)of_block};
  *list = known;
}

void check_acquire(struct check_run *run, uintptr_t address, int of_block, int is_relaxed) {
  struct sync *sync = find_sync(address, 0);
  if (!sync)
    return;
  struct check_thread *thread = &run->threads[run->thread];
  pthread_mutex_lock(&sync->lock);
  uint32_t length = sync->acquired = sync->length;
  pthread_mutex_unlock(&sync->lock);
  remember(is_relaxed ? &thread->read : &thread->known, sync, length, of_block);
}

static void free_list(struct check_known **list) {
  while (*list) {
    struct check_known *known = *list;
    *list = known->next;
    free(known);
  }
}

static void move_all(struct check_known **to, struct check_known **from, int of_block) {
  for (struct check_known *each = *from; each; each = each->next)
    remember(to, each->sync, each->length, each->of_block | of_block);
  free_list(from);
}

void check_acquire_read(struct check_run *run, int of_block) {
  struct check_thread *thread = &run->threads[run->thread];
  if (thread->read)
    move_all(&thread->known, &thread->read, of_block);
}

void check_share_known(struct check_run *run) {
  for (uint32_t i = 0; i < run->thread_count; i++)
    if (run->threads[i].known)
      move_all(&run->known, &run->threads[i].known, 0);
}

void check_forget_known(struct check_run *run) {
  free_list(&run->known);
  for (uint32_t i = 0; i < run->thread_count; i++) {
    free_list(&run->threads[i].known);
    free_list(&run->threads[i].read);
  }
}

/* Looking up ------------------------------------------------------------------------------------ */

/* The access, and the run of the thread that acquired: the asking one, or one that it heard of the access from. */
struct question {
  uint32_t run, thread, tick, asking_run;
};

/* Whether a release orders the access before an acquire that is in its scope. */
static int says(const struct entry *entry, int of_block, const struct question *question) {
  if ((entry->of_block || of_block) && question->run != question->asking_run)
    return 0;
  return question->tick < entry->barrier || (question->thread == entry->thread && question->tick <= entry->tick);
}

static int is_in(struct sync *sync, uint32_t length, int of_block, const struct question *question, int depth);

/* Whether a thread that released had acquired the access elsewhere. A block's scope is that of each step. */
static int is_in_link(const struct link *link, uint32_t length, int of_block, const struct question *question,
                      int depth) {
  if (link->at > length || ((link->released_of_block || of_block) && link->run != question->asking_run))
    return 0;
  struct question of_link = *question;
  of_link.asking_run = link->run;
  return is_in(link->to, link->length, link->of_block, &of_link, depth + 1);
}

static int is_in(struct sync *sync, uint32_t length, int of_block, const struct question *question, int depth) {
  if (!sync || sync->knows_all || depth == MOST_DEPTH)
    return 1;
  int found = 0;
  pthread_mutex_lock(&sync->lock);
  for (uint32_t at = sync->table_size ? *slot_of(sync, question->run) : 0; at && !found; at = sync->entries[at - 1].older)
    found = at <= length && says(&sync->entries[at - 1], of_block, question);
  uint32_t count = found ? 0 : sync->link_count;
  pthread_mutex_unlock(&sync->lock);
  for (uint32_t i = 0; i < count && !found; i++) {
    pthread_mutex_lock(&sync->lock);
    struct link link = sync->links[i];
    pthread_mutex_unlock(&sync->lock);
    found = is_in_link(&link, length, of_block, question, depth);
  }
  return found;
}

static int is_in_list(const struct check_known *known, const struct question *question) {
  for (; known; known = known->next)
    if (is_in(known->sync, known->length, known->of_block, question, 0))
      return 1;
  return 0;
}

int check_is_acquired(const struct check_run *run, struct check_access access) {
  const struct check_thread *thread = &run->threads[run->thread];
  if (!run->known && !thread->known)
    return 0;
  struct question question = {check_run_of(access.when), check_thread_of(access.where), (uint32_t)access.when,
                              (uint32_t)(run->base >> CHECK_TICKS)};
  return is_in_list(thread->known, &question) || is_in_list(run->known, &question);
}
