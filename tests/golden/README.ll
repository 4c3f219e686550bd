; How golden tests are written. This file is a golden test itself, so its statements are true.
;
; A golden test is one file: the reason on its first line, the commands, the input, and the output of the commands below
; the first line that starts with three semicolons. People write the upper part. `make bless` writes the lower part, and
; reviewers read it like code. In a Rust file (`.rs`) the comments are `//`, and `////` takes the place of the three
; semicolons.
;
; Directives, each at the start of a comment:
;   RUN     a command that must exit with 0
;   FAIL    a command that must exit with 1; FAIL=2 with 2, and so on
;   CHECK   a line of the command's stdout must hold this text; several must match in order, each on a
;           later line. A pair of braces around `.*` stands for anything, runs of blanks are one blank
;   CHECK-NOT  no line between the CHECK before and the one after holds this text
;   RUN@22, FAIL=70@22, CHECK@22, CHECK-NOT@22   the same, for LLVM 22 only
;   REQUIRES   a program that must be on the path, or the test is skipped
; RUN, FAIL, CHECK and CHECK-NOT take a name in brackets where a file has several commands. A
; backslash at the end of a line continues it on the next comment line. Anything else in capitals with a
; colon after it is an error, as are a file without a command and a name with capitals or blanks.
;
; Commands run in bash with `pipefail`, in an empty folder. `offloadc` is the program just built, LLVM's own programs are
; on the path, %s is this file, and %t the folder, each as one word of bash. A command that names several archs or parts runs twice,
; with one job and with eight; both runs must print the same bytes. The other commands take turns with the second run.
;
; A file lies in the folder of the stage whose output it looks at (`split`), or of the target if only one target's is
; (`cpu`). Three folders are topics that several stages take part in: `codes` (`--explain`, and codes that belong to no
; stage), `intrinsics`, and `launch-bounds`. `passes` has a file for each pass that can run alone: `--run-pass=NAME`
; skips all other passes of the stages and the target, so the pass gets its usual arguments. Two stages have no folder:
; `optimize` is LLVM's, and our part of it is in the targets' folders; tests/programs/ runs the programs that `exe`
; links. A folder must have the name of a stage, target or topic, and each other stage and target needs a folder.
;
; Expected output has the words of LLVM 22; tests/golden_runner/newer.rs lists where a newer LLVM uses others. With a
; newer LLVM, `workarounds/NAME` is the test of a work-around of another test's folder: it shows if that LLVM needs it.
;
; Without a block for stdout or stderr nothing may be printed there. A command with CHECK lines has
; no stdout block: use them for text that LLVM owns, such as assembly, and blocks for text that we own.
; Paths are printed as %s and %t, lines with `ModuleID` or `source_filename` left out, and offloadc's
; version as VERSION.
;
; RUN[shape]: llvm-as %s -o - | llvm-dis | \
;   grep -c '^define'
; CHECK[names]: @first
; CHECK@1[names]: only LLVM 1 would print this
; RUN@1[of-llvm-1]: none-such-program
; CHECK-NOT[names]: @third
; CHECK[names]: define{{.*}}@second
; RUN[names]: opt -S %s
; FAIL[no-match]: grep '^define void @third' %s
; FAIL=2[status]: echo no such file: %s >&2; exit 2

define void @first() {
  ret void
}

define void @second() {
  ret void
}
;;; stdout[shape]
; 2
;;; stderr[status]
; no such file: %s
