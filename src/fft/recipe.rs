//! How to compute a Fourier transform, and the rules that choose.

use std::fmt;
use std::str::FromStr;

use super::C2c;
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::fft::radix2;
use crate::kernels::join;
use crate::transpose;

/// How to compute a [`C2c`].
///
/// Printed and parsed as `rows: ...` for one axis and `rows: ...; columns: ...; transpose: ...` for two.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Recipe {
    /// One axis longer than 1: FFTs of rows.
    Rows(RowRecipe),
    /// Two such axes: FFTs of rows, transpose, FFTs of rows, transpose.
    RowsTransposed {
        /// For the last axis.
        rows: RowRecipe,
        /// For the first axis.
        columns: RowRecipe,
        /// For both transposes.
        transpose: transpose::Recipe,
    },
}

/// How to transform a row.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RowRecipe {
    /// The kernel `fft/radix2`: a barrier for each factor 2, all data in workgroup memory. Plain, and the slowest.
    ///
    /// Printed as `radix2 rows=2 lanes=32`.
    Radix2 {
        /// Rows of a workgroup.
        rows: u32,
        /// Invocations for each row.
        lanes: u32,
    },
    /// The kernel `fft/registers`: butterflies of larger radices in registers, a pass through workgroup memory between them.
    ///
    /// Printed as `registers 8.8.8 elements=8 rows=1 exchange=split banks=32 roots=products`.
    Registers(Registers),
}

/// Decisions for the kernel `fft/registers`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Registers {
    /// 2, 4, 8 or 16, in order; their product is the length of a row.
    pub radices: Vec<u32>,
    /// Elements that an invocation holds: a multiple of every radix that divides the length, at most 32.
    pub elements: u32,
    /// Rows of a workgroup.
    pub rows: u32,
    /// How values pass through workgroup memory.
    pub exchange: Exchange,
    /// Banks of workgroup memory to spread the values over: 16, 32 or 64; 0 for none.
    pub banks: u32,
    /// Where the roots of unity come from.
    pub roots: Roots,
}

impl Registers {
    /// Length of a row; saturating, since anybody can write a recipe.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.radices.iter().fold(1, |n, &radix| n.saturating_mul(radix))
    }

    /// Invocations for a row.
    #[must_use]
    pub fn lanes(&self) -> u32 {
        self.n() / self.elements
    }
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "registers {} elements={} rows={} exchange={} banks={} roots={}",
            join(&self.radices, "."),
            self.elements,
            self.rows,
            self.exchange,
            self.banks,
            self.roots
        )
    }
}

/// How values pass through workgroup memory between two stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exchange {
    /// Complex numbers whole: 8 bytes per element, two barriers a stage.
    Whole,
    /// Real parts, then imaginary parts: 4 bytes per element, four barriers a stage.
    Split,
}

impl Exchange {
    /// 32-bit words of workgroup memory per element.
    #[must_use]
    pub fn words(self) -> u32 {
        match self {
            Self::Whole => 2,
            Self::Split => 1,
        }
    }
}

/// Where the roots of unity of a stage come from. All come from a table computed in f64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Roots {
    /// Each is looked up.
    Table,
    /// The powers 1, 2, 4 and 8 are looked up, the others are products of two.
    Products,
}

macro_rules! words {
    ($($type:ident { $($variant:ident = $word:literal),* })*) => { $(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $word),* })
            }
        }

        impl FromStr for $type {
            type Err = ();

            fn from_str(text: &str) -> std::result::Result<Self, ()> {
                match text { $($word => Ok(Self::$variant),)* _ => Err(()) }
            }
        }
    )* };
}

words! {
    Exchange { Whole = "whole", Split = "split" }
    Roots { Table = "table", Products = "products" }
}

impl fmt::Display for RowRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Radix2 { rows, lanes } => write!(f, "radix2 rows={rows} lanes={lanes}"),
            Self::Registers(registers) => registers.fmt(f),
        }
    }
}

