//! Names that a user may have meant.

/// Up to three names about as near as the nearest by edit distance, in listing order. Of names that are equally near,
/// those come first that have letters and digits at the same places.
pub fn nearest(name: &str, known: &[&str]) -> Vec<String> {
    let mut ranked: Vec<(usize, usize, &str)> =
        known.iter().map(|k| (distance(name, k), other_kinds(name, k), *k)).collect();
    ranked.sort_by_key(|(distance, kinds, _)| (*distance, *kinds));
    let enough = ranked.first().map_or(0, |(distance, ..)| distance + 1);
    ranked.into_iter().take_while(|(distance, ..)| *distance <= enough).take(3).map(|(.., k)| k.to_owned()).collect()
}

/// At how many places one name has a digit and the other one none.
fn other_kinds(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).filter(|(a, b)| a.is_ascii_digit() != b.is_ascii_digit()).count()
}

/// The names as a sentence of help; none without a name.
pub fn in_a_sentence(nearest: &[String]) -> Option<String> {
    let quoted: Vec<String> = nearest.iter().map(|n| format!("`{n}`")).collect();
    match quoted.as_slice() {
        [] => None,
        [one] => Some(format!("the nearest is {one}")),
        several => Some(format!("the nearest are {}", several.join(", "))),
    }
}

/// Whether the names of two options, with dashes or without, differ in few letters: at most two, and a third of them.
pub fn is_near(word: &str, option: &str) -> bool {
    let (word, option) = (word.trim_start_matches('-'), option.trim_start_matches('-'));
    distance(word, option) <= 2.min(option.len() / 3)
}

/// Levenshtein's edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changed_missing_and_added_letters() {
        for (a, b, expected) in
            [("", "", 0), ("", "abc", 3), ("gfx90a", "gfx90a", 0), ("sm80", "sm_80", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_come_first_and_are_few() {
        let known = ["sm_80", "sm_86", "sm_90", "gfx90a"];
        assert_eq!(nearest("sm_81", &known), ["sm_80", "sm_86", "sm_90"]);
        assert_eq!(nearest("gfx90", &known), ["gfx90a"]);
        assert_eq!(nearest("gfx90b", &["gfx900", "gfx902", "gfx904", "gfx90a"]), ["gfx90a", "gfx900", "gfx902"]);
        assert!(nearest("x", &[]).is_empty());
    }
}
