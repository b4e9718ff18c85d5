//! Specifications of any operation with recipes as texts.

use wgpu_fft::Spec;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::low_level::tune::{Known, Sample};
use wgpu_fft::{DeviceProfile, Error, Program};

/// A specification with recipes as texts.
pub struct Subject {
    pub spec: AnySpec,
    operation: Box<dyn Operation>,
}

impl Subject {
    pub fn new<S: Spec>(spec: S) -> Self {
        Self { spec: AnySpec::new(spec.clone()), operation: Box::new(spec) }
    }

    /// The recipe that the rules choose.
    pub fn design(&self, profile: &DeviceProfile) -> Result<String, Error> {
        self.operation.design(profile)
    }

    /// Where a search begins, apart from the rules' recipe.
    pub fn alternatives(&self, profile: &DeviceProfile) -> Vec<String> {
        self.operation.alternatives(profile)
    }

    /// Recipes that differ from one in one decision.
    pub fn neighbours(&self, recipe: &str, profile: &DeviceProfile) -> Vec<String> {
        self.operation.neighbours(recipe, profile)
    }

    /// The program, if it fits the device.
    pub fn program(&self, recipe: &str, profile: &DeviceProfile) -> Result<Program, Error> {
        let program = self.spec.lower(Some(recipe), profile)?;
        program.check(profile).map(|()| program)
    }

    /// What the specification's own samples find wrong.
    pub fn fault(&self, input: &[u8], output: &[u8]) -> Option<String> {
        self.operation.fault(&bytemuck::pod_collect_to_vec(input), &bytemuck::pod_collect_to_vec(output))
    }
}

trait Operation {
    fn design(&self, profile: &DeviceProfile) -> Result<String, Error>;
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<String>;
    fn neighbours(&self, recipe: &str, profile: &DeviceProfile) -> Vec<String>;
    fn fault(&self, input: &[u32], output: &[u32]) -> Option<String>;
}

impl<S: Spec> Operation for S {
    fn design(&self, profile: &DeviceProfile) -> Result<String, Error> {
        wgpu_fft::Spec::design(self, profile).map(|recipe| recipe.to_string())
    }

    fn alternatives(&self, profile: &DeviceProfile) -> Vec<String> {
        let all = Spec::alternatives(self, profile).into_iter().chain(self.baseline(profile).ok());
        all.map(|recipe| recipe.to_string()).collect()
    }

    fn neighbours(&self, recipe: &str, profile: &DeviceProfile) -> Vec<String> {
        let Ok(recipe) = recipe.parse() else { return Vec::new() };
        Spec::neighbours(self, &recipe, profile).iter().map(ToString::to_string).collect()
    }

    fn fault(&self, input: &[u32], output: &[u32]) -> Option<String> {
        // Numbers at the ends of a type's range have checks of their own, which know what may become of them.
        let judges = |sample: &&Sample| matches!(sample.value, Known::Bytes(_)) || sample.is_ordinary();
        self.samples(input).iter().filter(judges).find_map(|sample| sample.fault(output))
    }
}
