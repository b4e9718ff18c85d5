//! FFTs for compute shaders of one's own, as text.

use std::fmt::Write;

use crate::error::{Error, Result};
use crate::fft::choose::designer::{MAX_PRIME, registers_of};
use crate::fft::emit::stockham::generator::Setting;
use crate::fft::emit::stockham::inline::{Inline as Emit, complex_mul, half_turns, held, is_even, root_function};
use crate::fft::factors::{factorizations, largest_prime, orders};
use crate::fft::limits;
use crate::fft::pass::Pass;
use crate::fft::recipe::Stockham;
use crate::fft::roots::{Constant, Constants};
use crate::fft::spec::number::Number;
use crate::fft::steps::LookUp;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::fft::pass::Bound;
use crate::text::join;
use crate::wgsl::{Module, Type, is_name};

/// Fourier transforms inside a compute shader of your own: WGSL functions to append to its text.
///
/// A workgroup transforms one line or several, and each of its invocations holds some elements of a
/// line in registers, so that your shader computes with them before, between and after transforms
/// without a pass through memory:
///
/// ```
/// use wgpu_fft::fft::Inline;
///
/// // The convolution of rows of 1024 with a response whose spectrum is an array, in one dispatch.
/// let fft = Inline::new(1024).twiddles_at(0, 3).generate()?;
/// let shader = format!("
///     @group(0) @binding(0) var<storage, read_write> rows: array<vec2f>;
///     @group(0) @binding(1) var<storage, read> response: array<vec2f>;
///     @compute @workgroup_size({size})
///     fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) invocation: u32) {{
///         var values: array<vec2f, {elements}>;
///         for (var k = 0u; k < {elements}; k++) {{
///             values[k] = rows[1024 * group.x + fft_position(invocation, k)];
///         }}
///         fft_forward(&values, invocation);
///         for (var k = 0u; k < {elements}; k++) {{
///             values[k] = fft_complex_mul(values[k], response[fft_frequency(invocation, k)]);
///         }}
///         fft_inverse(&values, invocation);
///         for (var k = 0u; k < {elements}; k++) {{
///             rows[1024 * group.x + fft_position(invocation, k)] = values[k] / 1024;
///         }}
///     }}
///     {wgsl}", size = fft.invocations, elements = fft.elements, wgsl = fft.wgsl);
/// // Create a buffer with `fft.twiddles` for binding 3, and a pipeline of `shader`.
/// # assert_eq!(fft.invocations as usize * fft.elements, 1024);
/// # naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty())
/// #     .validate(&naga::front::wgsl::parse_str(&shader).unwrap())
/// #     .unwrap();
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # The functions
/// With the name `fft`, and E elements for each invocation:
///
/// | function | |
/// |---|---|
/// | `fft_forward(values: ptr<function, array<vec2<f32>, E>>, invocation: u32)` | the forward transform |
/// | `fft_inverse(values, invocation)` | the inverse, without a factor |
/// | `fft_position(invocation: u32, k: u32) -> u32` | which element `values[k]` is before the forward transform and after the inverse |
/// | `fft_frequency(invocation: u32, k: u32) -> u32` | which frequency it is after the forward transform and before the inverse |
/// | `fft_line(invocation: u32) -> u32` | which line of the workgroup the invocation works on |
/// | `fft_complex_mul(a, b)` | the product of two complex numbers |
///
/// `invocation` is the builtin `local_invocation_index`. The workgroup has exactly
/// [`invocations`](InlineText::invocations) invocations, and all of them call a transform: it has
/// barriers. Invocations with neighbouring numbers hold neighbouring elements, so that loads and
/// stores by `fft_position` and `fft_frequency` are coalesced.
///
/// Some lengths cannot be shared evenly, such as 323 = 17·19. Then some values are none, and their
/// position or frequency is the length; [`is_even`](InlineText::is_even) tells.
///
/// # Definition
/// X\[k\] = Σⱼ x\[j\]·exp(∓2πi·jk/n), - for the forward and + for the inverse transform, without a
/// factor. [Real](Self::real) lines of n numbers are n/2 complex ones, x\[2j\] + i·x\[2j+1\], and
/// their spectrum is X\[0\] … X\[n/2-1\] with the real number X\[n/2\] as the imaginary part of
/// `X[0]`, which is real as well.
///
/// # Accuracy
/// That of [`C2c`](crate::fft::C2c), 1.5·u·√log₂n, if the twiddle factors come from a buffer. If
/// they are computed, 2.5·u·√log₂n: by series of their own, as a device's sine may have any error.
///
/// # Cost
/// Workgroup memory for one real number of each element
/// ([`workgroup_bytes`](InlineText::workgroup_bytes)), four barriers between two stages, of which a
/// length has one to four, and a first one. The registers of a transform are about
/// [`registers`](InlineText::registers).
///
/// # Errors
/// [`generate`](Self::generate) returns [`Error::Empty`] for a length of 0, and
/// [`Error::Unsupported`] for prime factors above 31, for more than 64 numbers in an invocation or
/// fewer than a radix, for what exceeds the workgroup memory or 1024 invocations, and for names
/// that are none in WGSL.
///
/// Source: the kernel `fft/pass`, whose generator writes these functions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct Inline {
    n: usize,
    is_real: bool,
    number: Number,
    lanes: Option<u32>,
    lines: u32,
    memory: u32,
    keeps_line: bool,
    twiddles_at: Option<[u32; 2]>,
    name: String,
}

