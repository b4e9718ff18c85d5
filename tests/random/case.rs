//! A random case while it is drawn: where it runs, its choices, and what comes out.

use wgpu_fft::{DeviceProfile, Error};

use crate::draws::Draws;
use crate::mutated::mutated;
use crate::place::{self, Order, Place};
use crate::profiles;
use crate::subject::Subject;

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was compared in this many places. Pairs of them ran the same texts, with equal bits or not.
    Right { places: usize, equal_bits: usize, other_bits: usize },
    /// Refused in every place, first with an error of this kind.
    Refused(String),
    /// Wrong for this reason.
    Wrong(String),
}

/// Spoils a result, to see whether that is found: the specification and its output.
pub type Mistake = fn(&str, &mut [u8]);

pub struct Case<'a> {
    pub draws: Draws,
    pub places: &'a [Place<'a>],
    pub mistake: Option<Mistake>,
    /// Reports the progress of the case, to find out why it hangs or panics.
    pub note: &'a dyn Fn(&str),
}

/// The most elements of an array. Cases are small so that there can be many.
pub const MAX_ELEMENTS: usize = 3000;

/// What a generator knows of a computation.
pub struct Problem<'p> {
    pub subject: &'p Subject,
    pub by_hand: &'p [&'p str],
    /// A recipe for it that is drawn decision by decision.
    pub drawn: Option<&'p Draw<'p>>,
    /// The content of an input (0 or 1) of so many bytes.
    pub input: &'p dyn Fn(usize, usize) -> Vec<u8>,
    /// Compares the output by a recipe with the reference.
    pub check: &'p Check<'p>,
    /// Spoils an element of the inputs, if it must not reach all of the output.
    pub spoil: Option<&'p Spoil<'p>>,
}

/// Makes an element of the inputs NaN or very large. Returns which bytes of the output may change
/// then.
pub type Spoil<'p> = dyn Fn(&mut Draws, &mut [Vec<u8>]) -> Box<dyn Fn(usize) -> bool> + 'p;

/// Draws a recipe.
type Draw<'p> = dyn Fn(&mut Draws) -> String + 'p;

/// Says what is wrong with an output, given the text of the recipe.
type Check<'p> = dyn Fn(&[u8], &str) -> Result<(), String> + 'p;

/// The result in one place.
struct Outcome {
    place: String,
    texts: Vec<String>,
    output: Vec<u8>,
}

