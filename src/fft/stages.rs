//! Text of a row FFT's stages: the part of `shaders/fft/registers.wgsl` that WGSL cannot say with overrides.
//!
//! An invocation t of T = n/E holds E elements of a row, element t + m·T in register m. In the stage of radix r with p the product of the
//! earlier radices, its butterfly b in 0..E/r is number j = t + b·T; it takes registers b + k·E/r, k in 0..r, which hold the elements
//! j + k·n/r as Stockham asks, and yields the elements (j - j mod p)·r + j mod p + k·p. Between stages these pass through workgroup memory and
//! come back as t + m·T. In the last stage they already lie there.

use std::fmt::Write;

use super::banks::{Access, Exchanging, Layout};
use super::recipe::{Exchange, Registers, Roots};
use super::roots::root;
use crate::kernels::Generated;
use crate::kernels::fft::registers::Workgroup;

/// The text for `recipe` and the workgroup it was made for, in at most `workgroup_bytes` of workgroup memory where spare elements are concerned.
pub(super) fn generate(recipe: &Registers, workgroup_bytes: u32) -> (Generated, Workgroup) {
    let mut writer = Writer { text: String::new(), next: 0 };
    let words = writer.transform(recipe, workgroup_bytes / 4);
    let mut text = format!("// {recipe}\n");
    let unit = recipe.exchange.words();
    if words > 0 {
        let element = if unit == 1 { "f32" } else { "vec2<f32>" };
        let _ = writeln!(text, "var<workgroup> exchange: array<{element}, {}>;", words / unit);
    }
    text.push_str("\nfn transform(t: u32, line: u32, first: u32, live: bool) {\n");
    text.push_str(&writer.text);
    text.push_str("}\n");
    let workgroup = Workgroup { rows: recipe.rows, lanes: recipe.lanes(), bytes: u64::from(words) * 4 };
    (Generated { text: text.into(), radices: recipe.radices.clone() }, workgroup)
}

/// Writes straight-line WGSL. Values are complex numbers, and every one has a name of its own.
struct Writer {
    text: String,
    next: u32,
}

impl Writer {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn value(&mut self, expression: std::fmt::Arguments<'_>) -> String {
        let name = format!("x{}", self.next);
        self.next += 1;
        self.line(format_args!("let {name} = {expression};"));
        name
    }

    /// Writes the body and returns the words of workgroup memory that it uses.
    fn transform(&mut self, recipe: &Registers, available: u32) -> u32 {
        let (n, e, lanes) = (recipe.n(), recipe.elements, recipe.lanes());
        self.line(format_args!("// Element t + m * {lanes} in register m."));
        for m in 0..e {
            self.line(format_args!("var v{m} = vec2<f32>();"));
        }
        self.line(format_args!("if (live) {{"));
        for m in 0..e {
            self.line(format_args!("    v{m} = swap_if(INVERSE, load({}));", plus("first + t", m * lanes)));
        }
        self.line(format_args!("}}"));
        let mut registers: Vec<String> = (0..e).map(|m| format!("v{m}")).collect();
        let mut words = 0;
        let mut p = 1;
        for &radix in &recipe.radices {
            self.line(format_args!("// Stage: radix {radix}, p = {p}."));
            registers = self.stage(recipe, radix, p, &registers);
            if p * radix < n {
                let used = self.exchange(recipe, radix, p, &mut registers, available);
                words = words.max(used);
            }
            p *= radix;
        }
        self.line(format_args!("if (live) {{"));
        for (m, register) in registers.iter().enumerate() {
            let place = plus("first + t", m as u32 * lanes);
            self.line(format_args!("    store({place}, params.scale * swap_if(INVERSE, {register}));"));
        }
        self.line(format_args!("}}"));
        words
    }

    /// The butterflies of one stage.
    fn stage(&mut self, recipe: &Registers, radix: u32, p: u32, registers: &[String]) -> Vec<String> {
        let (lanes, butterflies) = (recipe.lanes(), recipe.elements / radix);
        let mut results = registers.to_vec();
        let mut roots: Vec<String> = Vec::new();
        for b in 0..butterflies {
            // With p a divisor of T, j mod p is t mod p, and every butterfly of the invocation has the same roots.
            if p > 1 && (b == 0 || lanes % p != 0) {
                let j = butterfly(b, lanes);
                roots = self.stage_roots(recipe.roots, radix, p, &format!("{j} % {p}u"));
            }
            let mut inputs: Vec<String> = (0..radix).map(|k| registers[(b + k * butterflies) as usize].clone()).collect();
            for (input, root) in inputs.iter_mut().zip(&roots).skip(1) {
                *input = self.value(format_args!("complex_mul({input}, {root})"));
            }
            for (k, output) in (0..).zip(self.dft(&inputs)) {
                results[(b + k * butterflies) as usize] = output;
            }
        }
        results
    }

