//! Transforms of arrays of f16 and bf16, compared with the same transforms of f32: the widened
//! input, the same recipe, and the result rounded on the host. Loading is exact, arithmetic is that
//! of f32, and storing rounds once, so that every bit must be the same.

use wgpu_fft::Spec;
use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::half::{bf16, f16};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::{DeviceProfile, Element, Error, bytemuck, elements};

use crate::reference::noise;
use crate::sanitized::{self, UNWRITTEN};

/// A number of 16 bits.
pub trait Half: elements::RealElement + Element + Copy {
    type Complex: elements::ComplexElement + Element;
    /// The unit roundoff.
    const U: f64;
    fn of(x: f32) -> Self;
    fn wide(self) -> f32;
    fn bits(self) -> u16;
}

macro_rules! halves {
    ($($name:ident $u:expr;)*) => { $(
        impl Half for $name {
            type Complex = Complex<$name>;
            const U: f64 = $u;

            fn of(x: f32) -> Self {
                Self::from_f32(x)
            }

            fn wide(self) -> f32 {
                self.to_f32()
            }

            fn bits(self) -> u16 {
                self.to_bits()
            }
        }
    )* };
}

halves! { f16 1.0 / 2048.0; bf16 1.0 / 256.0; }

/// Runs transforms somewhere.
pub trait Runs {
    fn profile(&self) -> &DeviceProfile;
    fn run<S: Spec<Recipe = Recipe> + Adapt>(&self, spec: &S, recipe: &Recipe, input: &[S::Input]) -> Vec<S::Output>;

    /// Elements of the input.
    fn len<S: Spec<Recipe = Recipe> + Adapt>(&self, spec: &S, recipe: &Recipe) -> Result<usize, Error> {
        let program = spec.lower(recipe, self.profile())?;
        program.check(self.profile())?;
        Ok(program.inputs()[0].len)
    }
}

/// `len` numbers that `T` can hold.
pub fn numbers<T: Half>(len: usize, seed: u64) -> Vec<T> {
    noise(len, seed).into_iter().map(T::of).collect()
}

/// Compares a transform of f32 with the same one whose arrays have other elements, of which the
/// numbers are those of `T` where they are not f32. By the rules' recipe for the second, or by
/// `recipe`.
pub fn compare<T: Half, F, H>(on: &impl Runs, full: &F, halves: &H, recipe: Option<&Recipe>)
where
    F: Spec<Recipe = Recipe> + Adapt,
    H: Spec<Recipe = Recipe> + Adapt,
{
    compare_rows::<T, F, H>(on, full, halves, recipe, None);
}

