//! Reductions in pieces, compared with the whole bit by bit.

use std::ops::Range;

use wgpu_fft::elements::Value;
use wgpu_fft::low_level::divide::reduction::{self as divide, Division};
use wgpu_fft::reduce::Reduction;
use wgpu_fft::{Element, Spec, bytemuck};

use crate::reductions::{Case, Outcome, Runner, words};

/// Several devices, or a substitute for them.
pub trait Devices {
    /// Runs a specification on the device given by `turn`.
    fn run<S: Spec>(&self, turn: usize, spec: S, x: &[S::Input], y: Option<&[S::Input]>) -> Vec<S::Output>;
    /// The number of additions that an element passes through.
    fn depth<T: Value, O: Element>(&self, spec: &Reduction<T, O>) -> u32;
    fn names(&self) -> String;
    fn has_f64(&self) -> bool;
    fn has_custom(&self) -> bool;
}

/// Runs every reduction as a whole, and cut into pieces in several ways on devices in rotation.
/// Fails if a bit differs.
pub struct Divided<D>(pub D);

impl<D: Devices> Runner for Divided<D> {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, _: Option<&str>, x: &[T], y: Option<&[T]>) -> Option<Outcome<O>> {
        let spec = spec.across_devices();
        let what = format!("{}: `{spec}`", self.0.names());
        let results = self.0.run(0, spec.clone(), x, y);
        let units = divide::division(&spec).unwrap().units();
        for (turn, cut) in cuts(units, x.len() as u32).iter().enumerate() {
            let pieces = in_pieces(&self.0, turn, &spec, cut, x, y);
            assert_eq!(bytemuck::cast_slice::<_, u8>(&pieces), bytemuck::cast_slice::<_, u8>(&results), "{what} cut at {cut:?}");
        }
        Some(Outcome { results, depth: self.0.depth(&spec), what })
    }

    fn has_f64(&self) -> bool {
        self.0.has_f64()
    }

    fn has_custom(&self) -> bool {
        self.0.has_custom()
    }
}

/// Ways to cut `units` units: not at all, after the first, before the last, and randomly into three
/// pieces.
pub fn cuts(units: usize, seed: u32) -> Vec<Vec<usize>> {
    let mut random: Vec<usize> = words(2, seed).iter().map(|word| *word as usize % (units + 1)).chain([0, units]).collect();
    random.sort_unstable();
    let mut all = vec![vec![0, units], vec![0, 1, units], vec![0, units - 1, units], random];
    all.iter_mut().for_each(|cut| cut.dedup());
    all.dedup();
    all
}

/// A reduction in pieces between the units of `cut`, on devices in rotation.
pub fn in_pieces<T: Value, O: Element>(
    devices: &impl Devices,
    turn: usize,
    spec: &Reduction<T, O>,
    cut: &[usize],
    x: &[T],
    y: Option<&[T]>,
) -> Vec<O> {
    let division = divide::division(spec).unwrap();
    let pieces: Vec<Range<usize>> = cut.windows(2).map(|ends| ends[0]..ends[1]).collect();
    let input = |data: &[T], units: &Range<usize>| -> Vec<T> {
        let piece: Vec<T> = match division {
            Division::Parts { unit, .. } => data[units.start * unit..data.len().min(units.end * unit)].to_vec(),
            Division::Lines { extent, inner, .. } => {
                data.chunks(extent * inner).flat_map(|block| &block[units.start * inner..units.end * inner]).copied().collect()
            }
            Division::Whole { .. } => data.to_vec(),
        };
        assert_eq!(piece.len(), division.elements(units), "`{spec}`, {division:?}");
        piece
    };
    let inputs = |units: &Range<usize>| (input(x, units), y.map(|y| input(y, units)));
    let turns = pieces.iter().enumerate();
    match division {
        Division::Whole { .. } => devices.run(turn + 1, spec.clone(), x, y),
        Division::Lines { .. } => {
            let of_piece = |(i, units): (usize, &Range<usize>)| {
                let (x, y) = inputs(units);
                let results = devices.run(turn + i + 1, divide::piece(spec, units.len()), &x, y.as_deref());
                assert_eq!(results.len(), division.outputs(units));
                results
            };
            turns.flat_map(of_piece).collect()
        }
        Division::Parts { .. } => {
            let of_piece = |(i, units): (usize, &Range<usize>)| {
                let (x, y) = inputs(units);
                let partials = devices.run(turn + i + 1, divide::partial(spec, units.clone()), &x, y.as_deref());
                assert_eq!(partials.len(), division.outputs(units));
                partials
            };
            let partials: Vec<u32> = turns.flat_map(of_piece).collect();
            devices.run(turn, divide::join(spec), &partials, None)
        }
    }
}

/// Arrays that are cut into parts: lines of even and odd length, rows of one axis and of two, and
/// axes of one element around them.
pub fn in_parts() -> Vec<Case> {
    vec![
        Case::new(&[20_000], 1, None),
        Case::new(&[5001], 1, None),
        Case::new(&[1, 9001, 1], 1, Some(&[1])),
        Case::new(&[9000, 2], 1, None),
        Case::new(&[700, 33], 1, Some(&[0])),
        Case::new(&[1, 700, 1, 32], 1, Some(&[1])),
        Case::new(&[9, 40, 64], 1, Some(&[0, 1])),
    ]
}

/// Larger arrays that are cut differently: between lines that have several parts, and between
/// columns and planes.
pub fn in_lines() -> Vec<Case> {
    vec![
        Case::new(&[3, 9001], 1, Some(&[1])),
        Case::new(&[700, 32], 3, Some(&[0])),
        Case::new(&[30, 5, 100], 1, Some(&[0, 2])),
        Case::new(&[3, 40, 6, 16], 1, Some(&[0, 2])),
        Case::new(&[40, 31], 1, Some(&[0])),
    ]
}
