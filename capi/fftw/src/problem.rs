//! What a call asks for, and the transforms of dense arrays that it takes.

use std::ops::Range;

use rustfft::FftDirection;
use wgpu_fft::fft::RealKind;

use crate::side::{Dim, Form, Side};

/// What kind of transform.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    C2c(FftDirection),
    R2c,
    C2r,
    /// One kind for each axis.
    R2r(Vec<RealKind>),
}

/// A transform along some axes, and loops around it.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    pub kind: Kind,
    pub dims: Vec<Dim>,
    pub loops: Vec<Dim>,
    pub input: Side,
    pub output: Side,
    /// The product of the loops.
    batch: usize,
}

/// A transform of dense arrays, as a specification of the crate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The specification's text without its batch, in two parts around it.
    text: [String; 2],
    pub batch: usize,
    /// How many reals an array of the batch has on either side.
    pub input: usize,
    pub output: usize,
    pub what: What,
    /// The axes that are transformed, and how many numbers lie behind each of their elements.
    pub extents: Vec<usize>,
    pub behind: usize,
}

/// What kind of step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    C2c(FftDirection),
    R2c,
    C2r,
    R2r,
}

impl Step {
    /// The text of the specification for so many arrays of the batch.
    pub fn spec(&self, batch: usize) -> String {
        let [head, tail] = &self.text;
        if batch == 1 { format!("{head}{tail}") } else { format!("{head} x{batch}{tail}") }
    }
}

/// So many axes a transform of the crate has.
const MAX_AXES: usize = 3;

impl Problem {
    /// Nothing if there is no such transform, or its arrays could not be in any memory.
    ///
    /// `split` says that complex numbers have their parts in two arrays.
    pub fn new(kind: Kind, mut dims: Vec<Dim>, loops: &[Dim], split: bool) -> Option<Self> {
        if dims.iter().any(|dim| dim.n == 0) {
            return None;
        }
        if let Kind::R2r(kinds) = &kind {
            // The shortest cosine transform of type I has its two ends.
            let too_short = |(kind, dim): (&RealKind, &Dim)| *kind == RealKind::DctI && dim.n < 2;
            if kinds.len() != dims.len() || kinds.iter().zip(&dims).any(too_short) {
                return None;
            }
        }
        let complex = if split { Form::Split } else { Form::Complex };
        let (input_form, output_form) = match kind {
            Kind::C2c(_) => (complex, complex),
            Kind::R2c => (Form::Real, complex),
            Kind::C2r => (complex, Form::Real),
            Kind::R2r(_) => (Form::Real, Form::Real),
        };
        if matches!(kind, Kind::R2c | Kind::C2r) && dims.is_empty() {
            dims.push(Dim { n: 1, input: 1, output: 1 });
        }
        let batch = loops.iter().try_fold(1_usize, |batch, dim| batch.checked_mul(dim.n))?;
        let mut halved: [Vec<usize>; 2] = [(); 2].map(|()| dims.iter().map(|dim| dim.n).collect());
        match kind {
            Kind::R2c => halve(&mut halved[1]),
            Kind::C2r => halve(&mut halved[0]),
            Kind::C2c(_) | Kind::R2r(_) => {}
        }
        let axes = |side: usize, stride: fn(&Dim) -> isize| {
            let own = dims.iter().zip(&halved[side]).map(|(dim, &n)| (n, stride(dim)));
            loops.iter().map(|dim| (dim.n, stride(dim))).chain(own).collect::<Vec<_>>()
        };
        let input = Side::new(input_form, axes(0, |dim| dim.input))?;
        let output = Side::new(output_form, axes(1, |dim| dim.output))?;
        Some(Self { kind, dims, loops: loops.to_vec(), input, output, batch })
    }

