//! A random case: where it runs, the random numbers it uses, and its result.

use fastrand::Rng;
use wgpu_fft::tune::Searchable;
use wgpu_fft::{DeviceProfile, Element, Error, Program, Spec};

use crate::harness::{self, Device};
use crate::{profiles, sanitized};

/// Where cases run.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// Without a device: programs run on the host.
    Host,
    Device(&'a Device),
}

/// The result of a case.
pub enum Verdict {
    Right,
    /// Refused with an error of this kind.
    Refused(String),
    /// Wrong for this reason.
    Wrong(String),
}

/// A case while it is being generated.
pub struct Case<'a> {
    pub rng: Rng,
    /// The seed for the order in which invocations and workgroups run on the host, and the factor
    /// by which subgroups are larger than a text needs.
    pub seed: u64,
    pub subgroups: u32,
    pub place: Place<'a>,
    /// Reports the progress of the case, to find out why it hangs or panics.
    pub note: &'a dyn Fn(&str),
}

/// The content of an output before the run.
pub const UNWRITTEN: u32 = harness::UNWRITTEN;

impl Case<'_> {
    /// True with this probability in percent.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    pub fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.rng.usize(0..all.len())].clone()
    }

    /// The most elements of an array. Cases are small so that there can be many.
    pub fn most_elements(&self) -> usize {
        match self.place {
            Place::Host => 3000,
            Place::Device(_) => 20_000,
        }
    }

    /// The profile to plan for: that of the device, or a random one on the host.
    pub fn profile(&mut self) -> DeviceProfile {
        match self.place {
            Place::Host => profiles::random(&mut self.rng),
            Place::Device(device) => device.gpu().profile().clone(),
        }
    }

    /// A random shape of at most `rank` axes.
    pub fn shape(&mut self, rank: usize) -> Vec<usize> {
        let rank = self.rng.usize(1..=rank);
        let mut left = self.most_elements();
        let shape = (0..rank).map(|axis| {
            let most = if axis + 1 == rank { left } else { (left as f64).powf(1.0 / (rank - axis) as f64) as usize * 2 };
            let most = most.clamp(1, left);
            let extent = match self.rng.u32(0..6) {
                0 => self.rng.usize(1..=4),
                1 => 1 << self.rng.u32(0..=most.ilog2()),
                2 => self.rng.usize(1..=9) * self.rng.usize(1..=9),
                3 => self.pick(&[11, 13, 17, 31, 37, 67, 97, 101, 127, 139, 257]),
                4 => self.rng.usize(1..=64),
                _ => self.rng.usize(1..=most),
            };
            let extent = extent.clamp(1, most);
            left = (left / extent).max(1);
            extent
        });
        shape.collect()
    }

    /// A recipe for a specification, and whether it is the default recipe. Other recipes are near
    /// it, or its text with changed numbers.
    pub fn recipe<S: Searchable>(&mut self, spec: &S, profile: &DeviceProfile, by_hand: &[&str]) -> Result<(S::Recipe, bool), Error> {
        let rules = spec.design(profile)?;
        if self.chance(45) {
            return Ok((rules, true));
        }
        let mut recipe = rules;
        let mut near = spec.alternatives(profile);
        near.extend(spec.baseline(profile));
        if !near.is_empty() && self.chance(60) {
            recipe = self.pick(&near);
        }
        for _ in 0..self.rng.u32(0..4) {
            let near = spec.neighbours(&recipe, profile);
            if near.is_empty() {
                break;
            }
            recipe = self.pick(&near);
        }
        if self.chance(30) {
            let text = if !by_hand.is_empty() && self.chance(40) { (*self.pick(by_hand)).to_owned() } else { recipe.to_string() };
            recipe = self.mutated(&text).parse()?;
        }
        Ok((recipe, false))
    }

    /// A text with one to three of its numbers changed, or with a part removed or doubled.
    pub fn mutated(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..self.rng.u32(1..=3) {
            let mut parts: Vec<String> = Vec::new();
            for c in text.chars() {
                match parts.last_mut().filter(|part| part.ends_with(|last: char| last.is_ascii_digit()) == c.is_ascii_digit()) {
                    Some(part) => part.push(c),
                    None => parts.push(c.to_string()),
                }
            }
            if parts.is_empty() {
                break;
            }
            let at = self.rng.usize(0..parts.len());
            let is_number = |part: &String| part.parse::<u64>().is_ok();
            let numbers: Vec<usize> = (0..parts.len()).filter(|&i| is_number(&parts[i])).collect();
            if numbers.is_empty() || self.chance(10) {
                if self.rng.bool() {
                    parts.remove(at);
                } else {
                    let twice = parts[at].clone();
                    parts.insert(at, twice);
                }
            } else {
                let at = self.pick(&numbers);
                let old: u64 = parts[at].parse().unwrap_or(1);
                let new = match self.rng.u32(0..8) {
                    0 => 0,
                    1 => old + 1,
                    2 => old.saturating_sub(1),
                    3 => old * 2,
                    4 => old / 2,
                    5 => self.rng.u64(0..70),
                    6 => self.pick(&[64, 65, 255, 1024, 65_535, 1_000_003, u64::from(u32::MAX), u64::from(u32::MAX) + 1]),
                    _ => 1 << self.rng.u32(0..12),
                };
                parts[at] = new.to_string();
            }
            text = parts.concat();
        }
        text
    }

    /// Plans and runs a specification with a random recipe. Returns the output array, which held
    /// [`UNWRITTEN`] or the input before.
    pub fn output<S: Searchable>(
        &mut self,
        spec: &S,
        by_hand: &[&str],
        input: &dyn Fn(usize) -> Vec<S::Input>,
    ) -> Result<Vec<S::Output>, Verdict> {
        let profile = self.profile();
        (self.note)(&format!("`{spec}` on {profile:?}"));
        let refused = |error: Error| Verdict::Refused(kind_of(&error));
        let (recipe, by_the_rules) = self.recipe(spec, &profile, by_hand).map_err(refused)?;
        (self.note)(&format!("`{spec}` by `{recipe}` on {profile:?}"));
        let program = match spec.lower(&recipe, &profile).and_then(|program| program.check(&profile).map(|()| program)) {
            Err(error @ Error::UnfitRecipe { .. }) if by_the_rules => return Err(Verdict::Wrong(format!("of the rules' recipe: {error}"))),
            program => program.map_err(refused)?,
        };
        let input = input(program.inputs()[0].len);
        let output = self.run(spec, &recipe, &program, &input).map_err(refused)?;
        let before: Vec<u32> = bytemuck::pod_collect_to_vec(&input);
        let after: Vec<u32> = bytemuck::pod_collect_to_vec(&output);
        match spec.samples(&before).iter().find_map(|sample| sample.fault(&after)) {
            None => Ok(output),
            Some(fault) => Err(Verdict::Wrong(format!("by its samples {fault}"))),
        }
    }

    fn run<S: Spec>(&self, spec: &S, recipe: &S::Recipe, program: &Program, input: &[S::Input]) -> Result<Vec<S::Output>, Error> {
        match self.place {
            Place::Host => Ok(sanitized::run(program, &[input], self.seed, self.subgroups)),
            Place::Device(device) => {
                let plan = device.planner.plan_with(spec.clone(), recipe.clone())?;
                let output = harness::run_guarded(device, &plan, input);
                device.planner.clear();
                Ok(output)
            }
        }
    }
}

/// The name of an error's kind, with the limit that it concerns.
pub fn kind_of(error: &Error) -> String {
    match error {
        Error::LimitExceeded { limit, .. } => format!("LimitExceeded {limit}"),
        other => {
            let text = format!("{other:?}");
            text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
        }
    }
}

/// Checks that the words of an array that must not change have not changed.
pub fn untouched<T: Element>(before: &[T], after: &[T], written: &[usize]) -> Result<(), String> {
    let mut may_differ = vec![false; before.len()];
    written.iter().for_each(|&place| may_differ[place] = true);
    let same = |i: usize| bytemuck::bytes_of(&before[i]) == bytemuck::bytes_of(&after[i]);
    match (0..before.len()).find(|&i| !may_differ[i] && !same(i)) {
        None => Ok(()),
        Some(i) => Err(format!("it wrote element {i} of its output, which is none of its own")),
    }
}
