//! The WGSL of an operator: how it maps an element, combines two values, and finishes the result.
//!
//! WGSL has no generic types, so this text is generated for each operator. Ranks and differences
//! are the same for all operators on a type; they are files of `shaders/reduce/`.

use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::{Finish, Fold, Kind, Map, Operator};
use crate::wgsl::{
    BOOL, Body, Expr, F32, F64, Function, I32, Module, Scalar, Type, U32, bitcast, call, construct, float, param, raw, select, u32s, vec2,
    vec4, zero,
};

/// All bits of an f32 except its sign.
const MAGNITUDE: u32 = 0x7fff_ffff;

/// The type of one value.
pub(super) fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::F32 | Kind::F16 => F32,
        Kind::I32 => I32,
        Kind::U32 => U32,
        Kind::Complex => vec2(Scalar::F32),
        Kind::F64 => F64,
        Kind::Pair => vec2(Scalar::U32),
        Kind::Quad => vec4(Scalar::U32),
        Kind::Doubles => vec4(Scalar::F64),
    }
}

/// A function that computes one value from its parameters.
pub(super) fn function<const N: usize>(
    name: &str,
    parameters: [(&str, &Type); N],
    result: &Type,
    write: impl FnOnce(&mut Body, [Expr; N]) -> Expr,
) -> Function {
    let mut function = Function::new(name).returning(result.clone());
    let parameters = parameters.map(|(name, ty)| function.parameter(name, ty.clone()));
    let value = write(&mut function.body, parameters);
    function.body.give(value);
    function
}

/// Adds the functions `map_element`, `combine`, `identity` and `finish`.
pub(super) fn write(module: &mut Module, stage: &Stage) {
    let (operator, value) = (&stage.operator, value_type(&stage.operator));
    // Partial results are values already.
    if !stage.partial {
        module.function(map_element(operator).doc("The value of element j of what is reduced."));
    }
    module.function(function("combine", [("a", &value), ("b", &value)], &value, |body, [a, b]| combine(body, operator, a, b)));
    let identity = function("identity", [], &value, |_, []| identity(operator));
    module.function(identity.doc("A value combined with it stays as it is."));
    let finish = |v| if stage.last { finish(operator, &v) } else { v };
    module.function(function("finish", [("v", &value)], &type_of(stage.target()), |_, [v]| finish(v)));
}

/// Returns the first of two values, unless the rank of the second is larger.
pub(super) fn keep_first(operator: &Operator) -> Function {
    let value = value_type(operator);
    function("keep_first", [("a", &value), ("b", &value)], &value, |_, [a, b]| {
        let larger = if operator.value() == Kind::Quad { is_larger(&a, &b, b.y().greater(a.y())) } else { b.x().greater(a.x()) };
        select(&larger, b, a)
    })
}

fn value_type(operator: &Operator) -> Type {
    type_of(operator.value())
}

/// Whether the first word of b is larger than that of a, or equal and `of_equals` holds. It avoids
/// `&&` and `||`, which are branches: the last lanes of a subgroup combine undefined values, whose
/// results are never used.
fn is_larger(a: &Expr, b: &Expr, of_equals: Expr) -> Expr {
    b.x().greater(a.x()) | (b.x().equals(a.x()) & of_equals)
}

/// Whether ranks rise or fall with the number.
fn direction(operator: &Operator) -> Expr {
    Expr::name(if matches!(operator.fold, Fold::Min | Fold::ArgMin) { "FALLING" } else { "RISING" }, U32)
}

/// A product that will be added to something. If it must be rounded first, its bits pass through an
/// addition of zero that no compiler can recognise as such.
fn rounded(operator: &Operator, product: &Expr) -> Expr {
    if !operator.rounded || !matches!(operator.mapped(), Kind::F32 | Kind::Complex) {
        return product.clone();
    }
    bitcast(product.ty(), &(bitcast(&U32, product) + param("zero", U32)))
}

