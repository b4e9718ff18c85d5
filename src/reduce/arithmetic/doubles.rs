//! Levels of f64, whose bits not every adapter gives access to. They are numbers, and their scales
//! are 2⁶⁶⁵, 1 and 2⁻⁶⁶⁵: scaled numbers of levels 1 and 2 are between 2⁻³⁴¹ and 2³⁵⁹.

use super::function;
use crate::wgsl::{Expr, F64, Module, Scalar, call, construct, float, select, vec4, zero};

fn number(value: f64) -> Expr {
    float(Scalar::F64, value)
}

fn power(exponent: i32) -> Expr {
    number(2f64.powi(exponent))
}

/// One of three numbers for a level.
fn of_level(level: &Expr, [low, middle, high]: [Expr; 3]) -> Expr {
    select(&level.less(number(0.5)), low, select(&level.less(number(1.5)), middle, high))
}

/// Adds what `shaders/reduce/scale.wgsl` has for f32.
pub fn write(module: &mut Module) {
    module.function(function("level_of", [("size", &F64)], &F64, |_, [size]| {
        select(&size.less(power(-341)), number(0.0), select(&size.less(power(341)), number(1.0), number(2.0)))
    }));
    let parameters = || [("x", &F64), ("level", &F64)];
    let scales = || [665, 0, -665];
    module.function(function("scaled", parameters(), &F64, |_, [x, level]| x * of_level(&level, scales().map(power))));
    module.function(function("unscaled", parameters(), &F64, |_, [x, level]| x * of_level(&level, scales().map(|n| power(-n)))));
    module.function(function("lowered", [("level", &F64), ("to", &F64)], &F64, |_, [level, to]| {
        of_level(&(to - level), [number(1.0), power(-665), number(0.0)])
    }));
}

fn size(x: &Expr) -> Expr {
    call("abs", [x], F64)
}

fn level_of(x: &Expr) -> Expr {
    call("level_of", [&size(x)], F64)
}

fn scaled(x: &Expr) -> Expr {
    call("scaled", [x, &level_of(x)], F64)
}

pub fn squares_of(x: &Expr) -> Expr {
    construct(&vec4(Scalar::F64), [&zero(&F64), &(scaled(x) * scaled(x)), &zero(&F64), &level_of(x)])
}

pub fn moments_of(x: &Expr) -> Expr {
    let squares = select(&size(x).at_most(number(f64::MAX)), zero(&F64), size(x));
    construct(&vec4(Scalar::F64), [&scaled(x), &squares, &number(1.0), &level_of(x)])
}
