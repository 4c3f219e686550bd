; `--explain` prints the meaning of a code, by its code, its number or its name; another word is a wrong command line.
; RUN[code]: offloadc --explain OFC0009
; RUN[name]: offloadc --explain device-static-copy
; FAIL=2[unknown]: offloadc --explain OFC9999
;;; stdout[code]
; OFC0009: a kernel reaches a thread-local variable
;
; `thread_local!` stores one value for each thread of the host. A device starts thousands of threads,
; which end with the kernel, and has no such storage. The keys of `std`'s hash maps are an exception:
; they are fixed on devices.
;
; Keep the value in a local variable, or pass a pointer to one element for each thread.
;;; stdout[name]
; OFC0017: a static is copied to the device and no longer shared with the host (warning; -Wdevice-static-copy, -Wno-device-static-copy)
;
; If kernels read a static that the program may change, there are several copies: one on the host, and
; one on each device, which starts with the value in the source. A change to one copy is not visible
; in the others.
;
; Pass a pointer to device memory instead, with the crate `offload` a parameter `&[Atomic<T>]`, for
; which a launch has `&mut buffer`. Or declare the static with `device_static!`: the host writes it by
; `NAME.copy_from_host(&stream, value)` and reads it by `NAME.to_host(&stream)`. If a copy is
; intended, `-Wno-device-static-copy` hides the warning.
;;; stderr[unknown]
; error: no error has the code `OFC9999`
;   = help: codes look like `OFC0007`; docs/errors.md lists them