impl FromStr for RowRecipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |why: &str| Error::Parse { what: "row recipe", text: text.to_owned(), why: why.to_owned() };
        let mut words = text.split_whitespace();
        let kind = words.next().ok_or_else(|| wrong("it is empty"))?;
        let radices = if kind == "registers" { words.next() } else { None };
        let fields: Vec<(&str, &str)> =
            words.map(|word| word.split_once('=')).collect::<Option<_>>().ok_or_else(|| wrong("every field is written name=value"))?;
        let field = |name: &str| {
            let found = fields.iter().find(|(own, _)| *own == name);
            found.map(|&(_, value)| value).ok_or_else(|| wrong(&format!("it lacks the field {name}")))
        };
        let number = |name: &str| field(name)?.parse::<u32>().map_err(|_| wrong(&format!("{name} is no number")));
        let expect = |names: &[&str]| match fields.iter().find(|(own, _)| !names.contains(own)) {
            Some((own, _)) => Err(wrong(&format!("it has no field {own}"))),
            None => Ok(()),
        };
        match kind {
            "radix2" => {
                expect(&["rows", "lanes"])?;
                Ok(Self::Radix2 { rows: number("rows")?, lanes: number("lanes")? })
            }
            "registers" => {
                expect(&["elements", "rows", "exchange", "banks", "roots"])?;
                let radices = radices.unwrap_or_default().split('.').map(str::parse).collect::<std::result::Result<_, _>>();
                Ok(Self::Registers(Registers {
                    radices: radices.map_err(|_| wrong("radices are numbers with dots between them"))?,
                    elements: number("elements")?,
                    rows: number("rows")?,
                    exchange: field("exchange")?.parse().map_err(|()| wrong("exchange is whole or split"))?,
                    banks: number("banks")?,
                    roots: field("roots")?.parse().map_err(|()| wrong("roots is table or products"))?,
                }))
            }
            _ => Err(wrong("it begins with radix2 or registers")),
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows(rows) => write!(f, "rows: {rows}"),
            Self::RowsTransposed { rows, columns, transpose } => write!(f, "rows: {rows}; columns: {columns}; transpose: {transpose}"),
        }
    }
}

impl FromStr for Recipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            let why = "it is `rows: ...` or `rows: ...; columns: ...; transpose: ...`".to_owned();
            Error::Parse { what: "FFT recipe", text: text.to_owned(), why }
        };
        let parts: Vec<&str> = text.split(';').map(str::trim).collect();
        let part =
            |i: usize, name: &str| parts[i].strip_prefix(name).and_then(|rest| rest.strip_prefix(':')).map(str::trim).ok_or_else(wrong);
        match parts.len() {
            1 => Ok(Self::Rows(part(0, "rows")?.parse()?)),
            3 => Ok(Self::RowsTransposed {
                rows: part(0, "rows")?.parse()?,
                columns: part(1, "columns")?.parse()?,
                transpose: part(2, "transpose")?.parse()?,
            }),
            _ => Err(wrong()),
        }
    }
}

pub(super) fn design(spec: &C2c, profile: &DeviceProfile) -> Result<Recipe> {
    let geometry = spec.geometry()?;
    let rows = |n: u32| design_rows(n, geometry.elements / n, profile);
    match geometry.matrix {
        None => Ok(Recipe::Rows(rows(geometry.n)?)),
        Some([r, c]) => Ok(Recipe::RowsTransposed {
            rows: rows(c)?,
            columns: rows(r)?,
            transpose: transpose::Recipe::for_matrices(r, c, Width::Pair, profile),
        }),
    }
}

/// Elements that an invocation holds at most: 32 complex numbers are 64 registers, and a GPU's invocation has 128 to 256.
const MAX_ELEMENTS: u32 = 32;
const MAX_RADIX: u32 = 16;

fn design_rows(n: u32, count: u32, profile: &DeviceProfile) -> Result<RowRecipe> {
    check_length(n, profile)?;
    if n == 1 {
        return Ok(RowRecipe::Radix2 { rows: profile.invocations.min(64), lanes: 1 });
    }
    let elements = design_elements(n, profile);
    let lanes = n / elements;
    // Split halves the workgroup memory, and so doubles the workgroups that a GPU's core holds. H200, ms of 2^25 points, whole / split:
    // n = 64 0.133 / 0.130, 256 0.139 / 0.130, 1024 0.160 / 0.133, 2048 0.202 / 0.139, 4096 0.212 / 0.151. On a processor a barrier costs more
    // than memory: lavapipe, 1024 rows of 1024, 9.3 / 11.0 ms.
    let exchange = if profile.is_cpu() && n * 8 <= profile.workgroup_bytes { Exchange::Whole } else { Exchange::Split };
    // Invocations of a workgroup: two subgroups of 32 on a GPU, where more made no difference or lost 1 to 3% (n = 512: 1 row 0.1303, 2 rows
    // 0.1336 ms). On lavapipe more rows spread its cost of a workgroup: 1024 rows of 1024, 1, 2, 4 rows 9.3, 8.9, 8.1 ms.
    let invocations = if profile.is_cpu() { 256 } else { 64 };
    let by_memory = (profile.workgroup_bytes / (n * 4 * exchange.words())).max(1);
    let by_invocations = (invocations.min(profile.invocations) / lanes).max(1);
    let rows = (1 << by_memory.min(by_invocations).ilog2()).min(count.next_power_of_two());
    // H200 without spare elements: n = 1024 0.217 in place of 0.134 ms, 4096 0.224 in place of 0.151. A processor's memory has no banks.
    let banks = if profile.is_cpu() || n * 4 >= profile.workgroup_bytes { 0 } else { 32 };
    let radices = balanced_radices(n, elements.min(MAX_RADIX));
    Ok(RowRecipe::Registers(Registers { radices, elements, rows, exchange, banks, roots: Roots::Products }))
}

