//! Writes an 8-bit grey PNG whose image bytes are stored, not compressed.
//!
//! Layout: PNG (third edition) sections 5 and 11; zlib, RFC 1950; stored deflate blocks, RFC 1951 3.2.4.

/// The file's bytes for `width * height` pixels, row by row.
pub fn encode_gray(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 0, 0, 0, 0]); // bits per sample, grey, deflate, adaptive filters, not interlaced
    let mut rows = Vec::new();
    for row in pixels.chunks(width.max(1) as usize) {
        rows.push(0); // no filter
        rows.extend_from_slice(row);
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"IDAT", &zlib_stored(&rows));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// Length, type, bytes, and the checksum of type and bytes.
fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], bytes: &[u8]) {
    file.extend((bytes.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(kind);
    file.extend_from_slice(bytes);
    let checksum = crc32(&file[start..]);
    file.extend(checksum.to_be_bytes());
}

fn zlib_stored(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01]; // deflate with a 32 KiB window, fastest
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        stream.push(u8::from(blocks.peek().is_none())); // the last block's mark; type 0, stored
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    stream.extend(adler32(bytes).to_be_bytes());
    stream
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
        crc
    })
}

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (b + a) % 65521)
    });
    (b << 16) | a
}
