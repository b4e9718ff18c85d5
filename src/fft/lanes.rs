//! Text of a pass without workgroup memory: lines of an FFT in the registers of one subgroup.
//!
//! Made for processors that pose as GPUs (lavapipe, whose subgroups are the 8 lanes of a vector register), where a barrier and every narrow access
//! cost far more than arithmetic. Other devices can run it too, though slowly: there the lanes exchange values through workgroup memory, and four
//! numbers are two vectors of floats. Values only move in other ways, so that the arithmetic on every line is the same.
//!
//! A line of n = J·K elements belongs to L lanes of a subgroup. Every access moves V neighbouring complex numbers: [`Side::Along`] the line, or
//! [`Side::Across`] V lines, which are transformed side by side. With W = V along and W = 1 across:
//!
//! 1. Lane l loads the elements i + K·m, i = c + W·(l + L·e), for c in 0..W and m in 0..J, and does a DFT of J over m for every (c, e). That
//!    yields digit u in 0..J of the frequency.
//! 2. Registers and lanes change places: u = g + W·(λ + L·h), and lane λ receives for every (g, h) all i in 0..K.
//! 3. Times exp(-2πi·i·u/n). A DFT of K over i yields frequency u + J·v, v in 0..K, which is stored; the W values of g lie side by side.
//!
//! With K = 1 a line is one DFT of J in one lane. J and K are multiples of W; where they are none of W·L, some lanes compute in vain: they load what
//! others load, and what they would store is left out.
//!
//! All loads come first and all stores last, each in the order of their addresses: on lavapipe 1024 rows of 1024 take 15% longer if loads and stores
//! stand where their values are first used and known.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::roots::root;

/// Invocations of a subgroup, always.
pub(crate) const SUBGROUP: u32 = 8;

/// Most complex numbers of an invocation: 512 take 5 s to compile.
pub(crate) const MAX_ELEMENTS: u32 = 256;

/// What one access moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Access {
    /// `vec2<f32>`: one complex number.
    Pair,
    /// `vec4<f32>`: two.
    Quad,
    /// `vec4<u64>`: four, each in 64 bits; needs `SHADER_INT64`.
    Octet,
    /// Two `vec4<f32>`: four, where there are no integers of 64 bits.
    Quads,
}

impl Access {
    /// The access of so many complex numbers, with integers of 64 bits or without.
    pub(crate) fn of_width(width: u32, int64: bool) -> Option<Self> {
        let four = if int64 { Self::Octet } else { Self::Quads };
        [Self::Pair, Self::Quad, four].into_iter().find(|access| access.width() == width)
    }

    /// V: complex numbers.
    pub(crate) fn width(self) -> u32 {
        match self {
            Self::Pair => 1,
            Self::Quad => 2,
            Self::Octet | Self::Quads => 4,
        }
    }

    /// The WGSL type.
    pub(crate) fn element(self) -> &'static str {
        match self {
            Self::Pair => "vec2<f32>",
            Self::Quad => "vec4<f32>",
            Self::Octet => "vec4<u64>",
            Self::Quads => "Quads",
        }
    }
}

/// How the lanes of a line exchange values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Through {
    /// In subgroups of [`SUBGROUP`] invocations.
    Subgroups,
    /// Through workgroup memory.
    Memory {
        /// Invocations of the workgroup.
        invocations: u32,
        /// Bytes that it has.
        available: u32,
    },
}

/// Where the neighbours of an access lie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Side {
    /// On the line, whose elements are neighbours in input and output.
    Along,
    /// On neighbouring lines.
    Across,
}

/// One digit of a line's number, or across of that of V lines, fastest first. Strides are in accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Digit {
    pub(crate) extent: u32,
    pub(crate) input: u32,
    pub(crate) output: u32,
    /// Weight in the m of [`Turn`].
    pub(crate) weight: u32,
}

/// Factors exp(-2πi·k·m/n) on the outputs k, with m the sum of the line's digits times their weights, and k·m < n.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Turn {
    pub(crate) n: u32,
    /// By how much m grows from one line of an access to the next.
    pub(crate) across: u32,
}

/// A pass.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lanes {
    /// J and K.
    pub(crate) factors: [u32; 2],
    /// L: 1, 2, 4 or 8, at most the size of the subgroup.
    pub(crate) lanes: u32,
    pub(crate) access: Access,
    pub(crate) side: Side,
    pub(crate) digits: Vec<Digit>,
    /// Accesses from the begin of the array to the first line, input and output.
    pub(crate) offsets: [u32; 2],
    /// Accesses between neighbouring elements of a line across, or 1 along, of input and output.
    pub(crate) strides: [u32; 2],
    /// Of lines in one lane only.
    pub(crate) turn: Option<Turn>,
    /// Real and imaginary part change places when loaded, when stored.
    pub(crate) swap: [bool; 2],
    /// Every output times `params.scale`.
    pub(crate) scaled: bool,
    /// How the lanes of a line exchange values.
    pub(crate) through: Through,
}

impl Lanes {
    /// Length of a line.
    pub(crate) fn n(&self) -> u32 {
        self.factors[0] * self.factors[1]
    }

    /// Lines, or across groups of V lines.
    pub(crate) fn lines(&self) -> u32 {
        self.digits.iter().map(|digit| digit.extent).product()
    }

    /// Complex numbers that an invocation holds: 2 registers of a vector unit each, 128 are comfortable.
    pub(crate) fn elements(&self) -> u32 {
        let [along, across] = self.spread();
        across * row_elements(self.factors, self.lanes, along)
    }

    /// Invocations that stay together to the end: a subgroup for its shuffles, a workgroup for its barriers.
    fn together(&self) -> u32 {
        match self.through {
            Through::Subgroups => SUBGROUP,
            Through::Memory { invocations, .. } => invocations,
        }
    }

    /// Whether there are invocations without a line that stay for the others.
    fn has_idle(&self) -> bool {
        !(u64::from(self.lines()) * u64::from(self.lanes)).is_multiple_of(self.together().into())
    }

    /// Exchanges between a pair of barriers: as many as workgroup memory has room for, in turns of equal length; 0 if there is no room for one.
    fn exchanges_at_once(&self) -> u32 {
        let Through::Memory { invocations, available } = self.through else { return 1 };
        if self.lanes == 1 {
            return 1;
        }
        let [along, across] = self.spread();
        let all = self.factors[1].div_ceil(along * self.lanes) * along * along * across;
        let room = u64::from(available) / exchange_bytes(self.lanes, invocations);
        let turns = u64::from(all).div_ceil(room.clamp(1, all.into()));
        if room == 0 { 0 } else { u64::from(all).div_ceil(turns) as u32 }
    }

    /// Bytes of workgroup memory.
    pub(crate) fn workgroup_bytes(&self) -> u64 {
        match self.through {
            Through::Memory { invocations, .. } if self.lanes > 1 => {
                u64::from(self.exchanges_at_once()) * exchange_bytes(self.lanes, invocations)
            }
            _ => 0,
        }
    }