/// The same where the result may be padded rows of so many reals.
fn compare_rows<T: Half, F, H>(on: &impl Runs, full: &F, halves: &H, recipe: Option<&Recipe>, padded: Option<usize>)
where
    F: Spec<Recipe = Recipe> + Adapt,
    H: Spec<Recipe = Recipe> + Adapt,
{
    let what = format!("{}: {halves}", on.profile().name);
    let by_hand = recipe.is_some();
    let recipe = recipe.cloned().unwrap_or_else(|| {
        let of_rules = |result: Result<Recipe, Error>| result.unwrap_or_else(|error| panic!("{what}: {error}"));
        let own = of_rules(halves.design(on.profile()));
        // One that moves elements into an array of f32 without gaps may not fit the layout of the
        // other.
        if let Err(Error::UnfitRecipe { .. }) = on.len(full, &own) { of_rules(full.design(on.profile())) } else { own }
    });
    let what = format!("{what} by {recipe}");
    let len = match on.len(halves, &recipe) {
        // One by hand need not fit every layout. The rules' recipe of another transform must.
        Err(Error::UnfitRecipe { .. }) if by_hand => return,
        len => len.unwrap_or_else(|error| panic!("{what}: {error}")),
    };
    let parts = size_of::<F::Input>() / 4;
    let input = numbers::<T>(len * parts, len as u64 + 7);
    let wide: Vec<f32> = input.iter().map(|x| x.wide()).collect();
    let full_input: Vec<F::Input> = bytemuck::pod_collect_to_vec(&wide);
    let own_input: Vec<H::Input> = if size_of::<H::Input>() == size_of::<F::Input>() {
        bytemuck::pod_collect_to_vec(&wide)
    } else {
        bytemuck::pod_collect_to_vec(&input)
    };
    let expected: Vec<f32> = bytemuck::pod_collect_to_vec(&on.run(full, &recipe, &full_input));
    let actual = on.run(halves, &recipe, &own_input);
    if size_of::<H::Output>() == size_of::<F::Output>() {
        let actual: Vec<f32> = bytemuck::pod_collect_to_vec(&actual);
        for (i, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
            assert!(actual.to_bits() == expected.to_bits(), "{what}: number {i} is {actual}, not {expected}");
        }
        return;
    }
    let actual: Vec<T> = bytemuck::pod_collect_to_vec(&actual);
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (i, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
        // The padding of rows of reals in place may hold anything.
        if padded.is_some_and(|n| i % (2 * (n / 2 + 1)) >= n) {
            continue;
        }
        // What is not written keeps the bits that were there before.
        let gap = expected.to_bits() == UNWRITTEN;
        let wanted = if gap { (UNWRITTEN >> (i % 2 * 16)) as u16 } else { T::of(*expected).bits() };
        assert!(actual.bits() == wanted, "{what}: number {i} is {:?}, not that of {expected} ({wanted:x})", actual.wide());
    }
}

/// Transforms, each with a recipe that has accesses of two numbers: along rows and across lines, in
/// rounds that not all lanes take part in, with and without workgroup memory, in blocks, in arrays
/// with gaps, in place, and with twiddle factors that differ between the lines of an access.
pub const IN_TWOS: &[(&str, &str)] = &[
    ("c2c fwd 64 x5", "axis 0: stockham 8.8 lanes=4 lines=4 width=2"),
    ("c2c inv 64 x4 1/n in-place", "axis 0: stockham 8.2.4 lanes=4 lines=3 exchange=whole roots=table width=2"),
    ("c2c fwd 256 x3", "axis 0: stockham 16.16 lanes=8 lines=2 pieces=2 width=2"),
    ("c2c fwd 1024 x2", "axis 0: stockham 8.16.8 lanes=64 width=2"),
    ("c2c fwd 64 x3 in=1/66@2 out=1/70@4", "axis 0: stockham 4.4.4 lanes=8 lines=2 width=2"),
    ("c2c fwd 240 x4", "axis 0: stockham 4.3 lanes=2 lines=4 width=2 + stockham 5.4 lanes=3 lines=6"),
    ("c2c inv 12x20 x3", "axis 1: stockham 2.5.2 lanes=5 lines=2 block=4x3 width=2; axis 0: stockham 4.3 lanes=3 lines=8 width=2"),
    ("c2c fwd 16x64 x2 in-place", "axis 1: stockham 8.8 lanes=8 lines=2; axis 0: stockham 4.4 lanes=4 lines=16 pieces=2 width=2"),
    ("c2c fwd 16x12 x3 axes=0", "axis 0: stockham 16 lanes=1 lines=8 width=2"),
    ("c2c fwd 15x6 x3 axes=0 in=8,1/128@2 out=10,1/160@4", "axis 0: stockham 5.3 lanes=4 lines=4 exchange=whole width=2"),
    (
        "c2c fwd 6x4x10",
        "axis 2: stockham 10 lanes=1 lines=4; axis 1: stockham 4 lanes=1 lines=8 width=2; axis 0: stockham 2.3 lanes=3 lines=8 width=2",
    ),
    // Axes together: twos along the last of them, and across the rows of another one.
    ("c2c fwd 64x64", "axes 0 to 1: stockham 8.8.8.8 lanes=256 width=2"),
    ("c2c inv 16x64 x2 in-place", "axes 0 to 1: stockham 4.4.8.8 lanes=64 exchange=whole width=2"),
    ("c2c fwd 4x6x8 x2", "axes 0 to 2: stockham 4.6.2.4 lanes=8 lines=2 width=2"),
    ("c2c fwd 4x6x10 x2", "axis 2: stockham 10 lanes=1 lines=4; axes 0 to 1: stockham 4.6 lanes=6 lines=4 width=2"),
];