/// Refuses rows that no recipe can hold in one workgroup.
fn check_length(n: u32, profile: &DeviceProfile) -> Result<()> {
    let longest = (profile.workgroup_bytes / 4).min(profile.invocations.saturating_mul(MAX_ELEMENTS));
    // A row of one stage passes through no workgroup memory.
    let longest = 1 << longest.max(MAX_RADIX).ilog2();
    if n <= longest {
        return Ok(());
    }
    let memory = ("bytes of workgroup memory", "max_compute_workgroup_storage_size", u64::from(n) * 4, profile.workgroup_bytes);
    let invocations = ("invocations", "max_compute_invocations_per_workgroup", u64::from(n / MAX_ELEMENTS), profile.invocations);
    let (what, limit, required, available) = if memory.2 > memory.3.into() { memory } else { invocations };
    let what = format!("an FFT of rows of {n}, where {longest} is the longest, ({what})");
    Err(Error::LimitExceeded { what, limit, required, available: available.into() })
}

/// Elements of an invocation, and so the largest radix.
///
/// GPU: 8, which leaves most invocations to hide latency; 16 from n = 2048 on, where it saves a stage (H200, n = 2048: 0.1336 in place of
/// 0.1393 ms; 4096: 0.151 in place of 0.168). Of a short row about √n, as neighbouring invocations should load neighbouring elements (n = 16: 4 elements
/// 0.135, 8 0.241, 16 0.539 ms; n = 8: 2 elements 0.164, 4 0.153, 8 0.376 ms). Processor: 16, for few barriers. Everywhere more if the row would
/// take too many invocations.
fn design_elements(n: u32, profile: &DeviceProfile) -> u32 {
    let most_lanes = profile.invocations.min(profile.workgroup_size[0]).clamp(1, 512);
    let wanted = if profile.is_cpu() || n >= 2048 { 16 } else { 1 << n.ilog2().div_ceil(2).min(3) };
    wanted.max((n / most_lanes).next_power_of_two()).min(MAX_ELEMENTS).min(n)
}

/// n = 2ᵏ as a product of as few radices up to `most` as possible, all of about the same size, the larger ones first.
///
/// Lavapipe, 1024 rows of 1024: 16.8.8 7.3, 16.16.4 9.3 ms. H200, 8192²: 16.8.8.8 1.381, 16.16.16.2 1.407 ms.
fn balanced_radices(n: u32, most: u32) -> Vec<u32> {
    let bits = n.ilog2();
    let stages = bits.div_ceil(most.ilog2());
    (0..stages).map(|stage| 1 << (bits / stages + u32::from(stage < bits % stages))).collect()
}

/// Says why a row recipe cannot transform rows of `n` on such a device, if it cannot.
pub(super) fn unfit(recipe: &RowRecipe, n: u32, profile: &DeviceProfile) -> Option<String> {
    match recipe {
        RowRecipe::Radix2 { rows, lanes } => {
            if *rows == 0 || *lanes == 0 {
                return Some("rows and lanes must be at least 1".to_owned());
            }
            if u64::from(*rows) * u64::from(*lanes) > profile.invocations.into() {
                return Some(format!("{rows} rows x {lanes} lanes exceed {} invocations", profile.invocations));
            }
            let required = radix2::workgroup_bytes(n, *rows);
            (required > profile.workgroup_bytes.into())
                .then(|| format!("it needs {required} bytes of workgroup memory of {}", profile.workgroup_bytes))
        }
        RowRecipe::Registers(registers) => {
            let Registers { radices, elements, rows, exchange, banks, .. } = registers;
            if radices.iter().any(|radix| ![2, 4, 8, 16].contains(radix)) {
                return Some("radices are 2, 4, 8 and 16".to_owned());
            }
            if registers.n() != n {
                return Some(format!("its radices multiply to {}, not to {n}", registers.n()));
            }
            if *elements == 0
                || *elements > MAX_ELEMENTS
                || !n.is_multiple_of(*elements)
                || radices.iter().any(|radix| elements % radix != 0)
            {
                return Some(format!("elements must be a multiple of every radix, divide {n} and be at most {MAX_ELEMENTS}"));
            }
            if ![0, 16, 32, 64].contains(banks) {
                return Some("banks are 0, 16, 32 or 64".to_owned());
            }
            if *rows == 0 || u64::from(*rows) * u64::from(registers.lanes()) > profile.invocations.into() {
                return Some(format!("{rows} rows of {} invocations are not between 1 and {}", registers.lanes(), profile.invocations));
            }
            let required = u64::from(n) * u64::from(*rows) * 4 * u64::from(exchange.words());
            let exchanges = radices.len() > 1;
            (exchanges && required > profile.workgroup_bytes.into())
                .then(|| format!("it needs {required} bytes of workgroup memory of {}", profile.workgroup_bytes))
        }
    }
}