    /// W, and lines of an access.
    fn spread(&self) -> [u32; 2] {
        match self.side {
            Side::Along => [self.access.width(), 1],
            Side::Across => [1, self.access.width()],
        }
    }

    /// Why no text can be made, if none can.
    pub(crate) fn unfit(&self) -> Option<String> {
        let [j, k] = self.factors;
        let [along, _] = self.spread();
        if ![j, k].iter().all(|factor| (1..=MAX_ELEMENTS).contains(factor)) || self.digits.is_empty() {
            return Some(format!("factors are 1 to {MAX_ELEMENTS}, and a line has a number"));
        }
        if ![1, 2, 4, 8].contains(&self.lanes) {
            return Some(format!("lanes are 1, 2, 4 or 8, not {}", self.lanes));
        }
        if self.side == Side::Along && (self.strides != [1, 1] || !j.is_multiple_of(along) || !k.is_multiple_of(along)) {
            return Some(format!("accesses along a line need neighbouring elements, and {j} and {k} to be multiples of {along}"));
        }
        if self.lanes > 1 && k == 1 {
            return Some("a line in several lanes needs two factors".to_owned());
        }
        // Lanes that compute in vain look up roots as well.
        if self.lanes > 1 && u64::from((self.lanes - 1) * along) * (1 << ((k - 1).ilog2() / 2 * 2)) >= u64::from(self.n()) {
            return Some(format!("{} lanes are too many for a DFT of {j}", self.lanes));
        }
        if self.elements() > MAX_ELEMENTS {
            return Some(format!("a lane would hold {} complex numbers, more than {MAX_ELEMENTS}", self.elements()));
        }
        if let Through::Memory { invocations, available } = self.through
            && self.exchanges_at_once() == 0
        {
            let required = exchange_bytes(self.lanes, invocations);
            return Some(format!("an exchange without subgroups of {SUBGROUP} needs {required} bytes of workgroup memory of {available}"));
        }
        (self.turn.is_some() && (self.lanes > 1 || self.side == Side::Along)).then(|| "roots on results need a line in one lane".to_owned())
    }
}

/// Bytes of workgroup memory by which every invocation sends a complex number to each lane of its line.
fn exchange_bytes(lanes: u32, invocations: u32) -> u64 {
    8 * u64::from(lanes) * u64::from(invocations)
}

/// Complex numbers of a line that an invocation holds, with accesses of `along`.
pub(crate) fn row_elements([j, k]: [u32; 2], lanes: u32, along: u32) -> u32 {
    let slots = |n: u32| n.div_ceil(along * lanes) * along;
    (slots(k) * j).max(slots(j) * k)
}

/// The function `transform` that does what `pass` says, between the functions `load(i)` and `store(i, value)` of access i. It looks up roots of unity
/// as `line_root(x)`, which is exp(-2πi·x/n), and `turn_root(x)`, that of the [`Turn`]. Without subgroups it takes its place in the workgroup besides,
/// and exchanges values through the array `exchange`.
fn generate(pass: &Lanes) -> String {
    let mut writer = Writer::default();
    writer.pass(pass);
    let place = if pass.through == Through::Subgroups { "" } else { ", place: u32" };
    format!("fn transform(line: u32, lane: u32{place}) {{\n{}}}\n", writer.text)
}

/// The entry point for subgroups.
const MAIN_OF_SUBGROUPS: &str = "\
@compute @workgroup_size(SUBGROUP * SUBGROUPS)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
) {
    let first = (workgroup_index(group_id, group_count) * SUBGROUPS + subgroup) * SUBGROUP;
    // Lines may end in the midst of a subgroup, which shuffles as a whole: it stays, and its text guards loads and stores.
    if (first >= params.lines * LANES) {
        return;
    }
    transform((first + invocation) / LANES, invocation % LANES);
}
";

/// The entry point without them. Which workgroups return is the same for all invocations of each, as barriers want it.
const MAIN_OF_WORKGROUPS: &str = "\
@compute @workgroup_size(INVOCATIONS)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_index) place: u32,
) {
    let first = workgroup_index(group_id, group_count) * INVOCATIONS;
    // Lines may end in the midst of a workgroup, which meets at barriers as a whole: it stays, and its text guards loads and stores.
    if (first >= params.lines * LANES) {
        return;
    }
    transform((first + place) / LANES, place % LANES, place);
}
";

/// How roots of a [`Turn`] are looked up: in one table, or as products of two, see [`Twiddle`](crate::kernels::fft::pass::Twiddle).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TurnTable {
    pub(crate) low: u32,
    pub(crate) at: [u32; 2],
}

/// All that stands between the markers of `shaders/fft/lanes.wgsl`. The roots of the line begin at 0 in the constants.
pub(crate) fn wgsl(pass: &Lanes, invocations: u32, in_place: bool, turns: Option<TurnTable>) -> String {
    let element = pass.access.element();
    let (sizes, main) = match pass.through {
        Through::Subgroups => {
            (format!("const SUBGROUP = {SUBGROUP}u;\nconst SUBGROUPS = {}u;\n", invocations / SUBGROUP), MAIN_OF_SUBGROUPS)
        }
        Through::Memory { .. } => (format!("const INVOCATIONS = {invocations}u;\n"), MAIN_OF_WORKGROUPS),
    };
    let mut text = format!("{sizes}const LANES = {}u;\n\n", pass.lanes);
    if pass.access == Access::Quads {
        text += "struct Quads {\n    low: vec4<f32>,\n    high: vec4<f32>,\n}\n\n";
    }
    if pass.workgroup_bytes() > 0 {
        let _ = writeln!(text, "var<workgroup> exchange: array<vec2<f32>, {}>;\n", pass.workgroup_bytes() / 8);
    }
    let (from, to) = if in_place { ("data", "data") } else { ("input", "output") };
    if !in_place {
        let _ = writeln!(text, "@group(0) @binding(1) var<storage, read> {from}: array<{element}>;");
    }
    let _ = writeln!(text, "@group(0) @binding(2) var<storage, read_write> {to}: array<{element}>;\n");
    let _ = writeln!(text, "fn load(i: u32) -> {element} {{\n    return {from}[i];\n}}\n");
    let _ = writeln!(text, "fn store(i: u32, value: {element}) {{\n    {to}[i] = value;\n}}\n");
    if pass.factors[1] > 1 {
        text += "fn line_root(x: u32) -> vec2<f32> {\n    return roots[x];\n}\n\n";
    }
    if let (Some(TurnTable { low, at: [first, second] }), Some(turn)) = (turns, pass.turn) {
        text += "fn turn_root(x: u32) -> vec2<f32> {\n";
        if low >= turn.n {
            let _ = writeln!(text, "    return roots[{}];", plus("x", first));
        } else {
            let _ = writeln!(text, "    let a = roots[{}];", plus(&format!("x % {low}u"), first));
            let _ = writeln!(text, "    let b = roots[{}];", plus(&format!("x / {low}u"), second));
            text += "    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);\n";
        }
        text += "}\n\n";
    }
    text + main + "\n/// Transforms line `line` as its lane `lane`.\n" + &generate(pass)
}

