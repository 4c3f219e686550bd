// Doubles numbers on a device: a kernel, and a function that launches it.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%x: !llvm.ptr<1>, %a: f32, %n: i32) kernel {
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %start = arith.muli %block, %size : index
      %i = arith.addi %start, %thread : index
      %short = arith.index_cast %i : index to i32
      %inside = arith.cmpi ult, %short, %n : i32
      scf.if %inside {
        %offset = arith.index_cast %i : index to i64
        %at = llvm.getelementptr %x[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %value = llvm.load %at : !llvm.ptr<1> -> f32
        %scaled = arith.mulf %value, %a : f32
        llvm.store %scaled, %at : f32, !llvm.ptr<1>
      }
      gpu.return
    }
  }
  func.func @scale_on_device(%x: !llvm.ptr, %a: f32, %n: i32) {
    %one = arith.constant 1 : index
    %blocks = arith.constant 2 : index
    %threads = arith.constant 32 : index
    %y = llvm.addrspacecast %x : !llvm.ptr to !llvm.ptr<1>
    gpu.launch_func @kernels::@scale blocks in (%blocks, %one, %one) threads in (%threads, %one, %one)
      args(%y : !llvm.ptr<1>, %a : f32, %n : i32)
    return
  }
}