impl Case<'_> {
    /// True with this probability in percent.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.draws.chance(percent)
    }

    pub fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        self.draws.pick(all)
    }

    pub fn between(&mut self, least: usize, most: usize) -> usize {
        self.draws.between(least, most)
    }

    /// An extent of at most `most`: small, a power of two, composite, a prime, or any.
    pub fn extent(&mut self, most: usize) -> usize {
        let most = most.max(1);
        let extent = match self.draws.below(6) {
            0 => self.between(1, 4),
            1 => 1 << self.between(0, most.ilog2() as usize),
            2 => self.between(1, 9) * self.between(1, 9),
            3 => self.pick(&[11, 13, 17, 31, 37, 67, 97, 101, 127, 139, 257]),
            4 => self.between(1, 64),
            _ => self.between(1, most),
        };
        extent.clamp(1, most)
    }

    /// A random shape of at most `rank` axes and `most` elements.
    pub fn shape_of(&mut self, rank: usize, most: usize) -> Vec<usize> {
        let rank = self.between(1, rank);
        let mut left = most;
        let shape = (0..rank).map(|axis| {
            let own = if axis + 1 == rank { left } else { (left as f64).powf(1.0 / (rank - axis) as f64) as usize * 2 };
            let extent = self.extent(own.clamp(1, left));
            left = (left / extent).max(1);
            extent
        });
        shape.collect()
    }

    pub fn shape(&mut self, rank: usize) -> Vec<usize> {
        self.shape_of(rank, MAX_ELEMENTS)
    }

    /// How many arrays: usually one.
    pub fn batch(&mut self) -> usize {
        if self.chance(50) { self.between(1, 4) } else { 1 }
    }

    /// Some of the axes, or all, in any order.
    pub fn axes(&mut self, rank: usize) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..rank).collect();
        if self.chance(60) {
            self.draws.shuffle(&mut axes);
            let count = self.between(1, rank);
            axes.truncate(count);
        }
        axes
    }

    /// Runs a computation in every place and compares the results with the reference and with each
    /// other.
    pub fn judge(&mut self, problem: &Problem<'_>) -> Verdict {
        let subject = problem.subject;
        let spec = subject.spec.to_string();
        let host_profile = profiles::drawn(&mut self.draws);
        let order = Order { seed: self.draws.below(1 << 16), subgroups: 1 << self.draws.below(3) };
        let drawn = recipe(&mut self.draws, problem, &host_profile);
        // Devices take the recipe of the host, or one of their own.
        let (is_shared, own_seed) = (!self.chance(50), self.draws.below(1000));
        // The seed 0 spoils nothing.
        let spoil_seed = if problem.spoil.is_some() { self.draws.below(1000) } else { 0 };
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut refused = None;
        for &place in self.places {
            let profile = match place {
                Place::Host => host_profile.clone(),
                Place::Device(device) => device.gpu().profile().clone(),
            };
            let what = || format!("`{spec}` on {} ({})", place.name(), brief(&profile));
            let own = match place {
                Place::Host => drawn.clone(),
                Place::Device(_) if is_shared => drawn.clone().map(|(recipe, _)| (recipe, false)),
                // The seed 0 means the rules' recipe.
                Place::Device(_) if own_seed == 0 => subject.design(&profile).map(|recipe| (recipe, true)),
                Place::Device(_) => recipe(&mut Draws::seeded(own_seed), problem, &profile),
            };
            (self.note)(&what());
            let (recipe, by_the_rules) = match own {
                Ok(own) => own,
                Err(error) => {
                    refused.get_or_insert(kind_of(&error));
                    continue;
                }
            };
            let what = || format!("`{spec}` by `{recipe}` on {} ({})", place.name(), brief(&profile));
            (self.note)(&what());
            let program = match subject.program(&recipe, &profile) {
                Err(error @ Error::UnfitRecipe { .. }) if by_the_rules => {
                    return Verdict::Wrong(format!("{}: the rules' recipe does not fit: {error}", what()));
                }
                Err(error) => {
                    refused.get_or_insert(kind_of(&error));
                    continue;
                }
                Ok(program) => program,
            };
            let mut inputs: Vec<Vec<u8>> =
                program.inputs().iter().enumerate().map(|(i, array)| (problem.input)(i, array.bytes() as usize)).collect();
            let mut output = match place::run(place, subject, &recipe, &program, &inputs, order) {
                Ok(output) => output,
                // A device may be smaller than its limits say, but nothing else may happen now.
                Err(error @ (Error::LimitExceeded { .. } | Error::Unsupported { .. })) => {
                    refused.get_or_insert(kind_of(&error));
                    continue;
                }
                Err(error) => return Verdict::Wrong(format!("{}: {error}", what())),
            };
            if let Some(mistake) = self.mistake {
                mistake(&spec, &mut output);
            }
            // Samples are for inputs that are equal, if there are two.
            let fault = if inputs.len() == 1 { subject.fault(&inputs[0], &output) } else { None };
            let judged = fault.map_or(Ok(()), |fault| Err(format!("by its samples {fault}")));
            if let Err(why) = judged.and_then(|()| (problem.check)(&output, &recipe)) {
                return Verdict::Wrong(format!("{}: {why}", what()));
            }
            if let Some(spoil) = problem.spoil.filter(|_| spoil_seed > 0) {
                let may_change = spoil(&mut Draws::seeded(spoil_seed), &mut inputs);
                let spoilt = match place::run(place, subject, &recipe, &program, &inputs, order) {
                    Ok(spoilt) => spoilt,
                    Err(error) => return Verdict::Wrong(format!("{}, with an element spoilt: {error}", what())),
                };
                if let Some(byte) = (0..output.len()).find(|&i| output[i] != spoilt[i] && !may_change(i)) {
                    return Verdict::Wrong(format!(
                        "{}: a spoilt element changes byte {byte} of the output, which is none of its row",
                        what()
                    ));
                }
            }
            outcomes.push(Outcome { place: what(), texts: program.wgsl().collect(), output });
        }
        compared(&outcomes, refused)
    }
}