/// A real number of the text, or its negative, which costs nothing to write.
#[derive(Clone, Copy, PartialEq)]
struct Real {
    name: u32,
    negative: bool,
}

impl Real {
    fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }
}

impl std::fmt::Display for Real {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", if self.negative { "-" } else { "" }, self.name)
    }
}

#[derive(Clone, Copy)]
struct Complex {
    re: Real,
    im: Real,
}

impl Complex {
    fn negated(self) -> Self {
        Self { re: self.re.negated(), im: self.im.negated() }
    }

    /// Times -i.
    fn turned_back(self) -> Self {
        Self { re: self.im, im: self.re.negated() }
    }

    fn swapped_if(self, swap: bool) -> Self {
        if swap { Self { re: self.im, im: self.re } } else { self }
    }
}

/// Values that go through the same arithmetic side by side.
type Wide = Vec<Complex>;

/// A store that waits: the condition that lanes must fulfil, and the value.
type Stores = BTreeMap<u32, (Option<String>, Wide)>;

/// Writes straight-line WGSL on real numbers, each with a name of its own.
#[derive(Default)]
struct Writer {
    text: String,
    next: u32,
    exchanged: bool,
}

impl Writer {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn value(&mut self, expression: std::fmt::Arguments<'_>) -> Real {
        let name = self.next;
        self.next += 1;
        self.line(format_args!("let x{name} = {expression};"));
        Real { name, negative: false }
    }

    /// A variable, which begins as zeros.
    fn declared(&mut self, wgsl_type: &str) -> Real {
        let name = self.next;
        self.next += 1;
        self.line(format_args!("var x{name}: {wgsl_type};"));
        Real { name, negative: false }
    }

    fn pass(&mut self, pass: &Lanes) {
        self.addresses(pass);
        let [j, k] = pass.factors;
        let [along, _] = pass.spread();
        // Stage 1.
        let slots = k.div_ceil(along * pass.lanes);
        let mut loads = BTreeMap::new();
        for e in 0..slots {
            for m in 0..j {
                loads.insert(along * pass.lanes * e + k * m, (e, m));
            }
        }
        let mut loaded: Vec<Vec<Wide>> = vec![vec![Wide::new(); j as usize]; slots as usize];
        for (i, (e, m)) in loads {
            let begin = if tail(pass).is_some() && e + 1 == slots { "input_tail" } else { "input_place" };
            loaded[e as usize][m as usize] = self.load(pass, plus(begin, i / along * pass.strides[0]));
        }
        let stage: Vec<Vec<Wide>> = loaded.into_iter().map(|x| self.dft(x)).collect();
        // Stages 2 and 3.
        let mut turns = pass.turn.map(|_| Powers::new("turn_root", "m".to_owned()));
        let mut own = Powers::new("line_root", times("lane", along));
        let mut stores = Stores::new();
        for h in 0..j.div_ceil(along * pass.lanes) {
            let x = if k == 1 { vec![stage[0][h as usize].clone()] } else { self.second_inputs(pass, &stage, h, &mut own) };
            let first = along * pass.lanes * h;
            let mut conditions = Vec::new();
            if j < first + along * pass.lanes {
                conditions.push(format!("lane < {}u", (j - first) / along));
            }
            if pass.has_idle() {
                conditions.push(format!("line < {}u", pass.lines()));
            }
            let condition = (!conditions.is_empty()).then(|| conditions.join(" && "));
            for (v, value) in (0..).zip(self.dft(x)) {
                let frequency = first + j * v;
                let value = match (&mut turns, pass.turn) {
                    (Some(turns), Some(turn)) if frequency > 0 => self.turned(value, turns, frequency, turn),
                    _ => value,
                };
                stores.insert(frequency / along * pass.strides[1], (condition.clone(), value));
            }
        }
        for (place, (condition, value)) in stores {
            self.store(pass, place, condition, &value);
        }
    }

    /// Writes the places of element 0, and the m of a [`Turn`].
    fn addresses(&mut self, pass: &Lanes) {
        let mut sums = [Vec::new(), Vec::new(), Vec::new()];
        let mut rest = "line".to_owned();
        if pass.has_idle() {
            // Idle lanes have the places of the last line, so that roots are looked up inside of the
            // table. They neither load nor store there.
            self.line(format_args!("let live_line = min(line, {}u);", pass.lines() - 1));
            rest = "live_line".to_owned();
        }
        for (i, digit) in pass.digits.iter().enumerate() {
            if i + 1 == pass.digits.len() {
                self.line(format_args!("let d{i} = {rest};"));
            } else {
                self.line(format_args!("let d{i} = {rest} % {}u;", digit.extent));
                self.line(format_args!("let rest{i} = {rest} / {}u;", digit.extent));
                rest = format!("rest{i}");
            }
            for (sum, weight) in sums.iter_mut().zip([digit.input, digit.output, digit.weight]) {
                sum.push(times(&format!("d{i}"), weight));
            }
        }
        let tail = tail(pass).map(|last| format!("min(lane, {last}u)"));
        let places =
            [(0, "input_place", Some("lane")), (0, "input_tail", tail.as_deref()), (1, "output_place", Some("lane")), (2, "m", None)];
        for (i, name, lane) in places {
            let mut terms = sums[i].clone();
            if i < 2 {
                let Some(lane) = lane else { continue };
                // An access along the line holds W elements, so that the lane counts accesses on both sides.
                terms.push(if pass.lanes > 1 { times(lane, pass.strides[i]) } else { String::new() });
                terms.push(if pass.offsets[i] == 0 { String::new() } else { format!("{}u", pass.offsets[i]) });
            }
            terms.retain(|term| !term.is_empty());
            if i < 2 || pass.turn.is_some() {
                let sum = if terms.is_empty() { "0u".to_owned() } else { terms.join(" + ") };
                self.line(format_args!("let {name} = {sum};"));
            }
        }
        match pass.through {
            Through::Subgroups => {
                for distance in [4, 2, 1].into_iter().filter(|&distance| distance < pass.lanes) {
                    self.line(format_args!("let upper{distance} = (lane & {distance}u) != 0u;"));
                }
            }
            Through::Memory { invocations, .. } if pass.lanes > 1 => {
                self.line(format_args!("let received = lane * {invocations}u + place - lane;"));
            }
            Through::Memory { .. } => {}
        }
    }

