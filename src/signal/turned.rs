//! The fragment of a delay: factors exp(-2πi·k·d/n), by the shift theorem.

use crate::fragment::Fragment;
use crate::kernels::sources;

const TURNED: &str = "
// z * exp(-2πi·k·d/n), where d/n is `whole` + `rest` parts of 2^32.
fn turned(z: vec2<f32>, k: i32, n: u32, whole: u32, rest: f32) -> vec2<f32> {
    let root = root_at(angle_of(k, whole, rest));
    // The frequency n/2 is both n/2 and -n/2: the mean of both.
    let y = select(root.y, 0.0, 2u * bitcast<u32>(abs(k)) == n);
    return vec2(z.x * root.x + z.y * y, z.y * root.x - z.x * y);
}";

/// The fragment that delays, or why there is none. Lengths are those of the transforms.
pub(super) fn delaying(delays: &[f64], lengths: &[u32], axes: &[usize]) -> std::result::Result<Fragment, String> {
    if delays.len() != lengths.len() {
        return Err(format!("{} delays were given for {} axes", delays.len(), lengths.len()));
    }
    let mut expression = "value".to_owned();
    for (axis, (&delay, &n)) in delays.iter().zip(lengths).enumerate() {
        if !delay.is_finite() {
            return Err(format!("the delay along axis {axis} is {delay}, which is not finite"));
        }
        if delay == 0.0 {
            continue;
        }
        if !axes.contains(&axis) {
            return Err(format!("axis {axis} is not transformed, so nothing is delayed along it"));
        }
        let turns = delay.rem_euclid(n.into()) / f64::from(n) * 2f64.powi(32);
        // Of a tiny negative delay, the remainder is rounded to n.
        let whole = turns.floor() as u64 as u32;
        let rest = (turns - turns.floor()) as f32;
        expression = format!("turned({expression}, k{axis}, n{axis}, {whole}u, {rest:?})");
    }
    Ok(Fragment::new(expression).functions(format!("{}{TURNED}", sources::SIGNAL_TURNED.text)))
}
