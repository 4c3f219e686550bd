//! The state that later stages need and the text of a stage does not show: named metadata at the end of the text, with
//! which `--from` continues.

use super::{Slice, kernel_fields};
use crate::cache::bytes::{Reader, Writer};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{PanicTable, SourceLocation};
use crate::stage::Stage;

/// The named metadata.
pub const METADATA: &str = "offload.state";

/// The state after a stage that all archs share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageState {
    /// The kernels.
    pub kernels: KernelSet,
    /// Whether the source calls `__offload_arch()`.
    pub asks_arch: bool,
    /// The meaning of the numbers in panic records.
    pub panics: PanicTable,
    /// Kernels whose barriers are proven to be uniform, in order.
    pub proven: Vec<String>,
}

/// Why a text is no state after a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotState {
    /// It is damaged.
    Damaged,
    /// It is of another offloadc.
    Version(String),
    /// It is of another stage.
    Stage(String),
}

impl StageState {
    /// The state of which only the kernels are known.
    pub fn of(kernels: &KernelSet) -> Self {
        Self { kernels: kernels.clone(), ..Self::default() }
    }

    /// The state after `stage`, as digits. The last ones are a checksum: a table that was edited by hand no longer
    /// describes the kernels.
    pub fn write(&self, stage: Stage) -> String {
        let Self { kernels, asks_arch, panics, proven } = self;
        let mut to = Writer::default();
        [env!("CARGO_PKG_VERSION"), stage.name()].into_iter().for_each(|text| to.bytes(text.as_bytes()));
        kernel_fields::write(&mut to, kernels);
        to.number((*asks_arch).into());
        to.number(panics.places().len() as u64);
        for SourceLocation { file, line, column } in panics.places() {
            to.bytes(file.as_bytes());
            [line, column].into_iter().for_each(|number| to.number((*number).into()));
        }
        for texts in [panics.messages(), proven] {
            to.number(texts.len() as u64);
            texts.iter().for_each(|text| to.bytes(text.as_bytes()));
        }
        Slice::with_checksum(to.0).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The text of a module after `stage`, with this state.
    pub fn add_to(&self, stage: Stage, text: &str) -> String {
        let number = |line: &str| line.strip_prefix('!')?.split_once(" = ")?.0.parse::<u64>().ok();
        let next = text.lines().filter_map(number).max().map_or(0, |last| last + 1);
        let state = self.write(stage);
        format!("{text}\n!{METADATA} = !{{!{next}}}\n!{next} = !{{!\"{state}\"}}\n")
    }

    /// The state after `stage` in these digits.
    pub fn read(digits: &str, stage: Stage) -> Result<Self, NotState> {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        // A digit without a second one is none.
        let pair = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8);
        let bytes = digits.as_bytes().chunks(2).map(pair).collect::<Option<Vec<u8>>>().ok_or(NotState::Damaged)?;
        let mut from = Reader(&bytes);
        let mut text = || from.text().ok_or(NotState::Damaged);
        let (version, name) = (text()?, text()?);
        if version != env!("CARGO_PKG_VERSION") {
            return Err(NotState::Version(version));
        }
        if name != stage.name() {
            return Err(NotState::Stage(name));
        }
        let checksum = bytes.len().checked_sub(blake3::OUT_LEN).ok_or(NotState::Damaged)?;
        if Slice::with_checksum(bytes[..checksum].to_vec()) != bytes {
            return Err(NotState::Damaged);
        }
        read_fields(&mut from).filter(|_| from.0.len() == blake3::OUT_LEN).ok_or(NotState::Damaged)
    }
}

fn read_fields(from: &mut Reader<'_>) -> Option<StageState> {
    let kernels = kernel_fields::read(from)?;
    let asks_arch = from.flag()?;
    let small = |from: &mut Reader<'_>| u32::try_from(from.number()?).ok();
    let place =
        |from: &mut Reader<'_>| Some(SourceLocation { file: from.text()?, line: small(from)?, column: small(from)? });
    let places = (0..from.count()?).map(|_| place(from)).collect::<Option<_>>()?;
    let mut texts = || (0..from.count()?).map(|_| from.text()).collect::<Option<Vec<String>>>();
    let (messages, proven) = (texts()?, texts()?);
    Some(StageState { kernels, asks_arch, panics: PanicTable::new(places, messages), proven })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_all_else_is_refused() {
        let place = SourceLocation { file: "main.rs".to_owned(), line: 3, column: 5 };
        let state = StageState {
            asks_arch: true,
            panics: PanicTable::new(vec![place], vec!["a message".to_owned()]),
            proven: vec!["k".to_owned()],
            ..StageState::default()
        };
        let digits = state.write(Stage::Simplify);
        assert_eq!(StageState::read(&digits, Stage::Simplify), Ok(state.clone()));
        assert_eq!(StageState::read(&digits, Stage::Legalize), Err(NotState::Stage("simplify".to_owned())));
        assert!(
            (0..digits.len()).all(|end| StageState::read(&digits[..end], Stage::Simplify) == Err(NotState::Damaged))
        );
        assert_eq!(StageState::read(&format!("{digits}00"), Stage::Simplify), Err(NotState::Damaged));
        for at in (0..digits.len()).step_by(7) {
            let mut edited = digits.clone().into_bytes();
            edited[at] = if edited[at] == b'1' { b'2' } else { b'1' };
            let edited = String::from_utf8(edited).expect("digits are ASCII");
            assert!(StageState::read(&edited, Stage::Simplify).is_err(), "digit {at}");
        }
        let other = digits.replacen(&format!("{:02x}", env!("CARGO_PKG_VERSION").as_bytes()[0]), "39", 1);
        assert!(matches!(StageState::read(&other, Stage::Simplify), Err(NotState::Version(_) | NotState::Damaged)));
        let text = state.add_to(Stage::Simplify, "!llvm.module.flags = !{!0, !7}\n!0 = !{}\n!7 = !{}\n");
        assert!(text.ends_with(&format!("\n!offload.state = !{{!8}}\n!8 = !{{!\"{digits}\"}}\n")), "{text}");
    }
}
