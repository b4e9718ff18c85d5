// Smallest i32.
//
// Rust twin: src/kernels/reduce/operator.rs

alias Value = i32;

fn combine(a: Value, b: Value) -> Value {
    return min(a, b);
}
