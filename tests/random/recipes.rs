//! Recipes for Fourier transforms that are drawn decision by decision, so that each decision meets
//! every other one. The crate says which of them fit, and those must be right.

use crate::draws::Draws;
use crate::recipes_by_hand::TRANSPOSES;

/// An axis to transform.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub axis: usize,
    /// The length of its Fourier transform.
    pub n: usize,
    /// Whether that has reals on one side.
    pub reals: bool,
}

/// Which axis has to come first or last.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ordered {
    Free,
    LastAxisFirst,
    LastAxisLast,
}

/// A recipe for these axes, which are in ascending order.
pub fn recipe(draws: &mut Draws, axes: &[Axis], ordered: Ordered) -> String {
    if let ([rows, columns], Ordered::Free, true) = (axes, ordered, draws.chance(6)) {
        let [rows, columns] = [columns, rows].map(|own| pass(draws, own.n));
        let transpose = draws.pick(&TRANSPOSES);
        return format!("rows: {rows}; columns: {columns}; transpose: {transpose}");
    }
    // Neighbours that are transformed together, the last axis first.
    let mut groups: Vec<Vec<Axis>> = Vec::new();
    for own in axes.iter().rev() {
        match groups.last_mut() {
            Some(group) if ordered == Ordered::Free && group[0].axis == own.axis + 1 && draws.chance(40) => group.insert(0, *own),
            _ => groups.push(vec![*own]),
        }
    }
    if draws.chance(40) {
        draws.shuffle(&mut groups);
    }
    let last = |group: &Vec<Axis>| axes.last().is_some_and(|last| group[0].axis == last.axis);
    match ordered {
        Ordered::Free => {}
        Ordered::LastAxisFirst => groups.sort_by_key(|group| !last(group)),
        Ordered::LastAxisLast => groups.sort_by_key(last),
    }
    groups.iter().map(|group| if let [own] = group[..] { alone(draws, own) } else { together(draws, group) }).collect::<Vec<_>>().join("; ")
}

fn together(draws: &mut Draws, group: &[Axis]) -> String {
    let radices: Vec<usize> = group.iter().flat_map(|own| radices(draws, own.n)).collect();
    format!("axes {} to {}: {}", group[0].axis, group[group.len() - 1].axis, stockham(draws, &radices))
}

fn alone(draws: &mut Draws, Axis { axis, n, reals }: Axis) -> String {
    let word = if reals { draws.pick(&["", " pairs", " halves", " packed"]) } else { "" };
    let mut n = if matches!(word, " halves" | " packed") { n / 2 } else { n }.max(1);
    let mut bluestein = String::new();
    if draws.chance(if largest_prime(n) > 31 { 80 } else { 8 }) {
        n = (2 * n - 1 + draws.between(0, n)..).find(|&m| largest_prime(m) <= 7).unwrap_or(n);
        bluestein = format!(" bluestein {n}");
    }
    let passes: Vec<String> = if draws.chance(30) {
        let mut lengths = vec![1; draws.between(2, 3)];
        for prime in primes(n) {
            let own = draws.below(lengths.len() as u64) as usize;
            lengths[own] *= prime;
        }
        // A kernel of a pass is mostly that of the others.
        let kernel = draws.below(100);
        lengths.iter().map(|&length| if kernel > 80 { lanes(draws, length) } else { pass(draws, length) }).collect()
    } else {
        vec![pass(draws, n)]
    };
    format!("axis {axis}{bluestein}{word}: {}", passes.join(" + "))
}

/// A pass of some kernel over lines of this length.
fn pass(draws: &mut Draws, n: usize) -> String {
    match draws.below(100) {
        0..80 => {
            let radices = radices(draws, n);
            stockham(draws, &radices)
        }
        80..95 => lanes(draws, n),
        _ => format!("radix2 rows={} lanes={}", draws.between(1, 4), draws.between(1, n.min(64))),
    }
}

fn stockham(draws: &mut Draws, radices: &[usize]) -> String {
    let n: usize = radices.iter().product();
    let width = if draws.chance(40) { 2 } else { 1 };
    // So many that no invocation holds too much; mostly so many that none is idle at the ends.
    let ends = [radices[0], radices[radices.len() - 1]].map(|radix| n / radix);
    let elements = |lanes: usize| radices.iter().map(|radix| (n / radix).div_ceil(lanes) * radix).max().unwrap_or(1);
    let possible: Vec<usize> = (1..=n.min(256)).filter(|&lanes| width * elements(lanes) <= 64 || lanes == n.min(256)).collect();
    let even: Vec<usize> = possible.iter().copied().filter(|lanes| ends.iter().all(|end| end % (width * lanes) == 0)).collect();
    let any = even.is_empty() || draws.chance(30);
    let lanes = draws.pick(if any { &possible } else { &even });
    let lines = if draws.chance(50) { draws.between(1, 9) } else { 1 << draws.below(4) };
    let exchange = draws.pick(&["split", "whole"]);
    let pieces = if draws.chance(30) { draws.pick(&[2, 4, 3, 5, 8]) } else { 1 };
    let (banks, roots) = (draws.pick(&[32, 0, 16, 64]), draws.pick(&["products", "table"]));
    let mut text = format!(
        "stockham {} lanes={lanes} lines={lines} exchange={exchange} pieces={pieces} banks={banks} roots={roots}",
        radices.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
    );
    if draws.chance(20) {
        text += &format!(" block={}x{}", draws.between(1, 9), draws.between(1, 9));
    }
    if width == 1 { text } else { text + " width=2" }
}

fn lanes(draws: &mut Draws, n: usize) -> String {
    let divisors: Vec<usize> = (1..=n.min(64)).filter(|divisor| n.is_multiple_of(*divisor) && n / divisor <= 64).collect();
    let own = if divisors.is_empty() { n } else { draws.pick(&divisors) };
    let (lanes, width) = (draws.pick(&[1, 2, 4, 8]), draws.pick(&[1, 2, 4]));
    let loops = if draws.chance(20) { " loops=1" } else { "" };
    format!("lanes {own}.{} lanes={lanes} width={width} invocations={}{loops}", n / own, 8 << draws.below(5))
}

/// Radices of at most 64, where the length has such.
fn radices(draws: &mut Draws, n: usize) -> Vec<usize> {
    let mut primes = primes(n);
    draws.shuffle(&mut primes);
    let mut all: Vec<usize> = Vec::new();
    for prime in primes {
        match all.last_mut() {
            Some(last) if *last * prime <= 64 && draws.chance(60) => *last *= prime,
            _ => all.push(prime),
        }
    }
    if all.is_empty() { vec![1] } else { all }
}

fn primes(n: usize) -> Vec<usize> {
    let (mut rest, mut all) = (n, Vec::new());
    for prime in 2.. {
        while rest > 1 && rest.is_multiple_of(prime) {
            all.push(prime);
            rest /= prime;
        }
        if rest <= 1 {
            break;
        }
    }
    all
}

fn largest_prime(n: usize) -> usize {
    primes(n).last().copied().unwrap_or(1)
}
