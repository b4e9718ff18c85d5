//! What is searched, without its types: a search is compiled once, in this crate, and not again in
//! every program for each of its specifications.

use std::fmt::{self, Display};
use std::sync::Arc;

use super::Tunable;
#[cfg(not(target_arch = "wasm32"))]
use super::{Arrays, Compiled, Sample, Verification};
use crate::error::Result;
use crate::gpu::DeviceProfile;
#[cfg(not(target_arch = "wasm32"))]
use crate::gpu::Gpu;
use crate::plan::AnyValue;

/// A [`Tunable`] without its types. The recipes that it takes are its own.
pub(crate) trait AnyTunable: Display + Send + Sync {
    fn parse(&self, recipe: &str) -> Option<AnyValue>;
    fn estimate(&self, profile: &DeviceProfile) -> Result<AnyValue>;
    fn fingerprint(&self, recipe: &AnyValue, profile: &DeviceProfile) -> Result<u64>;
    #[cfg(not(target_arch = "wasm32"))]
    fn baseline(&self, profile: &DeviceProfile) -> Result<AnyValue>;
    #[cfg(not(target_arch = "wasm32"))]
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<AnyValue>;
    #[cfg(not(target_arch = "wasm32"))]
    fn neighbours(&self, recipe: &AnyValue, profile: &DeviceProfile) -> Vec<AnyValue>;
    #[cfg(not(target_arch = "wasm32"))]
    fn verification(&self) -> Verification;
    #[cfg(not(target_arch = "wasm32"))]
    fn samples(&self, input: &[u32]) -> Vec<Sample>;
    #[cfg(not(target_arch = "wasm32"))]
    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays>;
    #[cfg(not(target_arch = "wasm32"))]
    fn compile(&self, gpu: &Gpu, recipe: &AnyValue) -> Result<Compiled>;
}

/// A tunable without its types.
pub(crate) fn any<T: Tunable>(tunable: &T) -> Arc<dyn AnyTunable> {
    Arc::new(Typed(tunable.clone()))
}

struct Typed<T>(T);

/// The recipe with its type.
fn own<T: Tunable>(recipe: &AnyValue) -> &T::Recipe {
    recipe.get().expect("a recipe goes back to where it comes from")
}

#[cfg(not(target_arch = "wasm32"))]
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

    #[cfg(not(target_arch = "wasm32"))]
    fn baseline(&self, profile: &DeviceProfile) -> Result<AnyValue> {
        Ok(AnyValue::new(&self.0.baseline(profile)?))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<AnyValue> {
        all(&self.0.alternatives(profile))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn neighbours(&self, recipe: &AnyValue, profile: &DeviceProfile) -> Vec<AnyValue> {
        all(&self.0.neighbours(own::<T>(recipe), profile))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn verification(&self) -> Verification {
        self.0.verification()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        self.0.samples(input)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays> {
        self.0.arrays(profile)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn compile(&self, gpu: &Gpu, recipe: &AnyValue) -> Result<Compiled> {
        self.0.compile(gpu, own::<T>(recipe))
    }
}
