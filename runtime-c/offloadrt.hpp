/* offloadrt.hpp: offloadrt.h for hosts in C++17. Objects that free themselves, launches whose arguments are checked,
 * and errors as exceptions. The header needs nothing else: link the same library as for offloadrt.h.
 *
 *   offloadrt::device device;                                    // OFFLOADRT_DEVICE, or "cpu"
 *   offloadrt::stream stream(device);
 *   offloadrt::buffer<float> x(stream, host_x), y(stream, host_y);
 *   offloadrt::kernel<uint32_t, float, const float *, float *> saxpy("saxpy");
 *   saxpy.launch(stream, offloadrt::grid::for_length(n, 256), n, 2.5f, x, y);
 *   std::vector<float> result = y.to_host(stream);
 *
 * Every failure throws offloadrt::error, which has the runtime's text and status. Destructors throw nothing: a panic of
 * a kernel that nobody has waited for is lost when its stream is destroyed. Call stream::synchronize() first, or copy
 * from a buffer. A moved-from object may only be destroyed or assigned to.
 *
 * A device is shared: buffers, streams and events keep it open. Buffers are freed in the order of the program, not of a
 * stream, so wait for the kernels that use a buffer before it is destroyed. */
#ifndef OFFLOADRT_HPP
#define OFFLOADRT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "offloadrt.h"

namespace offloadrt {

/* The failure of a function: the runtime's text, and its status. */
class error : public std::runtime_error {
 public:
  error(int status, const std::string &text) : std::runtime_error(text), status_(status) {}
  offloadrt_status status() const noexcept { return static_cast<offloadrt_status>(status_); }

 private:
  int status_;
};

/* Throws the last error of this thread if `status` is not success. */
inline void check(int status) {
  if (status != OFFLOADRT_SUCCESS)
    throw error(status, offloadrt_error_text());
}

/* A device, by its name ("cuda:0"); without a name, the one in OFFLOADRT_DEVICE, otherwise the cpu. Copies are the same
 * device, which is closed with the last object that uses it. */
class device {
 public:
  device() : device(nullptr) {}
  explicit device(const std::string &name) : device(name.c_str()) {}
  explicit device(const char *name) {
    offloadrt_device *opened = nullptr;
    check(offloadrt_device_open(name, &opened));
    raw_.reset(opened, offloadrt_device_close);
  }

  std::string name() const { return offloadrt_device_name(raw()); }
  std::string arch() const { return offloadrt_device_arch(raw()); }
  std::string product() const { return offloadrt_device_product(raw()); }
  offloadrt_limits limits() const {
    offloadrt_limits limits = {};
    limits.size = sizeof limits;
    limits.version = OFFLOADRT_LIMITS_VERSION;
    check(offloadrt_device_limits(raw(), &limits));
    return limits;
  }
  /* Waits for all work of the device. */
  void synchronize() const { check(offloadrt_synchronize(raw(), nullptr)); }
  /* For the functions of offloadrt.h. */
  offloadrt_device *raw() const noexcept { return raw_.get(); }

 private:
  std::shared_ptr<offloadrt_device> raw_;
};

class event;

/* Work that a device does in order. */
class stream {
 public:
  /* A new stream. */
  explicit stream(const offloadrt::device &on) : device_(on), raw_(nullptr, offloadrt_stream_destroy) {
    offloadrt_stream *created = nullptr;
    check(offloadrt_stream_create(on.raw(), &created));
    raw_.reset(created);
  }
  /* The stream that every device has. */
  static stream default_of(const offloadrt::device &on) { return stream(on, nullptr); }

  const offloadrt::device &device() const noexcept { return device_; }
  /* Waits for the work, and reports a kernel's panic. */
  void synchronize() const {
    /* Without a stream, the function of offloadrt.h waits for the device, which includes its default stream. */
    check(offloadrt_synchronize(device_.raw(), raw()));
  }
  /* Later work of this stream waits for the event. */
  inline void wait(const event &earlier) const;
  inline event record() const;
  /* Null: the default stream. */
  offloadrt_stream *raw() const noexcept { return raw_.get(); }

 private:
  stream(const offloadrt::device &on, offloadrt_stream *raw) : device_(on), raw_(raw, offloadrt_stream_destroy) {}

  offloadrt::device device_;
  std::unique_ptr<offloadrt_stream, int (*)(offloadrt_stream *)> raw_;
};

/* A position in the work of a stream. */
class event {
 public:
  explicit event(const offloadrt::device &on) : device_(on), raw_(nullptr, offloadrt_event_destroy) {
    offloadrt_event *created = nullptr;
    check(offloadrt_event_create(on.raw(), &created));
    raw_.reset(created);
  }

