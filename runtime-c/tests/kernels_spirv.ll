; Kernels for the tests of drivers that take SPIR-V, as offloadc's entry points look there.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)
declare spir_func void @_Z7barrierj(i32) convergent

; y[i] += a * x[i] for i < n.
define spir_kernel void @saxpy(i32 %n, float %a, ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %count = zext i32 %n to i64
  %inside = icmp ult i64 %i, %count
  br i1 %inside, label %body, label %done
body:
  %from = getelementptr float, ptr addrspace(1) %x, i64 %i
  %to = getelementptr float, ptr addrspace(1) %y, i64 %i
  %left = load float, ptr addrspace(1) %from
  %right = load float, ptr addrspace(1) %to
  %product = fmul float %a, %left
  %sum = fadd float %product, %right
  store float %sum, ptr addrspace(1) %to
  br label %done
done:
  ret void
}

; *out = column + 100 * row, along y and z.
define spir_kernel void @grid(ptr addrspace(1) %out) {
  %x = call spir_func i64 @_Z13get_global_idj(i32 0)
  %y = call spir_func i64 @_Z13get_global_idj(i32 1)
  %z = call spir_func i64 @_Z13get_global_idj(i32 2)
  %rows = mul i64 %z, 4
  %row = add i64 %rows, %y
  %cells = mul i64 %row, 6
  %cell = add i64 %cells, %x
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %cell
  %hundreds = mul i64 %row, 100
  %value = add i64 %hundreds, %x
  %narrow = trunc i64 %value to i32
  store i32 %narrow, ptr addrspace(1) %to
  ret void
}

; A struct by value, {to, add}: to[i] += add. An array would be taken for a pointer.
%block = type { [16 x i8] }
define spir_kernel void @block(ptr byval(%block) align 8 %arguments) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %address = load i64, ptr %arguments
  %second = getelementptr i8, ptr %arguments, i64 8
  %add = load i32, ptr %second
  %pointer = inttoptr i64 %address to ptr addrspace(1)
  %to = getelementptr i32, ptr addrspace(1) %pointer, i64 %i
  %old = load i32, ptr addrspace(1) %to
  %new = add i32 %old, %add
  store i32 %new, ptr addrspace(1) %to
  ret void
}

; *rows[1] = 7, by an address that stands in memory.
define spir_kernel void @indirect(ptr addrspace(1) %rows) {
  %second = getelementptr i64, ptr addrspace(1) %rows, i64 1
  %address = load i64, ptr addrspace(1) %second
  %pointer = inttoptr i64 %address to ptr addrspace(1)
  store i32 7, ptr addrspace(1) %pointer
  ret void
}

; Reverses each block's part by way of launch-sized shared memory, the hidden last argument.
define spir_kernel void @reverse(ptr addrspace(1) %cells, ptr addrspace(3) %shared) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %local = call spir_func i64 @_Z12get_local_idj(i32 0)
  %size = call spir_func i64 @_Z14get_local_sizej(i32 0)
  %cell = getelementptr i32, ptr addrspace(1) %cells, i64 %i
  %value = load i32, ptr addrspace(1) %cell
  %mine = getelementptr i32, ptr addrspace(3) %shared, i64 %local
  store i32 %value, ptr addrspace(3) %mine
  call spir_func void @_Z7barrierj(i32 1)
  %last = sub i64 %size, 1
  %other = sub i64 %last, %local
  %theirs = getelementptr i32, ptr addrspace(3) %shared, i64 %other
  %found = load i32, ptr addrspace(3) %theirs
  store i32 %found, ptr addrspace(1) %cell
  ret void
}

; Panics with its argument, unless that is 0. All threads write the same record.
define spir_kernel void @panics(i32 %number, ptr addrspace(1) %state) {
  %calm = icmp eq i32 %number, 0
  br i1 %calm, label %done, label %panic
panic:
  %message = getelementptr i8, ptr addrspace(1) %state, i64 4
  %place = getelementptr i8, ptr addrspace(1) %state, i64 8
  %operand = getelementptr i8, ptr addrspace(1) %state, i64 16
  %wide = zext i32 %number to i64
  store i32 1, ptr addrspace(1) %state
  store i32 1, ptr addrspace(1) %message
  store i32 1, ptr addrspace(1) %place
  store i64 %wide, ptr addrspace(1) %operand
  br label %done
done:
  ret void
}