    /// The transforms of dense arrays that make this one, in order. There are none if nothing but
    /// places changes.
    pub fn steps(&self) -> Vec<Step> {
        if self.batch == 0 {
            return Vec::new();
        }
        let extents: Vec<usize> = self.dims.iter().map(|dim| dim.n).collect();
        let rank = extents.len();
        let mut steps = Vec::new();
        match &self.kind {
            Kind::C2c(direction) => self.complex(&extents, rank, *direction, &mut steps),
            Kind::R2r(kinds) => {
                for group in groups(rank, rank) {
                    let mut names: Vec<String> = kinds[group.clone()].iter().map(ToString::to_string).collect();
                    // What stands behind has none.
                    if extents[group.end..].iter().any(|&n| n > 1) {
                        names.push("-".to_owned());
                    }
                    steps.push(self.step(&format!("r2r {}", names.join(",")), What::R2r, &extents, group, 1));
                }
            }
            Kind::R2c => {
                let first = rank.saturating_sub(MAX_AXES);
                let mut half = extents.clone();
                halve(&mut half);
                let (reals, numbers) = (extents[first..].iter().product(), 2 * half[first..].iter().product::<usize>());
                let whole = self.step("r2c fwd", What::R2c, &extents, first..rank, 1);
                steps.push(Step { input: reals, output: numbers, ..whole });
                self.complex(&half, first, FftDirection::Forward, &mut steps);
            }
            Kind::C2r => {
                let first = rank.saturating_sub(MAX_AXES);
                let mut half = extents.clone();
                halve(&mut half);
                let (reals, numbers) = (extents[first..].iter().product(), 2 * half[first..].iter().product::<usize>());
                self.complex(&half, first, FftDirection::Inverse, &mut steps);
                let whole = self.step("c2r inv", What::C2r, &extents, first..rank, 1);
                steps.push(Step { input: numbers, output: reals, ..whole });
            }
        }
        steps
    }

    /// Transforms of complex numbers along the axes before `end`.
    fn complex(&self, extents: &[usize], end: usize, direction: FftDirection, steps: &mut Vec<Step>) {
        let head = if direction == FftDirection::Forward { "c2c fwd" } else { "c2c inv" };
        for group in groups(end, extents.len()) {
            // A transform of one number does nothing.
            if extents[group.clone()].iter().any(|&n| n > 1) {
                steps.push(self.step(head, What::C2c(direction), extents, group, 2));
            }
        }
    }

    /// The transform along the axes of a range, of dense arrays of these extents.
    fn step(&self, head: &str, what: What, extents: &[usize], range: Range<usize>, numbers: usize) -> Step {
        let behind: usize = extents[range.end..].iter().product();
        let batch = self.batch * extents[..range.start].iter().product::<usize>();
        let mut shape: Vec<String> = extents[range.clone()].iter().map(ToString::to_string).collect();
        let len = extents[range.start..].iter().product::<usize>() * numbers;
        let mut axes = String::new();
        if behind > 1 {
            shape.push(behind.to_string());
            axes = " axes=".to_owned() + &(0..range.len()).map(|axis| axis.to_string()).collect::<Vec<_>>().join(",");
        }
        let extents = extents[range].to_vec();
        Step { text: [format!("{head} {}", shape.join("x")), axes], batch, input: len, output: len, what, extents, behind }
    }

    /// About how many operations of floating-point numbers it takes, by the usual count for a
    /// transform of n complex numbers, 5·n·log₂n: additions and multiplications.
    pub fn operations(&self) -> (f64, f64) {
        let extents = self.dims.iter().map(|dim| dim.n as f64);
        let n: f64 = extents.clone().product();
        let stages: f64 = extents.map(f64::log2).sum();
        let share = if matches!(self.kind, Kind::C2c(_)) { 1.0 } else { 0.5 };
        let unit = share * n * stages * self.batch as f64;
        (3.0 * unit, 2.0 * unit)
    }
}

/// Groups of the axes before `end`, of `rank` axes, that are transformed at once, from the last one
/// back. All that stands behind a group is one more axis of its transform.
fn groups(mut end: usize, rank: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let group = end.saturating_sub(MAX_AXES - usize::from(end < rank))..end;
        end = group.start;
        (!group.is_empty()).then_some(group)
    })
}

