/* The part of CUDA that the twins of the kernels use, for compilers without CUDA's or HIP's headers, and no more than
   that. nvcc has its own. */
#pragma once

#ifdef __NVCC__
#define KERNEL extern "C" __global__
#define fast_exp __expf
#define fast_sin __sinf
#define fast_cos __cosf
#define reciprocal_root rsqrtf
#define root sqrtf
#else
typedef __SIZE_TYPE__ size_t;
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define KERNEL extern "C" __global__
#define DEVICE static inline __attribute__((always_inline)) __device__

struct alignas(16) float4 {
  float x, y, z, w;
};
DEVICE float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
DEVICE float fabsf(float a) { return __builtin_fabsf(a); }

#ifdef __HIP__
struct Position {
  __device__ static unsigned thread_x() { return __builtin_amdgcn_workitem_id_x(); }
  __device__ static unsigned thread_y() { return __builtin_amdgcn_workitem_id_y(); }
  __device__ static unsigned block_x() { return __builtin_amdgcn_workgroup_id_x(); }
  __device__ static unsigned block_y() { return __builtin_amdgcn_workgroup_id_y(); }
  __device__ static unsigned size_x() { return __builtin_amdgcn_workgroup_size_x(); }
  __device__ static unsigned size_y() { return __builtin_amdgcn_workgroup_size_y(); }
};
DEVICE float fast_exp(float x) { return __builtin_amdgcn_exp2f(x * 1.44269504f); }
DEVICE float fast_sin(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.15915494f)); }
DEVICE float fast_cos(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.15915494f)); }
DEVICE float reciprocal_root(float x) { return __builtin_amdgcn_rsqf(x); }
DEVICE float root(float x) { return __builtin_sqrtf(x); }
DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
struct Position {
  __device__ static unsigned thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
  __device__ static unsigned thread_y() { return __nvvm_read_ptx_sreg_tid_y(); }
  __device__ static unsigned block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
  __device__ static unsigned block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
  __device__ static unsigned size_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
  __device__ static unsigned size_y() { return __nvvm_read_ptx_sreg_ntid_y(); }
};
DEVICE float fast_exp(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
DEVICE float fast_sin(float x) { return __nvvm_sin_approx_f(x); }
DEVICE float fast_cos(float x) { return __nvvm_cos_approx_f(x); }
DEVICE float reciprocal_root(float x) { return __nvvm_rsqrt_approx_f(x); }
DEVICE float root(float x) { return __nvvm_sqrt_rn_f(x); }
#endif

struct ThreadIndex {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __device__ unsigned get_x() const { return Position::thread_x(); }
  __device__ unsigned get_y() const { return Position::thread_y(); }
};
struct BlockIndex {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __device__ unsigned get_x() const { return Position::block_x(); }
  __device__ unsigned get_y() const { return Position::block_y(); }
};
struct BlockSize {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __device__ unsigned get_x() const { return Position::size_x(); }
  __device__ unsigned get_y() const { return Position::size_y(); }
};
#define threadIdx (ThreadIndex{})
#define blockIdx (BlockIndex{})
#define blockDim (BlockSize{})
#endif

// As the kernels in Rust have it: indices are as wide as addresses.
static __device__ inline size_t index_x() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ inline size_t index_y() { return (size_t)blockIdx.y * blockDim.y + threadIdx.y; }
