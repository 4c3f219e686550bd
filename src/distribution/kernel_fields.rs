//! Kernels as fields of a slice.

use crate::cache::bytes::{Reader, Writer};
use crate::contract::kernel::{Extent, Form, FoundBy, Kernel, KernelSet, Parameter, ParameterKind};

/// The marks, in the order of their numbers in a slice.
const MARKS: [FoundBy; 5] =
    [FoundBy::CallingConvention, FoundBy::Section, FoundBy::Marker, FoundBy::Option, FoundBy::Export];

pub(super) fn write(to: &mut Writer, kernels: &KernelSet) {
    to.number(kernels.len() as u64);
    for Kernel { name, symbol, display, form, parameters, found_by } in kernels {
        [name, symbol, display].into_iter().for_each(|text| to.bytes(text.as_bytes()));
        match form {
            Form::Plain => to.number(0),
            Form::Block { size, align } => [1, *size, *align].into_iter().for_each(|number| to.number(number.into())),
        }
        to.number(index(&MARKS, found_by));
        to.number(parameters.len() as u64);
        parameters.iter().for_each(|parameter| write_parameter(to, parameter));
    }
}

/// The kernels; none if the fields are not those of kernels.
pub(super) fn read(from: &mut Reader<'_>) -> Option<KernelSet> {
    let kernels: Vec<Kernel> = (0..from.count()?).map(|_| read_kernel(from)).collect::<Option<_>>()?;
    Some(KernelSet::from(kernels))
}

fn read_kernel(from: &mut Reader<'_>) -> Option<Kernel> {
    let (name, symbol, display) = (from.text()?, from.text()?, from.text()?);
    let form = match from.number()? {
        0 => Form::Plain,
        1 => Form::Block { size: small(from)?, align: small(from)? },
        _ => return None,
    };
    let found_by = item(&MARKS, from)?;
    let parameters = (0..from.count()?).map(|_| read_parameter(from)).collect::<Option<_>>()?;
    Some(Kernel { name, symbol, display, form, parameters, found_by })
}

fn write_parameter(to: &mut Writer, parameter: &Parameter) {
    let Parameter { offset, size, align, kind, extent } = parameter;
    [offset, size, align].into_iter().for_each(|number| to.number((*number).into()));
    to.number(index(&ParameterKind::ALL, kind));
    to.number(extent.is_some().into());
    if let Some(Extent { bytes, read, written }) = extent {
        [*bytes, (*read).into(), (*written).into()].into_iter().for_each(|number| to.number(number));
    }
}

fn read_parameter(from: &mut Reader<'_>) -> Option<Parameter> {
    let (offset, size, align, kind) = (small(from)?, small(from)?, small(from)?, item(&ParameterKind::ALL, from)?);
    let extent = match from.flag()? {
        true => Some(Extent { bytes: from.number()?, read: from.flag()?, written: from.flag()? }),
        false => None,
    };
    Some(Parameter { offset, size, align, kind, extent })
}

fn small(from: &mut Reader<'_>) -> Option<u32> {
    u32::try_from(from.number()?).ok()
}

fn index<T: PartialEq>(all: &[T], one: &T) -> u64 {
    all.iter().position(|each| each == one).map_or(u64::MAX, |index| index as u64)
}

fn item<T: Copy>(all: &[T], from: &mut Reader<'_>) -> Option<T> {
    all.get(usize::try_from(from.number()?).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_none() {
        let parameter = |kind, extent| Parameter { offset: 8, size: 4, align: 16, kind, extent };
        let extent = Some(Extent { bytes: 1 << 40, read: true, written: false });
        let kernel = |name: &str, form, found_by, parameters| Kernel {
            name: name.to_owned(),
            symbol: format!("{name}.symbol"),
            display: format!("{name}::<f32>"),
            form,
            parameters,
            found_by,
        };
        let parameters =
            ParameterKind::ALL.iter().map(|kind| parameter(*kind, extent.filter(|_| *kind == ParameterKind::ALL[1])));
        let block = Form::Block { size: 24, align: 8 };
        let kernels = MARKS.iter().enumerate().map(|(number, mark)| match number {
            0 => kernel("plain", Form::Plain, *mark, parameters.clone().collect()),
            _ => kernel(&format!("block{number}"), block, *mark, Vec::new()),
        });
        let kernels = KernelSet::from(kernels.collect::<Vec<_>>());
        let mut to = Writer::default();
        write(&mut to, &kernels);
        let mut from = Reader(&to.0);
        assert_eq!(read(&mut from), Some(kernels));
        assert!(from.0.is_empty());
        assert!((0..to.0.len()).all(|end| read(&mut Reader(&to.0[..end])).is_none()));
        assert_eq!(read(&mut Reader(&u64::MAX.to_le_bytes())), None);
    }
}
