//! A shift in its simplest form, and its division into parts that fit bindings.

use crate::error::{Error, Result, within};
use crate::gpu::{DeviceProfile, in_units};

/// An axis of a dense array that is shifted. The element at k comes from (k - `shift`) mod
/// `extent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Axis {
    pub extent: u32,
    pub shift: u32,
}

/// A shift of the axes of a dense array.
///
/// In its simplest form there is no axis of extent 1 unless it is the only one, every axis except
/// the slowest is shifted, and elements are as wide as possible, up to 16 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Problem {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Fastest first.
    pub axes: Vec<Axis>,
}

/// A part of a problem: a dense array that is shifted within itself, from one place in the input to
/// another in the output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Fastest first.
    pub axes: Vec<Axis>,
    /// The places of the first element in the bound parts of input and output.
    pub offsets: [u32; 2],
    /// The byte ranges of input and output that are bound; `None` for all.
    pub ranges: [Option<(u64, u64)>; 2],
}

impl Problem {
    /// The shift of elements of `bytes` bytes along axes of (extent, shift), slowest first. The
    /// error says what is wrong with the elements.
    pub fn new(bytes: usize, axes: &[(usize, usize)]) -> std::result::Result<Self, String> {
        let words = |bytes: usize| u32::try_from(bytes / 4).ok();
        // Elements of several words are an axis of words that is not shifted.
        let (mut bytes, inner) = match bytes {
            1 | 2 => (bytes as u32, 1),
            4.. if bytes.is_multiple_of(4) => (4, words(bytes).ok_or("they are too long")?),
            _ => return Err("elements must have 1, 2 or a multiple of 4 bytes".to_owned()),
        };
        let mut joined: Vec<(u64, u64)> = Vec::new();
        let all = axes.iter().map(|&(extent, shift)| (extent as u64, shift as u64));
        for (extent, shift) in std::iter::once((u64::from(inner), 0)).chain(all.rev()) {
            match joined.last_mut() {
                _ if extent == 1 => {}
                // What is not shifted moves as a whole.
                Some(last) if last.1 == 0 => *last = (last.0 * extent, last.0 * shift),
                _ => joined.push((extent, shift)),
            }
        }
        if joined.is_empty() {
            joined.push((1, 0));
        }
        while let (extent, shift) = &mut joined[0]
            && bytes < 16
            && *extent % 2 == 0
            && *shift % 2 == 0
        {
            (bytes, *extent, *shift) = (2 * bytes, *extent / 2, *shift / 2);
        }
        let elements = joined.iter().fold(1u64, |product, (extent, _)| product.saturating_mul(*extent));
        if elements > u32::MAX.into() {
            return Err(format!("the array would be moved in {elements} pieces of {bytes} bytes, more than a u32 can count"));
        }
        let axis = |(extent, shift): (u64, u64)| Axis { extent: extent as u32, shift: shift as u32 };
        Ok(Self { bytes, axes: joined.into_iter().map(axis).collect() })
    }

    /// The problem as one part, or as several so that no binding is larger than the device allows.
    /// `bytes` is the size of either array.
    pub fn parts(&self, label: &str, bytes: u64, profile: &DeviceProfile) -> Result<Vec<Part>> {
        let limit = profile.binding_bytes;
        if bytes <= limit {
            return Ok(vec![Part { axes: self.axes.clone(), offsets: [0; 2], ranges: [None; 2] }]);
        }
        // A binding may begin at such a multiple on any device, and ends with a word.
        let alignment = u64::from(profile.storage_alignment).max(256);
        let element = u64::from(self.bytes);
        let most = limit.saturating_sub(alignment + 4) / element;
        within(|| format!("`{label}` (bytes)"), "max_storage_buffer_binding_size", alignment + 4 + element, limit)?;
        let mut pieces = Vec::new();
        cut(&self.axes, [0; 2], most, &mut pieces).map_err(|TooMany| Error::LimitExceeded {
            what: format!("`{label}` in bindings of {limit} bytes"),
            limit: "dispatches of a plan",
            required: MAX_PARTS as u64 + 1,
            available: MAX_PARTS as u64,
        })?;
        let part = |(axes, first): (Vec<Axis>, [u64; 2])| {
            let elements = size(&axes);
            let begins = first.map(|first| first * element / alignment * alignment);
            let offsets = [0, 1].map(|side| first[side] - begins[side] / element);
            let ranges = [0, 1].map(|side| Some((begins[side], in_units((offsets[side] + elements) * element))));
            Part { axes, offsets: offsets.map(|offset| offset as u32), ranges }
        };
        Ok(pieces.into_iter().map(part).collect())
    }
}

/// The most dispatches of a plan.
const MAX_PARTS: usize = 4096;

struct TooMany;

fn size(axes: &[Axis]) -> u64 {
    axes.iter().map(|axis| u64::from(axis.extent)).product()
}

