/* Checks of the device and the stream that a call receives, and the names of a device. Calls no driver. */
#include "device.h"

#include "checker.h"

/* The checker sets it, if a program contains instrumented kernels. */
const struct offloadrt_checker *offloadrt_checker;

int offloadrt_check_device(const offloadrt_device *device) {
  return device ? offloadrt_check_caller(device) : offloadrt_fail(OFFLOADRT_INVALID, "the device is null");
}

int offloadrt_check_stream(const offloadrt_device *device, const offloadrt_stream *stream) {
  int status = offloadrt_check_device(device);
  if (status || !stream || stream->device == device)
    return status;
  return offloadrt_fail(OFFLOADRT_INVALID, "the stream belongs to device `%s`, not to `%s`", stream->device->name,
                        device->name);
}

const char *offloadrt_device_name(const offloadrt_device *device) { return device ? device->name : ""; }

const char *offloadrt_device_arch(const offloadrt_device *device) { return device ? device->description.arch : ""; }

const char *offloadrt_device_product(const offloadrt_device *device) { return device ? device->description.product : ""; }
