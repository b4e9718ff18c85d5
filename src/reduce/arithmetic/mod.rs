//! The WGSL of an operator: how it maps an element, combines two values, and finishes the result.
//!
//! WGSL has no generic types, so this text is generated for each operator. Ranks and differences
//! are the same for all operators on a type; they are files of `shaders/reduce/`.

mod doubles;

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

/// Adds the functions `map_element`, `combine`, `identity` and `finish`, and what they call.
pub(super) fn write(module: &mut Module, stage: &Stage) {
    let (operator, value) = (&stage.operator, value_type(&stage.operator));
    if operator.has_scale() && !operator.has_words() {
        doubles::write(module);
    }
    if operator.has_scale() {
        module.function(at_level(operator));
    }
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
    hidden(product)
}

/// The same number, of which no compiler knows how it was computed. NVIDIA's takes x·f·f for
/// x·(f·f), where f·f may be below or beyond all numbers: the squares of numbers below 2 beside
/// larger ones were lost.
fn hidden(x: &Expr) -> Expr {
    let hidden_zero = param("zero", U32);
    if *x.ty() == F64 { select(&hidden_zero.equals(0), x, zero(&F64)) } else { bitcast(x.ty(), &(bitcast(&U32, x) + hidden_zero)) }
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
            _ if operator.fold == Fold::Squares => squares_of(operator, x),
            _ if operator.fold == Fold::WideSum => widened(&mapped),
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
    match operator.map {
        Map::Identity => x.clone(),
        Map::Norm if is_complex => product(x.x(), x.x()) + product(x.y(), x.y()),
        Map::Norm => product(x.clone(), x.clone()),
        // The bits of an f64.
        Map::Abs if operator.loaded() == Kind::Pair => construct(x.ty(), [&x.x(), &(x.y() & MAGNITUDE)]),
        Map::Abs => call("abs", [x], x.ty().clone()),
        Map::NonZero => construct(&U32, [&is_not_zero(operator.loaded(), x)]),
        Map::Product | Map::ConjugateProduct if is_complex => complex_product(operator, x, y, operator.map == Map::ConjugateProduct),
        Map::Product | Map::ConjugateProduct => product(x.clone(), y.clone()),
        Map::Distance => match operator.input {
            Kind::F32 | Kind::F16 | Kind::Complex => call("abs_difference", [x, y], F32),
            Kind::F64 => select(&x.equals(y), zero(&F64), call("abs", [&(x - y)], F64)),
            _ => bitcast(&U32, &(of_two("max") - of_two("min"))),
        },
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
        (Fold::WideSum, _) => {
            let low = body.value("low", a.x() + b.x());
            let carry = construct(&U32, [&low.less(a.x())]);
            construct(a.ty(), &[low, a.y() + b.y() + carry])
        }
        (Fold::Squares, _) => combine_squares(body, operator, &a, &b),
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
        (Fold::Moments, Kind::Doubles) => combine_doubles(body, operator, &a, &b),
        (Fold::Moments, _) => combine_moments(body, operator, &a, &b),
        (Fold::Custom { expression, .. }, kind) => raw(expression, type_of(kind)),
    }
}

/// A 64-bit integer as two words, of which the second one continues the sign.
fn widened(x: &Expr) -> Expr {
    let sign = if *x.ty() == I32 { select(&x.less(zero(&I32)), u32::MAX, 0) } else { 0.into() };
    construct(&vec2(Scalar::U32), &[bitcast(&U32, x), sign])
}

/// The bits of the largest part of a number, without the sign.
fn size_of(words: &[Expr]) -> Expr {
    let sizes = words.iter().map(|word| word & MAGNITUDE);
    sizes.reduce(|a, b| crate::wgsl::max(&a, b)).expect("a number has parts")
}

/// The words of a number of f32, and their level, as in `shaders/reduce/scale.wgsl`.
fn words_and_level(x: &Expr) -> (Vec<Expr>, Expr) {
    let parts = if *x.ty() == F32 { vec![x.clone()] } else { vec![x.x(), x.y()] };
    let words: Vec<Expr> = parts.iter().map(|part| bitcast(&U32, part)).collect();
    let level = call("level_of", [&size_of(&words)], U32);
    (words, level)
}

fn scaled(word: &Expr, level: &Expr) -> Expr {
    call("scaled", [&bitcast(&F32, word), level], F32)
}

