//! The cases, as data: tables of specifications, and what the text of a specification says about
//! its arrays.

use crate::support::Result;

/// Cases that are measured together.
#[derive(Debug)]
pub struct Table {
    /// The name on the command line.
    pub name: &'static str,
    /// The texts of specifications.
    pub specs: &'static [&'static [&'static str]],
}

/// Two and three axes, with the sizes for which cuFFT and VkFFT were measured on an H200.
const PLANES: &[&str] = &[
    "c2c fwd 256x256",
    "c2c fwd 512x512",
    "c2c fwd 1024x1024",
    "c2c fwd 2048x2048",
    "c2c fwd 4096x4096",
    "c2c fwd 8192x8192",
    "c2c fwd 16384x16384",
    "c2c fwd 1080x1920",
    "c2c fwd 1000x1000",
    "c2c fwd 128x128x128",
    "c2c fwd 256x256x256",
    "c2c fwd 512x512x512",
];

/// Real input, likewise.
const REAL: &[&str] = &["r2c fwd 1024x1024", "r2c fwd 4096x4096", "r2c fwd 8192x8192"];

/// Rows, likewise: 2²⁶ points for powers of two, 2²⁵ otherwise.
const ROWS: &[&str] = &[
    "c2c fwd 64 x1048576",
    "c2c fwd 256 x262144",
    "c2c fwd 1024 x65536",
    "c2c fwd 2048 x32768",
    "c2c fwd 4096 x16384",
    "c2c fwd 8192 x8192",
    "c2c fwd 16384 x4096",
    "c2c fwd 32768 x2048",
    "c2c fwd 65536 x1024",
    "c2c fwd 262144 x256",
    "c2c fwd 1048576 x64",
    "c2c fwd 4194304 x16",
    "c2c fwd 16777216 x4",
    "c2c fwd 768 x43690",
    "c2c fwd 1000 x33554",
    "c2c fwd 1080 x31068",
    "c2c fwd 1920 x17476",
    "c2c fwd 2187 x15342",
    "c2c fwd 1009 x33255",
    "c2c fwd 4099 x8186",
];

/// The cases for comparing a software adapter with rustfft.
const LAVAPIPE: &[&str] =
    &["c2c fwd 1024 x1024", "c2c fwd 256x256", "c2c fwd 512x512", "c2c fwd 1024x1024", "c2c fwd 2048x2048", "c2c fwd 1080x1920"];

/// Every length of one pass, with 2²⁰ points.
const LENGTHS: &[&str] = &[
    "c2c fwd 2 x524288",
    "c2c fwd 4 x262144",
    "c2c fwd 8 x131072",
    "c2c fwd 16 x65536",
    "c2c fwd 32 x32768",
    "c2c fwd 64 x16384",
    "c2c fwd 128 x8192",
    "c2c fwd 256 x4096",
    "c2c fwd 512 x2048",
    "c2c fwd 1024 x1024",
    "c2c fwd 2048 x512",
    "c2c fwd 4096 x256",
    "c2c fwd 8192 x128",
];

/// Small cases of every shape, to check that the benchmark runs.
const SMOKE: &[&str] = &[
    "c2c fwd 64 x128",
    "c2c fwd 64x64",
    "c2c fwd 32x128",
    "c2c inv 1024 x8 1/n in-place",
    "c2c fwd 32x64 x2 transposed",
    "c2c fwd 30x1009",
    "r2c fwd 60x63",
    "r2c fwd 60x63 in-place",
    "c2r inv 60x64",
    "c2r inv 60x63 in-place",
    "c2c fwd 65536",
];

/// Every table.
pub const TABLES: &[Table] = &[
    Table { name: "anchors", specs: &[PLANES, REAL, ROWS] },
    Table { name: "2d", specs: &[PLANES, REAL] },
    Table { name: "1d", specs: &[ROWS] },
    Table { name: "lavapipe", specs: &[LAVAPIPE] },
    Table { name: "lengths", specs: &[LENGTHS] },
    Table { name: "smoke", specs: &[SMOKE] },
];

/// The specifications of a table.
pub fn table(name: &str) -> std::result::Result<Vec<String>, String> {
    let Some(table) = TABLES.iter().find(|table| table.name == name) else {
        let names: Vec<_> = TABLES.iter().map(|table| table.name).collect();
        return Err(format!("there is no table `{name}`; the tables are {}", names.join(", ")));
    };
    Ok(table.specs.concat().iter().map(|&spec| spec.to_owned()).collect())
}

/// The kind of transform by its input and output numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    C2c,
    R2c,
    C2r,
}

