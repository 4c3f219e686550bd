//! The one form in which an emulator reports an error of a launch.

use std::fmt;

use crate::frames::{Frames, Place, demangled};

/// Another instruction that contributes to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The functions around it.
    pub frames: Frames,
    /// The instruction as the image has it.
    pub instruction: String,
}

/// A thread's error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The device, as `sm_80`.
    pub device: String,
    /// The kernel's name in the image. The text has the name that the Rust program gives it.
    pub kernel: String,
    /// The description of the error: lower case, without a final period.
    pub message: String,
    /// The functions around the instruction.
    pub frames: Frames,
    /// The instruction as the image has it.
    pub instruction: String,
    /// The other instruction, such as a load that has not yet written its register.
    pub other: Option<Other>,
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
        writeln!(f, "emulated {device}: kernel `{}`: {message}", demangled(kernel))?;
        if let Some(Place { file, line }) = self.frames.place() {
            writeln!(f, "  at {file}:{line}")?;
        }
        for line in self.frames.lines() {
            writeln!(f, "  {line}")?;
        }
        if !self.instruction.is_empty() {
            writeln!(f, "  instruction: {}", self.instruction)?;
        }
        if let Some(Other { frames, instruction }) = &self.other {
            write!(f, "  the other one: {instruction}")?;
            match frames.place() {
                Some(Place { file, line }) => writeln!(f, " at {file}:{line}")?,
                None => writeln!(f)?,
            }
        }
        let ([bx, by, bz], [tx, ty, tz]) = (block, thread);
        write!(f, "  block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})")
    }
}

/// How many instructions a launch has executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The device, as `sm_80`.
    pub device: String,
    /// The kernel's name in the image.
    pub kernel: String,
    /// The instructions of all warps. One that a warp executes counts once, however many of its lanes take part.
    pub instructions: u64,
    /// The warps of the grid.
    pub warps: u64,
}

impl Count {
    /// Writes the count to stderr.
    pub fn print(&self) {
        eprintln!("{self}");
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { device, kernel, instructions, warps } = self;
        write!(f, "emulated {device}: kernel `{}`: {instructions} instructions of {warps} warps", demangled(kernel))
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Frames, Other, Place, Report};
    use crate::frames::Frame;

    #[test]
    fn a_count_has_the_name_of_the_program() {
        let kernel = "_ZN7kernels5scale17h0123456789abcdefE".to_owned();
        let count = Count { device: "cuda:0 (sm_80)".to_owned(), kernel, instructions: 12, warps: 2 };
        let text = "emulated cuda:0 (sm_80): kernel `kernels::scale`: 12 instructions of 2 warps";
        assert_eq!(count.to_string(), text);
    }

    #[test]
    fn the_text_has_the_names_of_the_program() {
        let frame = |function: &str, line| Frame {
            function: function.to_owned(),
            place: (line != 0).then(|| Place { file: "src/lib.rs".to_owned(), line }),
        };
        let report = Report {
            device: "hip:0 (gfx1100)".to_owned(),
            kernel: "_ZN7kernels5scale17h0123456789abcdefE".to_owned(),
            message: "a trap".to_owned(),
            frames: Frames(vec![
                frame("_RNvCs1234_7kernels4half", 7),
                frame("__offload_memcpy", 0),
                frame("_ZN7kernels5scale17h0123456789abcdefE", 0),
            ]),
            instruction: "s_trap 2".to_owned(),
            other: None,
            block: [1, 0, 0],
            thread: [3, 2, 0],
        };
        let text = "emulated hip:0 (gfx1100): kernel `kernels::scale`: a trap
  at src/lib.rs:7
  in `kernels::half` (src/lib.rs:7)
  in `__offload_memcpy`
  instruction: s_trap 2
  block (1, 0, 0), thread (3, 2, 0)";
        assert_eq!(report.to_string(), text);
        let other = Some(Other { frames: Frames(vec![frame("", 5)]), instruction: "s_nop 0".to_owned() });
        let both = Report { other, ..report.clone() }.to_string();
        assert!(both.contains("\n  the other one: s_nop 0 at src/lib.rs:5\n  block"), "{both}");
        let bare = Report { frames: Frames::default(), instruction: String::new(), ..report };
        assert_eq!(bare.to_string().lines().count(), 2);
    }
}