/// Maximum number of invocations of a workgroup on any device.
const MAX_INVOCATIONS: u32 = 1024;

/// Invocations of a workgroup that every WebGPU device has.
const COMMON_INVOCATIONS: u32 = 256;

/// Numbers of an invocation that leave room for those of the caller.
const FEW_ELEMENTS: u32 = 16;

/// Invocations that run together at least on GPUs. Of fewer the others are idle.
const TOGETHER: u32 = 32;

/// What an exchange costs besides its numbers, as so many numbers more.
const EXCHANGE: u32 = 6;

/// What a transform costs: the numbers that all invocations compute and exchange, idle ones too. It
/// chooses the fastest of 4, 8, 16 and 32 numbers for rows of 256, 1024 and 2048 on an H200 (report
/// `2026-11-28-inline`).
fn cost(recipe: &Stockham) -> u32 {
    let invocations = (recipe.lanes * recipe.lines).next_multiple_of(TOGETHER);
    let computed: u32 = recipe.radices.iter().map(|radix| (recipe.n() / radix).div_ceil(recipe.lanes) * radix).sum();
    let exchanges = recipe.radices.len() as u32 - 1;
    invocations * (computed + exchanges * (held(recipe) + EXCHANGE))
}

impl Inline {
    /// Transforms of `n` complex numbers of f32, one line for each workgroup.
    pub fn new(n: usize) -> Self {
        let memory = DeviceProfile::webgpu_defaults().workgroup_bytes;
        let (is_real, number, lanes, lines, keeps_line, twiddles_at) = (false, Number::F32, None, 1, false, None);
        Self { n, is_real, number, lanes, lines, memory, keeps_line, twiddles_at, name: "fft".to_owned() }
    }

    crate::settings::settings! { own:
        /// Lines of `n` real numbers, an even number of them, and their half-spectra.
        real() => own.is_real = true;

        /// In f64, for devices with [`wgpu::Features::SHADER_F64`].
        f64() => own.number = Number::F64;

        /// How many invocations share a line. By default so many that each holds about 8 to 16
        /// elements, as many as any other, with as few stages as that allows.
        invocations(count: u32) => own.lanes = Some(count);

        /// How many lines a workgroup transforms at a time.
        lines(count: u32) => own.lines = count;

        /// How many bytes of workgroup memory the transforms may have: 16,384 by default, which
        /// every WebGPU device has.
        workgroup_memory(bytes: u32) => own.memory = bytes;

        /// Adds `var<workgroup> fft_data`, an array of the elements of all lines, and
        /// `fft_forward_data(invocation)` and `fft_inverse_data(invocation)`, which transform it in
        /// place: element j of line l is `fft_data[l * n + j]`. They begin and end with a barrier.
        with_data() => own.keeps_line = true;

        /// The twiddle factors are in a storage buffer that you bind there, with
        /// [`twiddles`](InlineText::twiddles) as its contents. By default they are computed, which
        /// needs no buffer.
        twiddles_at(group: u32, binding: u32) => own.twiddles_at = Some([group, binding]);

        /// What the names of all declarations begin with; `fft` by default. Texts with different
        /// names can be in one shader.
        name(name: &str) => own.name = name.to_owned();
    }

