//! Which dispatch a recipe becomes.

use bytemuck::Zeroable;

use super::{Mapped, emit};
use crate::error::Result;
use crate::fragment::Form;
use crate::gpu::DeviceProfile;
use crate::kernels::transpose::Arrays;
use crate::kernels::transpose::mapped::{self, Params, Work};
use crate::kernels::{Slot, bind_textures};
use crate::plan::Program;
use crate::strides::IoDim;
use crate::transpose::recipe::Recipe;

impl Mapped {
    /// Adds the dispatch of a recipe to a program.
    pub fn lower(&self, recipe: &Recipe, profile: &DeviceProfile, program: &mut Program) -> Result<()> {
        let way = self.fit(recipe, profile).map_err(|unfit| unfit.error(recipe, &self.label))?;
        let mut declared = Vec::new();
        for (step, first) in self.declaring() {
            declared.extend(program.bind_declared(&step.fragment, first)?);
        }
        let dims: Vec<IoDim> = self.axes.iter().map(|axis| axis.dim).collect();
        let outer = |side: usize| [2, 3, 4].map(|i| dims.get(i).map_or(0, |dim| dim.strides[side]));
        let params = Params {
            extent_x: dims[0].extent,
            extent_y: dims[1].extent,
            input: self.offsets[0],
            output: self.offsets[1],
            outer: [2, 3].map(|i| dims.get(i).map_or(1, |dim| dim.extent)),
            input_x: dims[0].strides[0],
            input_y: dims[1].strides[0],
            input_outer: outer(0),
            output_x: dims[0].strides[1],
            output_y: dims[1].strides[1],
            output_outer: outer(1),
            ..Params::zeroed()
        };
        let work = Work {
            block: way.block(),
            workgroup: way.workgroup(),
            memory_bytes: self.memory_bytes(way),
            in_place: self.in_place,
            text: emit::wgsl(self, way).into(),
        };
        let arrays = Arrays { slots: [Slot::Input(0), Slot::Output], ranges: [None; 2] };
        let mut dispatch = mapped::dispatch(self.label.clone(), params, self.outer(), work, profile.groups_per_axis, arrays, declared)?;
        bind_textures(&mut dispatch.binds, self.forms().map(Form::texels));
        program.dispatches.push(dispatch);
        Ok(())
    }
}
