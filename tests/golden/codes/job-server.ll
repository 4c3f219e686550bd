; make's job server cannot be used: one warning, and one thread. A server that make has switched off for this process is
; no fault, and neither are flags of make without a server.
;
; RUN[explain]: offloadc --explain=job-server
; RUN[away]: MAKEFLAGS='-j --jobserver-auth=fifo:/no/such' offloadc %s --offload-arch=cpu -o out.o
; RUN[closed]: MAKEFLAGS='-j --jobserver-auth=98,99' offloadc %s --offload-arch=cpu -o out.o 98>&- 99>&-
; RUN[no-pipe]: MAKEFLAGS='-j --jobserver-auth=98,99' offloadc %s --offload-arch=cpu -o out.o 98<%s 99<%s
; RUN[unknown]: CARGO_MAKEFLAGS='--jobserver-auth=sem' offloadc %s --offload-arch=cpu -o out.o
; RUN[off]: MAKEFLAGS='-j --jobserver-auth=-2,-2' offloadc %s --offload-arch=cpu -o out.o
; RUN[none]: MAKEFLAGS='-k' offloadc %s --offload-arch=cpu -o out.o
; The linker then has one thread, too, and any number without a server.
; RUN[linker]: for flags in '-j --jobserver-auth=fifo:/no/such' ''; do MAKEFLAGS="$flags" offloadc %s -w -### \
;   --offload-arch=gfx90a -o out.o 2>&1 | grep -c -e '--threads=1' || true; done
; RUN[hushed]: MAKEFLAGS='-j --jobserver-auth=fifo:/no/such' offloadc %s --offload-arch=cpu -Wno-job-server -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  ret void
}
;;; stdout[explain]
; OFC0041: make's job server cannot be used (warning; -Wjob-server, -Wno-job-server)
;
; make and cargo limit the number of busy threads of all programs that they start. `MAKEFLAGS` names
; the pipe through which they do it, but the pipe cannot be used. offloadc then uses one thread,
; unless `-j` names a number.
;
; make opens the pipe only for commands that begin with `+` in the makefile, or that contain
; `$(MAKE)`:
;
;     app.o: app.bc
; 	    +offloadc app.bc -o app.o
;;; stderr[away]
; warning[OFC0041]: `MAKEFLAGS` names a job server that cannot be used: its pipe cannot be opened
;   = help: put `+` before the command in the makefile, or choose a number of threads: `-j4`
;;; stderr[closed]
; warning[OFC0041]: `MAKEFLAGS` names a job server that cannot be used: its file descriptors are closed
;   = help: put `+` before the command in the makefile, or choose a number of threads: `-j4`
;;; stderr[no-pipe]
; warning[OFC0041]: `MAKEFLAGS` names a job server that cannot be used: its file descriptors are no pipe
;   = help: put `+` before the command in the makefile, or choose a number of threads: `-j4`
;;; stderr[unknown]
; warning[OFC0041]: `CARGO_MAKEFLAGS` names a job server that cannot be used: its form is unknown
;   = help: put `+` before the command in the makefile, or choose a number of threads: `-j4`
;;; stdout[linker]
; 2
; 0
