; The host object: images and tables are read-only, the handles relocated data, and it is registered by an entry of `.init_array`.
; RUN: offloadc %s --offload-arch=cpu,sm_80,gfx90a --emit=object=x.o && llvm-readelf -SW x.o | grep -F -e .offload -e _array | \
;   sed 's/^ *\[ *[0-9]*\] //; s/[0-9a-f]\{16\}/HASH/' | awk '{ print $1, $2 }'
; RUN[symbols]: offloadc %s --offload-arch=cpu,sm_80,gfx90a --emit=object=x.o && \
;   llvm-nm --format=just-symbols x.o | sed 's/[0-9a-f]\{16\}/HASH/'
; RUN[runtime]: offloadc %s --offload-arch=cpu,sm_80 --runtime=omptarget --emit=object=x.o -w && \
;   llvm-nm --undefined-only --format=just-symbols x.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret void
}
;;; stdout
; .offload.table PROGBITS
; .offload.images PROGBITS
; .data.rel.ro.offload.HASH PROGBITS
; .rela.data.rel.ro.offload.HASH RELA
; .data.offload.HASH PROGBITS
; .rela.data.offload.HASH RELA
; .text.offload.register.HASH PROGBITS
; .rela.text.offload.register.HASH RELA
; .init_array.00101 INIT_ARRAY
; .rela.init_array.00101 RELA
; .text.offload.unregister.HASH PROGBITS
; .rela.text.offload.unregister.HASH RELA
; .fini_array.00101 FINI_ARRAY
; .rela.fini_array.00101 RELA
; .offload.cpu.shared_bytes PROGBITS
;;; stdout[symbols]
; __offload_cpu.HASH.k
; __offload_descriptor.HASH
; __offload_handle.HASH.k
; __offload_images.HASH
; __offload_register.HASH
; __offload_table.HASH
; __offload_unregister.HASH
; k
; offloadrt_register
; offloadrt_unregister
;;; stdout[runtime]
; __tgt_register_lib
; __tgt_unregister_lib
; offloadrt_register
; offloadrt_unregister
