//! Specifications apart from the types of their elements: what they do is compiled once, not for
//! each type.

use std::fmt::Display;

use super::{Program, Sealed};
use crate::error::Result;
use crate::gpu::DeviceProfile;

/// What a [`Spec`](crate::Spec) computes.
pub trait Computation: Sealed + Display {
    type Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    fn lower(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Result<Program>;
}

/// Where a search by measurement looks for its recipes.
pub trait Search: Computation {
    fn baseline(&self, profile: &DeviceProfile) -> Result<Self::Recipe> {
        self.design(profile)
    }

    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = profile;
        Vec::new()
    }

    fn neighbours(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = (recipe, profile);
        Vec::new()
    }
}

/// Makes a specification of a type that consists of its computation, in a field, and of the types
/// of its elements.
macro_rules! typed {
    ($name:ident<$($parameter:ident: $bound:ident),*> { $core:ident }, $input:ty => $output:ty, $recipe:ty) => {
        $crate::element::plain_data!($name<$($parameter),*> { $core });

        impl<$($parameter),*> std::fmt::Display for $name<$($parameter),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.$core, f)
            }
        }

        impl<$($parameter),*> $crate::plan::Sealed for $name<$($parameter),*> {
            fn untyped(&self) -> Option<&dyn $crate::plan::Sealed> {
                Some(&self.$core)
            }
        }

        impl<$($parameter: $bound),*> $crate::plan::Spec for $name<$($parameter),*> {
            type Input = $input;
            type Output = $output;
            type Recipe = $recipe;

            fn design(&self, profile: &$crate::gpu::DeviceProfile) -> $crate::error::Result<$recipe> {
                $crate::plan::Computation::design(&self.$core, profile)
            }

            fn lower(&self, recipe: &$recipe, profile: &$crate::gpu::DeviceProfile) -> $crate::error::Result<$crate::plan::Program> {
                $crate::plan::Computation::lower(&self.$core, recipe, profile)
            }

            fn baseline(&self, profile: &$crate::gpu::DeviceProfile) -> $crate::error::Result<$recipe> {
                $crate::plan::Search::baseline(&self.$core, profile)
            }

            fn alternatives(&self, profile: &$crate::gpu::DeviceProfile) -> Vec<$recipe> {
                $crate::plan::Search::alternatives(&self.$core, profile)
            }

            fn neighbours(&self, recipe: &$recipe, profile: &$crate::gpu::DeviceProfile) -> Vec<$recipe> {
                $crate::plan::Search::neighbours(&self.$core, recipe, profile)
            }
        }
    };
}
pub(crate) use typed;
