//! A piece of memory with offsets for addresses and a mask of its written bits: a block's shared memory, a thread's
//! stack.

/// Bytes, and for each a mask of its written bits. Nothing is written at first, except the bytes that fill the last
/// word: an atomic of 8 or 16 bits changes the 32 bits around it, which a GPU has in any case.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    data: Vec<u8>,
    defined: Vec<u8>,
    size: usize,
}

/// The bytes of a word.
pub(crate) const WORD: usize = 4;

impl Segment {
    /// A segment of `size` bytes that nobody has written.
    pub fn new(size: usize) -> Segment {
        let whole = size.next_multiple_of(WORD);
        let mut segment = Segment { data: vec![0; whole], defined: vec![0; whole], size };
        segment.forget_all();
        segment
    }

    /// Its size in bytes, without those that fill the last word.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The bits of `size` bytes (at most 8) and the mask of those that are undefined; none if they are not all inside.
    #[inline]
    pub fn load(&self, offset: u64, size: usize) -> Option<(u64, u64)> {
        let range = self.range(offset, size)?;
        let (mut data, mut defined) = ([0; 8], [0xff; 8]);
        data[..size].copy_from_slice(&self.data[range.clone()]);
        defined[..size].copy_from_slice(&self.defined[range]);
        Some((u64::from_le_bytes(data), !u64::from_le_bytes(defined)))
    }

    /// Stores the lowest `size` bytes (at most 8) of a value; none if they are not all inside.
    #[inline]
    pub fn store(&mut self, offset: u64, size: usize, value: u64, undefined: u64) -> Option<()> {
        let range = self.range(offset, size)?;
        self.data[range.clone()].copy_from_slice(&value.to_le_bytes()[..size]);
        self.defined[range].copy_from_slice(&(!undefined).to_le_bytes()[..size]);
        Some(())
    }

    /// The bytes, and the masks of their written bits.
    pub fn bytes(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut self.data, &mut self.defined)
    }

    /// Makes bytes undefined again, as those of a new frame are. A range that is not inside has no effect.
    pub fn forget(&mut self, offset: u64, size: usize) {
        if let Some(range) = self.range(offset, size) {
            self.defined[range].fill(0);
        }
    }

    /// Makes everything undefined again, as the memory of a new block is.
    pub fn forget_all(&mut self) {
        let (own, filling) = self.defined.split_at_mut(self.size);
        own.fill(0);
        filling.fill(0xff);
    }

    #[inline]
    fn range(&self, offset: u64, size: usize) -> Option<std::ops::Range<usize>> {
        let begin = usize::try_from(offset).ok()?;
        let end = begin.checked_add(size)?;
        (end <= self.data.len()).then_some(begin..end)
    }
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn the_last_word_is_whole() {
        let mut segment = Segment::new(6);
        assert_eq!((segment.len(), segment.load(4, 4)), (6, Some((0, 0xffff))));
        segment.store(4, 4, 0x0102_0304, 0).expect("it is inside");
        segment.forget_all();
        assert_eq!(segment.load(4, 4).map(|(_, undefined)| undefined), Some(0xffff));
        assert_eq!(segment.load(8, 1), None);
    }

    #[test]
    fn what_nobody_wrote_is_undefined() {
        let mut segment = Segment::new(16);
        segment.store(4, 4, 0x1234_5678, 0xff).expect("it is inside");
        assert_eq!(segment.load(4, 4), Some((0x1234_5678, 0xff)));
        assert_eq!(segment.load(2, 4).map(|(_, undefined)| undefined), Some(0x00ff_ffff));
        segment.forget(4, 4);
        assert_eq!(segment.load(4, 4).map(|(_, undefined)| undefined), Some(0xffff_ffff));
    }

    #[test]
    fn an_access_is_wholly_inside() {
        let mut segment = Segment::new(8);
        assert!(segment.load(5, 4).is_none() && segment.store(u64::MAX, 1, 0, 0).is_none());
        assert!(segment.load(4, 4).is_some());
    }
}