/// Cuts axes (fastest first) at places `first` of input and output into pieces of at most `most`
/// elements, along the slowest axes.
fn cut(axes: &[Axis], first: [u64; 2], most: u64, pieces: &mut Vec<(Vec<Axis>, [u64; 2])>) -> std::result::Result<(), TooMany> {
    if pieces.len() == MAX_PARTS {
        return Err(TooMany);
    }
    let (slowest, inner) = match axes.split_last() {
        Some((slowest, inner)) if size(axes) > most => (slowest, inner),
        _ => {
            pieces.push((axes.to_vec(), first));
            return Ok(());
        }
    };
    let stride = size(inner);
    // On either side of the shift, neighbours stay neighbours.
    for (mut k, end) in [(0, slowest.shift), (slowest.shift, slowest.extent)] {
        let step = (most / stride).clamp(1, u32::MAX.into()) as u32;
        while k < end {
            let extent = step.min(end - k);
            let source = if k < slowest.shift { k + (slowest.extent - slowest.shift) } else { k - slowest.shift };
            let first = [first[0] + u64::from(source) * stride, first[1] + u64::from(k) * stride];
            let run = (extent > 1 || inner.is_empty()).then_some(Axis { extent, shift: 0 });
            let piece: Vec<Axis> = inner.iter().copied().chain(run).collect();
            cut(&piece, first, most, pieces)?;
            k += extent;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: u32, shift: u32) -> Axis {
        Axis { extent, shift }
    }

    #[test]
    fn what_is_not_shifted_joins_what_is() {
        // A batch of 3, of 4x5x6 with the first axis shifted.
        let problem = Problem::new(8, &[(3, 0), (4, 1), (5, 0), (6, 0)]).unwrap();
        assert_eq!((problem.bytes, problem.axes), (16, vec![axis(60, 15), axis(3, 0)]));
        let problem = Problem::new(4, &[(4, 1), (5, 0), (6, 3)]).unwrap();
        assert_eq!((problem.bytes, problem.axes), (4, vec![axis(6, 3), axis(20, 5)]));
        // Elements of 12 bytes are three words each.
        let problem = Problem::new(12, &[(7, 2)]).unwrap();
        assert_eq!((problem.bytes, problem.axes), (4, vec![axis(21, 6)]));
        // Nothing moves.
        let problem = Problem::new(1, &[(1, 0), (16, 0), (4, 0)]).unwrap();
        assert_eq!((problem.bytes, problem.axes), (16, vec![axis(4, 0)]));
        assert_eq!(Problem::new(2, &[(1, 0)]).unwrap().axes, [axis(1, 0)]);
        assert!(Problem::new(3, &[(1, 0)]).is_err() && Problem::new(0, &[(1, 0)]).is_err());
        assert!(Problem::new(12, &[(u32::MAX as usize, 1)]).is_err());
    }

    /// Where each element comes from, by the parts.
    fn sources(problem: &Problem, parts: &[Part]) -> Vec<u64> {
        let mut sources = vec![u64::MAX; size(&problem.axes) as usize];
        for part in parts {
            let first = [0, 1]
                .map(|side| u64::from(part.offsets[side]) + part.ranges[side].map_or(0, |(begin, _)| begin / u64::from(problem.bytes)));
            for i in 0..size(&part.axes) {
                let (mut rest, mut stride, mut source) = (i, 1, 0);
                for axis in &part.axes {
                    let [extent, shift] = [axis.extent, axis.shift].map(u64::from);
                    source += (rest % extent + extent - shift) % extent * stride;
                    (rest, stride) = (rest / extent, stride * extent);
                }
                let place = &mut sources[(first[1] + i) as usize];
                assert_eq!(*place, u64::MAX, "written twice");
                *place = first[0] + source;
            }
        }
        sources
    }

    #[test]
    fn parts_move_every_element_once_to_the_same_place() {
        let profile = |binding_bytes| DeviceProfile::webgpu_defaults().with(|profile| profile.binding_bytes = binding_bytes);
        for (bytes, axes) in [
            (4, &[(3usize, 0usize), (7, 2), (11, 5), (30, 7)][..]),
            (1, &[(5, 2), (1001, 500)]),
            (2, &[(3001, 2999)]),
            (16, &[(2, 1), (300, 0)]),
            (8, &[(4000, 0)]),
        ] {
            let problem = Problem::new(bytes, axes).unwrap();
            let all = size(&problem.axes) * u64::from(problem.bytes);
            let whole = problem.parts("x", in_units(all), &profile(1 << 20)).unwrap();
            assert_eq!(whole.len(), 1);
            for limit in [in_units(all) - 4, 4000, 1500, 300] {
                let parts = problem.parts("x", in_units(all), &profile(limit)).unwrap();
                assert!(parts.len() > 1);
                assert_eq!(sources(&problem, &parts), sources(&problem, &whole), "{axes:?} {limit}");
                for (begin, bytes) in parts.iter().flat_map(|part| part.ranges).flatten() {
                    assert!(begin % 256 == 0 && bytes <= limit && begin + bytes <= in_units(all), "{axes:?} {limit}");
                }
            }
        }
        let problem = Problem::new(4, &[(1 << 24, 3)]).unwrap();
        for limit in [256, 300] {
            assert!(matches!(problem.parts("x", 1 << 26, &profile(limit)), Err(Error::LimitExceeded { .. })));
        }
    }
}