  /* Places the event after the work that `stream` has so far. */
  void record(const stream &stream) { check(offloadrt_event_record(raw(), stream.raw())); }
  void synchronize() const { check(offloadrt_event_synchronize(raw())); }
  bool is_over() const {
    int over = 0;
    check(offloadrt_event_query(raw(), &over));
    return over != 0;
  }
  /* Waits for both events. */
  std::chrono::nanoseconds elapsed_since(const event &earlier) const {
    int64_t nanoseconds = 0;
    check(offloadrt_event_elapsed(earlier.raw(), raw(), &nanoseconds));
    return std::chrono::nanoseconds(nanoseconds);
  }
  offloadrt_event *raw() const noexcept { return raw_.get(); }

 private:
  device device_;
  std::unique_ptr<offloadrt_event, int (*)(offloadrt_event *)> raw_;
};

inline void stream::wait(const event &earlier) const { check(offloadrt_stream_wait(raw(), earlier.raw())); }
inline event stream::record() const {
  event recorded(device_);
  recorded.record(*this);
  return recorded;
}

/* Device memory for `size()` elements. */
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "elements are copied byte by byte");

 public:
  /* Memory without values. */
  buffer(const offloadrt::device &on, std::size_t size) : device_(on), size_(size) {
    if (size > SIZE_MAX / sizeof(T))
      throw error(OFFLOADRT_NO_MEMORY, "a buffer of " + std::to_string(size) + " elements is larger than any memory");
    check(offloadrt_allocate(on.raw(), size * sizeof(T), &address_));
  }
  /* Memory with the values of `from`, copied in `stream`. */
  buffer(const stream &stream, const T *from, std::size_t size) : buffer(stream.device(), size) {
    copy_from(stream, from, size);
  }
  buffer(const stream &stream, const std::vector<T> &from) : buffer(stream, from.data(), from.size()) {}
  buffer(buffer &&other) noexcept
      : device_(other.device_), size_(std::exchange(other.size_, 0)), address_(std::exchange(other.address_, nullptr)) {}
  buffer &operator=(buffer &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~buffer() {
    if (address_)
      (void)offloadrt_free(device_.raw(), address_);
  }

  std::size_t size() const noexcept { return size_; }
  /* The address for kernels. The host must not follow it. */
  T *address() const noexcept { return static_cast<T *>(address_); }

  void copy_from(const stream &stream, const T *from, std::size_t count) {
    within(count);
    check(offloadrt_copy_to_device(device_.raw(), stream.raw(), address_, from, count * sizeof(T)));
  }
  void copy_to(const stream &stream, T *to, std::size_t count) const {
    within(count);
    check(offloadrt_copy_to_host(device_.raw(), stream.raw(), to, address_, count * sizeof(T)));
  }
  std::vector<T> to_host(const stream &stream) const {
    std::vector<T> values(size_);
    copy_to(stream, values.data(), size_);
    return values;
  }
  /* Fills all bytes, without waiting. */
  void fill(const stream &stream, unsigned char byte) {
    check(offloadrt_submit_fill(device_.raw(), stream.raw(), address_, byte, size_ * sizeof(T)));
  }

 private:
  void within(std::size_t count) const {
    if (count > size_)
      throw error(OFFLOADRT_INVALID, "a copy of " + std::to_string(count) +
                                         " elements is longer than the buffer, which has " + std::to_string(size_));
  }

  offloadrt::device device_;
  std::size_t size_;
  void *address_ = nullptr;
};

/* Counts along x, y and z. */
struct dimensions {
  uint32_t x = 1, y = 1, z = 1;
};

/* The shape of a launch. */
struct grid {
  dimensions blocks;
  dimensions threads; /* per block */
  uint32_t dynamic_shared_bytes = 0;
  uint64_t heap_bytes = 0; /* for kernels that allocate memory */

  /* Blocks of `threads` threads, so many that there is a thread for each of `length` elements; at least one. */
  static grid for_length(std::size_t length, uint32_t threads) {
    if (threads == 0)
      throw error(OFFLOADRT_INVALID, "a block has at least one thread");
    std::size_t blocks = length / threads + (length % threads != 0);
    if (blocks > UINT32_MAX)
      throw error(OFFLOADRT_INVALID, std::to_string(length) + " elements need more blocks than a grid has");
    grid shape;
    shape.blocks.x = blocks ? static_cast<uint32_t>(blocks) : 1;
    shape.threads.x = threads;
    return shape;
  }
};

