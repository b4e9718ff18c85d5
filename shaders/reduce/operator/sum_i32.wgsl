// Sum of i32, modulo 2^32.
//
// Rust twin: src/kernels/reduce/operator.rs

alias Value = i32;

fn combine(a: Value, b: Value) -> Value {
    return a + b;
}
