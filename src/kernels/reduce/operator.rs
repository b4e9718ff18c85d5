//! What a reduction does with each element, with two values and with the result, as WGSL for the
//! generated part of `shaders/reduce/*.wgsl`.
//!
//! The text is made for each operator, since WGSL has no types as parameters. Where the host is a
//! member of a set of devices, `src/multi/ordered/arithmetic.rs` computes the same.

use std::sync::Arc;

/// What an array in memory holds, for a kernel that reduces it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// f32.
    F32,
    /// i32.
    I32,
    /// u32.
    U32,
    /// f16, two in a word; values are f32.
    F16,
    /// Two f32, real and imaginary part.
    Complex,
    /// f64.
    F64,
    /// Two words: a rank and an index, or a rank of 64 bits, or the bits of an f64.
    Pair,
    /// Four words: a rank of 64 bits, an index, nothing.
    Quad,
}

impl Kind {
    /// The type of one value in WGSL.
    #[must_use]
    pub fn wgsl(self) -> &'static str {
        match self {
            Self::F32 | Self::F16 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::Complex => "vec2<f32>",
            Self::F64 => "f64",
            Self::Pair => "vec2<u32>",
            Self::Quad => "vec4<u32>",
        }
    }

    /// Bytes of one in memory.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::Complex | Self::F64 | Self::Pair => 8,
            Self::Quad => 16,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Complex | Self::F64)
    }
}

/// What is done with each element when it is loaded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Map {
    /// x.
    Identity,
    /// x².
    Square,
    /// |x|.
    Abs,
    /// x times the f32 of these bits.
    Scale(u32),
    /// 1 if x is not zero, else 0.
    NonZero,
    /// |x|², a real number.
    Norm,
    /// x·y.
    Product,
    /// x̅·y.
    ConjugateProduct,
    /// |x - y|.
    Distance,
    /// An expression of the caller's.
    Custom(Arc<str>),
}

/// What is done with two values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// a + b; modulo 2³² for integers.
    Sum,
    /// a · b; modulo 2³² for integers.
    Product,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// The index of the first smallest one.
    ArgMin,
    /// The index of the first largest one.
    ArgMax,
    /// An expression of the caller's, and the bits of its identity.
    Custom {
        /// In `a` and `b`.
        expression: Arc<str>,
        /// Does nothing to what it is combined with.
        identity: [u32; 2],
    },
}

/// What is done with the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finish {
    /// Nothing.
    Identity,
    /// Divided by so many.
    Mean(u32),
    /// The square root.
    Root,
}

/// A reduction's arithmetic.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operator {
    /// What the array holds.
    pub input: Kind,
    /// What is done with each element.
    pub map: Map,
    /// What is done with two values.
    pub fold: Fold,
    /// What is done with the result.
    pub finish: Finish,
    /// Products are rounded before they are added, on every device: some would fuse the two.
    pub rounded: bool,
}

/// The bits of the NaN that stands for all.
const NAN: u32 = 0x7fc0_0000;

impl Operator {
    /// The number that the map makes of an element.
    #[must_use]
    pub fn mapped(&self) -> Kind {
        match (&self.map, self.input) {
            (Map::NonZero, _) => Kind::U32,
            (Map::Norm | Map::Distance, Kind::Complex) | (_, Kind::F16) => Kind::F32,
            (Map::Distance, Kind::I32) => Kind::U32,
            (_, input) => input,
        }
    }

    /// Whether values are numbers of a fixed order, compared as integers.
    fn is_ranked(&self) -> bool {
        match self.fold {
            Fold::ArgMin | Fold::ArgMax => true,
            // The difference of two f64 has no bits that every adapter can get at.
            Fold::Min | Fold::Max => !(self.map == Map::Distance && self.input == Kind::F64),
            _ => false,
        }
    }

    /// Whether the result is an index.
    #[must_use]
    pub fn is_arg(&self) -> bool {
        matches!(self.fold, Fold::ArgMin | Fold::ArgMax)
    }

