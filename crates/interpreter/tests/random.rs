//! Random expressions of integers, against an evaluator in Rust that knows the exact values.

use proptest::prelude::*;
use wgsl_sanitizer::{Binding, Buffer, Config, FindingKind, Memory, Shader};

#[derive(Clone, Debug)]
enum Tree {
    /// One of four inputs.
    Input(usize),
    Number(u32),
    Node(char, Box<Tree>, Box<Tree>),
    /// `select(a, b, c < d)`.
    Select([Box<Tree>; 4]),
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Tree::Input(i) => format!("x[{i}]"),
            // naga computes constants itself, and wraps around without a word.
            Tree::Number(n) => format!("({n}u | zero)"),
            Tree::Node('<', a, b) => format!("({} << ({} & 31u))", a.text(), b.text()),
            Tree::Node('m', a, b) => format!("min({}, {})", a.text(), b.text()),
            Tree::Node(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Tree::Select([a, b, c, d]) => format!("select({}, {}, {} < {})", a.text(), b.text(), c.text(), d.text()),
        }
    }

    /// The value in u32, and the value among all integers as far as it is followed.
    fn value(&self, x: &[u32; 4]) -> (u32, i64) {
        match self {
            Tree::Input(i) => (x[*i], x[*i] as i64),
            Tree::Number(n) => (*n, *n as i64),
            Tree::Select([a, b, c, d]) => {
                if c.value(x).0 < d.value(x).0 {
                    b.value(x)
                } else {
                    a.value(x)
                }
            }
            Tree::Node(op, a, b) => {
                let ((a, exact_a), (b, exact_b)) = (a.value(x), b.value(x));
                let bits = |v: u32| (v, v as i64);
                match op {
                    '+' => (a.wrapping_add(b), exact_a.saturating_add(exact_b)),
                    '-' => (a.wrapping_sub(b), exact_a.saturating_sub(exact_b)),
                    '*' => (a.wrapping_mul(b), exact_a.saturating_mul(exact_b)),
                    '<' => (a << (b & 31), exact_a.saturating_mul(1 << (b & 31))),
                    'm' => {
                        if a <= b {
                            (a, exact_a)
                        } else {
                            (b, exact_b)
                        }
                    }
                    '&' => bits(a & b),
                    '|' => bits(a | b),
                    '^' => bits(a ^ b),
                    _ => bits(a.checked_rem(b).unwrap_or(0)),
                }
            }
        }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let number = prop_oneof![0u32..8, any::<u32>(), Just(u32::MAX), Just(1 << 31)];
    let leaf = prop_oneof![(0..4usize).prop_map(Tree::Input), number.prop_map(Tree::Number)];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            6 => (prop::sample::select(vec!['+', '-', '*', '<', 'm', '&', '|', '^', '%']), boxed.clone(), boxed.clone())
                .prop_map(|(op, a, b)| Tree::Node(op, a, b)),
            1 => [boxed.clone(), boxed.clone(), boxed.clone(), boxed].prop_map(Tree::Select),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn expressions(tree in tree(), inputs in prop::collection::vec(prop::array::uniform4(prop_oneof![0u32..100, any::<u32>()]), 100)) {
        // The value decides which branch writes, so that it goes through variables and masks; and
        // it is an index, of an array in which every index is in bounds once it is reduced by what
        // does not end what is known about wrap-around.
        let text = format!("
@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec2<u32>>;
var<private> one: array<u32, 1>;
@compute @workgroup_size(100)
fn main(@builtin(local_invocation_index) t: u32) {{
    let x = input[t];
    let zero = x.x & 0u;
    var value = 0u;
    if x.x % 2u == 0u {{ value = {0}; }} else {{ for (var i = 0u; i <= x.y % 3u; i++) {{ value = {0}; }} }}
    output[t] = vec2(value, one[value - value % 0xffffffffu - select(0u, value, value == 0xffffffffu)]);
}}", tree.text());
        let shader = Shader::new(&text).unwrap();
        let kernel = shader.entry("main").unwrap().compile().unwrap();
        let mut memory = Memory::new();
        let output = memory.add(Buffer::unwritten(800));
        let bindings = [Binding::whole(0, 0, memory.add(Buffer::from_slice(&inputs))), Binding::whole(0, 1, output)];
        let config = Config { lockstep: 32, ..Config::default() };
        let report = kernel.dispatch([1, 1, 1], &mut memory, &bindings, &config).unwrap();
        let results: Vec<[u32; 2]> = memory[output].to_vec();
        let mut wrapped = 0;
        for (x, result) in inputs.iter().zip(&results) {
            let (value, exact) = tree.value(x);
            prop_assert_eq!(value, result[0], "{} of {:?}", tree.text(), x);
            wrapped += (value as i64 != exact && value != u32::MAX) as u64;
        }
        let found: u64 = report.findings().iter().filter(|f| matches!(f.kind, FindingKind::WrappedIndex { .. })).map(|f| f.count).sum();
        prop_assert_eq!(found, wrapped, "{}\n{}", tree.text(), report);
    }
}
