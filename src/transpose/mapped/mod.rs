//! Permutations with fragments of the caller's, in one pass.
//!
//! Elements are read and written one by one, since those of input and output may have different
//! sizes, and axes whose index a fragment asks for are not joined with others.

mod emit;
mod lower;

use super::core::{Core, Places};
use super::design::{first_fitting, workgroup};
use super::fit::{Fit, check_tile};
use super::recipe::Recipe;
use crate::error::{Error, Result, within};
use crate::fragment::{Argument, Checked, Form, declaring};
use crate::gpu::DeviceProfile;
use crate::kernels::transpose::tiled::Tile;
use crate::kernels::transpose::{Blocks, strided};
use crate::plan::{check_memory, check_workgroup, ensure, in_turns, others};
use crate::sort::sort_short_by_key;
use crate::strides::{IoDim, Strided, joined};
use crate::wgsl::Type;

/// The narrowest axes for which a tile gains anything: neighbours of a narrower one lie in the same
/// lines of the cache in any case.
const NARROW: u32 = 8;

/// A permutation whose elements fragments map.
pub(super) struct Mapped {
    label: String,
    /// x, y, and up to 3 others.
    axes: Vec<Axis>,
    /// Whether y is the fastest axis of the input, and x is not.
    turned: bool,
    offsets: [u32; 2],
    pub in_place: bool,
    bytes: [u64; 2],
    /// What happens to the elements of the input, and to those of the output.
    steps: [Option<Step>; 2],
    /// The elements that are moved.
    moved: Form,
}

/// A fragment, with the axes of the array that it sees.
struct Step {
    fragment: Checked,
    /// The number of each axis.
    axes: Vec<usize>,
    extents: Vec<u32>,
}

/// An axis, or several that follow one another if no fragment asks for their indices.
struct Axis {
    dim: IoDim,
    /// The number of the input's axis; that of the batch is one more than the last.
    number: usize,
    asked: bool,
}

impl Strided for Axis {
    fn extent(&mut self) -> &mut u32 {
        &mut self.dim.extent
    }

    fn strides(&self) -> Option<impl AsRef<[u32]>> {
        (!self.asked).then_some(self.dim.strides)
    }
}

impl Axis {
    fn none() -> Self {
        Self { dim: IoDim { extent: 1, strides: [0, 0] }, number: usize::MAX, asked: false }
    }

    fn moves(&self) -> bool {
        self.dim.strides[0] != self.dim.strides[1]
    }
}

/// How a recipe moves elements.
#[derive(Clone, Copy)]
enum Way {
    /// From place to place: invocations along x and y, and elements of each along x.
    Direct { workgroup: [u32; 2], elements: u32 },
    /// Through a tile.
    Tile { size: u32, padding: u32, elements: u32 },
}

impl Way {
    fn workgroup(self) -> [u32; 2] {
        match self {
            Self::Direct { workgroup, .. } => workgroup,
            Self::Tile { size, elements, .. } => [size, size / elements],
        }
    }

    /// Elements of a workgroup along x and y.
    fn block(self) -> [u32; 2] {
        match self {
            Self::Direct { workgroup: [x, y], elements } => [x * elements, y],
            Self::Tile { size, .. } => [size; 2],
        }
    }
}

