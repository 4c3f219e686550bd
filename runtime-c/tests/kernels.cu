// The kernels of examples/contract/{saxpy,matmul}.rs as one writes them in CUDA C++, to compare times.
// For nvcc, and for clang without NVIDIA's headers.
#ifdef __clang__
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define THREAD_X __nvvm_read_ptx_sreg_tid_x()
#define THREAD_Y __nvvm_read_ptx_sreg_tid_y()
#define BLOCK_X __nvvm_read_ptx_sreg_ctaid_x()
#define BLOCK_Y __nvvm_read_ptx_sreg_ctaid_y()
#define BLOCK_WIDTH __nvvm_read_ptx_sreg_ntid_x()
#define SYNC __nvvm_bar_sync(0)
#else
#define THREAD_X threadIdx.x
#define THREAD_Y threadIdx.y
#define BLOCK_X blockIdx.x
#define BLOCK_Y blockIdx.y
#define BLOCK_WIDTH blockDim.x
#define SYNC __syncthreads()
#endif

extern "C" __global__ void saxpy(unsigned count, float a, const float *x, float *y) {
  unsigned index = BLOCK_X * BLOCK_WIDTH + THREAD_X;
  if (index < count)
    y[index] = a * x[index] + y[index];
}

enum { TILE = 16 };

extern "C" __global__ void matmul(unsigned narrow_size, const float *a, const float *b, float *c) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  unsigned long size = narrow_size, x = THREAD_X, y = THREAD_Y;
  unsigned long column = BLOCK_X * TILE + x, row = BLOCK_Y * TILE + y;
  float sum = 0;
  for (unsigned long start = 0; start < size; start += TILE) {
    tile_a[y][x] = a[row * size + start + x];
    tile_b[y][x] = b[(start + y) * size + column];
    SYNC;
    for (int k = 0; k < TILE; k++)
      sum += tile_a[y][k] * tile_b[k][x];
    SYNC;
  }
  c[row * size + column] = sum;
}