namespace detail {

/* A buffer is passed as its address. */
template <class Parameter, class T>
Parameter as_parameter(const buffer<T> &passed) {
  static_assert(std::is_convertible_v<T *, Parameter>, "the kernel's parameter is no pointer to the buffer's elements");
  return passed.address();
}
template <class Parameter, class Argument>
Parameter as_parameter(const Argument &passed) {
  static_assert(std::is_convertible_v<const Argument &, Parameter>, "the kernel's parameter has another type");
  return static_cast<Parameter>(passed);
}

/* The row that the kernel's table must have for a parameter of C++. */
struct expected {
  std::size_t size;
  bool is_pointer;
};

inline std::string described(std::size_t size, bool is_pointer) {
  return is_pointer ? "a pointer" : "a value of " + std::to_string(size) + " bytes";
}

inline void compare(const offload_kernel *kernel, const expected *wanted, std::size_t count) {
  const std::string kernel_name = std::string("kernel `") + kernel->name + "` ";
  if (kernel->version != OFFLOAD_KERNEL_VERSION)
    throw error(OFFLOADRT_MISMATCH, kernel_name + "is from an object of another version of offloadc than offloadrt.hpp");
  if (kernel->parameter_count != count)
    throw error(OFFLOADRT_MISMATCH, kernel_name + "has " + std::to_string(kernel->parameter_count) + " parameters, not " +
                                        std::to_string(count));
  for (std::size_t i = 0; i < count; i++) {
    const offload_parameter &own = kernel->parameters[i];
    const bool is_pointer = own.kind == OFFLOAD_PARAMETER_POINTER;
    if (own.size != wanted[i].size || is_pointer != wanted[i].is_pointer)
      throw error(OFFLOADRT_MISMATCH, kernel_name + "has " + described(own.size, is_pointer) + " as parameter " +
                                          std::to_string(i + 1) + ", not " +
                                          described(wanted[i].size, wanted[i].is_pointer));
  }
}

}  // namespace detail

/* A kernel with parameters of these types. They are compared with the kernel's parameter table when the object is made:
 * their number, their sizes, and which of them are pointers. A type is a value that can be copied byte by byte, or a
 * pointer to device memory, for which a launch also accepts a buffer. A kernel that takes one struct by value
 * (`__offload_kernel_block`) has that struct as its only parameter. */
template <class... Parameters>
class kernel {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "arguments are copied byte by byte");
  static_assert((!std::is_reference_v<Parameters> && ...), "a kernel takes a pointer, not a reference");

 public:
  /* The kernel of this name in any object of the program, as `offloadc inspect` prints it. */
  explicit kernel(const std::string &name) : kernel(found(name)) {}
  /* The kernel of a handle, which an exported function can get from `__offload_kernel(f)`. */
  explicit kernel(const offload_kernel *handle) : raw_(handle) {
    /* One more, because an array has at least one element. */
    const detail::expected wanted[] = {{sizeof(Parameters), std::is_pointer_v<Parameters>}..., {0, false}};
    detail::compare(raw_, wanted, sizeof...(Parameters));
  }

  /* Launches the kernel. The arguments are copied before the function returns. */
  template <class... Arguments>
  void launch(const stream &stream, const grid &shape, const Arguments &...arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters), "the launch has another number of arguments");
    submit(stream, shape, detail::as_parameter<Parameters>(arguments)...);
  }

  std::string name() const { return raw_->name; }
  const offload_kernel *raw() const noexcept { return raw_; }

 private:
  static const offload_kernel *found(const std::string &name) {
    const offload_kernel *kernel = offloadrt_find_kernel(name.c_str());
    if (!kernel)
      throw error(OFFLOADRT_INVALID, "no object of this program has a kernel `" + name + "`");
    return kernel;
  }

  void submit(const stream &stream, const grid &shape, const Parameters &...values) const {
    offloadrt_launch_config config = {};
    config.size = sizeof config;
    config.version = OFFLOADRT_LAUNCH_VERSION;
    const dimensions *sides[] = {&shape.blocks, &shape.threads};
    uint32_t *counts[] = {config.grid, config.block};
    for (int i = 0; i < 2; i++) {
      counts[i][0] = sides[i]->x;
      counts[i][1] = sides[i]->y;
      counts[i][2] = sides[i]->z;
    }
    config.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    config.heap_bytes = shape.heap_bytes;
    const offloadrt_argument list[] = {{&values, sizeof values}..., {nullptr, 0}};
    check(offloadrt_launch(stream.device().raw(), stream.raw(), raw_, &config, list, sizeof...(values)));
  }

  const offload_kernel *raw_;
};

}  // namespace offloadrt
#endif
