; Attributes of the host's processor and sections of its object file go, and all but kernels are internal.
; RUN: offloadc %s --run-pass=strip_host_of_module --kernel=k | grep -v "^target"

@value = constant i32 1, section ".rodata.mine"

define i32 @f() #0 section ".text.mine" {
  ret i32 2
}

define void @k(ptr %out) #0 {
  ret void
}

attributes #0 = { nonlazybind uwtable "target-cpu"="x86-64" "probe-stack"="inline-asm" }
;;; stdout
;
; @value = internal constant i32 1
;
; define internal i32 @f() unnamed_addr {
;   ret i32 2
; }
;
; define void @k(ptr %out) {
;   ret void
; }
