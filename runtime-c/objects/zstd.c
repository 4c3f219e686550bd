/* zstd's decoder as one object, from the source in the crate `zstd-sys`; the Makefile says where that is. All names of the
 * decoder become local there, so that a program may link another zstd beside it. */
#include "../driver.h"

#ifdef OFFLOADRT_WITHOUT_ZSTD

/* The runtime that cargo compiles with the crate `offload-kernels`: the images that it loads are never compressed. */
int offloadrt_decompress(void *to, size_t size, const void *frame, size_t frame_bytes) {
  (void)to, (void)size, (void)frame, (void)frame_bytes;
  return 0;
}

#else

#define DEBUGLEVEL 0
#define ZSTD_LEGACY_SUPPORT 0
#define ZSTD_TRACE 0
#define ZSTD_DISABLE_ASM 1
#define ZSTD_STRIP_ERROR_STRINGS 1
/* One of the two decoders of literals is enough, and neither is faster for images. */
#define HUF_FORCE_DECOMPRESS_X1 1
#define ZSTDLIB_VISIBLE
#define ZSTDERRORLIB_VISIBLE
#define XXH_NAMESPACE ZSTD_

#include "common/debug.c"
#include "common/entropy_common.c"
#include "common/error_private.c"
#include "common/fse_decompress.c"
#include "common/xxhash.c"
#include "common/zstd_common.c"
#include "decompress/huf_decompress.c"
#include "decompress/zstd_ddict.c"
#include "decompress/zstd_decompress.c"
#include "decompress/zstd_decompress_block.c"

int offloadrt_decompress(void *to, size_t size, const void *frame, size_t frame_bytes) {
  ZSTD_FrameHeader header;
  /* Exactly one frame, with a checksum, of a known size. */
  if (ZSTD_getFrameHeader(&header, frame, frame_bytes) != 0 || header.frameType != ZSTD_frame || !header.checksumFlag ||
      header.frameContentSize != size || ZSTD_findFrameCompressedSize(frame, frame_bytes) != frame_bytes)
    return 0;
  return ZSTD_decompress(to, size, frame, frame_bytes) == size;
}

#endif