/// x·y, or x̅·y.
fn complex_product(operator: &Operator, x: &Expr, y: &Expr, conjugate: bool) -> Expr {
    let products = [x.x() * y.x(), x.y() * y.y(), x.x() * y.y(), x.y() * y.x()];
    let [a, b, c, d] = products.map(|product| rounded(operator, &product));
    construct(x.ty(), &if conjugate { [a + b, c - d] } else { [a - b, c + d] })
}

fn map_element(operator: &Operator) -> Function {
    let (element, value) = (type_of(operator.loaded()), value_type(operator));
    let write = |x: &Expr, y: &Expr, j: &Expr| {
        let mapped = mapped(operator, x, y);
        let words = if operator.mapped() == Kind::F64 { vec2(Scalar::U32) } else { U32 };
        let rank = || call("rank", [&mapped, &direction(operator)], words);
        match operator.value() {
            _ if operator.fold == Fold::Moments => moments_of(operator, &mapped),
            Kind::Quad => construct(&value, [&rank(), j, &0.into()]),
            Kind::Pair if operator.is_arg() => construct(&value, [&rank(), j]),
            _ if operator.is_ranked() => rank(),
            _ => mapped,
        }
    };
    if operator.takes_two() {
        let parameters = [("x", &element), ("y", &element), ("j", &U32)];
        return function("map_element", parameters, &value, |_, [x, y, j]| write(&x, &y, &j));
    }
    function("map_element", [("x", &element), ("j", &U32)], &value, |_, [x, j]| write(&x, &x, &j))
}

fn mapped(operator: &Operator, x: &Expr, y: &Expr) -> Expr {
    let is_complex = operator.input == Kind::Complex;
    let product = |a: Expr, b: Expr| rounded(operator, &(a * b));
    let of_two = |name: &str| call(name, [x, y], x.ty().clone());
    match &operator.map {
        Map::Identity => x.clone(),
        Map::Square if is_complex => {
            let real = product(x.x(), x.x()) - product(x.y(), x.y());
            construct(x.ty(), &[real, float(Scalar::F32, 2.0) * product(x.x(), x.y())])
        }
        Map::Norm if is_complex => product(x.x(), x.x()) + product(x.y(), x.y()),
        Map::Square | Map::Norm => product(x.clone(), x.clone()),
        Map::Abs => call("abs", [x], x.ty().clone()),
        Map::Scale(bits) => {
            let factor = factor(x.ty().scalar().expect("numbers are scaled"), *bits);
            let scaled = |x: Expr| product(x, factor.clone());
            if is_complex { construct(x.ty(), &[scaled(x.x()), scaled(x.y())]) } else { scaled(x.clone()) }
        }
        Map::NonZero => construct(&U32, [&is_not_zero(operator.loaded(), x)]),
        Map::Product | Map::ConjugateProduct if is_complex => complex_product(operator, x, y, operator.map == Map::ConjugateProduct),
        Map::Product | Map::ConjugateProduct => product(x.clone(), y.clone()),
        Map::Distance => match operator.input {
            Kind::F32 | Kind::F16 | Kind::Complex => call("abs_difference", [x, y], F32),
            Kind::F64 => select(&x.equals(y), zero(&F64), call("abs", [&(x - y)], F64)),
            _ => bitcast(&U32, &(of_two("max") - of_two("min"))),
        },
        Map::Custom(expression) => raw(expression, type_of(operator.mapped())),
    }
}

/// A number given by the bits of its f32, because not every number has a literal.
fn factor(scalar: Scalar, bits: u32) -> Expr {
    let number = f32::from_bits(bits);
    match scalar {
        _ if number.is_normal() => float(scalar, number.into()),
        Scalar::F32 => bitcast(&F32, &bits.into()),
        other => construct(&Type::Scalar(other), [&bitcast(&F32, &bits.into())]),
    }
}

/// Compares bits, because adapters may treat a subnormal number as zero.
fn is_not_zero(loaded: Kind, x: &Expr) -> Expr {
    match loaded {
        Kind::F32 | Kind::F16 => (bitcast(&U32, x) & MAGNITUDE).differs(0),
        Kind::Complex => {
            let words = vec2(Scalar::U32);
            let [magnitude, zero] = [MAGNITUDE, 0].map(|word| construct(&words, [&word.into()]));
            call("any", [&(bitcast(&words, x) & magnitude).differs(zero)], BOOL)
        }
        Kind::Pair => ((x.y() & MAGNITUDE) | x.x()).differs(0),
        _ => x.differs(zero(x.ty())),
    }
}

