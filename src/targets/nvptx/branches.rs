//! Branches of PTX.
//!
//! LLVM's back end cannot invert the condition of a branch. Where it leads to the next block, a second branch leads to
//! the other one, and is executed whenever the first one is not taken.
//!
//! NVIDIA's assembler makes the same code of both forms, but not of innermost loops: it unrolls those that end with two
//! branches more often than those that end with an inverted one. So these remain.

use std::collections::BTreeMap;

/// Joins a conditional branch with the branch after it if the first one leads to the line after both.
///
/// ```text
/// @%p1 bra $A;
/// bra.uni $B;          =>       @!%p1 bra $B;
/// $A:                           $A:
/// ```
pub(super) fn join_branches(text: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&text) else { return text };
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let (mut joined, mut loops, mut at) = (String::with_capacity(text.len()), Loops::default(), 0);
    while let Some(line) = lines.get(at) {
        let inverted = lines.get(at..at + 3).and_then(inverted).filter(|(_, far)| !loops.is_innermost(far));
        loops.read(line, at);
        if let Some((branch, far)) = inverted {
            loops.branch(far);
            joined.push_str(&branch);
            at += 2;
        } else {
            joined.push_str(line);
            at += 1;
        }
    }
    joined.into_bytes()
}

/// The inverted branch and its target, if the first two of three lines are such branches.
fn inverted<'t>(lines: &[&'t str]) -> Option<(String, &'t str)> {
    let [first, second, label] = lines else { return None };
    let (condition, near) = first.trim().strip_prefix("@%")?.split_once(char::is_whitespace)?;
    let (near, far) = (target(near)?, target(second.trim())?);
    (label_of(label)? == near).then(|| (format!("\t@!%{condition} bra \t{far};\n"), far))
}

/// The label to which a branch leads.
fn target(branch: &str) -> Option<&str> {
    let (name, label) = branch.split_once(char::is_whitespace)?;
    let label = label.trim().strip_suffix(';').filter(|label| label.starts_with('$'))?;
    matches!(name, "bra" | "bra.uni").then_some(label)
}

fn label_of(line: &str) -> Option<&str> {
    line.trim().strip_suffix(':').filter(|label| label.starts_with('$'))
}

/// The labels up to a line, and the first lines of the loops that end before it.
#[derive(Default)]
struct Loops<'t> {
    labels: BTreeMap<&'t str, usize>,
    starts: Vec<usize>,
}

impl<'t> Loops<'t> {
    fn read(&mut self, line: &'t str, at: usize) {
        let text = line.trim();
        let branch =
            text.strip_prefix('@').and_then(|rest| rest.split_once(char::is_whitespace)).map_or(text, |(_, b)| b);
        if let Some(label) = label_of(text) {
            self.labels.insert(label, at);
        } else if let Some(label) = target(branch) {
            self.branch(label);
        }
    }

    fn branch(&mut self, label: &str) {
        self.starts.extend(self.labels.get(label));
    }

    /// Whether a branch to a label would end a loop without a loop inside.
    fn is_innermost(&self, label: &str) -> bool {
        self.labels.get(label).is_some_and(|start| !self.starts.iter().any(|inner| inner > start))
    }
}

#[cfg(test)]
mod tests {
    use super::join_branches;

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let joined = join_branches(text.as_bytes().to_vec());
        assert_eq!(String::from_utf8(joined).expect("it was text"), wanted);
    }

    #[test]
    fn a_branch_over_another_one_is_inverted() {
        check(
            "\t@%p1 bra \t$L__BB0_5;\n\tbra.uni \t$L__BB0_3;\n$L__BB0_5:\n\tret;\n",
            "\t@!%p1 bra \t$L__BB0_3;\n$L__BB0_5:\n\tret;\n",
        );
    }

    #[test]
    fn branches_to_other_places_remain() {
        for kept in [
            "\t@%p1 bra \t$L__BB0_5;\n\tbra.uni \t$L__BB0_3;\n$L__BB0_4:\n",
            "\t@!%p1 bra \t$L__BB0_5;\n\tbra.uni \t$L__BB0_3;\n$L__BB0_5:\n",
            "\t@%p1 bra \t$L__BB0_5;\n\t@%p2 bra \t$L__BB0_3;\n$L__BB0_5:\n",
            "\t@%p1 bra \t$L__BB0_5;\n\tadd.s32 \t%r1, %r1, 1;\n$L__BB0_5:\n",
            "\t@%p1 bra \t$L__BB0_5;\n\tbra.uni \t$L__BB0_3;",
        ] {
            check(kept, kept);
        }
    }

    #[test]
    fn an_innermost_loop_ends_as_before() {
        let inner = "$B:\n\tadd.s32 \t%r1, %r1, 1;\n\t@%p1 bra \t$C;\n\tbra.uni \t$B;\n$C:\n";
        check(inner, inner);
        let outer = format!("$A:\n{inner}\t@%p2 bra \t$D;\n\tbra.uni \t$A;\n$D:\n");
        check(&outer, &format!("$A:\n{inner}\t@!%p2 bra \t$A;\n$D:\n"));
        let turned = "$B:\n\t@%p1 bra \t$B;\n\t@%p2 bra \t$C;\n\tbra.uni \t$B;\n$C:\n";
        check(turned, turned);
    }
}
