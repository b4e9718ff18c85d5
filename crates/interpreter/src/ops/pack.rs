//! Packing of numbers into a word, and unpacking.

use half::f16;
use naga::MathFunction as Math;

use super::{Kernel, kernel, map2, map4};

#[inline(always)]
fn snorm(x: f32, scale: f32) -> i32 {
    (x.clamp(-1.0, 1.0) * scale + 0.5).floor() as i32
}

#[inline(always)]
fn unorm(x: f32, scale: f32) -> u32 {
    (x.clamp(0.0, 1.0) * scale + 0.5).floor() as u32
}

#[inline(always)]
fn bytes(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a & 255 | (b & 255) << 8 | (c & 255) << 16 | (d & 255) << 24
}

/// The word of the components of a vector.
pub(crate) fn pack(fun: Math) -> Option<Kernel> {
    Some(match fun {
        Math::Pack4x8snorm => |regs, r| {
            map4::<f32, u32>(regs, r, |a, b, c, d| {
                let f = |x| snorm(x, 127.0) as u32;
                bytes(f(a), f(b), f(c), f(d))
            })
        },
        Math::Pack4x8unorm => |regs, r| {
            map4::<f32, u32>(regs, r, |a, b, c, d| {
                let f = |x| unorm(x, 255.0);
                bytes(f(a), f(b), f(c), f(d))
            })
        },
        Math::Pack2x16snorm => {
            |regs, r| map2::<f32, f32, u32>(regs, r, |a, b| snorm(a, 32767.0) as u32 & 0xffff | (snorm(b, 32767.0) as u32) << 16)
        }
        Math::Pack2x16unorm => |regs, r| map2::<f32, f32, u32>(regs, r, |a, b| unorm(a, 65535.0) | unorm(b, 65535.0) << 16),
        Math::Pack2x16float => {
            |regs, r| map2::<f32, f32, u32>(regs, r, |a, b| f16::from_f32(a).to_bits() as u32 | (f16::from_f32(b).to_bits() as u32) << 16)
        }
        Math::Pack4xI8 | Math::Pack4xU8 => |regs, r| map4::<u32, u32>(regs, r, bytes),
        Math::Pack4xI8Clamp => |regs, r| {
            map4::<i32, u32>(regs, r, |a, b, c, d| {
                let f = |x: i32| x.clamp(-128, 127) as u32;
                bytes(f(a), f(b), f(c), f(d))
            })
        },
        Math::Pack4xU8Clamp => |regs, r| {
            map4::<u32, u32>(regs, r, |a, b, c, d| {
                let f = |x: u32| x.min(255);
                bytes(f(a), f(b), f(c), f(d))
            })
        },
        _ => return None,
    })
}

/// One component of the vector in a word, whose number the second source holds; and the number of
/// components.
pub(crate) fn unpack(fun: Math) -> Option<(Kernel, usize)> {
    Some(match fun {
        Math::Unpack4x8snorm => (kernel!(|word: u32, i: u32| -> f32 { ((word >> (8 * (i & 3))) as i8 as f32 / 127.0).max(-1.0) }), 4),
        Math::Unpack4x8unorm => (kernel!(|word: u32, i: u32| -> f32 { (word >> (8 * (i & 3))) as u8 as f32 / 255.0 }), 4),
        Math::Unpack2x16snorm => (kernel!(|word: u32, i: u32| -> f32 { ((word >> (16 * (i & 1))) as i16 as f32 / 32767.0).max(-1.0) }), 2),
        Math::Unpack2x16unorm => (kernel!(|word: u32, i: u32| -> f32 { (word >> (16 * (i & 1))) as u16 as f32 / 65535.0 }), 2),
        Math::Unpack2x16float => (kernel!(|word: u32, i: u32| -> f32 { f16::from_bits((word >> (16 * (i & 1))) as u16).to_f32() }), 2),
        Math::Unpack4xI8 => (kernel!(|word: u32, i: u32| -> i32 { (word >> (8 * (i & 3))) as i8 as i32 }), 4),
        Math::Unpack4xU8 => (kernel!(|word: u32, i: u32| -> u32 { (word >> (8 * (i & 3))) as u8 as u32 }), 4),
        _ => return None,
    })
}

/// The dot product of the bytes of two words.
pub(crate) fn dot(fun: Math) -> Option<Kernel> {
    Some(match fun {
        Math::Dot4I8Packed => {
            kernel!(|a: u32, b: u32| -> i32 { (0..4).map(|i| (a >> (8 * i)) as i8 as i32 * (b >> (8 * i)) as i8 as i32).sum() })
        }
        Math::Dot4U8Packed => {
            kernel!(|a: u32, b: u32| -> u32 { (0..4).map(|i| (a >> (8 * i)) as u8 as u32 * (b >> (8 * i)) as u8 as u32).sum() })
        }
        _ => return None,
    })
}
