//! The file format of a pipeline cache: the driver's data, preceded by what it was made for and
//! followed by a checksum.
//!
//! Its layout, with little-endian numbers:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic number |
//! | 4 | version of this layout |
//! | 4 | length of the identity |
//! | 8 | length of the data |
//! | | identity: adapter, driver and platform, as text |
//! | | data, which means something to wgpu and the driver alone |
//! | 8 | checksum of all before |

const MAGIC: [u8; 8] = *b"wgpu-fft";
/// Counts changes of the layout, and of what wgpu's major version makes of the data.
const VERSION: u32 = 30_001;
/// Bytes before the identity, and of the checksum at the end.
const FRAME_BYTES: u64 = 8 + 4 + 4 + 8 + 8;

/// Data that a file holds unhurt for the device at hand. Only [`parse`] makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Saved<'a>(&'a [u8]);

impl<'a> Saved<'a> {
    pub fn data(self) -> &'a [u8] {
        self.0
    }
}

/// The contents of a file that holds `data`.
pub(super) fn file(identity: &str, data: &[u8]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((identity.len() as u32).to_le_bytes());
    file.extend((data.len() as u64).to_le_bytes());
    file.extend(identity.as_bytes());
    file.extend(data);
    file.extend(checksum(&file).to_le_bytes());
    file
}

/// The data of a file, or what is wrong with it.
pub(super) fn parse<'a>(file: &'a [u8], identity: &str) -> std::result::Result<Saved<'a>, String> {
    let truncated = || format!("it is truncated: {} bytes", file.len());
    let (magic, rest) = file.split_first_chunk().ok_or_else(truncated)?;
    if *magic != MAGIC {
        return Err("it is not a pipeline cache of wgpu-fft".to_owned());
    }
    let (version, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(format!("it has version {version}, but this program reads and writes version {VERSION}"));
    }
    let (identity_bytes, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let (data_bytes, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let (identity_bytes, data_bytes) = (u32::from_le_bytes(*identity_bytes), u64::from_le_bytes(*data_bytes));
    let expected = FRAME_BYTES.saturating_add(u64::from(identity_bytes)).saturating_add(data_bytes);
    if file.len() as u64 != expected {
        return Err(format!("it is truncated or damaged: {} bytes instead of {expected}", file.len()));
    }
    let (body, sum) = file.split_last_chunk().ok_or_else(truncated)?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return Err("it is damaged: its checksum does not match".to_owned());
    }
    // The lengths add up to that of the file, so both fit.
    let (written_for, rest) = rest.split_at(identity_bytes as usize);
    if written_for != identity.as_bytes() {
        return Err(format!("it was made for {}, but this is {identity}", String::from_utf8_lossy(written_for)));
    }
    Ok(Saved(&rest[..data_bytes as usize]))
}

/// FNV-1a with 64 bits. Each byte changes the sum one to one, so that no single byte can change
/// unnoticed.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &[u8] = b"what a driver wrote";

    #[test]
    fn a_file_gives_back_what_it_holds() {
        assert_eq!(parse(&file("this adapter", DATA), "this adapter"), Ok(Saved(DATA)));
        assert_eq!(parse(&file("", b""), ""), Ok(Saved(b"")));
    }

    #[test]
    fn no_part_of_a_file_is_taken_for_the_whole() {
        let whole = file("this adapter", DATA);
        for len in 0..whole.len() {
            assert!(parse(&whole[..len], "this adapter").unwrap_err().contains("truncated"), "{len} bytes");
        }
        let longer = [&whole[..], b"\0"].concat();
        assert!(parse(&longer, "this adapter").is_err());
    }

    #[test]
    fn no_flipped_bit_is_overlooked() {
        let whole = file("this adapter", DATA);
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&damaged, "this adapter").is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_file_of_another_adapter_names_both() {
        let why = parse(&file("that adapter", DATA), "this adapter").unwrap_err();
        assert!(why.contains("that adapter") && why.contains("this adapter"), "{why}");
    }

    #[test]
    fn a_file_of_another_program_is_named() {
        assert!(parse(b"WGPUPLCH and more of wgpu's own", "").unwrap_err().contains("not a pipeline cache of wgpu-fft"));
        let mut other = file("", DATA);
        other[8..12].copy_from_slice(&7u32.to_le_bytes());
        assert!(parse(&other, "").unwrap_err().contains("version 7"));
    }
}
