; Parameters that no launch can pass are refused, each kernel with its reason.
; FAIL: offloadc %s --offload-arch=cpu --kernel=* -o %t/o

target triple = "x86_64-unknown-linux-gnu"

define void @result(ptr sret({ i64, i64, i64 }) %out) { ret void }
define void @varies(i32 %n, ...) { ret void }
define void @shared(ptr addrspace(3) %tile) { ret void }
define void @long(x86_fp80 %x) { ret void }
define void @inside({ i32, [2 x fp128] } %x) { ret void }
define void @scalable(<vscale x 4 x i32> %x) { ret void }
define void @behind(ptr byval({ i64, x86_fp80 }) %x) { ret void }
define void @brain(bfloat %x) { ret void }
define void @huge(ptr byval([70000 x i8]) %x) { ret void }
define void @many(ptr byval([40000 x i8]) %a, ptr byval([40000 x i8]) %b) { ret void }
;;; stderr
; error[OFC0013]: kernel `result` takes parameter 0, which is the address of the result (`sret`)
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `varies` takes variable arguments
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `shared` takes parameter 0, which is a pointer into memory that a launch cannot reach
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `long` takes parameter 0, which is of a type that devices do not have
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `inside` takes parameter 0, which is of a type that devices do not have
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `scalable` takes parameter 0, which is of a type that devices do not have
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `behind` takes parameter 0, which is of a type that devices do not have
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `brain` takes parameter 0, which is of a type that devices do not have
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `huge` takes parameter 0, which is larger than 64 KiB
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `many` takes more than 64 KiB of arguments
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
