; __offload_print on AMD GPUs: it writes a packet to the buffer that HIP provides for kernels with formats in their
; metadata, and that HIP prints after the kernel (clang's `-mprintf-kind=buffered`). AMD's device libraries are not
; needed.
;
;   struct { uint32_t bytes_used, bytes_available; unsigned char packets[]; } *buffer;
;   struct packet { uint32_t size_and_kind; uint64_t format; char text[]; } packed;
;
; `size_and_kind` contains the packet's size from bit 2, and 2 for a format that is identified by its number. The text
; is padded with zeros to a multiple of 8 bytes, with at least one zero. Zeros within it are left out.
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()

define void @__offload_print(ptr %text, i64 %length) noinline nounwind {
entry:
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  ; hidden_printf_buffer, since code object version 5.
  %slot = getelementptr i8, ptr addrspace(4) %implicit, i64 72
  %buffer = load ptr addrspace(1), ptr addrspace(4) %slot, align 8
  %none = icmp eq ptr addrspace(1) %buffer, null
  br i1 %none, label %done, label %measure

measure:
  %available.at = getelementptr i8, ptr addrspace(1) %buffer, i64 4
  %available = load i32, ptr addrspace(1) %available.at, align 4
  %available.wide = zext i32 %available to i64
  %rounded = add i64 %length, 8
  %words = and i64 %rounded, -8
  %packet.wide = add i64 %words, 12
  ; The buffer's own header counts once more, as in AMD's library.
  %needed = add i64 %packet.wide, 8
  %size = trunc i64 %packet.wide to i32
  %too.long = icmp ugt i64 %length, 1073741823
  %used = load atomic i32, ptr addrspace(1) %buffer syncscope("agent") monotonic, align 4
  br i1 %too.long, label %done, label %reserve

reserve:
  %offset = phi i32 [ %used, %measure ], [ %seen, %take ]
  %offset.wide = zext i32 %offset to i64
  %end.wide = add i64 %offset.wide, %needed
  %no.room = icmp ugt i64 %end.wide, %available.wide
  br i1 %no.room, label %done, label %take

take:
  %end = add i32 %offset, %size
  %pair = cmpxchg ptr addrspace(1) %buffer, i32 %offset, i32 %end syncscope("agent") monotonic monotonic, align 4
  %seen = extractvalue { i32, i1 } %pair, 0
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %write, label %reserve

write:
  %packets = getelementptr i8, ptr addrspace(1) %buffer, i64 8
  %packet = getelementptr i8, ptr addrspace(1) %packets, i64 %offset.wide
  %shifted = shl i32 %size, 2
  %control = or i32 %shifted, 2
  store i32 %control, ptr addrspace(1) %packet, align 4
  %format.at = getelementptr i8, ptr addrspace(1) %packet, i64 4
  ; The number in the metadata below.
  store i64 8027216001745642608, ptr addrspace(1) %format.at, align 4
  %body = getelementptr i8, ptr addrspace(1) %packet, i64 12
  %nothing = icmp eq i64 %length, 0
  br i1 %nothing, label %fill, label %byte

byte:
  %at = phi i64 [ 0, %write ], [ %at.next, %byte ]
  %held = phi i64 [ 0, %write ], [ %held.now, %byte ]
  %from = getelementptr i8, ptr %text, i64 %at
  %to = getelementptr i8, ptr addrspace(1) %body, i64 %held
  %value = load i8, ptr %from, align 1
  store i8 %value, ptr addrspace(1) %to, align 1
  %kept = icmp ne i8 %value, 0
  %one = zext i1 %kept to i64
  %held.now = add i64 %held, %one
  %at.next = add i64 %at, 1
  %last = icmp eq i64 %at.next, %length
  br i1 %last, label %fill, label %byte

fill:
  %ended = phi i64 [ 0, %write ], [ %held.now, %byte ]
  br label %zero

zero:
  %zero.at = phi i64 [ %ended, %fill ], [ %zero.next, %zero ]
  %zero.to = getelementptr i8, ptr addrspace(1) %body, i64 %zero.at
  store i8 0, ptr addrspace(1) %zero.to, align 1
  %zero.next = add i64 %zero.at, 1
  %filled = icmp eq i64 %zero.next, %words
  br i1 %filled, label %done, label %zero

done:
  ret void
}

!llvm.printf.fmts = !{!0}
!0 = !{!"0:0:6f66666c6f616470,%s"}
