; The `offload` crate needs the offloadc of its version, and contains this version.
; FAIL: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

@first = internal constant [6 x i8] c"0.99.0", section ".offload.version"
@second = internal constant [6 x i8] c"0.99.0", section ".offload.version"
@patch = internal constant [5 x i8] c"0.1.7", section ".offload.version"

define void @main() { ret void }
;;; stderr
; error[OFC0038]: the program uses version 0.99.0 of the `offload` crate, but this is offloadc VERSION
;   = help: use the crate of the same version, `offload = "=0.1.0"`, or the offloadc of the crate's version
