//! The output of a device job as the contents of an entry.

use super::bytes::{Reader, Writer};
use crate::bundle::{Image, ImageKind};
use crate::targets::{DeviceOutput, HostCode};

/// The contents of an entry for this output.
pub fn write(output: &DeviceOutput) -> Vec<u8> {
    let DeviceOutput { images, host_code, shared_bytes } = output;
    let mut to = Writer::default();
    to.number(images.len() as u64);
    images.iter().for_each(|image| write_image(&mut to, image));
    to.number(host_code.as_ref().map_or(0, |code| code.level.into()));
    to.bytes(host_code.as_ref().map(|code| &code.object[..]).unwrap_or_default());
    to.number(shared_bytes.len() as u64);
    shared_bytes.iter().for_each(|bytes| to.number((*bytes).into()));
    to.0
}

/// The output in the contents of an entry; none if they are not such an output.
pub fn read(contents: &[u8]) -> Option<DeviceOutput> {
    let mut from = Reader(contents);
    let images = (0..from.count()?).map(|_| read_image(&mut from)).collect::<Option<_>>()?;
    let level = u32::try_from(from.number()?).ok()?;
    let host_code = Some(HostCode { level, object: from.bytes()?.to_vec() }).filter(|code| code.level != 0);
    let shared_bytes = (0..from.count()?).map(|_| u32::try_from(from.number()?).ok()).collect::<Option<_>>()?;
    from.0.is_empty().then_some(DeviceOutput { images, host_code, shared_bytes })
}

fn write_image(to: &mut Writer, image: &Image) {
    let Image { kind, triple, arch, strings, bytes } = image;
    to.number(*kind as u64);
    to.bytes(triple.as_bytes());
    to.bytes(arch.as_bytes());
    to.number(strings.len() as u64);
    for (key, value) in strings {
        to.bytes(key.as_bytes());
        to.bytes(value.as_bytes());
    }
    to.bytes(bytes);
}

fn read_image(from: &mut Reader<'_>) -> Option<Image> {
    let kind = ImageKind::from_number(u16::try_from(from.number()?).ok()?)?;
    let (triple, arch) = (from.text()?, from.text()?);
    let strings = (0..from.count()?).map(|_| Some((from.text()?, from.text()?))).collect::<Option<_>>()?;
    Some(Image { kind, triple, arch, strings, bytes: from.bytes()?.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::triples;

    #[test]
    fn what_is_written_is_read_and_damage_is_none() {
        let image = Image {
            kind: ImageKind::Object,
            triple: triples::AMD.to_owned(),
            arch: "an arch".to_owned(),
            strings: vec![("stack".to_owned(), "12288".to_owned())],
            bytes: vec![1, 2, 3],
        };
        for host_code in [None, Some(Vec::new()), Some(vec![7; 40])] {
            let host_code = host_code.map(|object| HostCode { level: 3, object });
            let output = DeviceOutput { images: vec![image.clone()], host_code, shared_bytes: vec![0, 256] };
            let bytes = write(&output);
            let again = read(&bytes).unwrap();
            assert_eq!((again.images, again.host_code), (output.images, output.host_code));
            assert_eq!(again.shared_bytes, output.shared_bytes);
            assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_none()));
            assert!(read(&[&bytes[..], &[0]].concat()).is_none());
        }
    }
}