    fn unsupported(&self, why: String) -> Error {
        let kind = if self.is_real { "real" } else { "complex" };
        Error::Unsupported { what: format!("an inline transform of {} {kind} numbers", self.n), why }
    }

    /// Generates the text.
    ///
    /// # Errors
    /// See [`Inline`].
    pub fn generate(&self) -> Result<InlineText> {
        // Of `a_` and `_b` WGSL would make a name with two underscores, which it reserves.
        if !is_name(&self.name) || self.name.ends_with('_') || self.name.contains("__") {
            return Err(self.unsupported(format!("`{}` is not a name: letters, digits and single underscores, a letter first", self.name)));
        }
        self.recipe().map(|recipe| self.text(&recipe))
    }

    fn complex(&self) -> Result<u32> {
        let shape = self.n.to_string();
        match u32::try_from(self.n) {
            Ok(0) => Err(Error::Empty { what: "an inline transform", shape }),
            Ok(n) if self.is_real && n % 2 == 1 => Err(self.unsupported("the length of real lines must be even".to_owned())),
            Ok(n) if n <= 1 << 20 => Ok(if self.is_real { n / 2 } else { n }),
            _ => Err(self.unsupported("a workgroup has no room for so many".to_owned())),
        }
    }

    fn pass(&self, recipe: &Stockham) -> Pass {
        Pass::rows(self.number, &recipe.radices, self.lines, Vec::new())
    }

    /// Radices and invocations of least [`cost`].
    fn recipe(&self) -> Result<Stockham> {
        let n = self.complex()?;
        let prime = largest_prime(n);
        if prime > MAX_PRIME {
            return Err(self.unsupported(format!(
                "{n} complex numbers have the prime factor {prime}, and the largest with a butterfly is {MAX_PRIME}"
            )));
        }
        if self.lines == 0 || self.lanes == Some(0) {
            return Err(self.unsupported("lines and invocations must be at least 1".to_owned()));
        }
        let words = self.number.words();
        let most = self.lanes.unwrap_or(COMMON_INVOCATIONS / self.lines.min(COMMON_INVOCATIONS));
        let mut best: Option<([u32; 3], Stockham)> = None;
        let (mut fewest, mut why) = (MAX_INVOCATIONS, None);
        let all: Vec<Vec<u32>> = factorizations(n, prime.max(FEW_ELEMENTS / words)).iter().flat_map(|radices| orders(radices)).collect();
        // A single element is a stage of radix 1.
        for radices in if n == 1 { vec![vec![1]] } else { all } {
            // More invocations than butterflies of the first or the last stage would hold nothing.
            let useful = radices[0].max(radices[radices.len() - 1]);
            for lanes in 1..=MAX_INVOCATIONS.min(n / useful) {
                let own = Stockham { lines: self.lines, ..Stockham::new(radices.clone(), lanes) };
                if held(&own) * words > limits::MAX_ELEMENTS {
                    continue;
                }
                fewest = fewest.min(lanes);
                if self.lanes.map_or(lanes > most, |own| own != lanes) {
                    continue;
                }
                let key = [(held(&own) * words).saturating_sub(FEW_ELEMENTS), u32::from(!is_even(&own)), cost(&own)];
                if best.as_ref().is_some_and(|(least, _)| *least <= key) {
                    continue;
                }
                match self.in_pieces(&own) {
                    Ok(own) => best = Some((key, own)),
                    Err(fault) => why = why.or(Some(fault)),
                }
            }
        }
        best.map(|(_, own)| own).ok_or_else(|| {
            let lines = self.lines;
            self.unsupported(why.unwrap_or_else(|| match self.lanes {
                Some(own) => format!("a line of {n} cannot be shared by {own} invocations, but by {fewest} or some more"),
                None => format!(
                    "a line takes {fewest} invocations at least, and {lines} such lines more than the {COMMON_INVOCATIONS} that every device has: \
                     state `invocations` for others"
                ),
            }))
        })
    }

