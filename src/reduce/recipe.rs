//! How to reduce, and the rule that chooses.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;

/// How to reduce. Printed as `tree 256`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Recipe {
    /// The kernel `reduce/tree`, repeated until one value is left.
    Tree {
        /// Invocations of a workgroup, each with one value: a power of two.
        workgroup: u32,
    },
}

impl Recipe {
    /// 256 invocations, as in the source, or what the device allows.
    pub(super) fn for_device(profile: &DeviceProfile) -> Self {
        let most = profile.invocations.min(profile.workgroup_size[0]).min(profile.workgroup_bytes / 4);
        Self::Tree { workgroup: 1 << most.clamp(2, 256).ilog2() }
    }

    /// Says why the recipe cannot run on such a device, if it cannot.
    pub(super) fn unfit(&self, profile: &DeviceProfile) -> Option<String> {
        let Self::Tree { workgroup } = *self;
        let most = profile.invocations.min(profile.workgroup_size[0]);
        (!workgroup.is_power_of_two() || workgroup < 2 || workgroup > most)
            .then(|| format!("the workgroup must be a power of two from 2 to {most}"))
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Tree { workgroup } = self;
        write!(f, "tree {workgroup}")
    }
}

/// Reads what [`Display`](fmt::Display) prints.
impl FromStr for Recipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let workgroup = text.strip_prefix("tree ").and_then(|workgroup| workgroup.trim().parse().ok());
        workgroup.map(|workgroup| Self::Tree { workgroup }).ok_or_else(|| {
            let why = "it is `tree 256`".to_owned();
            Error::Parse { what: "reduction recipe", text: text.to_owned(), why }
        })
    }
}
