//! Turns a recipe for a Fourier transform into dispatches.

use std::collections::HashSet;

use super::bindings::{self, Part, Sized};
use super::chain::chain;
use super::limits;
use super::pass::{Convolution, Index, Pass, Side};
use super::place::{Place, Storage};
use super::recipe::{AxisRecipe, PassRecipe, Recipe, Stockham};
use super::roots::{Constant, Constants};
use super::steps::{Coordinates, Exchange, LookUp, Pair};
use crate::error::{Error, Result};
use crate::fft::chain::line::{LineIndex, lines};
use crate::fft::chain::state::{Broken, State};
use crate::fft::chain::step::{Fusion, Step, Way};
use crate::fft::emit::lanes;
use crate::fft::emit::lanes::TurnTable;
use crate::fft::emit::stockham;
use crate::fft::emit::stockham::generator::Setting;
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::number::Number;
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;
use crate::kernels::fft::pass::{self, Bound, Workgroup};
use crate::kernels::fft::{self, Rows, pass_double, pass_f64, radix2};
use crate::kernels::transpose::Matrices;
use crate::kernels::{Access, Bind, Dispatch, Form, Generated, Slot};
use crate::plan::{Array, Placement, Program};
use crate::shape::join;
use crate::transpose;
use crate::wgsl::two_f32;

pub(super) fn lower(transform: &Transform, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
    transform.check_device(profile)?;
    let geometry = transform.geometry()?;
    let mut program = arrays(transform, &geometry);
    // Refuse arrays that no buffer of the device can hold before checking anything else about them.
    program.inputs[0].check(&program.title, "input", profile)?;
    program.output.check(&program.title, "output", profile)?;
    append(transform, recipe, profile, &mut program, ends(transform))?;
    Ok(program)
}

/// Adds the dispatches of a transform to a program, with the workspaces and tables that they need.
/// The transform goes from one array of the program to another, or works in place, as part of a
/// larger operation. The arrays may be longer than the transform needs.
pub(super) fn append(
    transform: &Transform,
    recipe: &Recipe,
    profile: &DeviceProfile,
    program: &mut Program,
    ends: [Slot; 2],
) -> Result<()> {
    let in_place = ends[0] == ends[1];
    if in_place != (transform.placement == Placement::InPlace) {
        let what = format!("`{transform}` from {} to {}", ends[0], ends[1]);
        return Err(Error::Unsupported {
            what,
            why: "an in-place transform begins and ends in the same array, and no other does".to_owned(),
        });
    }
    transform.check_device(profile)?;
    let geometry = transform.geometry()?;
    Lowering { transform, geometry: &geometry, recipe, profile, program, ends }.dispatches()
}

/// Refuses what a single pass of an axis cannot do on such a device, whatever the other passes can
/// do.
pub(super) fn check_pass(
    transform: &Transform,
    geometry: &Geometry,
    axes: &[AxisRecipe],
    [i, f]: [usize; 2],
    profile: &DeviceProfile,
) -> Result<()> {
    let recipe = Recipe::Axes(axes.to_vec());
    let mut program = arrays(transform, geometry);
    let mut lowering = Lowering { transform, geometry, recipe: &recipe, profile, program: &mut program, ends: ends(transform) };
    let steps = chain(transform, geometry, axes).map_err(|broken| lowering.broken(broken))?;
    let slots = lowering.slots(&steps);
    for (s, step) in steps.iter().enumerate().filter(|(_, step)| step.element == (axes[i].through, f)) {
        lowering.step(step, geometry.factor, [slots[s], slots[s + 1]])?;
    }
    program.check(profile)
}

/// The slots of a transform that is a program of its own.
fn ends(transform: &Transform) -> [Slot; 2] {
    let input = if transform.placement == Placement::InPlace { Slot::Output } else { Slot::Input(0) };
    [input, Slot::Output]
}

/// A program with the arrays of a transform, and no dispatches yet.
fn arrays(transform: &Transform, geometry: &Geometry) -> Program {
    let [mut input, mut output] =
        [End::Input, End::Output].map(|end| Array { len: 0, element_bytes: transform.form_of(end).bytes() as usize });
    (input.len, output.len) = (geometry.input.span, geometry.output.span);
    if transform.placement == Placement::InPlace {
        // In place, both are one array. Its rows of reals are padded, so count all of its elements.
        match transform.kind {
            Kind::C2c(_) | Kind::R2r | Kind::Filter { .. } => {}
            Kind::R2c => input.len = 2 * output.len,
            Kind::C2r => output.len = 2 * input.len,
        }
    }
    Program::new(transform.to_string(), transform.placement, vec![input], output)
}