/// Compares the results of such a recipe with those of the same recipe whose accesses take one
/// number each.
pub fn check_in_twos<T: Half>(on: &impl Runs, text: &str, recipe: &str) {
    fn compare<S: Spec<Recipe = Recipe> + Adapt>(on: &impl Runs, spec: &S, recipe: &str, numbers: &[f32]) {
        let input: Vec<S::Input> = if size_of::<S::Input>() == size_of::<Complex<f32>>() {
            bytemuck::pod_collect_to_vec(numbers)
        } else {
            let halves: Vec<f16> = numbers.iter().map(|&x| f16::of(x)).collect();
            bytemuck::pod_collect_to_vec(&halves)
        };
        let [wide, narrow] = [recipe, &recipe.replace(" width=2", "")].map(|text| text.parse::<Recipe>().unwrap());
        let what = format!("{}: {spec} by {wide}", on.profile().name);
        assert_eq!(wide.to_string().parse::<Recipe>().unwrap(), wide, "{what}");
        assert!(wide.to_string().contains(" width=2") && !narrow.to_string().contains("width"), "{what}");
        let len = on.len(spec, &wide).unwrap_or_else(|error| panic!("{what}: {error}"));
        let [actual, expected] = [wide, narrow].map(|recipe| on.run(spec, &recipe, &input[..len]));
        let [actual, expected]: [&[u8]; 2] = [&actual, &expected].map(|result| bytemuck::cast_slice(result));
        let first = actual.iter().zip(expected).position(|(actual, expected)| actual != expected);
        assert!(first.is_none(), "{what}: byte {first:?} of {} differs", expected.len());
    }
    let full: C2c = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let numbers = noise(1 << 13, 11);
    let halves = full.clone().input_as::<T::Complex>().output_as::<T::Complex>();
    compare(on, &full, recipe, &numbers);
    compare(on, &halves, recipe, &numbers);
    compare(on, &halves.between_axes_as::<T::Complex>(), recipe, &numbers);
    if !text.contains("in-place") {
        compare(on, &full.clone().input_as::<T::Complex>(), recipe, &numbers);
        compare(on, &full.output_as::<T::Complex>(), recipe, &numbers);
    }
}

/// Compares the transform that a text of f32 describes.
pub fn check<T: Half>(on: &impl Runs, text: &str, recipe: Option<&str>) {
    let recipe: Option<Recipe> = recipe.map(|recipe| recipe.parse().unwrap_or_else(|error| panic!("{recipe}: {error}")));
    let recipe = recipe.as_ref();
    let wrong = |error: Error| -> ! { panic!("{text}: {error}") };
    match &text[..3] {
        "c2c" => {
            let full: C2c = text.parse().unwrap_or_else(|error| wrong(error));
            compare::<T, _, _>(on, &full, &full.clone().input_as::<T::Complex>().output_as::<T::Complex>(), recipe);
        }
        "r2c" => {
            let full: R2c = text.parse().unwrap_or_else(|error| wrong(error));
            compare::<T, _, _>(on, &full, &full.clone().input_as::<T>().output_as::<T::Complex>(), recipe);
        }
        _ => {
            let full: C2r = text.parse().unwrap_or_else(|error| wrong(error));
            let in_place = text.contains(" in-place");
            let n = text.split(' ').nth(2).and_then(|shape| shape.rsplit('x').next()).and_then(|n| n.parse().ok());
            let halves = full.clone().input_as::<T::Complex>().output_as::<T>();
            compare_rows::<T, _, _>(on, &full, &halves, recipe, n.filter(|_| in_place));
        }
    }
}