impl Mapped {
    /// The permutation of a specification that has fragments.
    pub fn new(core: &Core, moved: Form, places: &Places) -> Result<Self> {
        let rank = core.order.len();
        let own: Vec<usize> = (0..rank).collect();
        let step = |side: usize| {
            let axes = if side == 0 { &own } else { &core.order };
            let fragment = core.maps[side].clone()?;
            let extents = axes.iter().map(|&axis| core.shape.extents()[axis] as u32).collect();
            Some(Step { fragment, axes: axes.clone(), extents })
        };
        let steps = [step(0), step(1)];
        let asks = |number: usize| {
            let is_it = |step: &Step, argument: &Argument| match *argument {
                Argument::Index(axis) => step.axes[axis] == number,
                Argument::Batch => number == rank,
                _ => false,
            };
            steps.iter().flatten().any(|step| step.fragment.arguments.iter().any(|argument| is_it(step, argument)))
        };
        let axis = |(to, dim): (usize, &IoDim)| {
            let number = core.order.get(to).copied().unwrap_or(rank);
            Axis { dim: *dim, number, asked: asks(number) }
        };
        let mut axes: Vec<Axis> = places.axes.iter().enumerate().map(axis).collect();
        sort_short_by_key(&mut axes, |axis| (axis.dim.strides[1], axis.dim.strides[0]));
        let offsets = [places.input.offset, places.output.offset];
        let mut mapped = Self {
            label: core.to_string(),
            axes: joined(axes),
            turned: false,
            offsets,
            in_place: core.is_in_place(),
            bytes: core.array_bytes(places),
            steps,
            moved,
        };
        mapped.check(core)?;
        let moving: Vec<usize> = (0..mapped.axes.len()).filter(|&i| mapped.axes[i].moves()).collect();
        // y is the fastest axis of the input, unless that is x.
        let fastest = (0..mapped.axes.len()).filter(|&i| mapped.axes[i].dim.strides[0] > 0).min_by_key(|&i| mapped.axes[i].dim.strides[0]);
        let [x, y] = match (mapped.in_place, &moving[..]) {
            (true, &[x, y]) => [x, y],
            _ => [0, fastest.unwrap_or(0)],
        };
        mapped.turned = x != y;
        if mapped.turned {
            let y = mapped.axes.remove(y);
            mapped.axes.insert(0, y);
            // x came before y.
            let x = mapped.axes.remove(x + 1);
            mapped.axes.insert(0, x);
        }
        while mapped.axes.len() < 2 {
            mapped.axes.push(Axis::none());
        }
        Ok(mapped)
    }

    fn check(&self, core: &Core) -> Result<()> {
        let unsupported =
            |what: String, why: &str| Err(Error::Unsupported { what: format!("{what} (`{}`)", self.label), why: why.to_owned() });
        if !self.forms()[1].is_writable() {
            let why = "they share words of 4 bytes with others: map the output to a type of 4, 8 or 16 bytes";
            return unsupported(format!("elements of {} at the output of a permutation with fragments", core.output_name()), why);
        }
        if !self.in_place {
            return Ok(());
        }
        if self.forms().iter().any(|form| form.texels().is_some()) {
            return unsupported("a texture in place".to_owned(), "textures are transformed from one into another, not in place");
        }
        if self.forms()[0] != self.forms()[1] {
            return unsupported("a fragment in place".to_owned(), "in place, fragments cannot change the type of the elements");
        }
        let moving: Vec<&Axis> = self.axes.iter().filter(|axis| axis.moves()).collect();
        let is_swap = match moving[..] {
            [] => true,
            [x, y] => x.dim.extent == y.dim.extent && x.dim.strides == [y.dim.strides[1], y.dim.strides[0]],
            _ => false,
        };
        if is_swap {
            return Ok(());
        }
        unsupported("this permutation in place".to_owned(), "with fragments, it must swap two axes of equal extents")
    }

    /// The elements of input and output.
    fn forms(&self) -> [Form; 2] {
        [0, 1].map(|side| self.steps[side].as_ref().map_or(self.moved, |step| step.fragment.array))
    }

    /// The fragments, each with the first binding of what it declares.
    fn declaring(&self) -> impl Iterator<Item = (&Step, u32)> {
        declaring(self.steps.iter().flatten(), |step| &step.fragment)
    }

    /// Whether a workgroup exchanges two tiles.
    fn has_pairs(&self) -> bool {
        self.in_place && self.turned
    }

    fn memory_elements(&self, way: Way) -> u32 {
        match way {
            Way::Direct { .. } => 0,
            Way::Tile { size, padding, .. } => size.saturating_mul(size + padding) * (1 + u32::from(self.has_pairs())),
        }
    }

    fn memory_bytes(&self, way: Way) -> u64 {
        // A vector of three takes as much as one of four.
        let each = if let Type::Vector(count, _) = self.moved.value() { count.next_power_of_two() * 4 } else { 4 };
        u64::from(self.memory_elements(way)) * u64::from(each)
    }

    fn outer(&self) -> u64 {
        self.axes[2..].iter().map(|axis| u64::from(axis.dim.extent)).product()
    }

    fn extents(&self) -> [u32; 2] {
        [0, 1].map(|i| self.axes[i].dim.extent)
    }