    /// Names of exp(-2πi·k·(j mod p)/(p·r)) for k in 0..r; that of k = 0 is not used.
    fn stage_roots(&mut self, source: Roots, radix: u32, p: u32, j_mod_p: &str) -> Vec<String> {
        let at = self.value(format_args!("{}", plus(j_mod_p, p - 1)));
        let mut names = vec![String::new()];
        for k in 1..radix {
            let looked_up = source == Roots::Table || k.is_power_of_two();
            names.push(if looked_up {
                self.value(format_args!("roots[{}]", plus(&at, (k - 1) * p)))
            } else {
                let high = 1 << k.ilog2();
                self.value(format_args!("complex_mul({}, {})", names[high as usize], names[(k - high) as usize]))
            });
        }
        names
    }

    /// Passes the results of a stage through workgroup memory and returns the words used.
    fn exchange(&mut self, recipe: &Registers, radix: u32, p: u32, registers: &mut [String], available: u32) -> u32 {
        let (n, lanes, butterflies) = (recipe.n(), recipe.lanes(), recipe.elements / radix);
        // Register b + k·E/r of invocation t holds this element after the stage:
        let element = move |register: u32, t: u32| {
            let (b, k) = (register % butterflies, register / butterflies);
            let j = t + b * lanes;
            (j - j % p) * radix + j % p + k * p
        };
        let stores: Vec<_> = (0..recipe.elements).map(|register| move |t| element(register, t)).collect();
        let loads: Vec<_> = (0..recipe.elements).map(|m| move |t| t + m * lanes).collect();
        let accesses: Vec<Access<'_>> = stores.iter().map(|f| f as Access<'_>).chain(loads.iter().map(|f| f as Access<'_>)).collect();
        let words = recipe.exchange.words();
        let exchanging = Exchanging { n, lanes, rows: recipe.rows, words, banks: recipe.banks, available };
        let layout = exchanging.best_layout(&accesses);

        let line = if recipe.rows == 1 { String::new() } else { format!("line * {}u + ", layout.pitch) };
        let store_places: Vec<String> = {
            let mut places = vec![String::new(); recipe.elements as usize];
            for b in 0..butterflies {
                let j = butterfly(b, lanes);
                let base = match p {
                    1 => self.value(format_args!("{j} * {radix}u")),
                    _ => self.value(format_args!("({j} - {j} % {p}u) * {radix}u + {j} % {p}u")),
                };
                let of_butterfly: Vec<u32> = (0..radix).map(|k| b + k * butterflies).collect();
                let named = self.places(
                    layout,
                    lanes,
                    &line,
                    &base,
                    &of_butterfly.iter().map(|&register| accesses[register as usize]).collect::<Vec<_>>(),
                );
                for (register, place) in of_butterfly.into_iter().zip(named) {
                    places[register as usize] = place;
                }
            }
            places
        };
        let load_places = self.places(layout, lanes, &line, "t", &accesses[recipe.elements as usize..]);

        let parts: &[&str] = if recipe.exchange == Exchange::Split { &[".x", ".y"] } else { &[""] };
        let mut loaded: Vec<Vec<String>> = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            if p > 1 || i > 0 {
                // What was exchanged before has been read by everyone.
                self.line(format_args!("workgroupBarrier();"));
            }
            for (register, place) in registers.iter().zip(&store_places) {
                self.line(format_args!("exchange[{place}] = {register}{part};"));
            }
            self.line(format_args!("workgroupBarrier();"));
            loaded.push(load_places.iter().map(|place| self.value(format_args!("exchange[{place}]"))).collect());
        }
        for (m, register) in registers.iter_mut().enumerate() {
            *register = match recipe.exchange {
                Exchange::Whole => loaded[0][m].clone(),
                Exchange::Split => self.value(format_args!("vec2<f32>({}, {})", loaded[0][m], loaded[1][m])),
            };
        }
        layout.pitch * recipe.rows * words
    }

