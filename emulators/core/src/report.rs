//! The one form in which an emulator reports an error of a launch.

use std::fmt;

/// A line of the program's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the debug information names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// What a thread did that it may not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The device, as `sm_80`.
    pub device: String,
    /// The kernel's name in the image.
    pub kernel: String,
    /// What is wrong: lower case, without a final period.
    pub message: String,
    /// The line of the source, if the image has line tables.
    pub place: Option<Place>,
    /// The functions between the kernel and the error, the innermost first.
    pub calls: Vec<String>,
    /// The instruction as the image has it.
    pub instruction: String,
    /// The block's index.
    pub block: [u32; 3],
    /// The thread's index in its block.
    pub thread: [u32; 3],
}

impl Report {
    /// Writes the report to stderr.
    pub fn print(&self) {
        eprintln!("{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { device, kernel, message, block, thread, .. } = self;
        writeln!(f, "emulated {device}: kernel `{kernel}`: {message}")?;
        if let Some(Place { file, line }) = &self.place {
            writeln!(f, "  at {file}:{line}")?;
        }
        for call in &self.calls {
            writeln!(f, "  in `{call}`")?;
        }
        if !self.instruction.is_empty() {
            writeln!(f, "  instruction: {}", self.instruction)?;
        }
        let ([bx, by, bz], [tx, ty, tz]) = (block, thread);
        write!(f, "  block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})")
    }
}
