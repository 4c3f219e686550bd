//! How often loops iterate, by LLVM's scalar evolution.

use super::{Block, Function, shim};

impl<'c> Function<'c> {
    /// How often the loops that start with these blocks iterate; none where it is no constant, and in functions of many
    /// loops. Only the exits at the start of a loop and at its only latch are looked at: others, such as checks, may
    /// end it earlier.
    pub fn trip_counts(self, headers: &[Block<'c>]) -> Vec<Option<u64>> {
        if headers.is_empty() {
            return Vec::new();
        }
        let raw: Vec<_> = headers.iter().map(|header| header.raw).collect();
        let mut counts = vec![0; raw.len()];
        llvm!(shim::ofc_trip_counts(self.raw, raw.as_ptr(), counts.as_mut_ptr(), raw.len()));
        counts.into_iter().map(|count| (count > 0).then_some(count.into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::llvm::{Context, Module};

    /// The trip count of a loop of one block whose counter starts with `start`.
    fn count(start: &str, step: &str, goes_on: &str) -> Option<u64> {
        let text = format!(
            "define void @f(i32 %n, i1 %panics) {{\nentry:\n  br label %loop\nloop:\n  \
                %i = phi i32 [ {start}, %entry ], [ %next, %rest ]\n  br i1 %panics, label %panic, label %rest\n\
                rest:\n  %next = {step}\n  %goes_on = {goes_on}\n  \
                br i1 %goes_on, label %loop, label %end\nend:\n  ret void\npanic:\n  unreachable\n}}\n"
        );
        let context = Context::create();
        let module = Module::from_text(&context, text.as_bytes(), "f").unwrap();
        let function = module.function("f").unwrap();
        let [entry, header, ..] = function.blocks()[..] else { panic!("there are five blocks") };
        assert_eq!(function.trip_counts(&[entry]), [None], "it is no loop");
        function.trip_counts(&[header])[0]
    }

    #[test]
    fn exits_decide() {
        let add = "add i32 %i, 1";
        assert_eq!(count("0", add, "icmp ult i32 %next, 16"), Some(16));
        assert_eq!(count("0", add, "icmp ne i32 %i, 16"), Some(17));
        assert_eq!(count("0", add, "icmp ult i32 %next, 5000"), Some(5000));
        assert_eq!(count("1", "shl i32 %i, 1", "icmp ult i32 %next, 256"), Some(8));
        assert_eq!(count("128", "lshr i32 %i, 1", "icmp ne i32 %next, 0"), Some(8));
        assert_eq!(count("16", "add i32 %i, -1", "icmp ne i32 %next, 0"), Some(16));
    }

    #[test]
    fn other_numbers_are_not_constants() {
        let add = "add i32 %i, 1";
        assert_eq!(count("0", add, "icmp ult i32 %next, %n"), None);
        assert_eq!(count("%n", add, "icmp ult i32 %next, 16"), None);
        assert_eq!(count("0", "add i32 %i, %n", "icmp ult i32 %next, 16"), None);
    }
}