fn combine(body: &mut Body, operator: &Operator, a: Expr, b: Expr) -> Expr {
    match (&operator.fold, operator.value()) {
        (Fold::Sum, _) => a + b,
        (Fold::Product, Kind::Complex) => complex_product(operator, &a, &b, false),
        (Fold::Product, _) => a * b,
        // A NaN in `a` stays, because it does not equal itself.
        (Fold::Min, Kind::F64) => select(&(!b.at_least(&a) & a.equals(&a)), b, a),
        (Fold::Max, Kind::F64) => select(&(!b.at_most(&a) & a.equals(&a)), b, a),
        (Fold::Min | Fold::Max, Kind::Pair) => select(&is_larger(&a, &b, b.y().greater(a.y())), b, a),
        (Fold::Min | Fold::Max, kind) => call("max", [&a, &b], type_of(kind)),
        (Fold::ArgMin | Fold::ArgMax, Kind::Quad) => {
            let equal = body.value("equal", b.x().equals(a.x()) & b.y().equals(a.y()));
            let is_before = equal & b.components("z").less(a.components("z"));
            select(&(is_larger(&a, &b, b.y().greater(a.y())) | is_before), b, a)
        }
        (Fold::ArgMin | Fold::ArgMax, _) => select(&is_larger(&a, &b, b.y().less(a.y())), b, a),
        (Fold::Moments, Kind::Doubles) => combine_doubles(body, &a, &b),
        (Fold::Moments, _) => combine_moments(body, operator, &a, &b),
        (Fold::Custom { expression, .. }, kind) => raw(expression, type_of(kind)),
    }
}

/// The count, mean and sum of squares of one element. The sum of squares is 0, but a NaN if the
/// element is not finite: also the variance of a single NaN is one.
fn moments_of(operator: &Operator, x: &Expr) -> Expr {
    let ty = value_type(operator);
    if operator.value() == Kind::Doubles {
        let size = call("abs", [x], F64);
        let squares = select(&size.at_most(float(Scalar::F64, f64::MAX)), zero(&F64), size);
        return construct(&ty, [x, &squares, &float(Scalar::F64, 1.0), &zero(&F64)]);
    }
    const INFINITE: u32 = 0x7f80_0000;
    const NAN: u32 = 0x7fc0_0000;
    // Adapters may treat NaNs as numbers, but not their bits.
    let is_finite = |word: &Expr| (word & MAGNITUDE).less(INFINITE);
    let (mean, is_finite) = if operator.mapped() == Kind::Complex {
        let mean = bitcast(&vec2(Scalar::U32), x);
        let is_finite = is_finite(&mean.x()) & is_finite(&mean.y());
        (mean, is_finite)
    } else {
        let mean = bitcast(&U32, x);
        (construct(&vec2(Scalar::U32), [&mean, &0.into()]), is_finite(&mean))
    };
    construct(&ty, [&mean, &select(&is_finite, 0, NAN), &1.into()])
}