/// Adds the function that brings a value to the scale of a higher level, without a branch, as in
/// [`is_larger`].
fn at_level(operator: &Operator) -> Function {
    let (value, number) = (value_type(operator), if operator.has_words() { F32 } else { F64 });
    let level = if operator.has_words() { U32 } else { F64 };
    let function = function("at_level", [("v", &value), ("level", &level)], &value, |body, [v, level]| {
        let factor = body.value("factor", call("lowered", [&level_in(operator, &v), &level], number));
        lowered(operator, &v, &level, &factor)
    });
    function.doc("A value at the scale of a level that is not lower.")
}

/// The numbers of a value, times a factor and its square, and another level. The products are
/// exact, but a compiler that sees them may add them to other numbers in another order.
fn lowered(operator: &Operator, v: &Expr, level: &Expr, factor: &Expr) -> Expr {
    let square = |squares: Expr| rounded(operator, &(hidden(&(squares * factor)) * factor));
    let number = |part: &str| bitcast(&F32, &v.components(part));
    let scaled = |part: &str| bitcast(&U32, &rounded(operator, &(number(part) * factor)));
    match (operator.value(), operator.mapped()) {
        (Kind::Doubles, _) => construct(v.ty(), [&(v.x() * factor), &square(v.y()), &v.components("z"), level]),
        (Kind::Pair, _) => construct(v.ty(), [level, &bitcast(&U32, &square(number("y")))]),
        (_, mapped) => {
            let parts = if mapped == Kind::Complex { &["x", "y"][..] } else { &["x"] };
            let mean = parts.iter().map(|part| scaled(part)).collect();
            moments(mean, bitcast(&U32, &square(number("z"))), count_in(operator, v), level.clone())
        }
    }
}

/// Two values at the scale of the higher of their levels, and that level.
fn at_common_level(body: &mut Body, operator: &Operator, a: &Expr, b: &Expr) -> (Expr, [Expr; 2]) {
    let [own, other] = [a, b].map(|v| level_in(operator, v));
    let higher = if operator.has_words() { crate::wgsl::max(&own, other) } else { call("max", [&own, &other], F64) };
    let level = body.value("level", higher);
    let both = [("x", a), ("y", b)].map(|(name, v)| body.value(name, call("at_level", [v, &level], v.ty().clone())));
    (level, both)
}

/// The level and the square of one element.
fn squares_of(operator: &Operator, x: &Expr) -> Expr {
    if operator.value() == Kind::Doubles {
        return doubles::squares_of(x);
    }
    let (words, level) = words_and_level(x);
    let square = |word: &Expr| rounded(operator, &(scaled(word, &level) * scaled(word, &level)));
    let squares = words.iter().map(square).reduce(|a, b| a + b).expect("a number has parts");
    construct(&vec2(Scalar::U32), &[level, bitcast(&U32, &squares)])
}

fn combine_squares(body: &mut Body, operator: &Operator, a: &Expr, b: &Expr) -> Expr {
    let (level, [x, y]) = at_common_level(body, operator, a, b);
    if operator.value() == Kind::Doubles {
        return construct(a.ty(), [&zero(&F64), &(x.y() + y.y()), &zero(&F64), &level]);
    }
    construct(a.ty(), [&level, &bitcast(&U32, &(bitcast(&F32, &x.y()) + bitcast(&F32, &y.y())))])
}

/// The count, mean and sum of squares of one element, and their level. The sum of squares is 0, but
/// a NaN if the element is not finite: also the variance of a single NaN is one.
fn moments_of(operator: &Operator, x: &Expr) -> Expr {
    if operator.value() == Kind::Doubles {
        return doubles::moments_of(x);
    }
    const INFINITE: u32 = 0x7f80_0000;
    const NAN: u32 = 0x7fc0_0000;
    let (words, level) = words_and_level(x);
    let mean = words.iter().map(|word| bitcast(&U32, &scaled(word, &level))).collect();
    // Adapters may treat NaNs as numbers, but not their bits.
    let squares = select(&size_of(&words).less(INFINITE), 0, NAN);
    moments(mean, squares, 1.into(), level)
}

/// The largest number of complex numbers whose variance is computed: their level is above the
/// count.
pub(super) const MAX_COMPLEX: u32 = (1 << 30) - 1;

/// Words of the mean, of the sum of squares, the count, and the level. The mean and the sum of
/// squares are at the scale of the level.
fn moments(mut mean: Vec<Expr>, squares: Expr, count: Expr, level: Expr) -> Expr {
    let ty = vec4(Scalar::U32);
    if let [re, im] = &mean[..] {
        return construct(&ty, [re, im, &squares, &(count | (level << 1))]);
    }
    mean.extend([level, squares, count]);
    construct(&ty, &mean)
}

fn count_in(operator: &Operator, v: &Expr) -> Expr {
    let count = v.components("w");
    if operator.mapped() == Kind::Complex { &count & MAX_COMPLEX } else { count }
}