/// What the text of a specification says about its arrays. This is everything that the peers and
/// the check need.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    pub kind: Kind,
    pub inverse: bool,
    /// Extents of the transform, slowest axis first.
    pub extents: Vec<usize>,
    pub batch: usize,
    /// The factor on every output.
    pub scale: f64,
    pub in_place: bool,
    pub transposed: bool,
    /// Whether the specification has axes or strides that only this crate understands.
    pub special: bool,
}

impl Layout {
    /// Parses a text such as `c2c fwd 512x512 x4 1/n in-place transposed`.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |what: &str| format!("`{text}`: {what}");
        let mut words = text.split_whitespace();
        let kind = match words.next() {
            Some("c2c") => Kind::C2c,
            Some("r2c") => Kind::R2c,
            Some("c2r") => Kind::C2r,
            _ => return Err(wrong("it begins with c2c, r2c or c2r").into()),
        };
        let inverse = words.next() == Some("inv");
        let extents: Vec<usize> = words
            .next()
            .unwrap_or_default()
            .split('x')
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| wrong("the shape"))?;
        let points = extents.iter().product::<usize>() as f64;
        let mut layout = Self { kind, inverse, extents, batch: 1, scale: 1.0, in_place: false, transposed: false, special: false };
        for word in words {
            match word {
                "1/n" => layout.scale = 1.0 / points,
                "1/sqrt(n)" => layout.scale = 1.0 / points.sqrt(),
                "in-place" => layout.in_place = true,
                "transposed" => layout.transposed = true,
                _ if word.contains('=') => layout.special = true,
                batch => layout.batch = batch.strip_prefix('x').and_then(|count| count.parse().ok()).ok_or_else(|| wrong("the batch"))?,
            }
        }
        Ok(layout)
    }

    /// The number of points of one transform.
    pub fn points(&self) -> usize {
        self.extents.iter().product()
    }

    /// The extents of one input.
    pub fn input_extents(&self) -> Vec<usize> {
        if self.kind == Kind::C2r { self.halved() } else { self.extents.clone() }
    }

    /// The extents of one output, before it is transposed.
    pub fn output_extents(&self) -> Vec<usize> {
        if self.kind == Kind::R2c { self.halved() } else { self.extents.clone() }
    }

    /// The extents of the array that contains the reals. In place, its rows are padded to the
    /// length of the complex rows.
    pub fn padded(&self, mut extents: Vec<usize>, words: usize) -> Vec<usize> {
        if self.in_place && self.kind != Kind::C2c && words == 1 {
            let last = extents.last_mut().expect("a shape has an axis");
            *last = 2 * (*last / 2 + 1);
        }
        extents
    }

    /// The extents of the half-spectrum, which determines the rest.
    fn halved(&self) -> Vec<usize> {
        let (last, others) = self.extents.split_last().expect("a shape has an axis");
        others.iter().copied().chain([last / 2 + 1]).collect()
    }

    /// The number of 32-bit words of an input element.
    pub fn input_words(&self) -> usize {
        if self.kind == Kind::R2c { 1 } else { 2 }
    }

    /// The number of 32-bit words of an output element.
    pub fn output_words(&self) -> usize {
        if self.kind == Kind::C2r { 1 } else { 2 }
    }

    /// The bytes of all inputs.
    pub fn input_bytes(&self) -> u64 {
        (4 * self.input_words() * self.batch * self.input_extents().iter().product::<usize>()) as u64
    }

    /// The bytes of all outputs.
    pub fn output_bytes(&self) -> u64 {
        (4 * self.output_words() * self.batch * self.output_extents().iter().product::<usize>()) as u64
    }

    /// The shape and the batch, printed.
    pub fn shape(&self) -> String {
        let extents: Vec<String> = self.extents.iter().map(usize::to_string).collect();
        if self.batch == 1 { extents.join("x") } else { format!("{} x{}", extents.join("x"), self.batch) }
    }
}
