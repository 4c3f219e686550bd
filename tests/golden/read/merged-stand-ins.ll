; LLVM makes one function of two equal stand-ins, and calls of one are then calls of the other. offloadc cannot undo this,
; and refuses the module. An alias of another function is left as it is.
; FAIL: offloadc %s --offload-arch=cpu --emit=read=/dev/null

target triple = "x86_64-unknown-linux-gnu"

@same = alias void (), ptr @plain
@__offload_is_generic = alias i1 (), ptr @__offload_is_device

define i1 @__offload_is_device() noinline section ".text.offload.stand_in" {
  ret i1 false
}

define void @plain() {
  ret void
}
;;; stderr
; error[OFC0022]: in `%s`, an optimiser has merged the functions `__offload_is_generic` and `__offload_is_device`, which offloadc replaces by different ones
;   = help: compile the crate `offload` of this offloadc's version, or with `-C no-prepopulate-passes`