/// The level of a value.
fn level_in(operator: &Operator, v: &Expr) -> Expr {
    match (operator.value(), operator.mapped()) {
        (Kind::Pair, _) => v.x(),
        (Kind::Quad, Kind::Complex) => (v.components("w") >> 1) & 0x6000_0000,
        (Kind::Quad, _) => v.y(),
        _ => v.components("w"),
    }
}

/// Combines counts, means and sums of squares: with δ the difference of the means and w the share
/// of b in the count, the mean is that of a plus δ·w, and the sum of squares grows by δ²·n·w, where
/// n is the count of a. Chan, Golub and LeVeque, Am. Stat. 37 (1983) 242.
fn combine_moments(body: &mut Body, operator: &Operator, a: &Expr, b: &Expr) -> Expr {
    let parts = if operator.mapped() == Kind::Complex { &["x", "y"][..] } else { &["x"] };
    let number = |v: &Expr, part: &str| bitcast(&F32, &v.components(part));
    let to_f32 = |count: &Expr| construct(&F32, [count]);
    let (level, [x, y]) = at_common_level(body, operator, a, b);
    let [count_of_a, count_of_b] = [a, b].map(|v| count_in(operator, v));
    let all = body.value("all", &count_of_a + &count_of_b);
    let share =
        if operator.rounded { call("share", [&count_of_b, &all], F32) } else { to_f32(&count_of_b) / to_f32(&crate::wgsl::max(&all, 1)) };
    let share = body.value("share_of_b", share);
    let deltas: Vec<Expr> = parts.iter().map(|part| body.value("delta", number(&y, part) - number(&x, part))).collect();
    let mean = |(part, delta): (&&str, &Expr)| bitcast(&U32, &(number(&x, part) + rounded(operator, &(delta * &share))));
    let mean = parts.iter().zip(&deltas).map(mean).collect();
    let square = |delta: &Expr| rounded(operator, &(delta * delta));
    let distance = deltas[1..].iter().fold(square(&deltas[0]), |sum, delta| sum + square(delta));
    let size_of_a = if operator.rounded { call("nearest", [&count_of_a], F32) } else { to_f32(&count_of_a) };
    let between = rounded(operator, &(distance * rounded(operator, &(size_of_a * &share))));
    let squares = bitcast(&U32, &((number(&x, "z") + number(&y, "z")) + between));
    let both = body.value("both", moments(mean, squares, all, level));
    select(&count_of_b.equals(0), a, select(&count_of_a.equals(0), b, &both))
}

/// The same in f64.
fn combine_doubles(body: &mut Body, operator: &Operator, a: &Expr, b: &Expr) -> Expr {
    let count = |v: &Expr| v.components("z");
    let one = || float(Scalar::F64, 1.0);
    let (level, [x, y]) = at_common_level(body, operator, a, b);
    let all = body.value("all", count(a) + count(b));
    let share = body.value("share_of_b", count(b) / call("max", [&all, &one()], F64));
    let delta = body.value("delta", y.x() - x.x());
    let squares = (x.y() + y.y()) + &delta * &delta * (count(a) * &share);
    let both = body.value("both", construct(a.ty(), [&(x.x() + &delta * &share), &squares, &all, &level]));
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
        (Fold::Sum | Fold::WideSum | Fold::Squares | Fold::Min | Fold::Max | Fold::Moments, _) => zero(&ty),
    }
}

fn finish(operator: &Operator, v: &Expr) -> Expr {
    let ty = if operator.has_words() { F32 } else { F64 };
    let unscaled = |x: Expr, level: &Expr| call("unscaled", [&x, level], ty.clone());
    let root = |x: Expr| call("sqrt", [&x], x.ty().clone());
    // The sum of squares at the scale of a level, and the level.
    let squares = || match (&operator.fold, operator.value()) {
        (_, Kind::Doubles) => [v.y(), v.components("w")],
        (Fold::Moments, _) => [bitcast(&F32, &v.components("z")), level_in(operator, v)],
        _ => [bitcast(&F32, &v.y()), v.x()],
    };
    let variance = |divisor: u32| squares()[0].clone() / construct(&ty, [&divisor.into()]);
    match (operator.finish, operator.value()) {
        (Finish::Variance(divisor), _) => {
            let [_, level] = squares();
            unscaled(hidden(&unscaled(variance(divisor), &level)), &level)
        }
        (Finish::Deviation(divisor), _) => unscaled(root(variance(divisor)), &squares()[1]),
        (Finish::Root, _) if operator.fold == Fold::Squares => {
            let [squares, level] = squares();
            unscaled(root(squares), &level)
        }
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
