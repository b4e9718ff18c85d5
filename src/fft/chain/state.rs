//! How an array is arranged between two passes.

use crate::fft::place::{Place, Storage};
use crate::fft::spec::number::Number;
use crate::sort::sort_short_by_key;

/// Why a chain of passes is impossible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) enum Broken {
    /// The recipe does not solve the transform.
    Unfit(String),
    /// The number of elements of an array between two passes, or of an axis with its padding. A
    /// device can index 2³² at most.
    TooLong(u64),
}

impl From<String> for Broken {
    fn from(why: String) -> Self {
        Self::Unfit(why)
    }
}

impl From<&str> for Broken {
    fn from(why: &str) -> Self {
        Self::Unfit(why.to_owned())
    }
}

pub(super) type Result<T> = std::result::Result<T, Broken>;

/// Identifies an index: the axis (the batch comes after the last axis) and the factor of that axis.
pub(in crate::fft) type Key = (usize, usize);

/// One index of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct Dim {
    pub key: Key,
    pub extent: u32,
    pub place: Place,
}

/// How an array is arranged between two passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::fft) struct State {
    pub dims: Vec<Dim>,
    pub offset: u32,
    /// Number of elements from the begin of the array to the last element.
    pub span: u64,
    pub storage: Storage,
    /// Whether no two elements share a place, so that results can be stored in this arrangement. An
    /// input may be read even if elements share places.
    pub distinct: bool,
    /// Whether the elements lie where those of the output lie, so that the output array can hold
    /// them.
    pub in_output: bool,
}

impl State {
    pub fn new(extents: &[u32], strides: &[u32], offset: u32, storage: Storage) -> Self {
        let dims = extents.iter().zip(strides).enumerate();
        let dims: Vec<Dim> = dims.map(|(axis, (&extent, &stride))| Dim { key: (axis, 0), extent, place: Place::linear(stride) }).collect();
        let reach: u64 = dims.iter().map(|dim| dim.place.most(dim.extent)).sum();
        Self { dims, offset, span: u64::from(offset) + reach + 1, storage, distinct: true, in_output: false }
    }

    /// Without gaps, from the outermost digit to the innermost. An index with several digits lists
    /// them from the highest to the lowest.
    pub fn packed(order: &[Digit]) -> Result<Self> {
        let elements = order.iter().fold(1u64, |product, digit| product.saturating_mul(digit.extent.into()));
        if elements > u32::MAX.into() {
            return Err(Broken::TooLong(elements));
        }
        let mut dims: Vec<Dim> = Vec::new();
        let mut stride = 1u32;
        for digit in order.iter().rev() {
            match dims.iter_mut().find(|dim| dim.key == digit.key) {
                None => dims.push(Dim { key: digit.key, extent: digit.of, place: Place::linear(stride) }),
                Some(dim) => {
                    // The index's place so far is now its lowest digit.
                    let low = order.iter().rev().find(|low| low.key == digit.key).map_or(1, |low| low.extent);
                    dim.place = Place::blocked(low, dim.place.stride, stride);
                }
            }
            stride *= digit.extent;
        }
        sort_short_by_key(&mut dims, |dim| dim.key);
        Ok(Self { dims, offset: 0, span: stride.into(), storage: Storage::Complex, distinct: true, in_output: false })
    }

    /// Bytes from the begin of the array to the end of the last element.
    pub fn bytes(&self, number: Number) -> u64 {
        self.span * u64::from(self.storage.form(number).bytes())
    }

    /// The same array of reals seen as complex numbers, which are pairs of neighbours along `axis`.
    pub fn as_complex(&self, axis: usize) -> Self {
        // A fragment sees elements, whatever pairs they form behind it.
        let storage = self.storage.of_pairs();
        let mut complex = Self { offset: self.offset / 2, span: self.span.div_ceil(2), storage, ..self.clone() };
        for dim in &mut complex.dims {
            if dim.key.0 == axis {
                dim.extent /= 2;
            } else {
                dim.place.stride /= 2;
            }
        }
        complex
    }

    pub fn dim(&self, key: Key) -> &Dim {
        self.dims.iter().find(|dim| dim.key == key).expect("every state has every index")
    }

    /// This state with index (axis, 0) split into indices (axis, f), which have the given weights
    /// in it.
    pub fn split(&self, axis: usize, factors: &[u32], weights: &[u32]) -> Result<Self> {
        let mut split = self.clone();
        split.dims.retain(|dim| dim.key.0 != axis);
        let whole = &self.dim((axis, 0)).place;
        for (f, (&extent, &weight)) in factors.iter().zip(weights).enumerate() {
            // If a short axis is padded to a long one, elements far apart may seem to lie beyond
            // what the device can index.
            let stride = u64::from(whole.stride) * u64::from(weight);
            let linear = || u32::try_from(stride).map(Place::linear).map_err(|_| Broken::TooLong(stride.saturating_mul(extent.into())));
            let place = if factors.len() == 1 { whole.clone() } else { linear()? };
            split.dims.push(Dim { key: (axis, f), extent, place });
        }
        sort_short_by_key(&mut split.dims, |dim| dim.key);
        Ok(split)
    }

    /// The same array of complex numbers seen as reals, with one more index for real and imaginary
    /// part.
    pub fn as_parts(&self) -> Self {
        let mut parts = Self { offset: self.offset * 2, span: self.span * 2, storage: Storage::Real, ..self.clone() };
        for Dim { place, .. } in &mut parts.dims {
            place.low.iter_mut().for_each(|(_, stride)| *stride *= 2);
            place.stride *= 2;
        }
        // The last axis is followed by the batch.
        let last = parts.dims.iter().map(|dim| dim.key.0).max().unwrap_or(0);
        parts.dims.push(Dim { key: (last + 1, 0), extent: 2, place: Place::linear(1) });
        parts
    }

    /// The same array of reals seen as complex numbers, which are neighbours along the fastest axis
    /// other than `axis`, and that axis; `None` if some of them do not lie in twos.
    pub fn as_pairs(&self, axis: usize) -> Option<(Self, Key)> {
        let fastest = self.dims.iter().find(|dim| dim.key.0 != axis && dim.extent > 1 && dim.place.lowest_stride() == 1)?.key;
        if self.storage != Storage::Real || !self.offset.is_multiple_of(2) {
            return None;
        }
        let of_pairs = |Dim { key, extent, place }: &Dim| {
            let (extent, place) = match extent {
                _ if *key != fastest => (*extent, place.among_twos().or_else(|| (*extent == 1).then(|| Place::linear(0)))?),
                _ if extent.is_multiple_of(2) => (extent / 2, place.of_twos()?),
                _ => return None,
            };
            Some(Dim { key: *key, extent, place })
        };
        let dims = self.dims.iter().map(of_pairs).collect::<Option<_>>()?;
        Some((Self { dims, offset: self.offset / 2, span: self.span.div_ceil(2), storage: Storage::Complex, ..self.clone() }, fastest))
    }
}

/// A digit of an index, for a state without gaps.
#[derive(Clone, Copy)]
pub(in crate::fft) struct Digit {
    pub key: Key,
    /// Extent of the digit.
    pub extent: u32,
    /// Extent of the whole index.
    pub of: u32,
}

impl Digit {
    pub fn whole(key: Key, extent: u32) -> Self {
        Self { key, extent, of: extent }
    }

    /// The two digits of an index in blocks.
    pub fn blocks(key: Key, of: u32, block: u32) -> [Self; 2] {
        let block = block.max(1);
        [Self { key, extent: of.div_ceil(block), of }, Self { key, extent: block, of }]
    }
}