    /// For each i in 0..K the values of the groups (g, h), turned; of each group those of an access's lines.
    fn second_inputs(&mut self, pass: &Lanes, stage: &[Vec<Wide>], h: u32, own: &mut Powers) -> Vec<Wide> {
        let ([j, k], [along, across]) = (pass.factors, pass.spread());
        let mut inputs = vec![Wide::new(); k as usize];
        let mut all = Vec::new();
        for e in 0..stage.len() as u32 {
            for c in 0..along {
                all.extend((0..along).flat_map(|g| (0..across).map(move |a| (e, c, g, a))));
            }
        }
        for some in all.chunks(pass.exchanges_at_once() as usize) {
            let sent = some.iter().map(|&(e, c, g, a)| {
                let to = (0..pass.lanes).map(|to| g + along * (to + pass.lanes * h));
                to.map(|u| (u < j).then(|| stage[e as usize][u as usize][(c * across + a) as usize])).collect()
            });
            let sent: Vec<Vec<Option<Complex>>> = sent.collect();
            for (&(e, c, g, _), values) in some.iter().zip(self.exchange(pass, &sent)) {
                for (l, value) in (0..).zip(values) {
                    let i = c + along * (l + pass.lanes * e);
                    if i >= k {
                        continue;
                    }
                    // i·u = i·(g + W·L·h) + i·W·λ
                    let fixed = i * (g + along * pass.lanes * h) % pass.n();
                    let value = if i == 0 {
                        value
                    } else if pass.lanes == 1 {
                        self.turn(value, fixed, pass.n())
                    } else {
                        let root = own.turned(self, i, fixed, pass.n());
                        self.mul(value, root)
                    };
                    inputs[i as usize].push(value);
                }
            }
        }
        own.products.clear();
        inputs
    }

    /// The values of an access times their roots for one frequency.
    fn turned(&mut self, value: Wide, turns: &mut Powers, frequency: u32, turn: Turn) -> Wide {
        let lines = (0..).zip(value);
        lines
            .map(|(a, x)| {
                let root = turns.turned(self, frequency, frequency * a * turn.across % turn.n, turn.n);
                self.mul(x, root)
            })
            .collect()
    }

    fn load(&mut self, pass: &Lanes, place: String) -> Wide {
        let name = if pass.has_idle() {
            // In place, the lanes that own the last line may already be storing it.
            let Real { name, .. } = self.declared(pass.access.element());
            self.line(format_args!("if (line < {}u) {{ x{name} = load({place}); }}", pass.lines()));
            name
        } else {
            self.value(format_args!("load({place})")).name
        };
        (0..pass.access.width())
            .map(|i| {
                let [re, im] = match pass.access {
                    Access::Octet => [format!("bitcast<f32>(u32(x{name}[{i}]))"), format!("bitcast<f32>(u32(x{name}[{i}] >> 32u))")],
                    Access::Pair | Access::Quad => [2 * i, 2 * i + 1].map(|part| format!("x{name}[{part}]")),
                    Access::Quads => {
                        let half = if i < 2 { "low" } else { "high" };
                        [2 * (i % 2), 2 * (i % 2) + 1].map(|part| format!("x{name}.{half}[{part}]"))
                    }
                };
                Complex { re: self.value(format_args!("{re}")), im: self.value(format_args!("{im}")) }.swapped_if(pass.swap[0])
            })
            .collect()
    }

    fn store(&mut self, pass: &Lanes, place: u32, condition: Option<String>, value: &Wide) {
        let factor = |x: Real| if pass.scaled { format!("params.scale * {x}") } else { x.to_string() };
        let parts = value.iter().map(|x| x.swapped_if(pass.swap[1])).map(|x| [factor(x.re), factor(x.im)]);
        let list: Vec<String> = match pass.access {
            Access::Octet => parts.map(|[re, im]| format!("u64(bitcast<u32>({re})) | (u64(bitcast<u32>({im})) << 32u)")).collect(),
            Access::Pair | Access::Quad => parts.flatten().collect(),
            Access::Quads => {
                let parts: Vec<String> = parts.flatten().collect();
                parts.chunks(4).map(|half| format!("vec4<f32>({})", half.join(", "))).collect()
            }
        };
        let place = plus("output_place", place);
        let store = format!("store({place}, {}({}));", pass.access.element(), list.join(", "));
        match condition {
            Some(condition) => self.line(format_args!("if ({condition}) {{ {store} }}")),
            None => self.line(format_args!("{store}")),
        }
    }

    /// Of every lane's values for lane 0, 1, ..., those for this lane, by sender; several times at once.
    fn exchange(&mut self, pass: &Lanes, sent: &[Vec<Option<Complex>>]) -> Vec<Vec<Complex>> {
        let sent: Vec<Vec<Complex>> = sent
            .iter()
            .map(|sent| {
                let known = sent.iter().flatten().next().copied().expect("somebody sends");
                let values = sent.iter().map(|value| value.unwrap_or(known));
                values.map(|value| Complex { re: self.positive(value.re), im: self.positive(value.im) }).collect()
            })
            .collect();
        match pass.through {
            Through::Memory { invocations, .. } if pass.lanes > 1 => self.exchange_in_memory(pass.lanes, invocations, &sent),
            _ => sent.into_iter().map(|values| self.exchange_in_subgroups(values)).collect(),
        }
    }

    /// Every invocation stores its values for the other lanes, and loads theirs for itself.
    fn exchange_in_memory(&mut self, lanes: u32, invocations: u32, sent: &[Vec<Complex>]) -> Vec<Vec<Complex>> {
        if self.exchanged {
            // What was exchanged before has been read by everyone.
            self.line(format_args!("workgroupBarrier();"));
        }
        self.exchanged = true;
        for (i, value) in (0..).zip(sent.iter().flatten()) {
            let place = plus("place", i * invocations);
            self.line(format_args!("exchange[{place}] = vec2<f32>({}, {});", value.re, value.im));
        }
        self.line(format_args!("workgroupBarrier();"));
        let senders = |first: u32| (0..lanes).map(move |lane| plus("received", first * lanes * invocations + lane));
        let of_one = |(first, _)| {
            let of_sender = |place| {
                let name = self.value(format_args!("exchange[{place}]")).name;
                Complex { re: self.value(format_args!("x{name}.x")), im: self.value(format_args!("x{name}.y")) }
            };
            senders(first).map(of_sender).collect()
        };
        (0..).zip(sent).map(of_one).collect()
    }

    /// The lanes of a subgroup exchange halves, then quarters, then eighths.
    fn exchange_in_subgroups(&mut self, mut values: Vec<Complex>) -> Vec<Complex> {
        let mut distance = values.len() / 2;
        while distance > 0 {
            for low in (0..values.len()).filter(|low| low & distance == 0) {
                let high = low + distance;
                let (a, b) = (values[low], values[high]);
                let [re, im] = [(a.re, b.re), (a.im, b.im)].map(|(a, b)| {
                    let other = self.value(format_args!("subgroupShuffleXor(select({b}, {a}, upper{distance}), {distance}u)"));
                    let low = self.value(format_args!("select({a}, {other}, upper{distance})"));
                    let high = self.value(format_args!("select({other}, {b}, upper{distance})"));
                    (low, high)
                });
                values[low] = Complex { re: re.0, im: im.0 };
                values[high] = Complex { re: re.1, im: im.1 };
            }
            distance /= 2;
        }
        values
    }

    fn positive(&mut self, x: Real) -> Real {
        if x.negative { self.value(format_args!("{x}")) } else { x }
    }

