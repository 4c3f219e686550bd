; Plugins of LLVM's pass manager that cannot be used, or that add nothing: each cause has a message, and no process ends early.
; RUN[idle]: sed -n 's/^; idle| //p' %s | cc -shared -fPIC -x c - -o idle.so && offloadc %s --offload-arch=cpu,sm_80 --load-pass-plugin=idle.so@simplify --load-pass-plugin=./idle.so@optimize -O0 -o x.o 2>&1
; FAIL[unknown]: sed -n 's/^; idle| //p' %s | cc -shared -fPIC -x c - -o idle.so && offloadc %s --offload-arch=cpu --load-pass-plugin=idle.so@optimize:none-such -o x.o
; FAIL[version]: sed -n 's/^; idle| //p' %s | cc -shared -fPIC -DAPI=77 -x c - -o old.so && offloadc %s --offload-arch=cpu --load-pass-plugin=old.so@simplify -o x.o
; FAIL[symbol]: sed -n 's/^; missing| //p' %s | cc -shared -fPIC -x c - -o missing.so && offloadc %s --offload-arch=cpu --load-pass-plugin=missing.so@simplify -o x.o 2>&1 | sed "s|$PWD/||"
; FAIL[llvm]: cc -shared -x c /dev/null -Wl,-soname,libLLVM.so.19.1 -o libother.so && cc -shared -Wl,--no-as-needed -x c /dev/null -L. -lother -o other.so && offloadc %s --offload-arch=cpu --load-pass-plugin=other.so@simplify -o x.o
; FAIL[text]: offloadc %s --offload-arch=cpu --load-pass-plugin=%s@simplify -o x.o
; FAIL[absent]: offloadc %s --offload-arch=cpu --load-pass-plugin=absent.so@simplify -o x.o
; FAIL=2[stage]: offloadc %s --offload-arch=cpu --load-pass-plugin=p.so@host -o x.o
; FAIL=2[none]: offloadc %s --offload-arch=cpu --load-pass-plugin=p.so -o x.o
; FAIL=2[from]: offloadc %s --from=optimize --offload-arch=cpu --load-pass-plugin=p.so@optimize --emit=image=x
; FAIL=2[slice]: offloadc %s --offload-arch=cpu --load-pass-plugin=p.so@optimize --emit=slice=x
; FAIL=2[pass]: offloadc %s --offload-arch=cpu --load-pass-plugin=p.so@optimize --run-pass=optimize_for_all

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store float 1.0, ptr %p
  ret void
}

; idle| #ifndef API
; idle| #define API 2
; idle| #endif
; idle| struct info { unsigned api; const char *name, *version; void *add, *code; };
; idle| struct info llvmGetPassPluginInfo(void) { return (struct info){API, "idle", "1", 0, 0}; }

; missing| void nowhere(void);
; missing| void llvmGetPassPluginInfo(void) { nowhere(); }
;;; stdout[idle]
; warning[OFC0052]: the pass plugin `idle.so` adds no pass to `simplify` at `-O0`
;   = help: name the passes: `--load-pass-plugin=FILE@STAGE:PASSES`, as for `opt -passes`
; warning[OFC0052]: the pass plugin `./idle.so` adds no pass to `optimize` at `-O0`
;   = note: for cpu, sm_80
;   = help: name the passes: `--load-pass-plugin=FILE@STAGE:PASSES`, as for `opt -passes`
;;; stderr[unknown]
; error[OFC0051]: the pass plugin `idle.so` cannot run in `optimize`: unknown pass name 'none-such'
;   = help: PASSES are written as for `opt -passes`
;;; stderr[version]
; error[OFC0051]: cannot load the pass plugin `old.so`: Wrong API version on plugin '%t/old.so'. Got version 77, supported version is 2.
;   = help: a plugin is a shared library with `llvmGetPassPluginInfo`, built with the headers of the LLVM that `offloadc --version` names, and linked with its libLLVM or with no LLVM at all
;;; stdout[symbol]
; error[OFC0051]: cannot load the pass plugin `missing.so`: missing.so: undefined symbol: nowhere
;   = help: a plugin is a shared library with `llvmGetPassPluginInfo`, built with the headers of the LLVM that `offloadc --version` names, and linked with its libLLVM or with no LLVM at all
;;; stderr[llvm]
; error[OFC0051]: cannot load the pass plugin `other.so`: it needs `libLLVM.so.19.1`, and this offloadc uses `libLLVM.so.22.1`
;   = help: a plugin is a shared library with `llvmGetPassPluginInfo`, built with the headers of the LLVM that `offloadc --version` names, and linked with its libLLVM or with no LLVM at all
;;; stderr[text]
; error[OFC0051]: cannot load the pass plugin `%s`: it is no shared library
;   = help: a plugin is a shared library with `llvmGetPassPluginInfo`, built with the headers of the LLVM that `offloadc --version` names, and linked with its libLLVM or with no LLVM at all
;;; stderr[absent]
; error: cannot read the pass plugin `absent.so`: no such file or directory
;;; stderr[stage]
; error: no plugins run in `host`
;   = help: FILE@STAGE, where STAGE is `simplify` or `optimize`
;;; stderr[none]
; error: `--load-pass-plugin=p.so` names no stage
;   = help: FILE@STAGE, where STAGE is `simplify` or `optimize`
;;; stderr[from]
; error: the stage `optimize` does not run with `--from=optimize`
;   = help: load the plugin where the input is made
;;; stderr[slice]
; error: a plugin of the stage `optimize` would have to run on other machines
;   = help: use it in the stage `simplify`, or compile on this machine alone
;;; stderr[pass]
; error: `--load-pass-plugin` has no effect with `--run-pass`
;   = help: omit one of them