    /// Expressions for the places of `accesses`, the first of which touches the element `base`. Where the others are a fixed distance
    /// away for every invocation, which is most often so, they share its address.
    fn places(&mut self, layout: Layout, lanes: u32, line: &str, base: &str, accesses: &[Access<'_>]) -> Vec<String> {
        let spread = |i: &str| match layout {
            Layout { shift: 0, .. } => i.to_owned(),
            Layout { shift, log2_step: 0, .. } => format!("{i} + ({i} >> {shift}u)"),
            Layout { shift, log2_step, .. } => format!("{i} + (({i} >> {shift}u) << {log2_step}u)"),
        };
        let anchor = self.value(format_args!("{line}{}", spread(base)));
        let mut places = Vec::new();
        for access in accesses {
            let first = accesses[0];
            let distance = |t| i64::from(layout.place(access(t))) - i64::from(layout.place(first(t)));
            places.push(if (0..lanes).all(|t| distance(t) == distance(0)) && distance(0) >= 0 {
                plus(&anchor, distance(0) as u32)
            } else {
                let i = self.value(format_args!("{base} + {}u", access(0) - first(0)));
                self.value(format_args!("{line}{}", spread(&i)))
            });
        }
        places
    }

    /// The DFT of 2, 4, 8 or 16 values.
    fn dft(&mut self, x: &[String]) -> Vec<String> {
        match x.len() {
            2 => vec![self.value(format_args!("{} + {}", x[0], x[1])), self.value(format_args!("{} - {}", x[0], x[1]))],
            4 => {
                let sum_even = self.value(format_args!("{} + {}", x[0], x[2]));
                let difference_even = self.value(format_args!("{} - {}", x[0], x[2]));
                let sum_odd = self.value(format_args!("{} + {}", x[1], x[3]));
                let difference_odd = self.value(format_args!("{} - {}", x[1], x[3]));
                let turned = self.turn(&difference_odd, 1, 4);
                vec![
                    self.value(format_args!("{sum_even} + {sum_odd}")),
                    self.value(format_args!("{difference_even} + {turned}")),
                    self.value(format_args!("{sum_even} - {sum_odd}")),
                    self.value(format_args!("{difference_even} - {turned}")),
                ]
            }
            n => {
                // n = a·b: DFTs of a values b apart, a turn by j·k/n, DFTs of b.
                let (a, b) = if n == 8 { (2, 4) } else { (4, 4) };
                let mut columns = Vec::new();
                for j in 0..b {
                    let inner = self.dft(&(0..a).map(|i| x[i * b + j].clone()).collect::<Vec<_>>());
                    columns.push((0..a).map(|k| self.turn(&inner[k], j * k, n)).collect::<Vec<_>>());
                }
                let mut y = vec![String::new(); n];
                for k in 0..a {
                    let outer = self.dft(&columns.iter().map(|column| column[k].clone()).collect::<Vec<_>>());
                    for (i, value) in outer.into_iter().enumerate() {
                        y[k + a * i] = value;
                    }
                }
                y
            }
        }
    }

    /// `x` times exp(-2πi·k/n).
    fn turn(&mut self, x: &str, k: usize, n: usize) -> String {
        const HALF_SQRT: &str = "0.70710678118654752";
        let eighths = (8 * k).is_multiple_of(n).then(|| 8 * k / n % 8);
        match eighths {
            Some(0) => x.to_owned(),
            Some(1) => self.value(format_args!("{HALF_SQRT} * vec2<f32>({x}.x + {x}.y, {x}.y - {x}.x)")),
            Some(2) => self.value(format_args!("vec2<f32>({x}.y, -{x}.x)")),
            Some(3) => self.value(format_args!("{HALF_SQRT} * vec2<f32>({x}.y - {x}.x, -{x}.x - {x}.y)")),
            Some(4) => self.value(format_args!("-{x}")),
            _ => {
                let root = root(k as u64, n as u64);
                self.value(format_args!("complex_mul({x}, vec2<f32>({:.17}, {:.17}))", root.re, root.im))
            }
        }
    }
}

/// `base + offset`, without an offset of 0.
fn plus(base: &str, offset: u32) -> String {
    if offset == 0 { base.to_owned() } else { format!("{base} + {offset}u") }
}

/// Number of an invocation's butterfly `b`.
fn butterfly(b: u32, lanes: u32) -> String {
    if b == 0 { "t".to_owned() } else { format!("({})", plus("t", b * lanes)) }
}