/// Compares transforms with such numbers on one side alone.
pub fn check_mixed<T: Half>(on: &impl Runs) {
    let c2c: C2c = "c2c fwd 12x20 x2 1/sqrt(n)".parse().unwrap();
    compare::<T, _, _>(on, &c2c, &c2c.clone().input_as::<T::Complex>(), None);
    compare::<T, _, _>(on, &c2c, &c2c.clone().output_as::<T::Complex>(), None);
    for text in ["r2c fwd 6x18", "r2c fwd 6x15 x3", "r2c fwd 8x45 in=46,1"] {
        let r2c: R2c = text.parse().unwrap();
        compare::<T, _, _>(on, &r2c, &r2c.clone().input_as::<T>(), None);
        compare::<T, _, _>(on, &r2c, &r2c.clone().output_as::<T::Complex>(), None);
    }
    for text in ["c2r inv 6x18", "c2r inv 6x15 x3", "c2r inv 5x9 x3 out=27,3"] {
        let c2r: C2r = text.parse().unwrap();
        compare::<T, _, _>(on, &c2r, &c2r.clone().input_as::<T::Complex>(), None);
        compare::<T, _, _>(on, &c2r, &c2r.clone().output_as::<T>(), None);
    }
}

/// Shapes, layouts, parts, axes, in place and out of place.
pub const TEXTS: &[&str] = &[
    "c2c fwd 61 x3",
    "c2c inv 64 x5 1/n in-place",
    "c2c fwd 97",
    "c2c fwd 240 x4 in-place",
    "c2c fwd 1000 x2",
    "c2c inv 1009 1/sqrt(n)",
    "c2c fwd 4096",
    "c2c fwd 12x10 x2 in-place",
    "c2c inv 24x60 1/n",
    "c2c fwd 16x12 transposed",
    "c2c fwd 16x16 in-place transposed",
    "c2c fwd 6x10x14 axes=0,2 *0.25",
    "c2c fwd 8x6x10 in-place",
    "c2c fwd 6x10 in=32,3 out=1,8",
    "c2c fwd 7x9 in=27,3 out=27,3 in-place",
    "c2c fwd 12x40 in-part=-3..3,0..13 out-part=-2..3,-5..6",
    "r2c fwd 45 x3",
    "r2c fwd 240 x3",
    "r2c fwd 61 x2",
    "r2c fwd 1000",
    "r2c fwd 6x10 x3 1/n",
    "r2c fwd 12x10 x2 in-place",
    "r2c fwd 5x7 x3 in-place",
    "r2c fwd 6x10 in=11,1 out=1,6",
    "r2c fwd 4x6x9",
    "r2c fwd 20x30 in-part=0..9,0..13 out-part=-2..3,0..6",
    "c2r inv 45 x3 1/n",
    "c2r inv 240 x3",
    "c2r inv 61 x3",
    "c2r inv 1000 1/sqrt(n)",
    "c2r inv 6x10 x3",
    "c2r inv 12x10 x2 in-place",
    "c2r inv 5x7 x3 in-place",
    "c2r inv 6x10 out=21,2",
    "c2r inv 4x6x9 1/n",
    "c2r inv 20x30 in-part=-2..3,0..6 out-part=0..9,0..13",
];

impl Runs for DeviceProfile {
    fn profile(&self) -> &DeviceProfile {
        self
    }

    fn run<S: Spec<Recipe = Recipe> + Adapt>(&self, spec: &S, recipe: &Recipe, input: &[S::Input]) -> Vec<S::Output> {
        let program = spec.lower(recipe, self).unwrap_or_else(|error| panic!("{spec} by {recipe}: {error}"));
        sanitized::run(&program, &[input], 1, 1)
    }
}
