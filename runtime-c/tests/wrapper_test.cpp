/* Tests of offloadrt.hpp, with kernels written by hand as in cpu_test.c. */
#include "offloadrt.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

/* The expression throws an error with this status and a text that contains `words`. */
template <class F>
static void fails(int line, offloadrt_status status, const char *words, F run) {
  try {
    run();
  } catch (const offloadrt::error &error) {
    if (error.status() == status && std::strstr(error.what(), words))
      return;
    std::fprintf(stderr, "%s:%d: status %d: %s\n", __FILE__, line, error.status(), error.what());
    std::exit(1);
  }
  std::fprintf(stderr, "%s:%d: nothing was thrown\n", __FILE__, line);
  std::exit(1);
}
#define FAILS(status, words, expression) fails(__LINE__, status, words, [&] { expression; })

/* An argument of the packed buffer. */
template <class T>
static T argument(const unsigned char *arguments, std::size_t offset) {
  T value;
  std::memcpy(&value, arguments + offset, sizeof value);
  return value;
}

static void saxpy_entry(const offload_cpu_block *block, const unsigned char *arguments) {
  uint32_t count = argument<uint32_t>(arguments, 0);
  float a = argument<float>(arguments, 4);
  const float *x = argument<const float *>(arguments, 8);
  float *y = argument<float *>(arguments, 16);
  for (uint32_t thread = 0; thread < block->block_dim[0]; thread++) {
    uint32_t i = block->block_id[0] * block->block_dim[0] + thread;
    if (i < count)
      y[i] += a * x[i];
  }
}

static void panics_entry(const offload_cpu_block *block, const unsigned char *) {
  block->state->panic.claimed = 1;
  block->leave(block);
}

struct pair {
  double left;
  float right[3];
};

/* Writes the shape of the launch and the struct. */
static void shape_entry(const offload_cpu_block *block, const unsigned char *arguments) {
  pair given = argument<pair>(arguments, 0);
  double *out = argument<double *>(arguments, 24);
  if (block->block_id[0] + block->block_id[1] + block->block_id[2])
    return;
  for (int i = 0; i < 3; i++) {
    out[i] = block->grid_dim[i];
    out[3 + i] = block->block_dim[i];
  }
  out[6] = block->dynamic_shared_bytes;
  out[7] = given.left + given.right[2];
}

static void nothing_entry(const offload_cpu_block *, const unsigned char *) {}

static const offload_parameter saxpy_rows[] = {{0, 4, 4, OFFLOAD_PARAMETER_VALUE},
                                               {4, 4, 4, OFFLOAD_PARAMETER_VALUE},
                                               {8, 8, 8, OFFLOAD_PARAMETER_POINTER},
                                               {16, 8, 8, OFFLOAD_PARAMETER_POINTER}};
static const offload_parameter shape_rows[] = {{0, 24, 8, OFFLOAD_PARAMETER_BLOCK},
                                               {24, 8, 8, OFFLOAD_PARAMETER_POINTER}};

static offload_descriptor descriptor;
static offload_kernel kernels[4];

static offload_kernel kernel(const char *name, const offload_parameter *rows, uint32_t count, uint32_t bytes,
                             offload_cpu_entry entry, uint32_t flags) {
  offload_kernel made = {};
  made.size = sizeof made;
  made.version = OFFLOAD_KERNEL_VERSION;
  made.name = name;
  made.parameters = rows;
  made.parameter_count = count;
  made.argument_bytes = bytes;
  made.argument_align = 8;
  made.cpu_entry = entry;
  made.descriptor = &descriptor;
  made.flags = flags | OFFLOAD_KERNEL_HAS_CPU_CODE;
  return made;
}

static void register_kernels() {
  kernels[0] = kernel("saxpy", saxpy_rows, 4, 24, saxpy_entry, 0);
  kernels[1] = kernel("panics", nullptr, 0, 0, panics_entry, OFFLOAD_KERNEL_TAKES_STATE);
  kernels[2] = kernel("shape", shape_rows, 2, 32, shape_entry, 0);
  kernels[3] = kernel("nothing", nullptr, 0, 0, nothing_entry, 0);
  descriptor.size = sizeof descriptor;
  descriptor.version = OFFLOAD_DESCRIPTOR_VERSION;
  descriptor.kernels = kernels;
  descriptor.kernel_count = 4;
  offloadrt_register(&descriptor);
}

using saxpy_kernel = offloadrt::kernel<uint32_t, float, const float *, float *>;
static constexpr uint32_t count = 1000;

/* Buffers go in as pointers, numbers are converted as in any call, and streams are ordered by events. */
static void a_launch_computes() {
  offloadrt::device cpu("cpu");
  CHECK(cpu.name() == "cpu" && cpu.arch() == "cpu" && cpu.limits().threads_per_block >= 1024);
  offloadrt::stream stream(cpu), other(cpu);
  std::vector<float> host(count, 3);
  offloadrt::buffer<float> x(stream, host), y(cpu, count);
  y.fill(stream, 0);
  saxpy_kernel saxpy("saxpy");
  offloadrt::event before = stream.record();
  saxpy.launch(stream, offloadrt::grid::for_length(count, 256), count, 2.5, x, y);
  offloadrt::event after = stream.record();
  other.wait(after);
  saxpy.launch(other, offloadrt::grid::for_length(count, 64), count, 1, x.address(), y.address());
  CHECK(y.to_host(other) == std::vector<float>(count, 10.5));
  CHECK(after.is_over() && after.elapsed_since(before).count() >= 0);
  after.synchronize();
}