/// Combines counts, means and sums of squares: with δ the difference of the means and w the share
/// of b in the count, the mean is that of a plus δ·w, and the sum of squares grows by δ²·n·w, where
/// n is the count of a. Chan, Golub and LeVeque, Am. Stat. 37 (1983) 242.
fn combine_moments(body: &mut Body, operator: &Operator, a: &Expr, b: &Expr) -> Expr {
    let parts = if operator.mapped() == Kind::Complex { &["x", "y"][..] } else { &["x"] };
    let number = |v: &Expr, part: &str| bitcast(&F32, &v.components(part));
    let count = |v: &Expr| v.components("w");
    let to_f32 = |count: &Expr| construct(&F32, [count]);
    let all = body.value("all", count(a) + count(b));
    let share =
        if operator.rounded { call("share", [&count(b), &all], F32) } else { to_f32(&count(b)) / to_f32(&crate::wgsl::max(&all, 1)) };
    let share = body.value("share_of_b", share);
    let deltas: Vec<Expr> = parts.iter().map(|part| body.value("delta", number(b, part) - number(a, part))).collect();
    let mean = |(part, delta): (&&str, &Expr)| bitcast(&U32, &(number(a, part) + rounded(operator, &(delta * &share))));
    let mut words: Vec<Expr> = parts.iter().zip(&deltas).map(mean).collect();
    words.resize(2, 0.into());
    let square = |delta: &Expr| rounded(operator, &(delta * delta));
    let distance = deltas[1..].iter().fold(square(&deltas[0]), |sum, delta| sum + square(delta));
    let count_of_a = if operator.rounded { call("nearest", [&count(a)], F32) } else { to_f32(&count(a)) };
    let between = rounded(operator, &(distance * rounded(operator, &(count_of_a * &share))));
    words.push(bitcast(&U32, &((number(a, "z") + number(b, "z")) + between)));
    words.push(all);
    let both = construct(a.ty(), &words);
    let both = body.value("both", both);
    select(&count(b).equals(0), a, select(&count(a).equals(0), b, &both))
}

/// The same in f64.
fn combine_doubles(body: &mut Body, a: &Expr, b: &Expr) -> Expr {
    let count = |v: &Expr| v.components("z");
    let one = || float(Scalar::F64, 1.0);
    let all = body.value("all", count(a) + count(b));
    let share = body.value("share_of_b", count(b) / call("max", [&all, &one()], F64));
    let delta = body.value("delta", b.x() - a.x());
    let squares = (a.y() + b.y()) + &delta * &delta * (count(a) * &share);
    let both = body.value("both", construct(a.ty(), [&(a.x() + &delta * &share), &squares, &all, &zero(&F64)]));
    select(&count(b).less(one()), a, select(&count(a).less(one()), b, &both))
}

fn identity(operator: &Operator) -> Expr {
    let ty = value_type(operator);
    match (&operator.fold, operator.value()) {
        (Fold::Product, Kind::Complex) => construct(&ty, &[1.0, 0.0].map(|part| float(Scalar::F32, part))),
        (Fold::Product, Kind::F32 | Kind::F64) => float(ty.scalar().expect("a number"), 1.0),
        (Fold::Product, _) => construct(&ty, [&1.into()]),
        (Fold::ArgMin | Fold::ArgMax, Kind::Quad) => u32s([0, 0, u32::MAX, 0]),
        (Fold::ArgMin | Fold::ArgMax, _) => u32s([0, u32::MAX]),
        (Fold::Custom { identity, .. }, Kind::Complex) => bitcast(&ty, &u32s(*identity)),
        (Fold::Custom { identity: [word, _], .. }, _) => bitcast(&ty, &(*word).into()),
        (Fold::Sum | Fold::Min | Fold::Max | Fold::Moments, _) => zero(&ty),
    }
}

fn finish(operator: &Operator, v: &Expr) -> Expr {
    let root = |x: Expr| call("sqrt", [&x], x.ty().clone());
    let variance = |divisor: u32| match operator.value() {
        Kind::Doubles => v.y() / construct(&F64, [&divisor.into()]),
        _ => bitcast(&F32, &v.components("z")) / construct(&F32, [&divisor.into()]),
    };
    match (operator.finish, operator.value()) {
        (Finish::Variance(divisor), _) => variance(divisor),
        (Finish::Deviation(divisor), _) => root(variance(divisor)),
        (_, Kind::Quad) => v.components("z"),
        (_, Kind::Pair) if operator.is_arg() => v.y(),
        (_, kind) if operator.is_ranked() => call("unrank", [v, &direction(operator)], type_of(kind)),
        (Finish::Identity, _) => v.clone(),
        (Finish::Mean(count), _) => {
            let scalar = v.ty().scalar().expect("numbers have a mean");
            v / construct(&Type::Scalar(scalar), [&count.into()])
        }
        (Finish::Root, _) => root(v.clone()),
    }
}