fn halve(extents: &mut [usize]) {
    if let Some(last) = extents.last_mut() {
        *last = *last / 2 + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use wgpu_fft::dynamic::AnySpec;
    use wgpu_fft::{DeviceProfile, ElementType};

    use super::*;
    use crate::calls::real_kind;

    fn specs(kind: Kind, extents: &[usize], batch: usize) -> Vec<String> {
        let dims = extents.iter().map(|&n| Dim { n, input: 1, output: 1 }).collect();
        let problem = Problem::new(kind, dims, &[Dim { n: batch, input: 1, output: 1 }], false).unwrap();
        problem.steps().iter().map(|step| step.spec(step.batch)).collect()
    }

    #[test]
    fn steps_are_specifications() {
        let forward = Kind::C2c(FftDirection::Forward);
        assert_eq!(specs(forward.clone(), &[8], 1), ["c2c fwd 8"]);
        assert_eq!(specs(Kind::C2c(FftDirection::Inverse), &[4, 5, 6], 7), ["c2c inv 4x5x6 x7"]);
        assert_eq!(specs(forward.clone(), &[2, 3, 4, 5, 6], 7), ["c2c fwd 4x5x6 x42", "c2c fwd 2x3x120 x7 axes=0,1"]);
        assert_eq!(
            specs(forward.clone(), &[2, 3, 4, 5, 6, 7], 1),
            ["c2c fwd 5x6x7 x24", "c2c fwd 3x4x210 x2 axes=0,1", "c2c fwd 2x2520 axes=0"]
        );
        assert_eq!(specs(Kind::R2c, &[3, 4, 5, 6], 2), ["r2c fwd 4x5x6 x6", "c2c fwd 3x80 x2 axes=0"]);
        assert_eq!(specs(Kind::C2r, &[3, 4, 5, 6], 2), ["c2c inv 3x80 x2 axes=0", "c2r inv 4x5x6 x6"]);
        let kinds = vec![RealKind::DctII, RealKind::DstI, RealKind::Hartley, RealKind::DctIV];
        assert_eq!(specs(Kind::R2r(kinds), &[3, 4, 5, 6], 2), ["r2r dst1,hartley,dct4 4x5x6 x6", "r2r dct2,- 3x120 x2 axes=0"]);
        // Nothing but places.
        assert_eq!(specs(forward.clone(), &[], 5), [""; 0]);
        assert_eq!(specs(forward, &[1, 1], 5), [""; 0]);
        assert_eq!(specs(Kind::R2c, &[], 5), ["r2c fwd 1 x5"]);
    }

    proptest! {
        /// Every step can be computed on its own, on all numbers, and together they transform every
        /// axis once.
        #[test]
        fn any_number_of_axes(mut extents in vec(1_usize..5, 0..9), kinds in vec(0..11_i32, 8), kind in 0..5_u8, batch in 1_usize..4) {
            let kinds = kinds.iter().map(|&kind| real_kind(kind).unwrap());
            let kind = match kind {
                0 => Kind::C2c(FftDirection::Forward),
                1 => Kind::C2c(FftDirection::Inverse),
                2 => Kind::R2c,
                3 => Kind::C2r,
                _ => Kind::R2r(kinds.take(extents.len()).collect()),
            };
            let dims = extents.iter().map(|&n| Dim { n, input: 1, output: 1 }).collect();
            let problem = Problem::new(kind, dims, &[Dim { n: batch, input: 1, output: 1 }], false);
            prop_assume!(problem.is_some());
            let problem = problem.unwrap();
            let mut transformed = Vec::new();
            let mut numbers = problem.input.dense_len();
            for step in problem.steps() {
                let text = step.spec(step.batch);
                let spec: AnySpec = text.parse().unwrap();
                let program = spec.lower(None, &DeviceProfile::webgpu_defaults());
                let program = program.unwrap_or_else(|error| panic!("{error}"));
                let f32s = |len: usize, element: ElementType| len * element.bytes() / 4;
                prop_assert_eq!(f32s(program.inputs()[0].len, spec.input()), step.batch * step.input, "{}", text);
                prop_assert_eq!(f32s(program.output().len, spec.output()), step.batch * step.output, "{}", text);
                prop_assert_eq!(step.batch * step.input, numbers, "{}", text);
                numbers = step.batch * step.output;
                transformed.extend(lengths(&text));
            }
            if !problem.steps().is_empty() {
                prop_assert_eq!(numbers, problem.output.dense_len());
            }
            for lengths in [&mut transformed, &mut extents] {
                lengths.retain(|&n| n > 1);
                lengths.sort_unstable();
            }
            prop_assert_eq!(transformed, extents);
        }
    }

    /// The lengths that a specification transforms.
    fn lengths(spec: &str) -> Vec<usize> {
        let words: Vec<&str> = spec.split(' ').collect();
        let shape = words[2].split('x').map(|n| n.parse().unwrap());
        let axes = words.iter().find_map(|word| word.strip_prefix("axes="));
        shape.take(axes.map_or(3, |axes| axes.split(',').count())).collect()
    }

    #[test]
    fn what_is_no_transform_is_refused() {
        let dims = |n| vec![Dim { n, input: 1, output: 1 }];
        assert_eq!(Problem::new(Kind::R2c, dims(0), &[], false), None);
        assert_eq!(Problem::new(Kind::R2r(vec![RealKind::DctI]), dims(1), &[], false), None);
        assert_eq!(Problem::new(Kind::R2r(vec![]), dims(4), &[], false), None);
        assert!(Problem::new(Kind::R2r(vec![RealKind::DstI]), dims(1), &[], false).is_some());
    }
}