static void a_struct_and_a_shape_arrive() {
  offloadrt::device cpu;
  auto stream = offloadrt::stream::default_of(cpu);
  offloadrt::buffer<double> out(cpu, 8);
  offloadrt::kernel<pair, double *> shape("shape");
  CHECK(shape.name() == "shape");
  offloadrt::grid grid;
  grid.blocks = {2, 3, 4};
  grid.threads = {5, 6, 7};
  grid.dynamic_shared_bytes = 96;
  shape.launch(stream, grid, pair{1, {0, 0, 8}}, out);
  CHECK(out.to_host(stream) == (std::vector<double>{2, 3, 4, 5, 6, 7, 96, 9}));
  offloadrt::kernel<>("nothing").launch(stream, offloadrt::grid());
}

/* The types of the parameters are compared with the kernel's table when the object is made. */
static void other_parameters_are_refused() {
  FAILS(OFFLOADRT_INVALID, "no object of this program has a kernel `absent`", offloadrt::kernel<>("absent"));
  FAILS(OFFLOADRT_MISMATCH, "kernel `saxpy` has 4 parameters, not 1", offloadrt::kernel<int>("saxpy"));
  FAILS(OFFLOADRT_MISMATCH, "kernel `saxpy` has a value of 4 bytes as parameter 2, not a value of 8 bytes",
        (offloadrt::kernel<uint32_t, double, const float *, float *>("saxpy")));
  FAILS(OFFLOADRT_MISMATCH, "kernel `saxpy` has a pointer as parameter 3, not a value of 8 bytes",
        (offloadrt::kernel<uint32_t, float, uint64_t, float *>("saxpy")));
  FAILS(OFFLOADRT_MISMATCH, "kernel `shape` has a value of 24 bytes as parameter 1, not a pointer",
        (offloadrt::kernel<double *, double *>("shape")));
  offload_kernel later = kernels[0];
  later.version++;
  FAILS(OFFLOADRT_MISMATCH, "is from an object of another version", saxpy_kernel{&later});
}

static void errors_have_texts() {
  FAILS(OFFLOADRT_NO_DEVICE, "nowhere:7", offloadrt::device("nowhere:7"));
  offloadrt::device cpu("cpu");
  offloadrt::stream stream(cpu);
  FAILS(OFFLOADRT_PANICKED, "kernel `panics` panicked", {
    offloadrt::kernel<>("panics").launch(stream, offloadrt::grid());
    stream.synchronize();
  });
  offloadrt::buffer<int> four(cpu, 4);
  const int five[5] = {};
  FAILS(OFFLOADRT_INVALID, "5 elements is longer than the buffer, which has 4", four.copy_from(stream, five, 5));
  FAILS(OFFLOADRT_NO_MEMORY, "larger than any memory", offloadrt::buffer<int>(cpu, SIZE_MAX / 2));
  FAILS(OFFLOADRT_INVALID, "at least one thread", offloadrt::grid::for_length(1, 0));
  offloadrt::grid too_many;
  too_many.threads.x = 1 << 20;
  FAILS(OFFLOADRT_INVALID, "", offloadrt::kernel<>("nothing").launch(stream, too_many));
  CHECK(offloadrt::grid::for_length(0, 8).blocks.x == 1 && offloadrt::grid::for_length(17, 8).blocks.x == 3);
}

/* Each of these lines does not compile, with the text that the Makefile looks for. */
#if REFUSED == 1 /* copied byte by byte */
static offloadrt::kernel<std::string> refused("saxpy");
#elif REFUSED == 2 /* no pointer to the buffer's elements */
static void refused(const offloadrt::stream &stream, offloadrt::buffer<double> &y) {
  saxpy_kernel("saxpy").launch(stream, offloadrt::grid(), 1, 1, y, y);
}
#elif REFUSED == 3 /* another number of arguments */
static void refused(const offloadrt::stream &stream) { saxpy_kernel("saxpy").launch(stream, offloadrt::grid(), 1); }
#elif REFUSED == 4 /* a pointer, not a reference */
static offloadrt::kernel<float &> refused("saxpy");
#endif

/* A device is closed with its last object, and a moved object frees once; the sanitizers look for the rest. */
static void objects_own_what_they_free() {
  static_assert(!std::is_copy_constructible_v<offloadrt::buffer<int>> && !std::is_copy_constructible_v<offloadrt::stream>);
  std::vector<offloadrt::buffer<int>> buffers;
  {
    offloadrt::device cpu("cpu");
    for (int i = 0; i < 9; i++)
      buffers.emplace_back(cpu, 1u + i);
  }
  buffers[0] = std::move(buffers[8]);
  auto stream = offloadrt::stream::default_of(offloadrt::device("cpu"));
  auto moved = std::move(stream);
  std::vector<int> host{1, 2, 3};
  buffers[0].copy_from(moved, host.data(), 3);
  int back[3];
  buffers[0].copy_to(moved, back, 3);
  CHECK(buffers[0].size() == 9 && back[2] == 3);
}

int main() {
  register_kernels();
#define RUN(test) (test(), std::printf("ok %s: %s\n", __FILE__, #test))
  RUN(a_launch_computes);
  RUN(a_struct_and_a_shape_arrive);
  RUN(other_parameters_are_refused);
  RUN(errors_have_texts);
  RUN(objects_own_what_they_free);
  offloadrt_unregister(&descriptor);
}
