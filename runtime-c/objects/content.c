/* The content of objects whose images are compressed: one zstd frame for the images of all archs, because they have much
 * in common. It is decompressed at the first launch on a device that loads images, once for all devices and threads. */
#define _DEFAULT_SOURCE /* madvise */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../driver.h"

/* The decompressed images of one object. */
struct content {
  struct content *next;
  uint64_t serial; /* the number of the object's registration */
  uint64_t size;
  unsigned char *bytes;
};

enum { HUGE_PAGE = 2 << 20, CACHE_LINE = 64 };

/* The first accesses to small pages would take longer than the decompression of a large content. */
static unsigned char *allocate(uint64_t size) {
  size_t align = size < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE;
  size_t bytes = (size + align - 1) / align * align;
  unsigned char *memory = aligned_alloc(align, bytes);
  if (memory && align == HUGE_PAGE)
    madvise(memory, bytes, MADV_HUGEPAGE); /* if it fails, pages are small */
  return memory;
}

static void discard(struct content *content) {
  if (content)
    free(content->bytes);
  free(content);
}

/* Protects the list, and is held while a content is decompressed, so that threads that launch at once do it once. */
static pthread_mutex_t contents_lock = PTHREAD_MUTEX_INITIALIZER;
static struct content *contents;

/* A block of a frame has at least four bytes, and contains at most 128 KiB. A damaged size thus cannot ask for more
 * memory than the frame can fill. */
static int is_possible(const struct offloadrt_packed *packed) {
  return packed->content_size / (128 << 10) <= packed->bytes / 4 && packed->content_size <= SIZE_MAX - HUGE_PAGE;
}

static int damaged(void) {
  return offloadrt_fail(OFFLOADRT_FAILED, "the compressed images in this program are damaged; build the program again");
}

/* Decompresses the content of an object, and adds it to the list. */
static int open_content(const struct offload_descriptor *object, struct content **opened) {
  struct offloadrt_packed packed;
  if (!offloadrt_find_packed(object->images_begin, object->images_end, &packed) || !is_possible(&packed))
    return damaged();
  struct content *content = calloc(1, sizeof *content);
  if (!content || !(content->bytes = allocate(packed.content_size))) {
    discard(content);
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for %llu bytes of images",
                          (unsigned long long)packed.content_size);
  }
  if (!offloadrt_decompress(content->bytes, packed.content_size, packed.begin, packed.bytes)) {
    discard(content);
    return damaged();
  }
  content->serial = object->serial;
  content->size = packed.content_size;
  content->next = contents;
  contents = *opened = content;
  offloadrt_log("decompressed %zu bytes of images to %zu", packed.bytes, (size_t)packed.content_size);
  return OFFLOADRT_SUCCESS;
}

/* The caller holds the lock. */
static int find_content(const struct offload_descriptor *object, struct content **found) {
  *found = contents;
  while (*found && (*found)->serial != object->serial)
    *found = (*found)->next;
  return *found ? OFFLOADRT_SUCCESS : open_content(object, found);
}

int offloadrt_open_image(const struct offload_descriptor *object, struct offloadrt_image *image) {
  if (!image->is_compressed)
    return OFFLOADRT_SUCCESS;
  struct content *content;
  pthread_mutex_lock(&contents_lock);
  int status = find_content(object, &content);
  pthread_mutex_unlock(&contents_lock);
  if (status)
    return status;
  if (image->content_offset > content->size || image->content_size > content->size - image->content_offset)
    return damaged();
  image->begin = content->bytes + image->content_offset;
  image->end = image->begin + image->content_size;
  return OFFLOADRT_SUCCESS;
}

void offloadrt_forget_content(uint64_t serial) {
  pthread_mutex_lock(&contents_lock);
  for (struct content **link = &contents; *link; link = &(*link)->next)
    if ((*link)->serial == serial) {
      struct content *content = *link;
      *link = content->next;
      discard(content);
      break;
    }
  pthread_mutex_unlock(&contents_lock);
}
