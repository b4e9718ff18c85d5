//! Reductions that NumPy computed: `tests/data/reductions.txt`.

use std::collections::HashMap;

use wgpu_fft::dynamic::AnySpec;

/// A reduction with its results, as text and in f64.
pub struct Line {
    pub text: String,
    list: &'static str,
    input: Vec<f64>,
    results: Vec<f64>,
}

/// Runs a specification on bytes somewhere; `None` if that is not possible there.
pub trait Runner {
    fn run(&self, spec: &AnySpec, input: &[u8]) -> Option<Vec<u8>>;
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

impl Line {
    /// All lines of the file.
    pub fn all() -> Vec<Self> {
        let mut lists: HashMap<(&str, &str), Vec<f64>> = HashMap::new();
        let mut all = Vec::new();
        for line in include_str!("../data/reductions.txt").lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, values)) = line.split_once(" = ") {
                let (kind, name) = name.split_once(' ').unwrap();
                lists.insert((kind, name), values.split(' ').map(number).collect());
                continue;
            }
            let parts: Vec<&str> = line.split(" | ").collect();
            let words: Vec<&str> = parts[0].split(' ').collect();
            let kind = if words[1] == "i32" { "integers" } else { "floats" };
            let len: usize = words[2].split('x').map(|extent| extent.parse::<usize>().unwrap()).product();
            let list = &lists[&(kind, parts[1])];
            let input = (0..len).map(|i| list[(i * i * 7 + i * 3) % 23 % list.len()]).collect();
            all.push(Self { text: ours(parts[0]), list: parts[1], input, results: parts[2].split(' ').map(number).collect() });
        }
        all
    }

    /// Compares the results with NumPy's, apart from the documented differences. False if the
    /// reduction does not run there.
    pub fn check(&self, runner: &impl Runner) -> bool {
        let spec: AnySpec = self.text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.text));
        let input: Vec<u8> = match spec.input().name() {
            "f32" => self.input.iter().flat_map(|&x| (x as f32).to_ne_bytes()).collect(),
            "i32" => self.input.iter().flat_map(|&x| (x as i32).to_ne_bytes()).collect(),
            _ => self.input.iter().flat_map(|&x| x.to_ne_bytes()).collect(),
        };
        let Some(output) = runner.run(&spec, &input) else { return false };
        let output: Vec<f64> = match spec.output().name() {
            "f32" => bytemuck::pod_collect_to_vec::<u8, f32>(&output).into_iter().map(f64::from).collect(),
            "i32" => bytemuck::pod_collect_to_vec::<u8, i32>(&output).into_iter().map(f64::from).collect(),
            "u32" => bytemuck::pod_collect_to_vec::<u8, u32>(&output).into_iter().map(f64::from).collect(),
            _ => bytemuck::pod_collect_to_vec(&output),
        };
        assert_eq!(output.len(), self.results.len(), "{}", self.text);
        let operator = self.text.split(' ').next().unwrap();
        for (k, (&own, &theirs)) in output.iter().zip(&self.results).enumerate() {
            let is_right = self.is_equal(operator, own, theirs) || self.differs_as_documented(operator, own, theirs, k);
            assert!(is_right, "`{}` of {}: result {k} is {own:?}, NumPy's is {theirs:?}", self.text, self.list);
        }
        true
    }

    /// Whether the rules of this crate and of NumPy for zeros of both signs differ on it.
    pub fn has_documented_difference(&self) -> bool {
        let operator = self.text.split(' ').next().unwrap_or_default();
        let zeros = |k: usize| self.elements(k).iter().filter(|x| **x == 0.0).map(|x| x.is_sign_negative()).collect::<Vec<_>>();
        let is_mixed = |k: usize| zeros(k).contains(&true) && zeros(k).contains(&false);
        ["min", "max", "argmin", "argmax"].contains(&operator) && (0..self.results.len()).any(is_mixed)
    }

    fn is_equal(&self, operator: &str, own: f64, theirs: f64) -> bool {
        if theirs.is_nan() || theirs.is_infinite() || ["min", "max"].contains(&operator) {
            return own.is_nan() && theirs.is_nan() || own.to_bits() == theirs.to_bits();
        }
        let exact = ["argmin", "argmax", "any", "all", "count"].contains(&operator) || self.text.contains(" i32 ");
        let size = self.input.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let u = if self.text.contains(" f64 ") { 1e-14 } else { 1e-5 };
        own == theirs || !exact && (own - theirs).abs() <= u * theirs.abs().max(size)
    }

    /// What the documentation of reductions says otherwise than NumPy.
    fn differs_as_documented(&self, operator: &str, own: f64, theirs: f64, k: usize) -> bool {
        let elements = self.elements(k);
        match operator {
            // -0 is less than +0.
            "min" | "max" => {
                own == 0.0 && theirs == 0.0 && elements.iter().any(|x| x.to_bits() == own.to_bits()) && {
                    let wanted = |x: &&f64| if operator == "min" { x.is_sign_negative() } else { x.is_sign_positive() };
                    elements.iter().filter(|x| **x == 0.0).any(|x| wanted(&x)) == wanted(&&own)
                }
            }
            "argmin" | "argmax" => {
                let [own, theirs] = [own, theirs].map(|at| elements[at as usize]);
                own == 0.0 && theirs == 0.0 && own.is_sign_negative() == (operator == "argmin")
            }
            // The mean of finite numbers whose sum overflows; sums in another order may overflow too.
            "sum" | "mean" | "variance" | "standard_deviation" | "norm" | "product" => {
                // WGSL lets devices take subnormal numbers for 0.
                (self.list == "small" && (own - theirs).abs() <= 64.0 * f64::from(f32::MIN_POSITIVE))
                    || ["large", "overflow"].contains(&self.list)
                        && (own.is_nan() || own.is_infinite() || theirs.is_nan() || theirs.is_infinite())
                    || is_infinite_variance(operator, own, theirs)
            }
            _ => false,
        }
    }

    /// The elements of a result, in order.
    fn elements(&self, k: usize) -> Vec<f64> {
        let words: Vec<&str> = self.text.split(' ').collect();
        let shape: Vec<usize> = words[2].split('x').map(|extent| extent.parse().unwrap()).collect();
        let axes: Vec<usize> = match words.iter().find_map(|word| word.strip_prefix("axes=")) {
            Some(axes) => axes.split(',').map(|axis| axis.parse().unwrap()).collect(),
            None => (0..shape.len()).collect(),
        };
        let result = |mut i: usize| {
            let (mut result, mut step) = (0, 1);
            for axis in (0..shape.len()).rev() {
                if !axes.contains(&axis) {
                    result += i % shape[axis] * step;
                    step *= shape[axis];
                }
                i /= shape[axis];
            }
            result
        };
        (0..self.input.len()).filter(|&i| result(i) == k).map(|i| self.input[i]).collect()
    }
}

/// Of infinite elements, a variance may be NaN or infinite.
fn is_infinite_variance(operator: &str, own: f64, theirs: f64) -> bool {
    ["variance", "standard_deviation"].contains(&operator) && own.is_infinite() && theirs.is_nan()
}

/// The text of this crate for NumPy's name.
fn ours(text: &str) -> String {
    let (name, rest) = text.split_once(' ').unwrap();
    let name = match name {
        "var" => "variance",
        "std" => "standard_deviation",
        name => name,
    };
    format!("{name} {rest}")
}