    /// The recipe with as few pieces of an exchange as workgroup memory has room for, also for
    /// padding against bank conflicts: rows of 4096 that fill all of it take twice the time (report
    /// `2026-11-28-inline`).
    fn in_pieces(&self, recipe: &Stockham) -> std::result::Result<Stockham, String> {
        let back = recipe.reversed();
        let fits = |memory: u32, pieces: u32| {
            let profile = DeviceProfile {
                workgroup_bytes: memory,
                invocations: MAX_INVOCATIONS,
                workgroup_size: [MAX_INVOCATIONS; 3],
                ..DeviceProfile::webgpu_defaults()
            };
            [recipe, &back].into_iter().try_for_each(|own| {
                let own = Stockham { pieces, ..own.clone() };
                limits::pass((self.pass(&own), self.lines), &own, &profile).map(drop)
            })
        };
        let memory = self.memory.saturating_sub(self.data_bytes(recipe.n()));
        let padded = memory - memory / recipe.banks;
        // The mirror images of a spectrum need a whole line.
        let pieces: &[u32] = if self.is_real { &[1] } else { &[1, 2, 4] };
        let choices = [padded, memory].into_iter().flat_map(|memory| pieces.iter().map(move |&pieces| (memory, pieces)));
        let chosen = choices.into_iter().find(|&(memory, pieces)| fits(memory, pieces).is_ok());
        let (_, pieces) = chosen.ok_or_else(|| fits(memory, 1).err().unwrap_or_default())?;
        Ok(Stockham { pieces, ..recipe.clone() })
    }

    /// Bytes of the lines in workgroup memory, where the caller asks for them.
    fn data_bytes(&self, n: u32) -> u32 {
        if self.keeps_line { n.saturating_mul(self.lines).saturating_mul(self.number.complex_bytes() as u32) } else { 0 }
    }

    fn text(&self, recipe: &Stockham) -> InlineText {
        let (pass, n, name) = (self.pass(recipe), recipe.n(), &self.name);
        let stages = [recipe.clone(), recipe.reversed()].map(|own| Constant::Stages(own.radices));
        let constants = Constants::new(self.number, stages.into_iter().chain(self.is_real.then(|| half_turns(n))));
        let nothing = Bound::whole(Slot::Output, 0);
        let setting = Setting {
            input: nothing,
            output: nothing,
            roots: nothing,
            look_up: LookUp { constants: &constants, in_pieces: false },
            exact: true,
            words: self.memory.saturating_sub(self.data_bytes(n)) / 4,
            computes_roots: self.twiddles_at.is_none(),
            numbers_as_bits: false,
        };
        let emit = Emit { pass: &pass, recipe, setting: &setting, halves: self.is_real };
        let own = |what: &str| format!("{name}_{what}");
        let [forward, inverse, position, frequency] = ["forward", "inverse", "position", "frequency"].map(own);
        let (functions, exchanged) = emit.functions([&forward, &inverse]);
        let (complex, lanes) = (self.number.complex(), recipe.lanes);
        let (elements, is_even) = (held(recipe), is_even(recipe));
        // A single stage has none, nor has a single number.
        let has_roots = recipe.radices.len() > 1 || self.is_real && n > 1;
        let roots =
            if has_roots && self.twiddles_at.is_some() { bytemuck::pod_collect_to_vec(&constants.table().words()) } else { Vec::new() };

        let mut module = Module::default();
        let kind = if self.is_real { format!("{} real", self.n) } else { format!("{n} complex") };
        let radices = join(&recipe.radices, ".");
        module
            .comment(format!("FFTs of {kind} numbers of {} by radices {radices}: {elements} in each of {lanes} invocations.", self.number));
        if let Some([group, binding]) = self.twiddles_at.filter(|_| !roots.is_empty()) {
            module.text(&format!("@group({group}) @binding({binding}) var<storage, read> roots: array<{complex}>;"));
        }
        if exchanged > 0 {
            module.workgroup("exchange", Type::sized(self.number.real(), exchanged));
        }
        module.gap();
        module.function(complex_mul(&complex));
        if has_roots && self.twiddles_at.is_none() {
            module.function(root_function(self.number));
        }
        module.function(emit.index(&position, recipe.radices[0]));
        module.function(emit.index(&frequency, recipe.radices[recipe.radices.len() - 1]));
        module.text(&format!("fn {name}_line(invocation: u32) -> u32 {{\n    return invocation / {lanes}u;\n}}\n"));
        functions.into_iter().for_each(|function| module.function(function));
        if self.keeps_line {
            module.text(&format!("var<workgroup> {name}_data: array<{complex}, {}>;\n", n * self.lines));
            for (function, [from, to]) in [(&forward, [&position, &frequency]), (&inverse, [&frequency, &position])] {
                module.text(&on_data(name, function, [from, to], [n, elements], &complex));
            }
        }
        let wgsl = prefixed(&module.finish(), name);
        let workgroup_bytes = exchanged * 4 * self.number.words() + self.data_bytes(n);
        let registers = registers_of(elements * self.number.words(), recipe.radices.len());
        InlineText {
            wgsl,
            twiddles: roots,
            invocations: lanes * self.lines,
            elements: elements as usize,
            is_even,
            workgroup_bytes,
            registers,
        }
    }
}

