// Sum of f32.
//
// Rust twin: src/kernels/reduce/operator.rs

alias Value = f32;

fn combine(a: Value, b: Value) -> Value {
    return a + b;
}
