//! A plan without its types, so that what is done with any plan is compiled once.

use super::{Executable, Plan, Spec};
use crate::threads::Shareable;
use crate::verify::{Energy, Sample, Verification};

/// A plan without its types.
pub(crate) trait Untyped: Shareable {
    fn spec(&self) -> String;
    fn recipe(&self) -> String;
    fn executable(&self) -> &Executable;
    fn leaves_gaps(&self) -> bool;
    fn samples(&self, input: &[u32]) -> Vec<Sample>;
    fn energy(&self, input: &[u32], output: &[u32]) -> Option<Energy>;
    fn verification(&self) -> Verification;
}

impl<S: Spec> Untyped for Plan<S> {
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    fn recipe(&self) -> String {
        self.recipe.to_string()
    }

    fn executable(&self) -> &Executable {
        &self.executable
    }

    fn leaves_gaps(&self) -> bool {
        self.spec.leaves_gaps()
    }

    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        self.spec.samples(input)
    }

    fn energy(&self, input: &[u32], output: &[u32]) -> Option<Energy> {
        self.spec.energy(input, output)
    }

    fn verification(&self) -> Verification {
        self.spec.verification()
    }
}
