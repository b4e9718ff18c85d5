use super::*;

fn name(name: &str) -> Expr {
    Expr::name(name, U32)
}

fn prints(value: &Expr, expected: &str) {
    assert_eq!(value.to_string(), expected);
}

#[test]
fn whole_numbers_fold() {
    let t = name("t");
    prints(&(&t + 0), "t");
    prints(&(&t * 1), "t");
    prints(&(&t * Expr::from(0)), "0u");
    prints(&(&t + 3 + 4), "t + 7u");
    prints(&(Expr::from(3) + &t), "t + 3u");
    prints(&(&t * 4 * 8), "t * 32u");
    prints(&(&t / 4 / 8), "t / 32u");
    prints(&(&t + 5 - 3), "t + 2u");
    prints(&(&t + 3 - 5), "t + 3u - 5u");
    prints(&(Expr::from(7) / 2), "3u");
    prints(&(&t / 0x10000 / 0x10000), "0u");
    prints(&(&t & 0x7fff_ffff), "t & 0x7fffffffu");
    prints(&(&t * 0x100_0000), "t * 16777216u");
    prints(&(&t + u32::MAX + 2), "t + 1u");
}

#[test]
fn what_is_known_of_a_value_decides() {
    let t = name("t").below(64);
    prints(&(&t % 64), "t");
    prints(&(&t / 64), "0u");
    prints(&(&t % 32), "t % 32u");
    prints(&((&t + 64) / 64), "1u");
    assert!(t.less(64).is_true() && (&t + 64).less(64).is_false() && !t.less(63).is_true());
    assert!((&t * 4 + 3).at_most(255).is_true());
    assert!((&t % 8).less(8).is_true());
    prints(&min(&t, 63), "t");
    prints(&min(&t, 62), "min(t, 62u)");
    prints(&max(&t, 1), "max(t, 1u)");
    prints(&select(&t.less(64), &t, 0), "t");
    // Quotients and remainders of sums that do not wrap around.
    prints(&((&t + 80) / 16), "t / 16u + 5u");
    prints(&((&t + 80) % 16), "t % 16u");
    prints(&((&t + 64) % 128), "t + 64u");
    prints(&((&t + 128) % 128), "t");
    prints(&((&t * 4 + 3) / 4), "t");
    prints(&((&t * 4 + 3) / 2), "t * 2u + 1u");
    prints(&((&t * 4 + 7) % 4), "3u");
    prints(&((&t + 6) / 4), "(t + 6u) / 4u");
    prints(&((name("any") + 16) / 16), "(any + 16u) / 16u");
    prints(&((name("any") * 16) % 16), "any * 16u % 16u");
    prints(&(&t & 63), "t");
    prints(&(&t & 62), "t & 62u");
    // Nothing is known about a value that may wrap around.
    let any = name("any");
    assert!(!(&any + 1).at_least(1).is_true() && !(&any * 4).less(u32::MAX).is_true() && !(&any - 1).less(u32::MAX).is_true());
    prints(&(Expr::from(63) - &t).less(64), "true");
    prints(&t.at_least(0).and(any.less(3)), "any < 3u");
}

#[test]
fn parentheses_stand_where_they_must() {
    let [a, b, c] = ["a", "b", "c"].map(name);
    prints(&((&a + &b) * &c), "(a + b) * c");
    prints(&(&a + &b * &c), "a + b * c");
    prints(&(&a - (&b - &c)), "a - (b - c)");
    prints(&(&a - &b - &c), "a - b - c");
    prints(&(&a / (&b * &c)), "a / (b * c)");
    prints(&(&a * (&b / &c)), "a * (b / c)");
    prints(&((&a + &b) << 2), "(a + b) << 2u");
    prints(&(&a + (&b << 2)), "a + (b << 2u)");
    prints(&((&a >> 1) | (&b & 3) | &c), "(a >> 1u) | (b & 3u) | c");
    prints(&(&a & 1).equals(0), "(a & 1u) == 0u");
    prints(&a.less(&b).and(b.less(&c).or(c.equals(1))), "a < b && (b < c || c == 1u)");
    prints(&!a.less(&b), "!(a < b)");
    prints(&-Expr::name("z", vec2(Scalar::F32)).x(), "-z.x");
    prints(&(-(Expr::name("z", F32) + Expr::name("w", F32))), "-(z + w)");
}