/// Compares the bits of the results of places that ran the same texts.
fn compared(outcomes: &[Outcome], refused: Option<String>) -> Verdict {
    if outcomes.is_empty() {
        return Verdict::Refused(refused.unwrap_or_else(|| "nowhere to run".to_owned()));
    }
    let (mut equal_bits, mut other_bits) = (0, 0);
    for (i, one) in outcomes.iter().enumerate() {
        for other in &outcomes[i + 1..] {
            if one.texts == other.texts {
                if one.output == other.output {
                    equal_bits += 1;
                } else {
                    other_bits += 1;
                    log_difference(one, other);
                }
            }
        }
    }
    Verdict::Right { places: outcomes.len(), equal_bits, other_bits }
}

/// With `WGPU_FFT_BITS=1`, prints where equal texts gave other bits.
fn log_difference(one: &Outcome, other: &Outcome) {
    if std::env::var("WGPU_FFT_BITS").is_ok_and(|value| value == "1") {
        let count = one.output.iter().zip(&other.output).filter(|(a, b)| a != b).count();
        println!("{count} of {} bytes differ: {} and {}", one.output.len(), one.place, other.place);
    }
}

/// What matters of a profile, in a line.
fn brief(profile: &DeviceProfile) -> String {
    let DeviceProfile {
        device_type, invocations, workgroup_bytes, storage_buffers, binding_bytes, groups_per_axis, subgroup_sizes, ..
    } = profile;
    let [least, most] = subgroup_sizes;
    format!(
        "{device_type:?}, {invocations} invocations, {workgroup_bytes} B, {storage_buffers} buffers, binding {binding_bytes}, groups {groups_per_axis}, subgroups {}{least}-{most}, i64 {}, f64 {}",
        if profile.subgroups { "" } else { "off " },
        profile.int64,
        profile.f64
    )
}

/// The most recipes that are drawn until one fits.
const MAX_DRAWN: usize = 8;

/// A recipe for a specification, and whether it is the rules'. Other recipes are drawn decision by
/// decision, are near that of the rules, or are a text with changes.
fn recipe(draws: &mut Draws, problem: &Problem<'_>, profile: &DeviceProfile) -> Result<(String, bool), Error> {
    let Problem { subject, by_hand, drawn, .. } = problem;
    let rules = subject.design(profile)?;
    if !draws.chance(55) {
        return Ok((rules, true));
    }
    let mut recipe = rules;
    if let Some(draw) = drawn.filter(|_| draws.chance(50)) {
        for _ in 0..MAX_DRAWN {
            recipe = draw(draws);
            if subject.program(&recipe, profile).is_ok() {
                break;
            }
        }
        return Ok((recipe, false));
    }
    let near = subject.alternatives(profile);
    if !near.is_empty() && draws.chance(60) {
        recipe = draws.pick(&near);
    }
    for _ in 0..draws.below(4) {
        let near = subject.neighbours(&recipe, profile);
        if near.is_empty() {
            break;
        }
        recipe = draws.pick(&near);
    }
    if draws.chance(30) {
        if !by_hand.is_empty() && draws.chance(40) {
            recipe = (*draws.pick(by_hand)).to_owned();
        }
        recipe = mutated(&mut |count| draws.below(count), &recipe);
    }
    Ok((recipe, false))
}

/// The name of an error's kind, with the limit that it concerns.
pub fn kind_of(error: &Error) -> String {
    match error {
        Error::LimitExceeded { limit, .. } => format!("LimitExceeded {limit}"),
        Error::Unsupported { why, .. } => format!("Unsupported: {why}"),
        other => {
            let text = format!("{other:?}");
            text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
        }
    }
}
