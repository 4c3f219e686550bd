//! Names that a user may have meant.

/// Up to three names about as near as the nearest by edit distance, in listing order.
pub fn nearest(name: &str, known: &[&str]) -> Vec<String> {
    let mut ranked: Vec<(usize, &str)> = known.iter().map(|k| (distance(name, k), *k)).collect();
    ranked.sort_by_key(|(d, _)| *d);
    let enough = ranked.first().map_or(0, |(d, _)| d + 1);
    ranked.into_iter().take_while(|(d, _)| *d <= enough).take(3).map(|(_, k)| k.to_owned()).collect()
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
