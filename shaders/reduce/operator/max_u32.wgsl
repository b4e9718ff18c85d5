// Largest u32.
//
// Rust twin: src/kernels/reduce/operator.rs

alias Value = u32;

fn combine(a: Value, b: Value) -> Value {
    return max(a, b);
}
