//! Printing, in kernels and on the host.

use core::fmt::{self, Write as _};
use std::println;

use crate::contract;
use crate::thread::is_compiled;

/// The largest number of bytes that are written in one piece. Longer lines have several pieces, and pieces of other
/// threads may appear between them.
const AT_ONCE: usize = 256;

/// The buffer of a line, in the thread's own memory.
struct Line {
    bytes: [u8; AT_ONCE],
    len: usize,
}

impl Line {
    fn write_out(&mut self) {
        contract::__offload_print(self.bytes.as_ptr(), self.len);
        self.len = 0;
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if self.len == AT_ONCE {
                self.write_out();
            }
            self.bytes[self.len] = byte;
            self.len += 1;
        }
        Ok(())
    }
}

/// The function that [`device_println!`](crate::device_println!) calls.
pub fn print_line(text: fmt::Arguments<'_>) {
    if is_compiled() {
        let mut line = Line { bytes: [0; AT_ONCE], len: 0 };
        // A value whose formatting fails ends the line.
        let _ = line.write_fmt(text);
        let _ = line.write_str("\n");
        line.write_out();
    } else {
        println!("{text}");
    }
}

/// Prints a line to the standard output of the program, in kernels and on the host, with the formatting of `println!`.
///
/// A kernel prints only if the program was compiled with `--device-print`. Without the option the call costs nothing,
/// and offloadc prints a warning. The lines of different threads appear in no particular order, on GPUs when the host
/// waits for the kernel. A value whose formatting fails ends its line. In a kernel this is not a panic, as it
/// is for `println!`, so that formatting costs nothing where nothing is printed.
///
/// ```
/// use offload::{device_println, thread};
///
/// fn greet() {
///     device_println!("thread {} says {:.1}", thread::index_1d().get(), 0.25);
/// }
///
/// greet();
/// ```
#[doc(alias("printf", "gpu_printf"))]
#[macro_export]
macro_rules! device_println {
    ($($argument:tt)*) => {
        $crate::__private::print_line(::core::format_args!($($argument)*))
    };
}