struct Lowering<'a> {
    transform: &'a Transform,
    geometry: &'a Geometry,
    recipe: &'a Recipe,
    profile: &'a DeviceProfile,
    program: &'a mut Program,
    /// Where the transform begins and where it ends.
    ends: [Slot; 2],
}

impl Lowering<'_> {
    fn unfit(&self, why: String) -> Error {
        Error::UnfitRecipe { recipe: self.recipe.to_string(), spec: self.transform.to_string(), why }
    }

    fn dispatches(&mut self) -> Result<()> {
        match self.recipe {
            Recipe::Axes(axes) => {
                let steps = chain(self.transform, self.geometry, axes).map_err(|broken| self.broken(broken))?;
                self.program.notes.extend(axes.iter().filter_map(|recipe| recipe.note(self.transform.shape.extents()[recipe.axis] as u32)));
                self.steps(&steps)
            }
            Recipe::Transposed { rows, columns, transpose } => self.by_transposes(rows, columns, transpose),
        }
    }

    /// Length of an axis. The index after the last one is moved, not transformed.
    fn extent(&self, axis: usize) -> u64 {
        self.transform.shape.extents().get(axis).map_or(1, |&extent| extent as u64)
    }

    /// Bytes of a complex number.
    fn element_bytes(&self) -> u64 {
        self.transform.number.complex_bytes()
    }

    fn broken(&self, broken: Broken) -> Error {
        match broken {
            Broken::Unfit(why) => self.unfit(why),
            Broken::TooLong(required) => Error::LimitExceeded {
                what: format!("`{}`, an array between its passes", self.transform),
                limit: "elements indexed by a u32",
                required,
                available: u32::MAX.into(),
            },
        }
    }

    /// Adds the dispatches for two dense axes, as row transforms and transposes.
    fn by_transposes(&mut self, rows: &PassRecipe, columns: &PassRecipe, transpose: &transpose::Recipe) -> Result<()> {
        let (transform, geometry) = (self.transform, self.geometry);
        let (r, c) = match (transform.kind, geometry.axes.as_slice(), geometry.output_extents.as_slice()) {
            (Kind::C2c(_), [0, 1], &[r, c, _]) if geometry.dense && transform.is_plain() && transform.kinds.is_empty() => (r, c),
            _ => {
                return Err(self.unfit(
                    "transposes are for two dense axes of complex numbers, both longer than 1, without parts and fragments".to_owned(),
                ));
            }
        };
        let batch = geometry.output_extents[2];
        let elements = r * c * batch;
        let bytes = self.element_bytes();
        let array = Array { len: elements as usize, element_bytes: bytes as usize };
        let workspace = Slot::Workspace(self.program.workspaces.len());
        self.program.workspaces.push(array);
        let [input, output] = self.ends;
        let in_place = input == output;
        let turn = |own: &Self, [rows, columns]: [u32; 2], from, to| {
            let task = transpose::OnDevice {
                problem: &transpose::Problem::matrices(bytes as u32, [rows, columns], batch),
                matrices: Some((Matrices { rows, columns, batch }, bytes as u32)),
                label: format!("transpose {rows}x{columns}{}", if batch == 1 { String::new() } else { format!(" x{batch}") }),
                slots: [from, to],
                bytes: [array.bytes(); 2],
                profile: own.profile,
            };
            transpose.dispatches(&task).map_err(|error| match error {
                Error::UnfitRecipe { why, .. } => own.unfit(why),
                other => other,
            })
        };
        let inverse = transform.is_inverse();
        // Out of place, the input is only read, and only by the first step. This chooses the array
        // for the rows and the array for their transpose; then comes the output.
        let (first, second) = if transform.transposed && !in_place { (workspace, output) } else { (output, workspace) };
        self.rows(rows, Rows { n: c, rows: elements / c, inverse, scale: 1.0 }, input, first)?;
        let transposed = turn(self, [r, c], first, second)?;
        self.program.dispatches.extend(transposed);
        let third = if transform.transposed { output } else { second };
        self.rows(columns, Rows { n: r, rows: elements / r, inverse, scale: geometry.factor }, second, third)?;
        if !transform.transposed {
            let back = turn(self, [c, r], third, output)?;
            self.program.dispatches.extend(back);
        }
        Ok(())
    }

    /// Adds the dispatches that transform dense rows.
    fn rows(&mut self, recipe: &PassRecipe, rows: Rows, input: Slot, output: Slot) -> Result<()> {
        match recipe {
            PassRecipe::Radix2 { rows: rows_per_workgroup, lanes } => {
                self.transform.number.check_kernel("radix2").map_err(|why| self.unfit(why))?;
                limits::radix2(*rows_per_workgroup, *lanes, rows.n, self.profile).map_err(|why| self.unfit(why))?;
                let constants = Constants::new(Number::F32, [Constant::Stages(vec![2; rows.n.trailing_zeros() as usize])]);
                let roots = self.program.table(constants.table());
                let max_groups = self.profile.groups_per_axis;
                let dispatch = radix2::dispatch(rows, *rows_per_workgroup, *lanes, max_groups, [input, output, roots])?;
                self.program.dispatches.push(dispatch);
                Ok(())
            }
            PassRecipe::Stockham(stockham) => {
                limits::stockham(stockham, self.profile).map_err(|why| self.unfit(why))?;
                if stockham.n() != rows.n {
                    return Err(self.unfit(format!("its radices multiply to {}, not to {}", stockham.n(), rows.n)));
                }
                let side = || Side {
                    storage: Storage::Complex,
                    offset: 0,
                    place: Place::linear(1),
                    by_position: false,
                    lines: vec![Place::linear(rows.n)],
                    index: Index { element: 1, lines: vec![0] },
                    fused: rows.inverse.then_some(Exchange.into()).into_iter().collect(),
                };
                let (lines, radices) = (vec![rows.rows], stockham.radices.clone());
                let number = self.transform.number;
                let pass =
                    Pass { number, radices, extents: vec![rows.n], lines, load: side(), store: side(), convolution: None, twos: None };
                self.stockham(rows.label(), stockham, pass, rows.rows, rows.scale, [input, output])
            }
            PassRecipe::Lanes { .. } => Err(self.unfit("lanes are for axes, not for rows between transposes".to_owned())),
        }
    }

    /// Adds the dispatches of a chain of passes.
    fn steps(&mut self, steps: &[Step<'_>]) -> Result<()> {
        let (slots, scales) = (self.slots(steps), self.scales(steps));
        for (i, step) in steps.iter().enumerate() {
            self.step(step, scales[i], [slots[i], slots[i + 1]])?;
        }
        Ok(())
    }

    /// The factors on the results of the steps: all of it on those of the last one. If the arrays
    /// between axes have numbers of 16 bits, whose range is small, each axis has a share of it.
    fn scales(&self, steps: &[Step<'_>]) -> Vec<f64> {
        let factor = self.geometry.factor;
        let mut scales = vec![1.0; steps.len()];
        let Some(last) = scales.len().checked_sub(1) else { return scales };
        let length = |step: &Step<'_>| match step.extents[..] {
            [_] => self.extent(step.element.0) as f64,
            _ => f64::from(step.n),
        };
        let logarithm = |step: &Step<'_>| length(step).ln();
        let of_axis = |i: usize| i == last || steps[i].element.0 != steps[i + 1].element.0;
        let all: f64 = (0..=last).filter(|&i| of_axis(i)).map(|i| logarithm(&steps[i])).sum();
        let mut rest = factor;
        if self.transform.between.is_some() && factor != 0.0 && all > 0.0 {
            for i in (0..last).filter(|&i| of_axis(i)) {
                // What is left for the last one is exact if these are numbers of the kernel.
                scales[i] = self.transform.number.rounded(factor.abs().powf(logarithm(&steps[i]) / all));
                rest /= scales[i];
            }
        }
        scales[last] = rest;
        scales
    }

    /// The slots that hold the array before the first pass, between passes, and after the last one.
    /// Uses as few workspaces as possible and adds them to the program.
    fn slots(&mut self, steps: &[Step<'_>]) -> Vec<Slot> {
        let ([first, output], before) = (self.ends, self.program.workspaces.len());
        // The output can hold a state whose elements lie where its own do. If it has no gaps, it
        // can hold any state that is not larger.
        let (output_bytes, element_bytes) = (self.program.bytes(output), self.element_bytes());
        let held_by_output = |state: &State| {
            let held =
                || self.geometry.output_filled && self.transform.kind != Kind::C2r && state.bytes(self.transform.number) <= output_bytes;
            state.in_output || held()
        };
        // The last slot may also be a workspace that the program already had.
        let own_workspace = |slot: &Slot| if let Slot::Workspace(w) = slot { w.checked_sub(before) } else { None };
        // The possible continuations depend only on where the array is and how many workspaces
        // exist, not on how the array got there.
        let search = |most: usize| {
            let mut open = vec![vec![first]];
            let mut seen = HashSet::new();
            while let Some(slots) = open.pop() {
                let i = slots.len() - 1;
                let used = slots[1..].iter().filter_map(own_workspace).max().map_or(0, |own| own + 1);
                if i == steps.len() {
                    return Some((used, slots));
                }
                if !seen.insert((i, slots[i], used)) {
                    continue;
                }
                let last = i + 1 == steps.len();
                let mut choices = Vec::new();
                if !last {
                    choices.extend((0..(used + 1).min(most)).rev().map(|own| Slot::Workspace(before + own)));
                }
                if last || held_by_output(&steps[i].states[1]) {
                    choices.push(output);
                }
                for slot in choices {
                    if slot != slots[i] || steps[i].keeps_positions() {
                        open.push(slots.iter().copied().chain([slot]).collect());
                    }
                }
            }
            None
        };
        // A single in-place pass keeps positions (`Builder::set_down`). With several passes, each
        // can write to one of two workspaces, and the last one to the output.
        let (workspaces, slots) = (0..=2).find_map(search).expect("two workspaces are always enough");
        let mut sizes = vec![0; workspaces];
        for (step, slot) in steps.iter().zip(&slots[1..]) {
            if let Some(own) = own_workspace(slot) {
                // In complex numbers, of which two reals take the bytes of one.
                let bytes = step.states[1].bytes(self.transform.number);
                sizes[own] = sizes[own].max(bytes.div_ceil(element_bytes) as usize);
            }
        }
        self.program.workspaces.extend(sizes.into_iter().map(|len| Array { len, element_bytes: element_bytes as usize }));
        slots
    }

    fn step(&mut self, step: &Step<'_>, scale: f64, slots: [Slot; 2]) -> Result<()> {
        let axis = step.element.0;
        let mut lines = lines(step);
        if step.combines.is_some() {
            return self.halves(step, &lines, scale, slots);
        }
        let mut pairs = [None, None];
        if step.load.takes_pairs() {
            pairs = self.pair(&mut lines)?.map(Some);
        }
        let count: u32 = lines.iter().map(|line| line.extent).product();
        let what = match (self.transform.kind, self.transform.real_kind(axis)) {
            (Kind::Filter { .. }, _) => "FFT, filter and inverse FFT".to_owned(),
            (_, Some(kind)) => format!("{kind} by an FFT"),
            _ if self.transform.is_inverse() => "inverse FFT".to_owned(),
            _ => "FFT".to_owned(),
        };
        let whole = step.extents.len() > 1 || u64::from(step.n) == self.extent(axis);
        let of = if whole { String::new() } else { format!(" of axis {axis}") };
        let label = if axis == self.transform.shape.rank() {
            format!("moves {count} elements")
        } else {
            format!("{what}{of}, {count} x {}", join(&step.extents, "x"))
        };
        let stockham = match step.recipe {
            None => &limits::no_transform(self.profile),
            Some(PassRecipe::Stockham(stockham)) => stockham,
            Some(PassRecipe::Lanes { .. }) => return self.lanes(label, step, &lines, scale, slots),
            Some(recipe @ PassRecipe::Radix2 { .. }) => {
                let dense = lines.len() == 1
                    && [(&step.states[0], &lines[0].load), (&step.states[1], &lines[0].store)].into_iter().all(|(state, line)| {
                        state.offset == 0
                            && state.dim(step.element).place == Place::linear(1)
                            && (count == 1 || *line == Place::linear(step.n))
                    });
                let plain = step.load.is_plain() && step.store.is_plain() && step.store.twiddle().is_none();
                let inverse = step.load.exchanges();
                if !dense || !plain || inverse != step.store.exchanges() {
                    return Err(self.unfit("radix2 transforms one axis of dense rows of complex numbers".to_owned()));
                }
                let rows = Rows { n: step.n, rows: count, inverse, scale };
                return self.rows(recipe, rows, slots[0], slots[1]);
            }
        };
        // Check before anything is made.
        limits::stockham(stockham, self.profile).map_err(|why| self.unfit(why))?;
        let weights: Vec<u32> = lines.iter().map(|line| line.twiddle_weight).collect();
        let coordinates: Vec<Option<usize>> = lines.iter().map(|line| line.axis).collect();
        let side = |fusion: &Fusion, state: &State, load: bool, pair: Option<Pair>| Side {
            storage: fusion.storage,
            offset: state.offset,
            place: fusion.by_position.clone().unwrap_or_else(|| state.dim(step.element).place.clone()),
            by_position: fusion.by_position.is_some(),
            lines: lines.iter().map(|line| if load { line.load.clone() } else { line.store.clone() }).collect(),
            index: Index {
                element: fusion.weights.get(step.element.1).copied().unwrap_or(1),
                lines: lines.iter().map(|line| if load { line.load_weight } else { line.store_weight }).collect(),
            },
            fused: fusion.fused.iter().map(|fused| fused.on(&Coordinates { axes: &coordinates, weights: &weights, pair })).collect(),
        };
        let pass = Pass {
            number: self.transform.number,
            radices: stockham.radices.clone(),
            extents: step.extents.clone(),
            lines: lines.iter().map(|line| line.extent).collect(),
            load: side(&step.load, &step.states[0], true, pairs[0]),
            store: side(&step.store, &step.states[1], false, pairs[1]),
            convolution: step.convolution.clone().map(|own| match own {
                Convolution::Filter(map) => {
                    Convolution::Filter(map.on_lines(&Coordinates { axes: &coordinates, weights: &weights, pair: None }))
                }
                chirp @ Convolution::Chirp { .. } => chirp,
            }),
            twos: None,
        };
        self.stockham(label, stockham, pass, count, scale, slots)
    }

    /// Adds a dispatch of the kernel `fft/halves`.
    fn halves(&mut self, step: &Step<'_>, lines: &[LineIndex], scale: f64, [input, output]: [Slot; 2]) -> Result<()> {
        self.transform.number.check_kernel("halves").map_err(|why| self.unfit(why))?;
        let (own, invocations, bytes) = lanes::halves::fit(step, lines, self.profile).map_err(|why| self.unfit(why))?;
        let n = own.n();
        let constants = Constants::new(Number::F32, [Constant::Twiddle(n)]);
        let (low, at) = constants.twiddle(n);
        let text = lanes::halves::wgsl(&own, invocations, TurnTable { low, at }).into();
        let constants_bytes = constants.bytes();
        let roots = Bound::whole(self.program.table(constants.table()), constants_bytes);
        let binds = pass::binds(Bound::whole(input, bytes[0]), Bound::whole(output, bytes[1]), roots);
        let params = fft::halves::Params { lines: own.lines(), scale: own.scale(scale) as f32 };
        let rows: u32 = lines.iter().map(|line| line.extent).product();
        let what = match own.way() {
            Way::ToPacked => "half-spectra to halves",
            Way::ToSpectrum => "halves to half-spectra",
        };
        let label = format!("{what}, {rows} x {n}");
        let dispatch = fft::halves::dispatch(label, params, invocations, n, text, self.profile.groups_per_axis, binds)?;
        self.program.dispatches.push(dispatch);
        Ok(())
    }

    /// Adds a dispatch of the kernel `fft/lanes`.
    fn lanes(&mut self, label: String, step: &Step<'_>, lines: &[LineIndex], scale: f64, [input, output]: [Slot; 2]) -> Result<()> {
        let Some(&PassRecipe::Lanes { factors, lanes, invocations, .. }) = step.recipe else { unreachable!("the caller asked") };
        self.transform.number.check_kernel("lanes").map_err(|why| self.unfit(why))?;
        let (own, bytes) = lanes::fit(step, lines, scale != 1.0, self.profile).map_err(|why| self.unfit(why))?;
        let roots_of_line = (factors[1] > 1).then_some(Constant::Line(step.n));
        let twiddle = step.store.twiddle().map(|twiddle| twiddle.n);
        let constants = Constants::new(Number::F32, roots_of_line.into_iter().chain(twiddle.map(Constant::Twiddle)));
        let turns = twiddle.map(|n| {
            let (low, at) = constants.twiddle(n);
            TurnTable { low, at }
        });
        let text = lanes::wgsl(&own, invocations, input == output, turns).into();
        let whole = if input == output { bytes[0].max(bytes[1]) } else { 0 };
        let bound = |slot, bytes: u64| Bound::whole(slot, bytes.max(whole));
        let constants_bytes = constants.bytes();
        let roots = Bound::whole(self.program.table(constants.table()), constants_bytes);
        let binds = pass::binds(bound(input, bytes[0]), bound(output, bytes[1]), roots);
        let params = fft::lanes::Params { lines: own.lines(), scale: scale as f32 };
        let workgroup = fft::lanes::Workgroup { invocations, lanes, bytes: own.workgroup_bytes() };
        // A line of one number is a DFT of length 1.
        let radices = factors.into_iter().filter(|&factor| factor > 1 || factors == [1, 1]).collect();
        let generated = Generated { text, form: Form::Pass(radices) };
        let dispatch = fft::lanes::dispatch(label, params, workgroup, generated, self.profile.groups_per_axis, binds)?;
        self.program.dispatches.push(dispatch);
        Ok(())
    }

    /// Takes lines in pairs along the fastest index. Returns the distance to the second line of a
    /// pair, on each side.
    fn pair(&self, lines: &mut [LineIndex]) -> Result<[Pair; 2]> {
        let first = &mut lines[0];
        let odd = (first.extent % 2 == 1).then_some((0, first.extent));
        first.extent = first.extent.div_ceil(2);
        let halve = |place: &mut Place| match place.low.first_mut() {
            None => {
                let distance = place.stride;
                // With a single pair the stride is never used.
                place.stride = place.stride.saturating_mul(2);
                Some(distance)
            }
            Some((base, stride)) if *base % 2 == 0 => {
                let distance = *stride;
                (*base, *stride) = (*base / 2, *stride * 2);
                Some(distance)
            }
            Some(_) => None,
        };
        match (halve(&mut first.load), halve(&mut first.store)) {
            (Some(load), Some(store)) => Ok([Pair { distance: load, odd }, Pair { distance: store, odd }]),
            _ => Err(self.unfit("rows are transformed in pairs, but its blocks have an odd number of rows".to_owned())),
        }
    }

    /// The bindings of what the fragments of a pass declare, and whether a fragment indexes memory
    /// of its own.
    fn declared(&mut self, pass: &Pass) -> Result<(Vec<Bind>, bool)> {
        let mut binds = Vec::new();
        let mut indexes_memory = false;
        for (map, first) in stockham::maps(pass) {
            indexes_memory |= map.fragment.indexes_memory;
            for (binding, declared) in (first..).zip(map.fragment.arrays()) {
                let access = if declared.is_uniform() { Access::Uniform } else { Access::Read };
                let slot = declared.slot.map_or_else(|| self.program.declare(declared), Ok)?;
                binds.push(Bind { binding, name: map.fragment.binding_name(declared).into(), access, slot, range: None });
            }
        }
        Ok((binds, indexes_memory))
    }

    /// Adds a dispatch of the kernel `fft/pass`.
    fn stockham(&mut self, label: String, recipe: &Stockham, pass: Pass, lines: u32, scale: f64, [input, output]: [Slot; 2]) -> Result<()> {
        let profile = self.profile;
        let (pass, lines) = match recipe.width {
            1 => (pass, lines),
            _ => pass.in_twos(recipe, lines, profile).map_err(|why| self.unfit(why))?,
        };
        let constants = Constants::new(pass.number, pass.constants());
        // If no buffer can hold a table, the table is not added, so that it is never computed.
        Array { len: constants.bytes() as usize, element_bytes: 1 }.check(&label, "its constants", profile)?;
        let roots = self.program.table(constants.table());
        let [input, output, roots] = [input, output, roots].map(|slot| Sized { slot, bytes: self.program.bytes(slot) });
        let (declared, indexes_memory) = self.declared(&pass)?;
        let parts = bindings::parts(&label, &pass, lines, [input, output, roots], profile)?;
        let workgroup = Workgroup { lines: recipe.lines / pass.lines_each(), lanes: recipe.lanes, bytes: 0 };
        let mut exact = true;
        for part in &parts {
            let grid = pass::grid(part.lines, workgroup, profile.groups_per_axis)?;
            exact &= grid.count() * u64::from(workgroup.lines) == u64::from(part.lines);
        }
        let Part { input, output, roots, .. } = parts[0];
        let look_up = LookUp { constants: &constants, in_pieces: roots.segments() > 1 };
        let numbers_as_bits = profile.is_cpu() && profile.int64;
        let setting = Setting { input, output, roots, look_up, exact, words: profile.workgroup_bytes / 4, numbers_as_bits };
        let (generated, workgroup) = stockham::generate(pass, recipe, &setting).map_err(|why| self.unfit(why))?;
        for (i, part) in parts.iter().enumerate() {
            let label = if parts.len() == 1 { label.clone() } else { format!("{label} ({} of {})", i + 1, parts.len()) };
            let mut binds = pass::binds(part.input, part.output, part.roots);
            binds.extend(declared.iter().cloned());
            let (lines, max_groups) = (part.lines, profile.groups_per_axis);
            let own = pass::Lines { label, count: lines, workgroup, generated: generated.clone(), max_groups, binds };
            let dispatch = match self.transform.number {
                Number::F32 => own.by(&pass::KERNEL, &pass::Params { lines, scale: scale as f32 }),
                Number::F64 => own.by(&pass_f64::KERNEL, &pass_f64::Params { lines, unused: 0, scale }),
                Number::Double => own.by(&pass_double::KERNEL, &pass_double::Params { lines, scale: two_f32(scale) }),
            }?;
            // `bindings::parts` has compared the largest index that any line touches with the bound
            // size of each array. What a fragment indexes is not known.
            self.program.dispatches.push(Dispatch { proven: !indexes_memory, ..dispatch });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use crate::fft::{C2c, Direction};

    /// A transform that is part of a larger program runs the same dispatches as its own program, on
    /// other arrays.
    #[test]
    fn appended_transforms_are_those_of_their_own() {
        let profile = DeviceProfile::webgpu_defaults();
        let recipe = |text: &str| text.parse::<Recipe>().unwrap();
        let rows = "stockham 8.8 lanes=8 lines=4 exchange=split pieces=1 banks=32 roots=products";
        let by_transposes = recipe(&format!("rows: {rows}; columns: {rows}; transpose: naive 8x8"));
        let own = |spec: &C2c| spec.design(&profile).unwrap();
        let [long, square] = [C2c::forward(1 << 20), C2c::forward([64, 64])];
        let all = [
            (square.clone(), own(&square)),
            (square.clone().in_place(), own(&square)),
            (square.clone(), by_transposes.clone()),
            (square.in_place(), by_transposes),
            (long.clone(), own(&long)),
            (long.clone().in_place(), own(&long.in_place())),
        ];
        for (spec, recipe) in all {
            let alone = spec.lower(&recipe, &profile).unwrap();
            assert_eq!(spec.transform.kind, Kind::C2c(Direction::Forward));
            let in_place = spec.transform.placement == Placement::InPlace;
            // The program already has a table and three arrays.
            let mut program = Program { tables: Vec::new(), dispatches: Vec::new(), workspaces: vec![alone.output; 3], ..alone.clone() };
            program.table(Constants::new(Number::F32, [Constant::Line(3)]).table());
            let middle = Slot::Workspace(1);
            let first = if in_place { middle } else { Slot::Input(0) };
            append(&spec.transform, &recipe, &profile, &mut program, [first, middle]).unwrap();
            let renamed = |slot: Slot| match slot {
                Slot::Input(_) => first,
                Slot::Output => middle,
                Slot::Workspace(own) => Slot::Workspace(own + 3),
                Slot::Table(own) => Slot::Table(own + 1),
                Slot::Declared(own) => Slot::Declared(own),
            };
            let mut expected = alone.dispatches.clone();
            expected.iter_mut().flat_map(|dispatch| &mut dispatch.binds).for_each(|bind| bind.slot = renamed(bind.slot));
            assert_eq!(program.dispatches, expected, "{}", spec.transform);
            assert_eq!(program.workspaces[3..], alone.workspaces);
            assert_eq!(program.tables[1..], alone.tables);
            let wrong = if in_place { [middle, Slot::Output] } else { [middle, middle] };
            assert!(matches!(append(&spec.transform, &recipe, &profile, &mut program, wrong), Err(Error::Unsupported { .. })));
        }
    }
}
