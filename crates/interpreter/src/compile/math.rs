//! WGSL's mathematical functions.

use naga::{BinaryOperator as Op, Expression, Handle, MathFunction as Math};

use crate::error::Error;
use crate::ops::{Kind, Reg, float, integer, pack};

use super::shape::{Shape, unsupported};
use super::{Compiler, Value};

impl Compiler<'_> {
    pub(super) fn math(&mut self, fun: Math, arguments: [Option<Handle<Expression>>; 4]) -> Result<Value, Error> {
        let first = arguments[0].expect("every function has an argument");
        let (shape, kind) = (self.shape_of(first)?, self.kind_of(first)?);
        let mut values: Vec<Vec<Reg>> = Vec::new();
        for handle in arguments.into_iter().flatten() {
            let value = self.value(handle)?;
            values.push(value.scalars()?.to_vec());
        }
        let results = match fun {
            Math::Dot => vec![self.dot(kind, &values[0], &values[1])?],
            Math::Length => vec![self.length(kind, &values[0])?],
            Math::Distance => {
                let difference = self.each(Op::Subtract, kind, &values[0], &values[1])?;
                vec![self.length(kind, &difference)?]
            }
            Math::Normalize => {
                let length = self.length(kind, &values[0])?;
                self.each(Op::Divide, kind, &values[0], &[length])?
            }
            Math::Cross => self.cross(kind, &values[0], &values[1])?,
            Math::FaceForward => self.face_forward(kind, &values)?,
            Math::Reflect => self.reflect(kind, &values[0], &values[1])?,
            Math::Refract => self.refract(kind, &values)?,
            Math::Transpose => transpose(shape, &values[0])?,
            Math::Determinant => vec![self.determinant(kind, shape, &values[0])?],
            Math::Mix => self.mix(kind, &values)?,
            Math::SmoothStep => self.smooth_step(kind, &values)?,
            Math::Modf => self.modf(kind, &values[0])?,
            Math::Frexp => self.frexp(kind, &values[0])?,
            Math::Ldexp => {
                let mut results = Vec::new();
                for (i, &a) in values[0].iter().enumerate() {
                    let exponent = values[1][i.min(values[1].len() - 1)];
                    results.push(self.compute(float::ldexp(kind), kind, &[a, exponent], &fun)?);
                }
                results
            }
            Math::ExtractBits | Math::InsertBits => self.bits_function(fun, kind, &values)?,
            Math::Dot4I8Packed | Math::Dot4U8Packed => {
                let result = if fun == Math::Dot4I8Packed { Kind::I32 } else { Kind::U32 };
                vec![self.compute(pack::dot(fun), result, &[values[0][0], values[1][0]], &fun)?]
            }
            _ if pack::pack(fun).is_some() => vec![self.compute(pack::pack(fun), Kind::U32, &values[0].clone(), &fun)?],
            _ if pack::unpack(fun).is_some() => self.unpack(fun, values[0][0])?,
            _ => self.componentwise(fun, kind, &values)?,
        };
        Ok(Value::Scalars(results.into()))
    }

    fn componentwise(&mut self, fun: Math, kind: Kind, values: &[Vec<Reg>]) -> Result<Vec<Reg>, Error> {
        let kernel = if kind.is_float() { float::math(fun, kind) } else { integer::math(fun, kind) };
        let count = values.iter().map(Vec::len).max().unwrap_or(0);
        let mut results = Vec::new();
        for i in 0..count {
            let sources: Vec<Reg> = values.iter().map(|v| v[i.min(v.len() - 1)]).collect();
            // The smaller or larger of two integers is one of them, and keeps what is known about
            // its wrap-around.
            if matches!(fun, Math::Min | Math::Max) && matches!(kind, Kind::I32 | Kind::U32) {
                let op = if fun == Math::Min { Op::LessEqual } else { Op::GreaterEqual };
                let first = self.binary(op, kind, sources[0], sources[1])?;
                results.push(self.select_scalar(kind, first, sources[0], sources[1]));
            } else {
                results.push(self.compute(kernel, kind, &sources, &fun)?);
            }
        }
        Ok(results)
    }

    /// An operator of two vectors, or of a vector and a scalar.
    fn each(&mut self, op: Op, kind: Kind, a: &[Reg], b: &[Reg]) -> Result<Vec<Reg>, Error> {
        (0..a.len().max(b.len())).map(|i| self.binary(op, kind, a[i.min(a.len() - 1)], b[i.min(b.len() - 1)])).collect()
    }

    fn one(&mut self, fun: Math, kind: Kind, sources: &[Reg]) -> Result<Reg, Error> {
        self.compute(float::math(fun, kind), kind, sources, &fun)
    }

    /// A constant of a floating-point type.
    fn number(&mut self, kind: Kind, x: f64) -> Reg {
        match kind {
            Kind::F64 => self.constant(x.to_bits(), 2),
            Kind::F16 => self.word(half::f16::from_f64(x).to_bits() as u32),
            _ => self.word((x as f32).to_bits()),
        }
    }

    fn dot(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Result<Reg, Error> {
        let products = self.each(Op::Multiply, kind, a, b)?;
        let mut sum = products[0];
        for &product in &products[1..] {
            sum = self.binary(Op::Add, kind, sum, product)?;
        }
        Ok(sum)
    }

    fn length(&mut self, kind: Kind, a: &[Reg]) -> Result<Reg, Error> {
        if a.len() == 1 {
            return self.one(Math::Abs, kind, a);
        }
        let square = self.dot(kind, a, a)?;
        self.one(Math::Sqrt, kind, &[square])
    }

    fn cross(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Result<Vec<Reg>, Error> {
        let mut results = Vec::new();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let left = self.binary(Op::Multiply, kind, a[j], b[k])?;
            let right = self.binary(Op::Multiply, kind, a[k], b[j])?;
            results.push(self.binary(Op::Subtract, kind, left, right)?);
        }
        Ok(results)
    }

    fn face_forward(&mut self, kind: Kind, values: &[Vec<Reg>]) -> Result<Vec<Reg>, Error> {
        let dot = self.dot(kind, &values[1], &values[2])?;
        let zero = self.number(kind, 0.0);
        let negative = self.binary(Op::Less, kind, dot, zero)?;
        let mut results = Vec::new();
        for &a in &values[0] {
            let minus = self.compute(float::negate(kind), kind, &[a], &Math::FaceForward)?;
            results.push(self.select_scalar(kind, negative, a, minus));
        }
        Ok(results)
    }

    /// `a - 2 dot(b, a) b`.
    fn reflect(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Result<Vec<Reg>, Error> {
        let dot = self.dot(kind, b, a)?;
        let two = self.number(kind, 2.0);
        let twice = self.binary(Op::Multiply, kind, two, dot)?;
        let along = self.each(Op::Multiply, kind, &[twice], b)?;
        self.each(Op::Subtract, kind, a, &along)
    }

    /// With c = dot(b, a) and k = 1 - e² (1 - c²): zeros if k < 0, else e a - (e c + sqrt(k)) b.
    fn refract(&mut self, kind: Kind, values: &[Vec<Reg>]) -> Result<Vec<Reg>, Error> {
        let (a, b, e) = (&values[0], &values[1], values[2][0]);
        let (one, zero) = (self.number(kind, 1.0), self.number(kind, 0.0));
        let c = self.dot(kind, b, a)?;
        let cc = self.binary(Op::Multiply, kind, c, c)?;
        let rest = self.binary(Op::Subtract, kind, one, cc)?;
        let ee = self.binary(Op::Multiply, kind, e, e)?;
        let scaled = self.binary(Op::Multiply, kind, ee, rest)?;
        let k = self.binary(Op::Subtract, kind, one, scaled)?;
        let none = self.binary(Op::Less, kind, k, zero)?;
        let root = self.one(Math::Sqrt, kind, &[k])?;
        let ec = self.binary(Op::Multiply, kind, e, c)?;
        let factor = self.binary(Op::Add, kind, ec, root)?;
        let left = self.each(Op::Multiply, kind, &[e], a)?;
        let right = self.each(Op::Multiply, kind, &[factor], b)?;
        let bent = self.each(Op::Subtract, kind, &left, &right)?;
        Ok(bent.into_iter().map(|x| self.select_scalar(kind, none, zero, x)).collect())
    }

    /// `a (1 - t) + b t`.
    fn mix(&mut self, kind: Kind, values: &[Vec<Reg>]) -> Result<Vec<Reg>, Error> {
        let one = self.number(kind, 1.0);
        let rest = self.each(Op::Subtract, kind, &[one], &values[2])?;
        let left = self.each(Op::Multiply, kind, &values[0], &rest)?;
        let right = self.each(Op::Multiply, kind, &values[1], &values[2])?;
        self.each(Op::Add, kind, &left, &right)
    }

    /// `t² (3 - 2 t)` with t = (x - low) / (high - low), clamped to 0 .. 1.
    fn smooth_step(&mut self, kind: Kind, values: &[Vec<Reg>]) -> Result<Vec<Reg>, Error> {
        let (two, three) = (self.number(kind, 2.0), self.number(kind, 3.0));
        let above = self.each(Op::Subtract, kind, &values[2], &values[0])?;
        let range = self.each(Op::Subtract, kind, &values[1], &values[0])?;
        let quotient = self.each(Op::Divide, kind, &above, &range)?;
        let mut results = Vec::new();
        for q in quotient {
            let t = self.one(Math::Saturate, kind, &[q])?;
            let tt = self.binary(Op::Multiply, kind, t, t)?;
            let twice = self.binary(Op::Multiply, kind, two, t)?;
            let rest = self.binary(Op::Subtract, kind, three, twice)?;
            results.push(self.binary(Op::Multiply, kind, tt, rest)?);
        }
        Ok(results)
    }

    /// Fractions first, then whole numbers.
    fn modf(&mut self, kind: Kind, a: &[Reg]) -> Result<Vec<Reg>, Error> {
        let mut whole = Vec::new();
        for &x in a {
            whole.push(self.one(Math::Trunc, kind, &[x])?);
        }
        let mut results = self.each(Op::Subtract, kind, a, &whole)?;
        results.extend(whole);
        Ok(results)
    }

    /// Fractions first, then exponents.
    fn frexp(&mut self, kind: Kind, a: &[Reg]) -> Result<Vec<Reg>, Error> {
        let mut results = Vec::new();
        for &x in a {
            results.push(self.compute(float::frexp_fraction(kind), kind, &[x], &Math::Frexp)?);
        }
        let (kernel, exponent) = float::frexp_exponent(kind).ok_or_else(|| unsupported(format!("Frexp of {kind:?}")))?;
        for &x in a {
            results.push(self.compute(Some(kernel), exponent, &[x], &Math::Frexp)?);
        }
        Ok(results)
    }

    fn bits_function(&mut self, fun: Math, kind: Kind, values: &[Vec<Reg>]) -> Result<Vec<Reg>, Error> {
        let kernel = if fun == Math::ExtractBits { integer::extract_bits(kind) } else { integer::insert_bits(kind) };
        let mut results = Vec::new();
        for i in 0..values[0].len() {
            let sources: Vec<Reg> = values.iter().map(|v| v[i.min(v.len() - 1)]).collect();
            results.push(self.compute(kernel, kind, &sources, &fun)?);
        }
        Ok(results)
    }

    fn unpack(&mut self, fun: Math, word: Reg) -> Result<Vec<Reg>, Error> {
        let (kernel, count) = pack::unpack(fun).ok_or_else(|| unsupported(format!("{fun:?}")))?;
        let kind = match fun {
            Math::Unpack4xI8 => Kind::I32,
            Math::Unpack4xU8 => Kind::U32,
            _ => Kind::F32,
        };
        let mut results = Vec::new();
        for i in 0..count {
            let index = self.word(i as u32);
            results.push(self.compute(Some(kernel), kind, &[word, index], &fun)?);
        }
        Ok(results)
    }

    fn determinant(&mut self, kind: Kind, shape: Shape, m: &[Reg]) -> Result<Reg, Error> {
        let Shape::Matrix { columns, .. } = shape else { return Err(unsupported("Determinant of what is no matrix")) };
        self.minor(kind, m, columns as usize, &(0..columns as usize).collect::<Vec<_>>())
    }

    /// The determinant of the last rows of some columns, along their first row.
    fn minor(&mut self, kind: Kind, m: &[Reg], size: usize, columns: &[usize]) -> Result<Reg, Error> {
        let row = size - columns.len();
        if let [column] = columns {
            return Ok(m[column * size + row]);
        }
        let mut sum = None;
        for (i, &column) in columns.iter().enumerate() {
            let rest: Vec<usize> = columns.iter().copied().filter(|&c| c != column).collect();
            let minor = self.minor(kind, m, size, &rest)?;
            let product = self.binary(Op::Multiply, kind, m[column * size + row], minor)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => self.binary(if i % 2 == 1 { Op::Subtract } else { Op::Add }, kind, sum, product)?,
            });
        }
        sum.ok_or_else(|| unsupported("Determinant of an empty matrix"))
    }
}

fn transpose(shape: Shape, m: &[Reg]) -> Result<Vec<Reg>, Error> {
    let Shape::Matrix { columns, rows, .. } = shape else { return Err(unsupported("Transpose of what is no matrix")) };
    Ok((0..rows).flat_map(|row| (0..columns).map(move |column| (column * rows + row) as usize)).map(|i| m[i]).collect())
}