#[test]
fn floats_stay_as_they_are_written() {
    let [x, y] = ["x", "y"].map(|name| Expr::name(name, F32));
    prints(&(&x + (&y + &x)), "x + (y + x)");
    prints(&(&x * float(Scalar::F32, 1.0)), "x * 1.0");
    prints(&(float(Scalar::F32, -0.5) * &x), "-0.5 * x");
    prints(&(&x + float(Scalar::F32, 0.0)), "x + 0.0");
    prints(&float(Scalar::F64, std::f64::consts::FRAC_1_SQRT_2), "0.7071067811865476lf");
}

#[test]
fn components_of_components_are_those_of_the_vector() {
    let z = Expr::name("z", vec2(Scalar::F32));
    prints(&z.components("yx"), "z.yx");
    prints(&z.components("yx").x(), "z.y");
    prints(&z.components("xy"), "z");
    prints(&z.components("yx").components("yx"), "z.xy");
}

#[test]
fn what_a_caller_wrote_stays_one_operand() {
    prints(&(raw("a + b", U32) * 2), "(\na + b\n) * 2u");
}

#[test]
#[should_panic(expected = "Add of u32 and f32")]
fn types_must_fit() {
    let _ = name("a") + Expr::name("x", F32);
}

#[test]
#[should_panic(expected = "element 4 of 4")]
fn constant_indices_are_inside() {
    let _ = Expr::name("array", Type::sized(F32, 4)).at(4);
}

#[test]
fn statements_print_with_unique_names_and_without_what_nobody_uses() {
    let mut module = Module::default();
    let input = module.storage(1, "input", Access::Read, Type::array(F32));
    let output = module.storage(2, "output", Access::ReadWrite, Type::array(F32));
    let lanes = module.constant("LANES", 8);
    module.gap();
    let mut function = Function::new("transform").doc("Does nothing of use.");
    let t = function.parameter("t", U32).below(8);
    let body = &mut function.body;
    let unused = body.value("unused", &t + 5);
    body.value("unused_too", unused * 2);
    let x = body.value("x", input.at(&t));
    let same = body.value("y", &x);
    let next = body.value("x", input.at(&t + &lanes));
    body.when(&t.less(9), |body| body.comment("Everybody."));
    body.when(&t.less(4), |body| body.assign(&output.at(&t), same + next));
    body.count("i", 0, &lanes, 1, |body, i| {
        let value = body.value("x", input.at(i));
        body.assign(&output.at(i), value);
    });
    module.function(function);
    assert_eq!(
        module.finish(),
        "\
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
const LANES = 8u;

/// Does nothing of use.
fn transform(t: u32) {
    let x = input[t];
    let x_2 = input[t + LANES];
    // Everybody.
    if (t < 4u) {
        output[t] = x + x_2;
    }
    for (var i = 0u; i < LANES; i++) {
        let x_3 = input[i];
        output[i] = x_3;
    }
}
"
    );
}

#[test]
fn what_a_loop_hands_on_stays() {
    let mut module = Module::default();
    let mut function = Function::new("sum").returning(U32);
    let n = function.parameter("n", U32);
    let body = &mut function.body;
    let total = body.variable("total", &U32);
    let last = body.variable("last", &U32);
    body.count("i", 0, &n, 1, |body, i| {
        let sum = body.value("sum", &total + &last);
        body.assign(&last, i);
        body.assign(&total, sum);
    });
    body.give(total);
    module.function(function);
    let text = module.finish();
    assert!(text.contains("var last = 0u;") && text.contains("let sum = total + last;"), "{text}");
}