    fn sum(&mut self, a: Real, b: Real) -> Real {
        match (a.negative, b.negative) {
            (false, false) => self.value(format_args!("{a} + {b}")),
            (false, true) => self.value(format_args!("{a} - {}", b.negated())),
            (true, false) => self.value(format_args!("{b} - {}", a.negated())),
            (true, true) => self.value(format_args!("{} + {}", a.negated(), b.negated())).negated(),
        }
    }

    fn product(&mut self, a: Real, b: Real) -> Real {
        let product = self.value(format_args!("x{} * x{}", a.name, b.name));
        if a.negative == b.negative { product } else { product.negated() }
    }

    fn times(&mut self, factor: f64, x: Real) -> Real {
        let product = self.value(format_args!("{:.17} * x{}", factor.abs(), x.name));
        if x.negative == (factor < 0.0) { product } else { product.negated() }
    }

    fn add(&mut self, a: Complex, b: Complex) -> Complex {
        Complex { re: self.sum(a.re, b.re), im: self.sum(a.im, b.im) }
    }

    fn sub(&mut self, a: Complex, b: Complex) -> Complex {
        self.add(a, b.negated())
    }

    fn mul(&mut self, a: Complex, b: Complex) -> Complex {
        let [rr, ii, ri, ir] = [(a.re, b.re), (a.im, b.im), (a.re, b.im), (a.im, b.re)].map(|(a, b)| self.product(a, b));
        Complex { re: self.sum(rr, ii.negated()), im: self.sum(ri, ir) }
    }

    /// `x` times exp(-2πi·k/n).
    fn turn(&mut self, x: Complex, k: u32, n: u32) -> Complex {
        let k = k % n;
        if (8 * k).is_multiple_of(n) {
            let mut y = x;
            for _ in 0..4 * k / n {
                y = y.turned_back();
            }
            if !(4 * k).is_multiple_of(n) {
                // An eighth: (x + y) + i (y - x), times a half's root; by its negative where the partner of this turn has it (see the module `butterfly`).
                let re = self.sum(y.re, y.im);
                let im = self.sum(y.im, y.re.negated());
                let sign = if (4 * k / n).is_multiple_of(2) { "" } else { "-" };
                let mut times_root = |x: Real| {
                    let product = self.value(format_args!("{sign}{:.17} * x{}", std::f64::consts::FRAC_1_SQRT_2, x.name));
                    Real { negative: x.negative != (sign == "-"), ..product }
                };
                y = Complex { re: times_root(re), im: times_root(im) };
            }
            return y;
        }
        let root = root(u64::from(k), u64::from(n));
        let [rr, ii, ri, ir] =
            [(root.re, x.re), (root.im, x.im), (root.im, x.re), (root.re, x.im)].map(|(factor, x)| self.times(factor, x));
        Complex { re: self.sum(rr, ii.negated()), im: self.sum(ri, ir) }
    }

