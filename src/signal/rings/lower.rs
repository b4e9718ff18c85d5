//! Which dispatches a recipe becomes, and whether a device can run it.

use super::design::design;
use super::emit;
use super::geometry::Geometry;
use super::recipe::Recipe;
use super::spec::Core;
use crate::error::{Error, Result, check_count};
use crate::fragment::Checked;
use crate::gpu::DeviceProfile;
use crate::kernels::signal::ring_means;
use crate::kernels::signal::rings::{self, MAX_LINES};
use crate::kernels::{Slot, bind_textures};
use crate::layout::Placed;
use crate::plan::{Array, Computation, Fit, Placement, Program, check_memory, ensure};

impl Recipe {
    /// Whether such a device can run this recipe.
    pub(super) fn fit(&self, geometry: &Geometry, profile: &DeviceProfile) -> Fit {
        let most = profile.invocations_in_a_row();
        let Self { invocations, lines, join } = *self;
        ensure((1..=most).contains(&invocations) && (1..=most).contains(&join), || {
            format!("workgroups have 1 to {most} invocations, not {invocations} and {join}")
        })?;
        ensure(join.is_power_of_two(), || format!("{join} invocations that add parts are no power of two"))?;
        check_memory(ring_means::workgroup_bytes(join), profile)?;
        ensure((1..=MAX_LINES).contains(&lines), || format!("a part has 1 to {MAX_LINES} lines, not {lines}"))?;
        let parts = self.parts(geometry);
        let (each, most) = (parts.div_ceil(join), ring_means::MAX_PARTS);
        ensure(each <= most, || format!("each of {join} invocations would add {each} of {parts} parts, but it can add {most}"))
    }

    fn parts(&self, geometry: &Geometry) -> u32 {
        geometry.lines().div_ceil(self.lines)
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(design(&self.geometry()?, self.batch as u32, profile))
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let (geometry, title) = (self.geometry()?, self.to_string());
        let batch = self.batch as u32;
        let input = Array { len: geometry.elements() * self.batch, element_bytes: self.form().bytes() as usize };
        let output = Array { len: geometry.rings as usize * self.batch, element_bytes: 4 };
        let mut program = Program::new(title, Placement::OutOfPlace, vec![input], output);
        let texels = self.form().texels();
        if let Some(texels) = texels {
            // Its own axes, of which the last one may be the half of a spectrum, and the batch.
            let mut extents = geometry.extents[3 - self.shape.rank()..].to_vec();
            *extents.last_mut().expect("a shape has an axis") = geometry.columns;
            extents.push(batch);
            texels.check("input", &extents, &Placed::dense(&extents))?;
        } else {
            input.check(&program.title, "input", profile)?;
        }
        recipe.fit(&geometry, profile).map_err(|why| Error::unfit(recipe, self, why))?;
        let parts = recipe.parts(&geometry);
        let sums = u64::from(geometry.rings).saturating_mul(parts.into()).saturating_mul(batch.into());
        check_count(|| format!("sums over {} rings in {parts} parts of `{}`", geometry.rings, program.title), sums)?;
        program.workspaces.push(Array { len: sums as usize, element_bytes: 8 });
        let declared =
            self.fragment().map(|fragment| program.bind_declared(fragment, Checked::FIRST_BINDING)).transpose()?.unwrap_or_default();
        let Geometry { extents, columns, zero, weights, unit, rings, .. } = geometry;
        let n = extents[2];
        let params = rings::Params {
            lines_of: [extents[0], extents[1]],
            columns,
            zero,
            positive: if self.half { columns } else { n.div_ceil(2) },
            negative: if self.half { n.div_ceil(2) - 1 } else { n / 2 },
            mirror: if self.half {
                0
            } else if zero[2] > 0 {
                zero[2]
            } else {
                n
            },
            weight: weights,
            unit,
            rings,
            parts,
            lines: recipe.lines,
            blocks: 0,
            groups: 0,
        };
        let label = format!("{rings} rings in {parts} parts of {} lines", recipe.lines.min(geometry.lines()));
        let elements = rings::Elements { text: emit::wgsl(self, &geometry).into(), declared };
        let slots = [Slot::Input(0), Slot::Workspace(0)];
        let most = profile.groups_per_axis;
        let mut dispatch = rings::dispatch(label, params, batch, elements, recipe.invocations, most, slots)?;
        bind_textures(&mut dispatch.binds, [texels, None]);
        program.dispatches.push(dispatch);
        let params = ring_means::Params { rings, parts, means: output.len as u32 };
        program.dispatches.push(ring_means::dispatch(params, recipe.join, most, [Slot::Workspace(0), Slot::Output])?);
        Ok(program)
    }
}
