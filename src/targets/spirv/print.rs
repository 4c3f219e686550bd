//! Printing in SPIR-V, with the `printf` of OpenCL's library.
//!
//! The format must be a constant, and arguments may be characters, but not strings in memory. A text is therefore
//! printed in pieces of up to [`PIECE`] characters, each with one call. Zeros are left out.

use crate::contract::builtin::PRINT;
use crate::error::Result;
use crate::llvm::Module;
use crate::passes::builtins::link_text::link_text;

/// The name of the builtin after it is hidden from `lower_builtins`.
const HIDDEN_PRINT: &str = "__offload_print_text";
/// OpenCL's `printf`, with the name that LLVM's back end recognises.
const PRINTF: &str = "_Z18__spirv_ocl_printfPU3AS2Kcz";
/// The largest number of characters in one call of `printf`.
const PIECE: usize = 32;

/// Hides printing from `lower_builtins`.
pub(super) fn hide_print(module: &Module<'_>) {
    if let Some(function) = module.function(PRINT) {
        function.set_name(HIDDEN_PRINT);
    }
}

/// Defines it, in legal code. LLVM's back end searches the values of the last function that it translated for the
/// storage class of the format, so this function must be the last one.
pub(super) fn define_print(module: &Module<'_>) -> Result<()> {
    link_text(module, HIDDEN_PRINT, &text())
}

/// The text of the function. A loop collects the characters of a piece; then their bytes are loaded once, and the call
/// with this number of characters is selected.
fn text() -> String {
    let mut text = head();
    for i in 0..PIECE {
        text += &format!("  %at{i} = getelementptr [{PIECE} x i8], ptr %piece, i64 0, i64 {i}\n");
        text += &format!("  %b{i} = load i8, ptr %at{i}, align 1\n  %c{i} = zext i8 %b{i} to i32\n");
    }
    text += "  switch i64 %held.now, label %printed [\n";
    (1..=PIECE).for_each(|count| text += &format!("    i64 {count}, label %print{count}\n"));
    text += "  ]\n";
    (1..=PIECE).for_each(|count| text += &call(count));
    text += TAIL;
    (1..=PIECE).for_each(|count| text += &format(count));
    text
}

fn head() -> String {
    format!(
        "declare spir_func i32 @{PRINTF}(ptr addrspace(2), ...)
define spir_func void @{HIDDEN_PRINT}(ptr addrspace(4) %text, i64 %length) noinline nounwind {{
entry:
  %piece = alloca [{PIECE} x i8], align 8
  %nothing = icmp eq i64 %length, 0
  br i1 %nothing, label %done, label %byte
byte:
  %at = phi i64 [ 0, %entry ], [ %at.next, %more ]
  %held = phi i64 [ 0, %entry ], [ %held.next, %more ]
  %from = getelementptr i8, ptr addrspace(4) %text, i64 %at
  %to = getelementptr [{PIECE} x i8], ptr %piece, i64 0, i64 %held
  %value = load i8, ptr addrspace(4) %from, align 1
  store i8 %value, ptr %to, align 1
  %kept = icmp ne i8 %value, 0
  %one = select i1 %kept, i64 1, i64 0
  %held.now = add i64 %held, %one
  %at.next = add i64 %at, 1
  %last = icmp eq i64 %at.next, %length
  %full = icmp eq i64 %held.now, {PIECE}
  %ready = or i1 %last, %full
  br i1 %ready, label %print, label %more
print:
"
    )
}

/// `printf(format, c0, c1, …)` with this number of characters.
fn call(count: usize) -> String {
    let characters: String = (0..count).map(|i| format!(", i32 %c{i}")).collect();
    format!(
        "print{count}:
  %r{count} = call spir_func i32 (ptr addrspace(2), ...) @{PRINTF}(ptr addrspace(2) @f{count}{characters})
  br label %printed
"
    )
}

const TAIL: &str = "printed:
  br label %more
more:
  %held.next = phi i64 [ %held.now, %byte ], [ 0, %printed ]
  br i1 %last, label %done, label %byte
done:
  ret void
}
";

/// `constant char f2[] = "%c%c";`
fn format(count: usize) -> String {
    let (format, size) = ("%c".repeat(count), 2 * count + 1);
    format!("@f{count} = internal unnamed_addr addrspace(2) constant [{size} x i8] c\"{format}\\00\"\n")
}