fn on_data(name: &str, function: &str, [from, to]: [&String; 2], [n, elements]: [u32; 2], complex: &Type) -> String {
    let mut text = format!("fn {function}_data(invocation: u32) {{\n    let line = {name}_line(invocation) * {n}u;\n");
    let _ = writeln!(text, "    var values: array<{complex}, {elements}>;\n    workgroupBarrier();");
    for k in 0..elements {
        let _ = writeln!(text, "    let from_{k} = {from}(invocation, {k}u);");
        let _ = writeln!(text, "    if (from_{k} < {n}u) {{ values[{k}u] = {name}_data[line + from_{k}]; }}");
    }
    let _ = writeln!(text, "    {function}(&values, invocation);");
    for k in 0..elements {
        let _ = writeln!(text, "    let to_{k} = {to}(invocation, {k}u);");
        let _ = writeln!(text, "    if (to_{k} < {n}u) {{ {name}_data[line + to_{k}] = values[{k}u]; }}");
    }
    text + "    workgroupBarrier();\n}\n"
}

/// The text with a prefix to the names that its functions share.
fn prefixed(text: &str, name: &str) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        if ["roots", "root_of_unity", "exchange", "complex_mul"].contains(&word) {
            result.push_str(name);
            result.push('_');
        }
        result.push_str(word);
        let (between, next) = after.split_at(after.find(is_word).unwrap_or(after.len()));
        result.push_str(between);
        rest = next;
    }
    result
}

/// What [`Inline::generate`] makes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InlineText {
    /// The WGSL to append to a shader.
    pub wgsl: String,
    /// The contents of the buffer for [`twiddles_at`](Inline::twiddles_at). Empty if no binding is
    /// declared: a line of one stage needs none.
    pub twiddles: Vec<u8>,
    /// Invocations of the workgroup: those of a line times the lines.
    pub invocations: u32,
    /// Complex numbers that each invocation holds.
    pub elements: usize,
    /// Whether all values of all invocations are numbers of the line. If not, check that positions
    /// and frequencies are below the length.
    pub is_even: bool,
    /// Workgroup memory that the text declares.
    pub workgroup_bytes: u32,
    /// About how many 32-bit registers of an invocation a transform takes, by what drivers'
    /// compilers made of the kernel `fft/pass` (`benches/reports/reach`).
    pub registers: u32,
}
