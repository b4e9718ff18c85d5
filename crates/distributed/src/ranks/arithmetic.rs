//! The same arithmetic on all ranks, so that the bits of a result do not depend on which rank
//! computed them.

use std::fmt;
use std::sync::Arc;

use wgpu_fft::low_level::recipes;
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::{DeviceProfile, Plan, Planner};

use super::cluster::Device;
use super::failure::{Failure, Outcome, guarded};
use super::link::Link;
use super::phase::Phase;
use crate::error::{Error, Result};

/// How the recipes of a job are chosen. All ranks use the same radices, twiddle factors and
/// convolutions, whatever their shares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Arithmetic {
    /// The recipe that suits rank 0. If a device cannot run it, the next rank's recipe is tried,
    /// and so on; the last resort is the portable one. The bits depend on the kinds of devices, but
    /// not on their number or their shares.
    #[default]
    Fastest,
    /// A recipe that fits every WebGPU device. The bits depend on the transform alone, except on
    /// devices that fuse multiplications and additions.
    Portable,
    /// The recipes of an earlier plan, to reproduce its bits.
    Given(Recipes),
}

/// The recipes of a job, in the text form of [`recipes::fft::Recipe`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipes {
    /// For the axes that each rank has completely from the beginning.
    pub rows: String,
    /// For each axis that is divided and transformed: axis 0, and in pencils of a single array also
    /// axis 1.
    pub columns: Vec<String>,
}

impl fmt::Display for Recipes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows by `{}`", self.rows)?;
        self.columns.iter().enumerate().try_for_each(|(axis, recipe)| write!(f, ", axis {axis} by `{recipe}`"))
    }
}

/// The plan that computes `spec` with the floating-point operations of `recipe`, on another device
/// or for another number of lines.
pub(super) fn same_arithmetic<S: Adapt>(planner: &Planner, spec: S, recipe: &recipes::fft::Recipe) -> wgpu_fft::Result<Arc<Plan<S>>> {
    let own = spec.adapted(recipe, planner.gpu().profile())?;
    planner.plan_with(spec, own)
}

/// The recipe for `spec` that all ranks use. Collective.
pub(super) fn common<S: Adapt>(
    link: &Link,
    device: &Device,
    spec: &S,
    arithmetic: &Arithmetic,
    given: impl FnOnce(&Recipes) -> Option<String>,
) -> Result<recipes::fft::Recipe> {
    // All devices of a transform in f64 have f64, so the portable recipe may use it.
    let minimum = DeviceProfile::webgpu_defaults().with(|profile| profile.f64 = true);
    let portable = || Ok::<_, Failure>(spec.design(&minimum)?.to_string());
    let proposals = match arithmetic {
        Arithmetic::Given(recipes) => {
            let given = given(recipes).ok_or_else(|| Failure::Other("the given recipes are not for these divided axes".to_owned()));
            vec![link.agree(Phase::Plan, given)?]
        }
        Arithmetic::Portable => vec![link.agree(Phase::Plan, guarded(portable))?],
        Arithmetic::Fastest => {
            let own = link.agree(Phase::Plan, guarded(|| Ok(device.planner.choose(spec)?.recipe.to_string())))?;
            let mut all = link.different_texts(&own)?.unwrap_or_else(|| vec![own]);
            all.extend(link.agree(Phase::Plan, guarded(|| Ok(portable().ok())))?);
            let mut seen = std::collections::HashSet::new();
            all.retain(|recipe| seen.insert(recipe.clone()));
            all
        }
    };
    let mut last = None;
    for proposal in proposals {
        let suits = guarded(|| -> Outcome<recipes::fft::Recipe> {
            let recipe: recipes::fft::Recipe = proposal.parse().map_err(Failure::from)?;
            same_arithmetic(&device.planner, spec.clone(), &recipe)?;
            Ok(recipe)
        });
        match link.agree(Phase::Plan, suits) {
            Ok(recipe) => return Ok(recipe),
            Err(Error::OnRank { rank, message, .. }) => last = Some((rank, message)),
            Err(other) => return Err(other),
        }
    }
    let (rank, message) = last.unwrap_or((0, "there is none".to_owned()));
    Err(Error::NoCommonRecipe { spec: spec.to_string(), rank, message })
}
