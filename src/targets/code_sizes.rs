//! The bytes of each kernel's code in an image: of machine code the size of the function's symbol, of PTX the text of
//! the entry, and of SPIR-V the words of the function.

use goblin::elf::Elf;
use goblin::elf::sym::{STB_GLOBAL, STT_FUNC};

use crate::bundle::{CodeSize, ImageKind, ImageView};

/// The entry points of an image, by name. An image that is damaged, or of another kind, has none.
pub fn code_sizes(image: &ImageView<'_>) -> Vec<CodeSize> {
    let mut sizes = match image.kind {
        Some(ImageKind::Object | ImageKind::Cubin) => of_elf(&image.bytes),
        Some(ImageKind::Ptx) => of_ptx(&image.bytes),
        Some(ImageKind::Spirv) => of_spirv(&image.bytes),
        _ => Vec::new(),
    };
    sizes.sort();
    sizes
}

/// Global functions. Others than kernels are local.
fn of_elf(bytes: &[u8]) -> Vec<CodeSize> {
    let Ok(elf) = Elf::parse(bytes) else { return Vec::new() };
    let (symbols, names) =
        if elf.dynsyms.is_empty() { (&elf.syms, &elf.strtab) } else { (&elf.dynsyms, &elf.dynstrtab) };
    let functions = symbols.iter().filter(|s| s.st_type() == STT_FUNC && s.st_bind() == STB_GLOBAL && s.st_size > 0);
    let size = |symbol: goblin::elf::Sym| {
        let kernel = names.get_at(symbol.st_name)?.to_owned();
        Some(CodeSize { kernel, bytes: usize::try_from(symbol.st_size).ok()? })
    };
    functions.filter_map(size).collect()
}

/// From `.visible .entry NAME(` to the brace that ends the function, which stands at the start of a line.
fn of_ptx(bytes: &[u8]) -> Vec<CodeSize> {
    const ENTRY: &str = ".visible .entry ";
    let text = String::from_utf8_lossy(bytes);
    let mut sizes = Vec::new();
    let mut rest = &*text;
    while let Some((_, entry)) = rest.split_once(ENTRY) {
        let name = entry.split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default();
        let end = entry.find("\n}").map_or(entry.len(), |at| at + "\n}".len());
        sizes.push(CodeSize { kernel: name.to_owned(), bytes: ENTRY.len() + end });
        rest = &entry[end..];
    }
    sizes
}

/// The numbers of SPIR-V's instructions that matter here.
const ENTRY_POINT: u32 = 15;
const FUNCTION: u32 = 54;
const FUNCTION_END: u32 = 56;
/// The bytes of the header, and of a word.
const HEADER: usize = 20;
const WORD: usize = 4;

/// From `OpFunction` to `OpFunctionEnd`.
fn of_spirv(bytes: &[u8]) -> Vec<CodeSize> {
    let (mut entries, mut sizes, mut current) = (Vec::new(), Vec::new(), None);
    let mut at = HEADER;
    let word_at = |at: usize| bytes.get(at..at + WORD)?.try_into().ok().map(u32::from_le_bytes);
    while let Some(first) = word_at(at) {
        let (size, operation) = ((first >> 16) as usize * WORD, first & 0xffff);
        let word = |n: usize| word_at(at + n * WORD);
        match operation {
            _ if size == 0 => break,
            ENTRY_POINT => {
                let name = bytes.get(at + 3 * WORD..).and_then(|rest| rest.split(|byte| *byte == 0).next());
                entries.extend(word(2).zip(name.map(|name| String::from_utf8_lossy(name).into_owned())));
            }
            FUNCTION => current = word(2).map(|id| (id, at)),
            FUNCTION_END => {
                let of = |(id, start)| (entries.iter().find(|(entry, _)| *entry == id), start);
                if let Some((Some((_, name)), start)) = current.take().map(of) {
                    sizes.push(CodeSize { kernel: name.clone(), bytes: at + size - start });
                }
            }
            _ => {}
        }
        at += size;
    }
    sizes
}
