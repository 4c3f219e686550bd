; Parameters in registers, in memory and within an argument struct become constants, and so does the size of the block.
; RUN: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=sm_80 --specialize=plain:0=0a000000 \
;   --specialize=plain:1=0000803f --specialize=plain:2=01000000000000000200000000000000 --specialize=plain:3=01 \
;   | sed -n '/^@offload/p; /define void @plain/,/^}/p'
; RUN[memory]: offloadc %s --kernel=memory --run-pass=specialize_kernel --offload-arch=gfx90a \
;   --specialize=memory:@12=2a000000 | sed -n '/^@offload/p; /define void @memory/,/^}/p'
; RUN[block]: offloadc %s --kernel=block --run-pass=specialize_kernel --offload-arch=cpu \
;   --specialize=block:block_dim=16,8,1 | sed -n '/define.*block_dim/,/^}/p; /^attributes.*bounds/p'
; FAIL[pointer]: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=cpu --specialize=plain:4=0000000000000000
; FAIL[size]: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=cpu --specialize=plain:0=00
; FAIL[part]: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=cpu --specialize=plain:@0=00
; FAIL[number]: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=cpu --specialize=plain:9=00
; FAIL[twice]: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=cpu --specialize=plain:0=00000000 \
;   --specialize=plain:@2=0000
; FAIL[beyond]: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=cpu --specialize=plain:@48=00
; FAIL[alone]: offloadc %s --kernel=plain --kernel=block --run-pass=specialize_kernel --offload-arch=cpu \
;   --specialize=block:block_dim=16,8,1
; FAIL=2[form]: offloadc %s --kernel=plain --run-pass=specialize_kernel --offload-arch=cpu --specialize=plain:0=0
; FAIL=2[needless]: offloadc %s --kernel=plain --offload-arch=cpu --specialize=plain:0=00000000 -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_block_dim_x()

define void @plain(i32 %n, float %a, { i64, i64 } %pair, i1 zeroext %flag, ptr %out) {
  %first = extractvalue { i64, i64 } %pair, 0
  %wide = zext i32 %n to i64
  %sum = add i64 %first, %wide
  store i64 %sum, ptr %out
  store float %a, ptr %out
  store i1 %flag, ptr %out
  ret void
}

define void @memory(ptr byval([16 x i8]) align 8 %struct, ptr %out) {
  %place = getelementptr i8, ptr %struct, i64 12
  %n = load i32, ptr %place
  store i32 %n, ptr %out
  ret void
}

define void @block(ptr %out) {
  %x = call i32 @__offload_block_dim_x()
  store i32 %x, ptr %out
  ret void
}
;;; stdout
; @offload.specialized = private constant [4 x i8] c"\0A\00\00\00", align 4
; @offload.specialized.1 = private constant [4 x i8] c"\00\00\80?", align 4
; @offload.specialized.2 = private constant [16 x i8] c"\01\00\00\00\00\00\00\00\02\00\00\00\00\00\00\00", align 8
; @offload.specialized.3 = private constant [1 x i8] c"\01", align 1
; define void @plain(i32 %n, float %a, { i64, i64 } %pair, i1 zeroext %flag, ptr %out) {
;   %1 = load i1, ptr @offload.specialized.3, align 1
;   %2 = load { i64, i64 }, ptr @offload.specialized.2, align 8
;   %3 = load float, ptr @offload.specialized.1, align 4
;   %4 = load i32, ptr @offload.specialized, align 4
;   %first = extractvalue { i64, i64 } %2, 0
;   %wide = zext i32 %4 to i64
;   %sum = add i64 %first, %wide
;   store i64 %sum, ptr %out, align 4
;   store float %3, ptr %out, align 4
;   store i1 %1, ptr %out, align 1
;   ret void
; }
;;; stdout[memory]
; @offload.specialized = private constant [4 x i8] c"*\00\00\00", align 4
; define void @memory(ptr byval([16 x i8]) align 8 %struct, ptr %out) {
;   %1 = alloca [16 x i8], align 8
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %1, ptr align 8 %struct, i64 16, i1 false)
;   %2 = getelementptr inbounds i8, ptr %1, i64 12
;   call void @llvm.memcpy.p0.p0.i64(ptr align 4 %2, ptr align 4 @offload.specialized, i64 4, i1 false)
;   %place = getelementptr i8, ptr %1, i64 12
;   %n = load i32, ptr %place, align 4
;   store i32 %n, ptr %out, align 4
;   ret void
; }
;;; stdout[block]
; define internal i32 @__offload_block_dim_x() #0 {
; entry:
;   ret i32 16
; }
; attributes #1 = { "offload-launch-bounds"="0,0,16,8,1" }
;;; stderr[pointer]
; error: kernel `plain` takes an address as parameter 4, which differs between launches
;;; stderr[size]
; error: kernel `plain` has 4 bytes in parameter 0, and the value has 1
;;; stderr[part]
; error: kernel `plain` has a value for a part of parameter 0: give all of its bytes
;;; stderr[number]
; error: kernel `plain` has no parameter 9
;;; stderr[twice]
; error: kernel `plain` has two values for the same bytes
;;; stderr[beyond]
; error: kernel `plain` has 40 bytes of arguments, and a value ends at 49
;;; stderr[alone]
; error: kernel `block` shares code with others, which have another size of the block: keep it alone
;;; stderr[form]
; error: invalid value 'plain:0=0' for '--specialize <VALUE>': the bytes of a value are pairs of hexadecimal digits, the lowest byte first: `10000000`
;
; For more information, try '--help'.
;;; stderr[needless]
; error: `--specialize`, `--late-constant` and `--only-kernel` need `--from=slice`: launches have other values, too
