//! The dispatches of the kernels.

use crate::error::Result;
use crate::fft::bindings::{self, BoundArray, DispatchRange};
use crate::fft::chain::line::LineIndex;
use crate::fft::chain::step::{CombineDirection, SubTransform};
use crate::fft::emit::stockham::generator::Setting;
use crate::fft::emit::{lanes, stockham};
use crate::fft::limits;
use crate::fft::lower::Lowering;
use crate::fft::pass::Pass;
use crate::fft::recipe::Stockham;
use crate::fft::roots::{Constant, Constants};
use crate::fft::spec::number::Number;
use crate::fft::steps::LookUp;
use crate::kernels::fft::pass::{self, Bound, Workgroup};
use crate::kernels::fft::{self, pass_double, pass_f64};
use crate::kernels::{Bind, Dispatch, Form, Generated, Slot, bind_textures};
use crate::plan::Array;
use crate::wgsl::two_f32;

impl Lowering<'_> {
    /// What a kernel that computes in f32 alone does.
    pub(super) fn fitting<T>(&self, kernel: &str, fit: std::result::Result<T, String>) -> Result<T> {
        self.transform.number.check_kernel(kernel).and(fit).map_err(|why| self.unfit(why))
    }

    /// Adds a table of constants in one binding.
    fn bound(&mut self, constants: &Constants) -> Bound {
        Bound::whole(self.program.table(constants.table()), constants.bytes())
    }

    pub(super) fn halves(&mut self, step: &SubTransform<'_>, lines: &[LineIndex], scale: f64, [input, output]: [Slot; 2]) -> Result<()> {
        let (own, bytes) = self.fitting("halves", lanes::halves::fit(step, lines, self.profile))?;
        let n = own.n();
        let constants = Constants::new(Number::F32, [Constant::Twiddle(n)]);
        let text = lanes::halves::wgsl(&own, &constants).into();
        let roots = self.bound(&constants);
        let binds = pass::binds(Bound::whole(input, bytes[0]), Bound::whole(output, bytes[1]), roots);
        let params = fft::halves::Params { lines: own.lines(), scale: own.scale(scale) as f32 };
        let rows: u32 = lines.iter().map(|line| line.extent).product();
        let what = match own.way {
            CombineDirection::ToPacked => "half-spectra to halves",
            CombineDirection::ToSpectrum => "halves to half-spectra",
        };
        let label = format!("{what}, {rows} x {n}");
        let dispatch = fft::halves::dispatch(label, params, own.invocations, n, text, self.profile.groups_per_axis, binds)?;
        self.program.dispatches.push(dispatch);
        Ok(())
    }

    pub(super) fn lanes(
        &mut self,
        label: String,
        step: &SubTransform<'_>,
        lines: &[LineIndex],
        scale: f64,
        [input, output]: [Slot; 2],
    ) -> Result<()> {
        let (own, bytes) = self.fitting("lanes", lanes::fit::fit(step, lines, scale != 1.0, self.profile))?;
        let factors = own.factors;
        let roots_of_line = (factors[1] > 1).then_some(Constant::Line(own.n()));
        let twiddle = own.turn.map(|turn| Constant::Twiddle(turn.n));
        let constants = Constants::new(Number::F32, roots_of_line.into_iter().chain(twiddle));
        let text = lanes::emit::wgsl(&own, input == output, &constants).into();
        let whole = if input == output { bytes[0].max(bytes[1]) } else { 0 };
        let bound = |slot, bytes: u64| Bound::whole(slot, bytes.max(whole));
        let roots = self.bound(&constants);
        let binds = pass::binds(bound(input, bytes[0]), bound(output, bytes[1]), roots);
        let params = fft::lanes::Params { lines: own.lines(), scale: scale as f32 };
        let workgroup = fft::lanes::Workgroup { invocations: own.invocations, lanes: own.lanes, bytes: own.workgroup_bytes() };
        // A line of one number is a DFT of length 1.
        let radices = factors.into_iter().filter(|&factor| factor > 1 || factors == [1, 1]).collect();
        let generated = Generated { text, form: Form::Pass(radices) };
        let dispatch = fft::lanes::dispatch(label, params, workgroup, generated, self.profile.groups_per_axis, binds)?;
        self.program.dispatches.push(dispatch);
        Ok(())
    }

    /// The bindings of what the fragments of a pass declare, and whether a fragment indexes memory
    /// of its own.
    fn declared(&mut self, pass: &Pass) -> Result<(Vec<Bind>, bool)> {
        let mut binds = Vec::new();
        let mut indexes_memory = false;
        for (map, first) in stockham::maps(pass) {
            indexes_memory |= map.fragment.indexes_memory;
            binds.extend(self.program.bind_declared(&map.fragment, first)?);
        }
        Ok((binds, indexes_memory))
    }

    pub(super) fn stockham(
        &mut self,
        label: String,
        recipe: &Stockham,
        pass: (Pass, u32),
        scale: f64,
        [input, output]: [Slot; 2],
    ) -> Result<()> {
        let profile = self.profile;
        let (pass, lines) = limits::pass(pass, recipe, profile).map_err(|why| self.unfit(why))?;
        let constants = Constants::new(pass.number, pass.constants());
        // If no buffer can hold a table, the table is not added, so that it is never computed.
        Array { len: constants.bytes() as usize, element_bytes: 1 }.check(&label, "its constants", profile)?;
        let roots = self.program.table(constants.table());
        let [input, output, roots] = [input, output, roots].map(|slot| BoundArray { slot, bytes: self.program.bytes(slot) });
        let (declared, indexes_memory) = self.declared(&pass)?;
        let parts = bindings::parts(&label, &pass, lines, [input, output, roots], profile)?;
        let workgroup = Workgroup { lines: recipe.lines / pass.lines_each(), lanes: recipe.lanes, bytes: 0 };
        let mut exact = true;
        for part in &parts {
            let grid = pass::grid(part.lines, workgroup, profile.groups_per_axis)?;
            exact &= grid.count() * u64::from(workgroup.lines) == u64::from(part.lines);
        }
        let DispatchRange { input, output, roots, .. } = parts[0];
        let look_up = LookUp { constants: &constants, in_pieces: roots.segments() > 1 };
        let numbers_as_bits = profile.is_cpu() && profile.int64;
        let words = profile.workgroup_bytes / 4;
        let setting = Setting { input, output, roots, look_up, exact, words, computes_roots: false, numbers_as_bits };
        let textures = [&pass.load, &pass.store].map(|side| side.storage.texels());
        let (generated, workgroup) = stockham::generate(pass, recipe, &setting);
        for (i, part) in parts.iter().enumerate() {
            let label = if parts.len() == 1 { label.clone() } else { format!("{label} ({} of {})", i + 1, parts.len()) };
            let mut binds = pass::binds(part.input, part.output, part.roots);
            bind_textures(&mut binds, textures);
            binds.extend(declared.iter().cloned());
            let (lines, max_groups) = (part.lines, profile.groups_per_axis);
            let own = pass::Lines { label, count: lines, workgroup, generated: generated.clone(), max_groups, binds };
            let dispatch = match self.transform.number {
                Number::F32 => own.by(&pass::KERNEL, &pass::Params { lines, scale: scale as f32 }),
                Number::F64 => own.by(&pass_f64::KERNEL, &pass_f64::Params { lines, unused: 0, scale }),
                Number::F64ByF32 => own.by(&pass_double::KERNEL, &pass_double::Params { lines, scale: two_f32(scale) }),
            }?;
            // `bindings::parts` has compared the largest index that any line touches with the bound
            // size of each array. What a fragment indexes is not known, and neither is how large a
            // texture is: one of another instance goes for one of this device, see `gpu::foreign`.
            let proven = !indexes_memory && textures.iter().all(Option::is_none);
            self.program.dispatches.push(Dispatch { proven, ..dispatch });
        }
        Ok(())
    }
}
