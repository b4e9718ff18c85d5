//! Passes whose accesses take two neighbouring complex numbers at a time.
//!
//! Numbers of 16 bits have half the bytes of f32, but one by one as many accesses, and those decide
//! what a pass costs.

use super::limits;
use super::limits::MAX_ELEMENTS;
use super::pass::{Pass, Side, Twos};
use super::place::Place;
use super::recipe::Stockham;
use crate::fft::spec::number::Number;
use crate::gpu::DeviceProfile;
use crate::plan::ensure;

impl Pass {
    /// The same pass over `count` lines with accesses of two numbers, and the number of its lines,
    /// of which those that an invocation transforms together are one; or why the recipe cannot have
    /// such accesses.
    pub fn in_twos(self, recipe: &Stockham, count: u32, profile: &DeviceProfile) -> Result<(Self, u32), String> {
        let why = |what: String| format!("accesses of two numbers (width=2) {what}");
        ensure(self.number == Number::F32, || why(format!("are for numbers of 32 and of 16 bits, not for {}", self.number)))?;
        let (Some(load), Some(store)) = (self.load.storage.of_twos(), self.store.storage.of_twos()) else {
            return Err(why("are for arrays of complex numbers".to_owned()));
        };
        let sides = [&self.load, &self.store];
        let is_plain = |side: &&Side| !side.by_position && side.fused.iter().all(|step| step.step().is_plain());
        ensure(self.convolution.is_none() && sides.iter().all(is_plain), || {
            why("are for passes that load and store all elements as they are, without parts and fragments".to_owned())
        })?;
        for Side { offset, .. } in sides {
            ensure(offset % 2 == 0, || why(format!("begin at even elements, not at element {offset}")))?;
        }
        let lines = |side: &Side| side.in_twos(Twos::Lines, &self.lines);
        let elements = |side: &Side| side.in_twos(Twos::Elements, &self.lines);
        let (twos, [from, to]) = match [sides.map(lines), sides.map(elements)] {
            [[Some(from), Some(to)], _] => (Twos::Lines, [from, to]),
            [_, [Some(from), Some(to)]] => (Twos::Elements, [from, to]),
            _ => {
                let (lines, n) = (self.lines[0], self.n());
                return Err(why(format!("need neighbours in twos on both sides, across {lines} lines or along a line of {n}")));
            }
        };
        let own = Self { load: Side { storage: load, ..from }, store: Side { storage: store, ..to }, twos: Some(twos), ..self };
        match twos {
            Twos::Lines => {
                let (together, elements) = (recipe.lines, recipe.elements());
                ensure(together % 2 == 0, || why(format!("take two lines at a time, and a workgroup has {together}")))?;
                ensure(2 * elements <= MAX_ELEMENTS, || {
                    why(format!("take two lines at a time, with {elements} elements each: more than {MAX_ELEMENTS}"))
                })?;
                limits::invocations(recipe, recipe.lines / 2, profile)?;
                let mut lines = own.lines.clone();
                lines[0] /= 2;
                Ok((Self { lines, ..own }, count / 2))
            }
            Twos::Elements => {
                limits::invocations(recipe, recipe.lines, profile)?;
                let ends = [recipe.radices.first(), recipe.radices.last()].into_iter().flatten();
                let whole = |radix: &u32| (recipe.n() / radix).is_multiple_of(2 * recipe.lanes);
                if let Some(radix) = ends.filter(|radix| !whole(radix)).max() {
                    let (butterflies, lanes) = (recipe.n() / radix, recipe.lanes);
                    let text =
                        format!("take two butterflies at a time: {butterflies} of radix {radix} are no multiple of twice {lanes} lanes");
                    return Err(why(text));
                }
                Ok((own, count))
            }
        }
    }
}

impl Side {
    /// The places of twos among twos, if such neighbours are neighbours in memory, for lines with
    /// these extents of their coordinates. The storage is not changed.
    fn in_twos(&self, twos: Twos, extents: &[u32]) -> Option<Self> {
        // A single index is always 0, whatever its stride.
        let among = |place: &Place, extent: u32| if extent == 1 { Some(Place::linear(0)) } else { place.among_twos() };
        let others = |from: usize| self.lines.iter().zip(extents).skip(from).map(|(place, &extent)| among(place, extent));
        let (place, lines) = match twos {
            Twos::Lines if extents[0].is_multiple_of(2) => {
                let first = std::iter::once(self.lines[0].of_twos());
                (self.place.among_twos()?, first.chain(others(1)).collect::<Option<_>>()?)
            }
            Twos::Lines => return None,
            Twos::Elements => (self.place.of_twos()?, others(0).collect::<Option<_>>()?),
        };
        Some(Self { offset: self.offset / 2, place, lines, ..self.clone() })
    }
}