    /// How the recipe moves elements, or why it does not fit.
    fn fit(&self, recipe: &Recipe, profile: &DeviceProfile) -> Fit<Way> {
        let way = match *recipe {
            Recipe::Strided { workgroup, elements } => {
                ensure(!self.has_pairs(), || "in place, elements are exchanged through tiles: `tiled 16+1 elements=4`".to_owned())?;
                let most = strided::MAX_ELEMENTS;
                ensure((1..=most).contains(&elements), || format!("elements must be 1 to {most}"))?;
                Way::Direct { workgroup, elements }
            }
            Recipe::Tiled { tile: size, padding, elements } => {
                ensure(self.turned, || "a tile needs a permutation that changes the fastest axis".to_owned())?;
                check_tile(Tile { size, padding, elements }, profile)?;
                Way::Tile { size, padding, elements }
            }
            _ => {
                return Err("elements with fragments are moved one by one, which only `tiled` and `strided` do".to_owned().into());
            }
        };
        check_workgroup(way.workgroup(), profile)?;
        check_memory(self.memory_bytes(way), profile)?;
        let in_buffers = self.bytes.iter().zip(self.forms()).filter(|(_, form)| form.texels().is_none());
        let required = in_buffers.map(|(bytes, _)| *bytes).max().unwrap_or(0);
        let what = || format!("`{}`: an array that a fragment reads or writes (bytes)", self.label);
        within(what, "max_storage_buffer_binding_size", required, profile.binding_bytes)?;
        let [along_x, along_y] = way.block();
        Blocks::new(self.extents(), (along_x.into(), along_y), self.outer()).grid(profile.groups_per_axis)?;
        Ok(way)
    }

    /// Recipes for a device, best first. The last ones are for devices with few invocations.
    fn candidates(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let [x, y] = self.extents();
        let most = profile.invocations.clamp(1, 256);
        let mut recipes = Vec::new();
        // Milliseconds on an H200 of transposes of f32 with a factor on load, by the side of the
        // tile and the elements of an invocation; 1024², 1080x1920 and 4096². Without a fragment,
        // in wide accesses: 0.0046, 0.0067 and 0.0359.
        //
        // | 32, 4 | 32, 8 | 16, 4 | 48, 8 | 64, 8 | 32, 2 |
        // |---|---|---|---|---|---|
        // | 0.0049 | 0.0050 | 0.0054 | 0.0051 | 0.0051 | 0.0057 |
        // | 0.0073 | 0.0079 | 0.0081 | 0.0082 | 0.0082 | 0.0091 |
        // | 0.0402 | 0.0421 | 0.0431 | 0.0436 | 0.0511 | 0.0567 |
        let tiled =
            [(32, 4), (16, 4), (16, 1), (8, 2), (4, 4), (1, 1)].map(|(tile, elements)| Recipe::Tiled { tile, padding: 1, elements });
        let wide = self.turned && x >= NARROW && y >= NARROW;
        // Processors have no memory of a workgroup's own.
        if self.has_pairs() || wide && !profile.is_cpu() {
            recipes.extend(tiled);
        }
        if wide {
            recipes.push(Recipe::Strided { workgroup: [16, 16], elements: 1 });
        }
        let (width, elements) = if profile.is_cpu() { (8, x.div_ceil(8).min(8).next_power_of_two()) } else { (64, 2) };
        recipes.push(Recipe::Strided { workgroup: workgroup([x, y], width, most), elements });
        recipes.extend([[16, 16], [8, 4], [32, 1], [1, 1]].map(|workgroup| Recipe::Strided { workgroup, elements: 1 }));
        recipes
    }

    /// The recipe that the rules choose.
    pub fn design(&self, profile: &DeviceProfile) -> Recipe {
        let candidates = self.candidates(profile);
        first_fitting(&candidates, |recipe| self.fit(recipe, profile).map(drop))
    }

    /// All recipes of the rules that fit, for this kind of device and for the other one.
    pub fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let both = in_turns([self.candidates(profile), self.candidates(&profile.of_other_kind())]);
        self.fitting(&self.design(profile), both, profile)
    }

    /// Those of the recipes that fit, each once, without `own`.
    pub fn fitting(&self, own: &Recipe, recipes: Vec<Recipe>, profile: &DeviceProfile) -> Vec<Recipe> {
        others(Some(own), recipes).into_iter().filter(|recipe| self.fit(recipe, profile).is_ok()).collect()
    }
}
