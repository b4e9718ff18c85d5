//! The header of a `.npy` file. The command line of wgpu-fft includes this file as well.

use std::error::Error;
use std::io::Read;

use npyz::NpyHeader;

/// Reads a header, and leaves the reader where the elements begin. Refuses headers for which npyz
/// would overflow, or fill the memory or the stack. The bytes of all elements are less than 2^60.
pub fn read(reader: &mut impl Read) -> Result<NpyHeader, Box<dyn Error>> {
    /// NumPy itself refuses longer ones.
    const MAX_BYTES: usize = 10_000;
    /// Structures in structures are no numbers to transform.
    const MAX_NESTING: usize = 8;

    let mut head = Vec::new();
    reader.take(10).read_to_end(&mut head)?;
    let bytes = match head[..] {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b] => usize::from(u16::from_le_bytes([a, b])),
        [0x93, b'N', b'U', b'M', b'P', b'Y', _, _, a, b] => {
            reader.take(2).read_to_end(&mut head)?;
            let [.., c, d] = head[..] else { unreachable!("of 10 bytes at least") };
            u32::from_le_bytes([a, b, c, d]) as usize
        }
        _ => return Err("it does not begin as a .npy file".into()),
    };
    if bytes > MAX_BYTES {
        return Err(format!("its header has {bytes} bytes, more than {MAX_BYTES}").into());
    }
    let begin = head.len();
    reader.take(bytes as u64).read_to_end(&mut head)?;
    let text = &head[begin..];
    if text.len() < bytes {
        return Err(format!("it was cut off: its header has {bytes} bytes, and {} are there", text.len()).into());
    }
    let mut nesting = 0_usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => nesting += 1,
            b')' | b']' | b'}' => nesting = nesting.saturating_sub(1),
            _ => {}
        }
        if nesting > MAX_NESTING {
            return Err(format!("its header has more than {MAX_NESTING} brackets in brackets").into());
        }
    }
    let mut product = 1_u64;
    for digits in text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        // One of the numbers is the size of an element. An extent of zero does not make the others
        // smaller.
        let number = str::from_utf8(digits)?.parse::<u64>().unwrap_or(u64::MAX).max(1);
        let larger = product.checked_mul(number).filter(|product| *product < 1 << 60);
        product = larger.ok_or("its shape has more elements than can be counted")?;
    }
    let header = NpyHeader::from_reader(&head[..])?;
    if header.uses_pickled_array() {
        return Err("its elements are Python objects, not numbers: give the array a type of numbers and save it again".into());
    }
    Ok(header)
}
