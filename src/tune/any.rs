//! What a recipe is chosen for, without its types: choosing is compiled once, in this crate, and
//! not again in every program for each of its specifications.

use std::fmt::{self, Display};
use std::sync::Arc;

use super::tunable::{Arrays, Compiled, Tunable};
use crate::error::Result;
use crate::gpu::{DeviceProfile, Gpu};
use crate::plan::AnyValue;
use crate::verify::{Sample, Verification};

/// A [`Tunable`] without its types. The recipes are of the computation's own type.
#[cfg_attr(any(target_arch = "wasm32", not(feature = "tune")), expect(dead_code, reason = "only a search asks for most of it"))]
pub(crate) trait AnyTunable: Display + Send + Sync {
    fn parse(&self, recipe: &str) -> Option<AnyValue>;
    fn estimate(&self, profile: &DeviceProfile) -> Result<AnyValue>;
    fn fingerprint(&self, recipe: &AnyValue, profile: &DeviceProfile) -> Result<u64>;
    fn baseline(&self, profile: &DeviceProfile) -> Result<AnyValue>;
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<AnyValue>;
    fn neighbours(&self, recipe: &AnyValue, profile: &DeviceProfile) -> Vec<AnyValue>;
    fn verification(&self) -> Verification;
    fn samples(&self, input: &[u32]) -> Vec<Sample>;
    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays>;
    fn compile(&self, gpu: &Gpu, recipe: &AnyValue) -> Result<Compiled>;
}

/// What a recipe is chosen for.
pub(crate) type Erased = Arc<dyn AnyTunable>;

pub(crate) fn any<T: Tunable>(tunable: &T) -> Erased {
    Arc::new(Typed(tunable.clone()))
}

struct Typed<T>(T);

/// The recipe with its type.
fn own<T: Tunable>(recipe: &AnyValue) -> &T::Recipe {
    recipe.get().expect("a recipe goes back to where it comes from")
}

fn all<R: Clone + Eq + std::hash::Hash + Display + Send + Sync + 'static>(recipes: &[R]) -> Vec<AnyValue> {
    recipes.iter().map(AnyValue::new).collect()
}

impl<T: Tunable> Display for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl<T: Tunable> AnyTunable for Typed<T> {
    fn parse(&self, recipe: &str) -> Option<AnyValue> {
        recipe.parse::<T::Recipe>().ok().as_ref().map(AnyValue::new)
    }

    fn estimate(&self, profile: &DeviceProfile) -> Result<AnyValue> {
        Ok(AnyValue::new(&self.0.estimate(profile)?))
    }

    fn fingerprint(&self, recipe: &AnyValue, profile: &DeviceProfile) -> Result<u64> {
        self.0.fingerprint(own::<T>(recipe), profile)
    }

    fn baseline(&self, profile: &DeviceProfile) -> Result<AnyValue> {
        Ok(AnyValue::new(&self.0.baseline(profile)?))
    }

    fn alternatives(&self, profile: &DeviceProfile) -> Vec<AnyValue> {
        all(&self.0.alternatives(profile))
    }

    fn neighbours(&self, recipe: &AnyValue, profile: &DeviceProfile) -> Vec<AnyValue> {
        all(&self.0.neighbours(own::<T>(recipe), profile))
    }

    fn verification(&self) -> Verification {
        self.0.verification()
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        self.0.samples(input)
    }

    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays> {
        self.0.arrays(profile)
    }

    fn compile(&self, gpu: &Gpu, recipe: &AnyValue) -> Result<Compiled> {
        self.0.compile(gpu, own::<T>(recipe))
    }
}
