//! A hash that never changes on any platform, because files contain its values.

use crate::plan::Program;

/// 64 bits, a word of 8 bytes at a time.
///
/// Each step maps the state one to one for a given word, and the word one to one for a given state,
/// so no change within a single word goes unseen. Neither std's hashers (free to change) nor FNV-1a
/// (a byte at a time, ten times as slow) would do.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn word(self, word: u64) -> Self {
        let product = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(product ^ (product >> 32))
    }

    /// The length goes first, so that neither zeros at the end nor the border between two texts can
    /// be mistaken.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let hash = words.iter().fold(self.word(bytes.len() as u64), |hash, &word| hash.word(u64::from_le_bytes(word)));
        hash.word(u64::from_le_bytes(last))
    }

    pub fn finish(self) -> u64 {
        self.word(0).0
    }
}

/// The hash of one text.
pub(crate) fn of(bytes: &[u8]) -> u64 {
    Hash::new().bytes(bytes).finish()
}

/// The hash of a text. Use it to implement
/// [`Tunable::fingerprint`](crate::low_level::tune::Tunable::fingerprint), for example on the WGSL
/// of your kernel together with the values of its overrides. It is the same on every platform and
/// with every version of Rust.
#[must_use]
pub fn text_hash(text: &str) -> u64 {
    of(text.as_bytes())
}

/// The hash of everything that a compiler sees of a program: the WGSL text, overrides and workgroup
/// size of each dispatch.
///
/// An entry of a record contains this hash, so that a time measured with older shaders is not
/// mistaken for one of the current shaders. It is the same on every platform and with every version
/// of Rust.
#[must_use]
pub fn wgsl_hash(program: &Program) -> u64 {
    let mut hash = Hash::new().word(program.dispatches.len() as u64);
    for dispatch in &program.dispatches {
        hash = hash.bytes(dispatch.wgsl().as_bytes()).word(dispatch.overrides.len() as u64);
        for (name, value) in &dispatch.overrides {
            hash = hash.bytes(name.as_bytes()).bytes(value.to_string().as_bytes());
        }
        hash = dispatch.workgroup.iter().fold(hash, |hash, &extent| hash.word(extent.into()));
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::C2c;
    use crate::{DeviceProfile, Spec};

    /// Files hold these values: if this test fails, every record there is becomes unreadable.
    #[test]
    fn the_hash_never_changes() {
        let seen = [&b""[..], b"a", b"12345678", b"123456789"].map(of);
        let expected = [0xd44f_3541_83b6_d328, 0x70fc_c0bd_2eb7_1825, 0xf3c4_e8d8_52ef_de48, 0x7122_e465_e0f5_0205];
        assert_eq!(seen, expected, "{seen:016x?}");
    }

    #[test]
    fn no_flipped_bit_and_no_length_is_overlooked() {
        let text = b"a text of some length";
        for bit in 0..text.len() * 8 {
            let mut other = *text;
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(of(&other), of(text), "bit {bit}");
        }
        let zeros = [0; 32];
        let mut hashes: Vec<u64> = (0..=32).map(|len| of(&zeros[..len])).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 33);
    }

    #[test]
    fn programs_differ_by_what_is_compiled() {
        let profile = DeviceProfile::webgpu_defaults();
        let hash = |spec: C2c, recipe: &str| wgsl_hash(&spec.lower(&recipe.parse().unwrap(), &profile).unwrap());
        let [few, many] = ["axis 0: stockham 8.8 lanes=8 lines=8", "axis 0: stockham 8.8 lanes=8 lines=4"];
        assert_eq!(hash(C2c::forward(64).batch(1000), few), hash(C2c::forward(64).batch(1000), few));
        assert_ne!(hash(C2c::forward(64).batch(1000), few), hash(C2c::forward(64).batch(1000), many));
        let program = C2c::forward(64).lower(&few.parse().unwrap(), &profile).unwrap();
        let mut other = program.clone();
        other.dispatches[0].workgroup[1] += 1;
        assert_ne!(wgsl_hash(&program), wgsl_hash(&other));
        other = program.clone();
        other.dispatches.push(program.dispatches[0].clone());
        assert_ne!(wgsl_hash(&program), wgsl_hash(&other));
    }
}
