/* offloadrt_launch_mapped(): a launch with host pointers. The memory that they point to is mapped for the launch, with
 * the sizes in the kernel's table of extents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"

/* One launch: the arguments of the caller, in which device pointers replace the host pointers. */
struct mapped_launch {
  offloadrt_device *device;
  offloadrt_stream *stream;
  const struct offload_kernel *kernel;
  const struct offload_extent *extents; /* null: no extent is known */
  unsigned flags;
  offloadrt_argument *arguments;
  void **hosts;     /* the host pointer of each mapped argument */
  void **addresses; /* the device addresses of the mapped arguments */
};

/* Returns the table of extents, which follows the parameters. */
static const struct offload_extent *extents_of(const struct offload_kernel *kernel) {
  if (!(kernel->flags & OFFLOAD_KERNEL_HAS_EXTENTS))
    return NULL;
  return (const struct offload_extent *)(const void *)(kernel->parameters + kernel->parameter_count);
}

static unsigned directions(const struct mapped_launch *launch, uint32_t i) {
  unsigned directions = launch->extents[i].directions;
  int promised = launch->flags & OFFLOADRT_WRITES_ALL;
  return promised ? directions : directions | OFFLOADRT_MAP_TO;
}

/* Replaces a pointer to memory of unknown size, which must already be mapped. */
static int find_one(struct mapped_launch *launch, uint32_t i, const void *host) {
  if (offloadrt_find_mapped(launch->device, host, &launch->addresses[i]))
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_MISMATCH,
                        "argument %u of kernel `%s` points to memory of the host whose size is not known, and which is not "
                        "mapped to `%s`; help: map it, or let the kernel take a reference to an array and compile it "
                        "with optimisation",
                        i + 1, offloadrt_kernel_name(launch->kernel), launch->device->name);
}

/* Replaces the host pointer in argument `i` by the device pointer, if the argument is a pointer. */
static int map_one(struct mapped_launch *launch, uint32_t i) {
  if (launch->kernel->parameters[i].kind != OFFLOAD_PARAMETER_POINTER)
    return OFFLOADRT_SUCCESS;
  void *host;
  memcpy(&host, launch->arguments[i].address, sizeof host);
  launch->arguments[i].address = &launch->addresses[i];
  if (!launch->extents || !launch->extents[i].bytes)
    return find_one(launch, i, host);
  int status = offloadrt_map(launch->device, launch->stream, host, launch->extents[i].bytes, directions(launch, i),
                             &launch->addresses[i]);
  if (!status)
    launch->hosts[i] = host;
  return status;
}

/* Ends the mappings that map_one() began, in reverse order. `status` is the status of the operations before. */
static int unmap_all(struct mapped_launch *launch, int status) {
  char text[4096];
  snprintf(text, sizeof text, "%s", offloadrt_error_text());
  for (uint32_t i = launch->kernel->parameter_count; i-- > 0;) {
    if (!launch->hosts[i])
      continue;
    int ended = offloadrt_unmap(launch->device, launch->stream, launch->hosts[i], launch->extents[i].bytes,
                                directions(launch, i));
    if (status || !ended)
      continue;
    snprintf(text, sizeof text, "%s", offloadrt_error_text());
    status = ended;
  }
  return status ? offloadrt_fail(status, "%s", text) : OFFLOADRT_SUCCESS;
}

static int run(struct mapped_launch *launch, const offloadrt_launch_config *config) {
  int status = OFFLOADRT_SUCCESS;
  uint32_t count = launch->kernel->parameter_count;
  for (uint32_t i = 0; i < count && !status; i++)
    status = map_one(launch, i);
  if (!status)
    status = offloadrt_launch(launch->device, launch->stream, launch->kernel, config, launch->arguments, count);
  if (!status)
    status = offloadrt_synchronize(launch->device, launch->stream);
  return unmap_all(launch, status);
}

int offloadrt_launch_mapped(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                            const offloadrt_launch_config *config, const offloadrt_argument *arguments,
                            size_t argument_count, unsigned flags) {
  if (flags & ~(unsigned)OFFLOADRT_WRITES_ALL)
    return offloadrt_fail(OFFLOADRT_INVALID, "%#x is no set of `enum offloadrt_mapped_launch_flag`", flags);
  /* Check the launch before anything is mapped. */
  int status = offloadrt_check_launch(device, stream, kernel, config, arguments, argument_count);
  if (status)
    return status;
  struct mapped_launch launch = {device, stream, kernel, extents_of(kernel), flags, NULL, NULL, NULL};
  size_t room = (size_t)kernel->parameter_count + 1;
  launch.arguments = calloc(room, sizeof *launch.arguments);
  launch.hosts = calloc(room, 2 * sizeof *launch.hosts);
  if (launch.arguments && launch.hosts) {
    launch.addresses = launch.hosts + room;
    offloadrt_order_arguments(kernel, arguments, launch.arguments);
    status = run(&launch, config);
  } else {
    status = offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for %u arguments of kernel `%s`", kernel->parameter_count,
                            offloadrt_kernel_name(kernel));
  }
  free(launch.arguments);
  free(launch.hosts);
  return status;
}
