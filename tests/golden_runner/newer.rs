//! Lines that a newer LLVM prints in other words than LLVM 22, without another meaning. The expected output is in the
//! words of LLVM 22.

/// The words that both versions have in common. The text of LLVM 22 stays as it is, so that nothing is missed there.
pub(crate) fn common(text: &str, llvm: &str) -> String {
    if llvm == super::OLDEST_LLVM {
        return text.to_owned();
    }
    let text: String = text.lines().flat_map(|line| [without_nofree(line), "\n".to_owned()]).collect();
    ["LLVM ", "libLLVM.so."]
        .into_iter()
        .fold(text, |text, before| text.replace(&format!("{before}{llvm}"), &format!("{before}{}", super::OLDEST_LLVM)))
}

/// The words that both versions have in common where a whole text is compared.
pub(crate) fn common_text(text: &str, llvm: &str) -> String {
    if llvm == super::OLDEST_LLVM {
        return text.to_owned();
    }
    let common = common(text, llvm);
    let kept = common.lines().filter(|line| !is_intrinsics(line));
    kept.flat_map(|line| [without_numbers(&by_size(line)), "\n".to_owned()]).collect()
}

/// The attributes of LLVM's own functions, of which a newer LLVM has more.
fn is_intrinsics(line: &str) -> bool {
    let attributes = line.strip_prefix("; Function Attrs: ");
    let group = line.strip_prefix("attributes #").and_then(|rest| rest.split_once(" = { ").map(|(_, list)| list));
    attributes.or(group).is_some_and(|list| list.starts_with("nocallback "))
}

/// Elements of arrays are addressed by their size.
fn by_size(line: &str) -> String {
    const SIZES: [(&str, u32); 7] =
        [("half", 2), ("i16", 2), ("float", 4), ("i32", 4), ("double", 8), ("i64", 8), ("ptr", 8)];
    const FLAGS: [&str; 4] = ["inbounds ", "nuw ", "nusw ", "inrange "];
    let Some((before, mut rest)) = line.split_once("getelementptr ") else { return line.to_owned() };
    let mut flags = String::new();
    while let Some(flag) = FLAGS.into_iter().find(|flag| rest.starts_with(flag)) {
        flags.push_str(flag);
        rest = &rest[flag.len()..];
    }
    let sized = SIZES.into_iter().find_map(|(name, size)| Some((rest.strip_prefix(name)?.strip_prefix(", ")?, size)));
    match sized {
        Some((rest, size)) => format!("{before}getelementptr {flags}[{size} x i8], {rest}"),
        None => line.to_owned(),
    }
}

/// A newer LLVM finds in more cases that a function frees no memory of a parameter.
fn without_nofree(line: &str) -> String {
    if line.starts_with("define ") { line.replace(" nofree ", " ") } else { line.to_owned() }
}

/// Without the numbers of groups of attributes, of which there are others.
fn without_numbers(line: &str) -> String {
    let is_number = |word: &str| word.strip_prefix('#').is_some_and(|digits| digits.parse::<u32>().is_ok());
    if !line.contains(" #") {
        return line.to_owned();
    }
    line.split(' ').filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}