    fn each(&mut self, a: &Wide, b: &Wide, mut f: impl FnMut(&mut Self, Complex, Complex) -> Complex) -> Wide {
        a.iter().zip(b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    /// The DFT of any number of values.
    fn dft(&mut self, x: Vec<Wide>) -> Vec<Wide> {
        let n = x.len();
        match n {
            1 => x,
            2 => vec![self.each(&x[0], &x[1], Self::add), self.each(&x[0], &x[1], Self::sub)],
            4 => {
                let [sum_even, sum_odd] = [[0, 2], [1, 3]].map(|[a, b]| self.each(&x[a], &x[b], Self::add));
                let [difference_even, difference_odd] = [[0, 2], [1, 3]].map(|[a, b]| self.each(&x[a], &x[b], Self::sub));
                vec![
                    self.each(&sum_even, &sum_odd, Self::add),
                    self.each(&difference_even, &difference_odd, |writer, a, b| writer.add(a, b.turned_back())),
                    self.each(&sum_even, &sum_odd, Self::sub),
                    self.each(&difference_even, &difference_odd, |writer, a, b| writer.sub(a, b.turned_back())),
                ]
            }
            _ => match split(n) {
                None => self.prime(&x),
                Some((a, b, coprime)) => {
                    // n = a·b: DFTs of a values b apart, turns, DFTs of b. Coprime factors need no turns (Good and Thomas).
                    let columns: Vec<Vec<Wide>> = (0..b)
                        .map(|i| {
                            let inner =
                                self.dft((0..a).map(|m| x[if coprime { (a * i + b * m) % n } else { i + b * m }].clone()).collect());
                            let turn = |u: usize| if coprime { 0 } else { (i * u) as u32 };
                            let inner = inner.into_iter().enumerate();
                            inner.map(|(u, value)| value.into_iter().map(|x| self.turn(x, turn(u), n as u32)).collect()).collect()
                        })
                        .collect();
                    let mut y = vec![Wide::new(); n];
                    for u in 0..a {
                        let outer = self.dft(columns.iter().map(|column| column[u].clone()).collect());
                        for (v, value) in outer.into_iter().enumerate() {
                            let k = if coprime { (u..n).step_by(a).find(|k| k % b == v).expect("they are coprime") } else { u + a * v };
                            y[k] = value;
                        }
                    }
                    y
                }
            },
        }
    }

    /// The DFT of an odd prime, by sums and differences of opposite values.
    fn prime(&mut self, x: &[Wide]) -> Vec<Wide> {
        let p = x.len();
        let half = p / 2;
        let mut y = vec![Wide::new(); p];
        for a in 0..x[0].len() {
            let first = x[0][a];
            let sums: Vec<Complex> = (1..=half).map(|i| self.add(x[i][a], x[p - i][a])).collect();
            let differences: Vec<Complex> = (1..=half).map(|i| self.sub(x[i][a], x[p - i][a])).collect();
            let total = sums.iter().fold(first, |total, &sum| self.add(total, sum));
            y[0].push(total);
            for k in 1..=half {
                // x₀ + Σ cos·sum, and Σ sin·difference, which is turned by -i or i.
                let mut even = first;
                let mut odd = None;
                for i in 1..=half {
                    let root = root((i * k) as u64, p as u64);
                    let scaled = |writer: &mut Self, factor: f64, x: Complex| Complex {
                        re: writer.times(factor, x.re),
                        im: writer.times(factor, x.im),
                    };
                    let cosine = scaled(self, root.re, sums[i - 1]);
                    even = self.add(even, cosine);
                    let sine = scaled(self, -root.im, differences[i - 1]);
                    odd = Some(odd.map_or(sine, |odd| self.add(odd, sine)));
                }
                let odd = odd.expect("an odd prime has a half of at least 1").turned_back();
                y[k].push(self.add(even, odd));
                y[p - k].push(self.sub(even, odd));
            }
        }
        y
    }
}

/// The last lane for which the last slot of loads has elements, if not all lanes are that: those past it load what it loads.
fn tail(pass: &Lanes) -> Option<u32> {
    let [along, _] = pass.spread();
    let rest = pass.factors[1] % (along * pass.lanes);
    (pass.lanes > 1 && rest > 0).then(|| rest / along - 1)
}

/// Two factors of `n`, and whether they are coprime; none of a prime.
fn split(n: usize) -> Option<(usize, usize, bool)> {
    let p = (2..=n).find(|p| n.is_multiple_of(*p))?;
    let power = p.pow((1..).take_while(|&e| n.is_multiple_of(p.pow(e))).last()?);
    match n {
        _ if power < n => Some((power, n / power, true)),
        _ if n == p => None,
        // Fewest turns: as equal as can be, and a power of 4 first.
        32 => Some((4, 8, false)),
        _ if p == 2 => {
            let half = 1 << (n.ilog2() / 2);
            Some((half, n / half, false))
        }
        _ => Some((p, n / p, false)),
    }
}

/// exp(-2πi·x·k/n) for one x of the invocation: k = 1, 4, 16, ... are looked up, the others products.
struct Powers {
    function: &'static str,
    x: String,
    powers: HashMap<u32, Complex>,
    /// Powers times constants, by k and the constant.
    products: HashMap<(u32, u32), Complex>,
}

impl Powers {
    fn new(function: &'static str, x: String) -> Self {
        Self { function, x, powers: HashMap::new(), products: HashMap::new() }
    }

    fn power(&mut self, writer: &mut Writer, k: u32) -> Complex {
        if let Some(&power) = self.powers.get(&k) {
            return power;
        }
        let high = 1 << (k.ilog2() / 2 * 2);
        let power = if k == high {
            let name = writer.value(format_args!("{}({})", self.function, times(&self.x, k))).name;
            Complex { re: writer.value(format_args!("x{name}.x")), im: writer.value(format_args!("x{name}.y")) }
        } else {
            let low = if k.is_multiple_of(high) { high } else { k % high };
            let [a, b] = [low, k - low].map(|k| self.power(writer, k));
            writer.mul(a, b)
        };
        self.powers.insert(k, power);
        power
    }

    /// The power k times exp(-2πi·fixed/n).
    fn turned(&mut self, writer: &mut Writer, k: u32, fixed: u32, n: u32) -> Complex {
        if let Some(&product) = self.products.get(&(k, fixed)) {
            return product;
        }
        let power = self.power(writer, k);
        let product = writer.turn(power, fixed, n);
        self.products.insert((k, fixed), product);
        product
    }
}

/// `base + offset`, without an offset of 0.
fn plus(base: &str, offset: u32) -> String {
    if offset == 0 { base.to_owned() } else { format!("{base} + {offset}u") }
}

/// `name * factor`, nothing for a factor of 0.
fn times(name: &str, factor: u32) -> String {
    match factor {
        0 => String::new(),
        1 => name.to_owned(),
        _ => format!("{name} * {factor}u"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value of one lane.
    #[derive(Clone, Debug)]
    enum Value {
        Float(f32),
        Whole(u64),
        Truth(bool),
        Vector(Vec<Value>),
    }

    impl Value {
        fn float(&self) -> f32 {
            match self {
                Self::Float(x) => *x,
                other => panic!("{other:?} is no float"),
            }
        }

        fn whole(&self) -> u64 {
            match self {
                Self::Whole(x) => *x,
                other => panic!("{other:?} is no whole number"),
            }
        }

        fn truth(&self) -> bool {
            match self {
                Self::Truth(x) => *x,
                other => panic!("{other:?} is no truth"),
            }
        }
    }

    /// One subgroup, or one workgroup, that reads the text word by word, for all lanes at once.
    struct Subgroup<'a> {
        pass: &'a Lanes,
        names: HashMap<String, Vec<Value>>,
        input: &'a [[f32; 2]],
        output: &'a mut [[f32; 2]],
        words: Vec<String>,
        at: usize,
        /// Invocations: a subgroup's, or a workgroup's.
        count: usize,
        memory: Vec<Value>,
        /// Those that the statement at hand is for.
        live: Vec<bool>,
    }

    /// Names with their type arguments, numbers, and signs.
    fn words(text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut words = Vec::new();
        let mut i = 0;
        while i < letters.len() {
            let begin = i;
            if letters[i].is_alphanumeric() || letters[i] == '_' {
                let number = letters[i].is_ascii_digit();
                while i < letters.len() && (letters[i].is_alphanumeric() || letters[i] == '_' || number && letters[i] == '.') {
                    i += 1;
                }
                let name: String = letters[begin..i].iter().collect();
                if ["bitcast", "vec2", "vec4"].contains(&name.as_str()) {
                    i += 5;
                }
            } else if i + 1 < letters.len() && ["<<", ">>", "!=", "&&"].contains(&letters[i..i + 2].iter().collect::<String>().as_str()) {
                i += 2;
            } else {
                i += 1;
            }
            let word: String = letters[begin..i].iter().collect();
            if !word.trim().is_empty() {
                words.push(word);
            }
        }
        words
    }

    impl Subgroup<'_> {
        fn run(&mut self, text: &str, lines: Vec<u64>, lanes: Vec<u64>) {
            let places = (0..self.count as u64).collect();
            for (name, values) in [("line", lines), ("lane", lanes), ("place", places)] {
                self.names.insert(name.to_owned(), values.into_iter().map(Value::Whole).collect());
            }
            for line in text.lines().filter(|line| line.starts_with("    ")) {
                self.words = words(line);
                self.at = 0;
                if self.take_if("var") {
                    continue;
                }
                let live: Vec<bool> =
                    if self.take_if("if") { self.primary().iter().map(Value::truth).collect() } else { vec![true; self.count] };
                self.take_if("{");
                if self.take_if("store") {
                    self.store(&live);
                } else if self.take_if("workgroupBarrier") {
                    assert!(self.take_if("(") && self.take_if(")"), "{line}");
                } else if self.take_if("exchange") {
                    let places = self.index();
                    assert!(self.take_if("="), "{line}");
                    for (place, value) in places.into_iter().zip(self.expression(0)) {
                        self.memory[place] = value;
                    }
                } else {
                    // The lanes that a condition leaves out of a load keep zeros.
                    assert!(self.take_if("let") || self.words[self.at + 2] == "load", "{line}");
                    let name = self.word();
                    assert!(self.take_if("="), "{line}");
                    self.live = live;
                    let value = self.expression(0);
                    self.names.insert(name, value);
                }
                assert_eq!(self.word(), ";", "{line}");
            }
        }

        fn word(&mut self) -> String {
            self.at += 1;
            self.words[self.at - 1].clone()
        }

        fn take_if(&mut self, word: &str) -> bool {
            let taken = self.words[self.at] == word;
            self.at += usize::from(taken);
            taken
        }

        fn arguments(&mut self) -> Vec<Vec<Value>> {
            assert!(self.take_if("("));
            let mut arguments = vec![self.expression(0)];
            while self.take_if(",") {
                arguments.push(self.expression(0));
            }
            assert!(self.take_if(")"));
            arguments
        }

        fn index(&mut self) -> Vec<usize> {
            assert!(self.take_if("["));
            let index = self.expression(0).iter().map(|index| index.whole() as usize).collect();
            assert!(self.take_if("]"));
            index
        }

        fn store(&mut self, live: &[bool]) {
            let arguments = self.arguments();
            for lane in (0..self.count).filter(|&lane| live[lane]) {
                let Value::Vector(parts) = &arguments[1][lane] else { panic!("an access is a vector") };
                let width = self.pass.access.width() as usize;
                let first = arguments[0][lane].whole() as usize * width;
                for a in 0..width {
                    self.output[first + a] = match self.pass.access {
                        Access::Octet => [parts[a].whole() as u32, (parts[a].whole() >> 32) as u32].map(f32::from_bits),
                        Access::Pair | Access::Quad => [parts[2 * a].float(), parts[2 * a + 1].float()],
                        Access::Quads => {
                            let Value::Vector(half) = &parts[a / 2] else { panic!("a half is a vector") };
                            [half[2 * (a % 2)].float(), half[2 * (a % 2) + 1].float()]
                        }
                    };
                }
            }
        }

        fn expression(&mut self, level: usize) -> Vec<Value> {
            const LEVELS: [&[&str]; 7] = [&["&&"], &["|"], &["!=", "<"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];
            if level == LEVELS.len() {
                return if self.take_if("-") { self.primary().iter().map(|x| Value::Float(-x.float())).collect() } else { self.primary() };
            }
            let mut value = self.expression(level + 1);
            while LEVELS[level].contains(&self.words[self.at].as_str()) {
                let sign = self.word();
                let right = self.expression(level + 1);
                value = value.iter().zip(&right).map(|(a, b)| binary(&sign, a, b)).collect();
            }
            value
        }

        fn primary(&mut self) -> Vec<Value> {
            let mut value = if self.words[self.at] == "(" {
                self.arguments().remove(0)
            } else {
                let word = self.word();
                if word == "exchange" {
                    self.index().into_iter().map(|place| self.memory[place].clone()).collect()
                } else if self.words[self.at] == "(" {
                    let arguments = self.arguments();
                    (0..self.count).map(|lane| self.call(&word, &arguments, lane)).collect()
                } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                    let value = if word.contains('.') {
                        Value::Float(word.parse().unwrap())
                    } else {
                        Value::Whole(word.trim_end_matches('u').parse().unwrap())
                    };
                    vec![value; self.count]
                } else {
                    self.names[&word].clone()
                }
            };
            loop {
                let part = if self.take_if("[") {
                    let part = self.expression(0)[0].whole() as usize;
                    assert!(self.take_if("]"));
                    part
                } else if self.take_if(".") {
                    usize::from(["y", "high"].contains(&self.word().as_str()))
                } else {
                    return value;
                };
                let of = |value: &Value| if let Value::Vector(parts) = value { parts[part].clone() } else { panic!("{value:?}") };
                value = value.iter().map(of).collect();
            }
        }

        fn call(&self, function: &str, arguments: &[Vec<Value>], lane: usize) -> Value {
            let first = &arguments[0][lane];
            let root = |n: u32| {
                assert!(first.whole() < n.into(), "a root is looked up past its table");
                let root = root(first.whole(), n.into());
                Value::Vector(vec![Value::Float(root.re as f32), Value::Float(root.im as f32)])
            };
            match function {
                "load" => {
                    let width = self.pass.access.width() as usize;
                    let number = |a: usize| if self.live[lane] { self.input[first.whole() as usize * width + a] } else { [0.0; 2] };
                    let numbers = (0..width).map(number);
                    Value::Vector(match self.pass.access {
                        Access::Octet => {
                            numbers.map(|[re, im]| Value::Whole(u64::from(re.to_bits()) | u64::from(im.to_bits()) << 32)).collect()
                        }
                        Access::Pair | Access::Quad => numbers.flatten().map(Value::Float).collect(),
                        Access::Quads => {
                            let numbers: Vec<Value> = numbers.flatten().map(Value::Float).collect();
                            numbers.chunks(4).map(|half| Value::Vector(half.to_vec())).collect()
                        }
                    })
                }
                "line_root" => root(self.pass.n()),
                "turn_root" => root(self.pass.turn.expect("it turns").n),
                "bitcast<f32>" => Value::Float(f32::from_bits(first.whole() as u32)),
                "bitcast<u32>" => Value::Whole(first.float().to_bits().into()),
                "u32" => Value::Whole(u64::from(first.whole() as u32)),
                "u64" => first.clone(),
                "min" => Value::Whole(first.whole().min(arguments[1][lane].whole())),
                "select" => arguments[usize::from(arguments[2][lane].truth())][lane].clone(),
                "subgroupShuffleXor" => arguments[0][lane ^ arguments[1][lane].whole() as usize].clone(),
                _ if function.starts_with("vec") || function == "Quads" => {
                    Value::Vector(arguments.iter().map(|argument| argument[lane].clone()).collect())
                }
                _ => panic!("what is {function}?"),
            }
        }
    }

    fn binary(sign: &str, a: &Value, b: &Value) -> Value {
        if let Value::Float(a) = *a {
            let b = b.float();
            return Value::Float(match sign {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                _ => panic!("{sign} of floats"),
            });
        }
        if let Value::Truth(a) = *a {
            assert_eq!(sign, "&&");
            return Value::Truth(a && b.truth());
        }
        let (a, b) = (a.whole(), b.whole());
        match sign {
            "!=" => Value::Truth(a != b),
            "<" => Value::Truth(a < b),
            "|" => Value::Whole(a | b),
            "&" => Value::Whole(a & b),
            "<<" => Value::Whole(a << b),
            ">>" => Value::Whole(a >> b),
            "+" => Value::Whole(a + b),
            "-" => Value::Whole(a - b),
            "*" => Value::Whole(a * b),
            "/" => Value::Whole(a / b),
            "%" => Value::Whole(a % b),
            _ => panic!("{sign} of whole numbers"),
        }
    }

    fn number(i: usize) -> [f32; 2] {
        let bits = (i as u32).wrapping_mul(2_654_435_761);
        [(bits >> 16) as f32 / 65536.0 - 0.5, (bits & 0xffff) as f32 / 65536.0 - 0.5]
    }

    /// Runs all lines of `pass`.
    fn run(pass: &Lanes, input: &[[f32; 2]], output_len: usize) -> Vec<[f32; 2]> {
        assert_eq!(pass.unfit(), None);
        let mut output = vec![[f32::NAN; 2]; output_len];
        let text = generate(pass);
        let count = pass.together();
        let at_once = count / pass.lanes;
        for group in 0..pass.lines().div_ceil(at_once) {
            let lines = (0..count).map(|lane| u64::from(group * at_once + lane / pass.lanes)).collect();
            let lanes = (0..count).map(|lane| u64::from(lane % pass.lanes)).collect();
            let memory = vec![Value::Truth(false); pass.workgroup_bytes() as usize / 8];
            let (names, words, count) = (HashMap::new(), Vec::new(), count as usize);
            Subgroup { pass, names, input, output: &mut output, words, at: 0, count, memory, live: Vec::new() }.run(&text, lines, lanes);
        }
        output
    }

    /// Runs all lines of `pass` in every form, and compares with sums in f64.
    fn check(pass: &Lanes, input_len: usize, output_len: usize) {
        let input: Vec<[f32; 2]> = (0..input_len).map(number).collect();
        let output = run(pass, &input, output_len);
        let access = if pass.access == Access::Octet { Access::Quads } else { pass.access };
        // Room for one exchange, for some, for all.
        for (invocations, room) in [(8, 1), (24, 3), (16, 1000)] {
            let available = exchange_bytes(pass.lanes, invocations) as u32 * room;
            let other = Lanes { access, through: Through::Memory { invocations, available }, ..pass.clone() };
            assert!(other.workgroup_bytes() <= available.into());
            let bits = |output: Vec<[f32; 2]>| output.into_iter().map(|z| z.map(f32::to_bits)).collect::<Vec<_>>();
            assert!(bits(run(&other, &input, output_len)) == bits(output.clone()), "{other:?}");
        }
        let (n, [along, across]) = (pass.n() as usize, pass.spread());
        let width = pass.access.width() as usize;
        let (mut error, mut norm, mut compared) = (0.0, 0.0, 0);
        for line in 0..pass.lines() {
            let mut rest = line;
            let (mut from, mut to, mut m) = (pass.offsets[0] as usize, pass.offsets[1] as usize, 0);
            for digit in &pass.digits {
                let d = rest % digit.extent;
                rest /= digit.extent;
                (from, to, m) = (from + (d * digit.input) as usize, to + (d * digit.output) as usize, m + d * digit.weight);
            }
            for a in 0..across {
                let place = |first: usize, stride: u32, i: usize| {
                    if along > 1 { first * width + i } else { (first + i * stride as usize) * width + a as usize }
                };
                for k in 0..n {
                    let (mut re, mut im) = (0.0, 0.0);
                    for j in 0..n {
                        let [x, y] = input[place(from, pass.strides[0], j)].map(f64::from);
                        let (x, y) = if pass.swap[0] { (y, x) } else { (x, y) };
                        let w = root((j * k) as u64, n as u64);
                        re += x * w.re - y * w.im;
                        im += x * w.im + y * w.re;
                    }
                    if let Some(turn) = pass.turn {
                        let w = root(k as u64 * u64::from(m + a * turn.across), turn.n.into());
                        (re, im) = (re * w.re - im * w.im, re * w.im + im * w.re);
                    }
                    if pass.swap[1] {
                        (re, im) = (im, re);
                    }
                    let [x, y] = output[place(to, pass.strides[1], k)].map(f64::from);
                    error += (x - re).powi(2) + (y - im).powi(2);
                    norm += re * re + im * im;
                    compared += 1;
                }
            }
        }
        assert_eq!(output.iter().filter(|x| !x[0].is_nan()).count(), compared, "others' elements stay as they are");
        assert!((error / norm).sqrt() < 3e-7, "{pass:?}: {:e}", (error / norm).sqrt());
    }

    fn digit(extent: u32, stride: u32) -> Digit {
        Digit { extent, input: stride, output: stride, weight: 0 }
    }

    fn rows(factors: [u32; 2], lanes: u32, access: Access) -> Lanes {
        let n = factors[0] * factors[1];
        let digits = vec![digit(8, n / access.width())];
        Lanes {
            factors,
            lanes,
            access,
            side: Side::Along,
            digits,
            offsets: [0; 2],
            strides: [1; 2],
            turn: None,
            swap: [false; 2],
            scaled: false,
            through: Through::Subgroups,
        }
    }

    #[test]
    fn rows_in_lanes() {
        for (factors, lanes, access) in [
            ([8, 4], 1, Access::Octet),
            ([16, 8], 2, Access::Octet),
            ([16, 16], 4, Access::Quad),
            ([32, 32], 8, Access::Octet),
            ([12, 8], 4, Access::Quad),
            ([60, 32], 8, Access::Octet),
            ([20, 36], 8, Access::Octet),
            ([9, 10], 8, Access::Pair),
            ([7, 1], 1, Access::Pair),
            ([11, 13], 8, Access::Pair),
        ] {
            let pass = rows(factors, lanes, access);
            check(&pass, (8 * pass.n()) as usize, (8 * pass.n()) as usize);
        }
        let pass = Lanes { digits: vec![digit(7, 8)], ..rows([8, 4], 2, Access::Octet) };
        check(&pass, 7 * 32, 7 * 32);
        let pass = Lanes { digits: vec![digit(3, 30)], ..rows([6, 10], 4, Access::Quad) };
        check(&pass, 3 * 60, 3 * 60);
        let pass = Lanes { swap: [true, true], offsets: [0, 4], ..rows([8, 8], 2, Access::Octet) };
        check(&pass, 8 * 64, 8 * 64 + 16);
    }

    #[test]
    fn columns_in_one_lane() {
        for (factor, access) in [(16, Access::Octet), (30, Access::Quad), (27, Access::Pair), (32, Access::Octet)] {
            let width = access.width();
            let digits = vec![digit(2, 1), Digit { weight: 1, ..digit(4, 2) }];
            let turn = Some(Turn { n: 4 * factor, across: 0 });
            let pass =
                Lanes { factors: [factor, 1], side: Side::Across, digits, strides: [8, 8], turn, ..rows([factor, 1], 1, Access::Pair) };
            let pass = Lanes { access, ..pass };
            let len = (factor * 8 * width) as usize;
            check(&pass, len, len);
        }
    }

    #[test]
    fn first_pass_of_a_long_line() {
        // 16 x 32: columns j1 = 4 d + a with roots of 512 on the results.
        let digits = vec![Digit { weight: 4, ..digit(8, 1) }];
        let turn = Some(Turn { n: 512, across: 1 });
        let pass = Lanes { side: Side::Across, digits, strides: [8, 8], turn, ..rows([16, 1], 1, Access::Octet) };
        check(&pass, 512, 512);
    }

    #[test]
    fn whole_columns_in_lanes() {
        let pass = Lanes { side: Side::Across, digits: vec![digit(2, 1)], strides: [2, 2], ..rows([16, 12], 4, Access::Quad) };
        check(&pass, 192 * 4, 192 * 4);
    }

    #[test]
    fn says_what_is_unfit() {
        assert_eq!(rows([32, 32], 8, Access::Octet).unfit(), None);
        assert!(rows([9, 10], 8, Access::Quad).unfit().is_some());
        assert!(rows([32, 1], 8, Access::Octet).unfit().is_some());
        assert!(Lanes { turn: Some(Turn { n: 4096, across: 0 }), ..rows([32, 32], 8, Access::Octet) }.unfit().is_some());
        assert_eq!(rows([32, 32], 8, Access::Octet).elements(), 128);
        assert_eq!(rows([60, 32], 8, Access::Octet).elements(), 256);
        let small = Through::Memory { invocations: 64, available: 4095 };
        let pass = Lanes { through: small, ..rows([32, 32], 8, Access::Quads) };
        assert!(pass.unfit().is_some_and(|why| why.contains("4096 bytes")));
        assert_eq!(Lanes { lanes: 1, factors: [16, 16], ..pass }.unfit(), None);
    }
}
