//! The name that a user may have meant.

/// The name that differs from `word` least, if it is near enough: `word` begins with half of it, or the distance is at
/// most a third of its length.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let common = |name: &str| name.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
    let is_near = |name: &str, letters: usize| 3 * letters <= name.len() || 2 * common(name) >= name.len();
    let found = names.map(|name| (distance(word, name), name)).min_by_key(|(letters, _)| *letters)?;
    is_near(found.1, found.0).then_some(found.1)
}

/// How many letters must be added, removed or replaced.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_name_is_near_or_none_is() {
        let names = ["launch_bounds", "block_size", "fast_math", "max_registers"];
        for (word, wanted) in [
            ("launch_bound", Some("launch_bounds")),
            ("launch_context", Some("launch_bounds")),
            ("blocksize", Some("block_size")),
            ("fastmath", Some("fast_math")),
            ("maxregs", None),
            ("cluster_launch", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, names.into_iter()), wanted, "{word}");
        }
    }
}