    /// Whether the result does not depend on the order of the elements' combination.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match self.fold {
            Fold::Sum | Fold::Product => !self.mapped().is_float(),
            Fold::Custom { .. } => false,
            _ => true,
        }
    }

    /// Whether there are two inputs.
    #[must_use]
    pub fn takes_two(&self) -> bool {
        matches!(self.map, Map::Product | Map::ConjugateProduct | Map::Distance)
    }

    /// What the kernel loads an element as: an f64 as bits, where nothing is computed with it.
    #[must_use]
    pub fn loaded(&self) -> Kind {
        let as_bits = self.map == Map::NonZero || self.map == Map::Identity && self.is_ranked();
        if self.input == Kind::F64 && as_bits { Kind::Pair } else { self.input }
    }

    /// Whether arithmetic is in f64.
    #[must_use]
    pub fn needs_f64(&self) -> bool {
        self.loaded() == Kind::F64 || self.value() == Kind::F64
    }

    /// What is combined, and stored as partial result.
    #[must_use]
    pub fn value(&self) -> Kind {
        match (self.is_ranked(), self.is_arg(), self.mapped()) {
            (false, _, mapped) => mapped,
            (true, false, Kind::F64) => Kind::Pair,
            (true, false, _) => Kind::U32,
            (true, true, Kind::F64) => Kind::Quad,
            (true, true, _) => Kind::Pair,
        }
    }

    /// What the result is stored as: a number that was ranked as its bits.
    #[must_use]
    pub fn result(&self) -> Kind {
        match (self.is_ranked(), self.mapped()) {
            (true, _) if self.is_arg() => Kind::U32,
            (true, Kind::F64) => Kind::Pair,
            (true, _) => Kind::U32,
            (false, mapped) => mapped,
        }
    }

    /// The functions of the operator: `map_element`, `combine`, `nothing`, `finish`.
    ///
    /// `partial` says that partial results are read, which are values already; `last`, that results are stored, else partial ones.
    #[must_use]
    pub fn wgsl(&self, partial: bool, last: bool) -> String {
        let value = self.value().wgsl();
        let result = if last { self.result() } else { self.value() }.wgsl();
        let mut text = format!("alias Value = {value};\nalias Result = {result};\n\n");
        if self.is_ranked() && (!partial || last) {
            text.push_str(&self.rank_wgsl(!partial, last && !self.is_arg()));
        }
        if !partial {
            text.push_str(&self.map_wgsl());
        }
        text.push_str(&format!("fn combine(a: Value, b: Value) -> Value {{\n    {}\n}}\n\n", self.combine_wgsl()));
        text.push_str(&format!(
            "/// Does nothing to what it is combined with.\nfn nothing() -> Value {{\n    return {};\n}}\n\n",
            self.nothing_wgsl()
        ));
        text.push_str(&format!(
            "fn finish(v: Value) -> Result {{\n    return {};\n}}\n\n",
            if last { self.finish_wgsl() } else { "v".to_owned() }
        ));
        text
    }

    /// The functions `rank` and `unrank` between numbers and integers of which the largest is the one that is looked for. Of all NaNs it is the largest of all.
    fn rank_wgsl(&self, rank: bool, unrank: bool) -> String {
        let flip = if matches!(self.fold, Fold::Min | Fold::ArgMin) { "~" } else { "" };
        let mut text = String::new();
        match self.mapped() {
            Kind::F64 => {
                if rank {
                    text.push_str(&format!(
                        "/// High and low word, larger for what is preferred.\n\
                         fn rank(x: vec2<u32>) -> vec2<u32> {{\n    \
                             let high = x.y & 0x7fffffffu;\n    \
                             let nan = high > 0x7ff00000u || (high == 0x7ff00000u && x.x != 0u);\n    \
                             let ordered = select(vec2<u32>(x.y | 0x80000000u, x.x), ~x.yx, (x.y & 0x80000000u) != 0u);\n    \
                             return select({flip}ordered, vec2<u32>(0xffffffffu), nan);\n}}\n\n"
                    ));
                }
                if unrank {
                    text.push_str(&format!(
                        "fn unrank(r: vec2<u32>) -> vec2<u32> {{\n    \
                             let ordered = {flip}r;\n    \
                             let bits = select(~ordered, ordered & vec2<u32>(0x7fffffffu, 0xffffffffu), (ordered.x & 0x80000000u) != 0u);\n    \
                             return select(bits.yx, vec2<u32>(0u, 0x7ff80000u), all(r == vec2<u32>(0xffffffffu)));\n}}\n\n"
                    ));
                }
            }
            Kind::F32 => {
                if rank {
                    text.push_str(&format!(
                        "/// Larger for what is preferred.\n\
                         fn rank(x: f32) -> u32 {{\n    \
                             let bits = bitcast<u32>(x);\n    \
                             let ordered = bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);\n    \
                             return select({flip}ordered, 0xffffffffu, (bits & 0x7fffffffu) > 0x7f800000u);\n}}\n\n"
                    ));
                }
                if unrank {
                    text.push_str(&format!(
                        "fn unrank(r: u32) -> u32 {{\n    \
                             let ordered = {flip}r;\n    \
                             let bits = select(~ordered, ordered & 0x7fffffffu, (ordered & 0x80000000u) != 0u);\n    \
                             return select(bits, {NAN:#x}u, r == 0xffffffffu);\n}}\n\n"
                    ));
                }
            }
            mapped => {
                let (ty, bits) = if mapped == Kind::I32 { ("i32", "bitcast<u32>(x) ^ 0x80000000u") } else { ("u32", "x") };
                let back = if mapped == Kind::I32 { format!("({flip}r) ^ 0x80000000u") } else { format!("{flip}r") };
                if rank {
                    text.push_str(&format!(
                        "/// Larger for what is preferred.\nfn rank(x: {ty}) -> u32 {{\n    return {flip}({bits});\n}}\n\n"
                    ));
                }
                if unrank {
                    text.push_str(&format!("fn unrank(r: u32) -> u32 {{\n    return {back};\n}}\n\n"));
                }
            }
        }
        text
    }

    /// A product that is added. Where it must be rounded before, its bits pass through an addition of zero that no compiler knows to be one.
    fn product_wgsl(&self, product: &str) -> String {
        match (self.rounded, self.mapped()) {
            (true, Kind::F32 | Kind::Complex) => format!("bitcast<f32>(bitcast<u32>({product}) + params.zero)"),
            _ => format!("({product})"),
        }
    }

    fn map_wgsl(&self) -> String {
        let (element, complex) = (self.loaded().wgsl(), self.input == Kind::Complex);
        let second = if self.takes_two() { format!(", y: {element}") } else { String::new() };
        let round = |product: &str| self.product_wgsl(product);
        let mut body = String::new();
        let mapped = match &self.map {
            Map::Identity => "x".to_owned(),
            Map::Square if complex => {
                format!("vec2<f32>({} - {}, 2.0 * {})", round("x.x * x.x"), round("x.y * x.y"), round("x.x * x.y"))
            }
            Map::Square => round("x * x"),
            Map::Abs => "abs(x)".to_owned(),
            Map::Scale(bits) if self.input == Kind::F64 => format!("x * f64(bitcast<f32>({bits:#x}u))"),
            Map::Scale(bits) if complex => {
                format!(
                    "vec2<f32>({}, {})",
                    round(&format!("x.x * bitcast<f32>({bits:#x}u)")),
                    round(&format!("x.y * bitcast<f32>({bits:#x}u)"))
                )
            }
            Map::Scale(bits) => round(&format!("x * bitcast<f32>({bits:#x}u)")),
            Map::NonZero => match self.loaded() {
                Kind::F32 | Kind::F16 => "u32((bitcast<u32>(x) & 0x7fffffffu) != 0u)".to_owned(),
                Kind::Complex => "u32(any((bitcast<vec2<u32>>(x) & vec2<u32>(0x7fffffffu)) != vec2<u32>(0u)))".to_owned(),
                Kind::Pair => "u32(((x.y & 0x7fffffffu) | x.x) != 0u)".to_owned(),
                _ => "u32(x != 0)".to_owned(),
            },
            Map::Norm if complex => format!("{} + {}", round("x.x * x.x"), round("x.y * x.y")),
            Map::Norm => round("x * x"),
            Map::Product | Map::ConjugateProduct if complex => {
                let (minus, plus) = if self.map == Map::Product { ("-", "+") } else { ("+", "-") };
                let [a, b, c, d] = ["x.x * y.x", "x.y * y.y", "x.x * y.y", "x.y * y.x"].map(round);
                format!("vec2<f32>({a} {minus} {b}, {c} {plus} {d})")
            }
            Map::Product | Map::ConjugateProduct => round("x * y"),
            Map::Distance => match self.input {
                Kind::F32 | Kind::F16 => {
                    body = "    let bits = max(bitcast<u32>(x) & 0x7fffffffu, bitcast<u32>(y) & 0x7fffffffu);\n    \
                            let difference = select(abs(x - y), 0.0, x == y);\n"
                        .to_owned();
                    // Adapters may take NaNs for numbers, but not their bits.
                    "bitcast<f32>(select(bitcast<u32>(difference), bits, bits > 0x7f800000u))".to_owned()
                }
                Kind::Complex => {
                    // By the larger part, so that no square overflows or vanishes. Equal parts, infinite ones too, are 0 apart.
                    body = "    let bits = bitcast<vec4<u32>>(vec4<f32>(x, y)) & vec4<u32>(0x7fffffffu);\n    \
                            let worst = max(max(bits.x, bits.y), max(bits.z, bits.w));\n    \
                            let d = abs(select(x - y, vec2<f32>(), x == y));\n    \
                            let large = max(d.x, d.y);\n    \
                            let small = min(d.x, d.y);\n    \
                            let r = small / large;\n    \
                            let is_large = small == 0.0 || bitcast<u32>(large) >= 0x7f800000u;\n    \
                            let distance = select(large * sqrt(1.0 + r * r), large, is_large);\n"
                        .to_owned();
                    "bitcast<f32>(select(bitcast<u32>(distance), worst, worst > 0x7f800000u))".to_owned()
                }
                Kind::I32 => "bitcast<u32>(max(x, y) - min(x, y))".to_owned(),
                Kind::F64 => "select(abs(x - y), f64(), x == y)".to_owned(),
                _ => "max(x, y) - min(x, y)".to_owned(),
            },
            Map::Custom(expression) => {
                body = format!("    let mapped: {} = (\n{expression}\n    );\n", self.mapped().wgsl());
                "mapped".to_owned()
            }
        };
        let value = match self.value() {
            Kind::Pair if self.is_arg() => format!("vec2<u32>(rank({mapped}), j)"),
            Kind::Quad => format!("vec4<u32>(rank({mapped}), j, 0u)"),
            _ if self.is_ranked() => format!("rank({mapped})"),
            _ => mapped,
        };
        format!(
            "/// The value of element j of what is reduced.\nfn map_element(x: {element}{second}, j: u32) -> Value {{\n{body}    return {value};\n}}\n\n"
        )
    }

    fn combine_wgsl(&self) -> String {
        match (&self.fold, self.value()) {
            (Fold::Sum, _) => "return a + b;".to_owned(),
            (Fold::Product, Kind::Complex) => {
                let [re, im, across, back] = ["a.x * b.x", "a.y * b.y", "a.x * b.y", "a.y * b.x"].map(|product| self.product_wgsl(product));
                format!("return vec2<f32>({re} - {im}, {across} + {back});")
            }
            (Fold::Product, _) => "return a * b;".to_owned(),
            // Without `&&` and `||`, which are branches: lanes at the end of a subgroup combine what nobody gave them, and nobody takes what becomes of it.
            // A NaN stays: nothing equals it.
            (Fold::Min, Kind::F64) => "return select(a, b, !(b >= a) & (a == a));".to_owned(),
            (Fold::Max, Kind::F64) => "return select(a, b, !(b <= a) & (a == a));".to_owned(),
            (Fold::Min | Fold::Max, Kind::Pair) => "return select(a, b, (b.x > a.x) | ((b.x == a.x) & (b.y > a.y)));".to_owned(),
            (Fold::Min | Fold::Max, _) => "return max(a, b);".to_owned(),
            (_, Kind::Quad) => "let equal = (b.x == a.x) & (b.y == a.y);\n    \
                return select(a, b, (b.x > a.x) | ((b.x == a.x) & (b.y > a.y)) | (equal & (b.z < a.z)));"
                .to_owned(),
            (Fold::ArgMin | Fold::ArgMax, _) => "return select(a, b, (b.x > a.x) | ((b.x == a.x) & (b.y < a.y)));".to_owned(),
            (Fold::Custom { expression, .. }, _) => format!("return (\n{expression}\n    );"),
        }
    }

    fn nothing_wgsl(&self) -> String {
        match (&self.fold, self.value()) {
            (Fold::Sum, kind) => format!("{}()", kind.wgsl()),
            (Fold::Product, Kind::Complex) => "vec2<f32>(1.0, 0.0)".to_owned(),
            (Fold::Product, kind) => format!("{}(1)", kind.wgsl()),
            (Fold::Min | Fold::Max, kind) => format!("{}()", kind.wgsl()),
            (_, Kind::Quad) => "vec4<u32>(0u, 0u, 0xffffffffu, 0u)".to_owned(),
            (Fold::ArgMin | Fold::ArgMax, _) => "vec2<u32>(0u, 0xffffffffu)".to_owned(),
            (Fold::Custom { identity: [a, b], .. }, Kind::Complex) => format!("bitcast<vec2<f32>>(vec2<u32>({a:#x}u, {b:#x}u))"),
            (Fold::Custom { identity: [a, _], .. }, kind) => format!("bitcast<{}>({a:#x}u)", kind.wgsl()),
        }
    }

    fn finish_wgsl(&self) -> String {
        let v = match self.value() {
            Kind::Quad => "v.z".to_owned(),
            Kind::Pair if self.is_arg() => "v.y".to_owned(),
            _ if self.is_ranked() => "unrank(v)".to_owned(),
            _ => "v".to_owned(),
        };
        match self.finish {
            Finish::Identity => v,
            Finish::Mean(count) if self.value() == Kind::F64 => format!("{v} / f64({count}u)"),
            Finish::Mean(count) => format!("{v} / f32({count}u)"),
            Finish::Root => format!("sqrt({v})"),
        }
    }
}
