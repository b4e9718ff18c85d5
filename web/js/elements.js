// The element types of arrays: the size of an element in bytes, and the typed arrays that hold
// them. Complex numbers lie interleaved: re, im, re, im. The numbers of f16 and bf16 are bits.

import { FftError } from "./error.js";

const TABLE = {
    "f32": [4, Float32Array],
    "complex f32": [8, Float32Array],
    "f32x2": [8, Float32Array],
    "f32x4": [16, Float32Array],
    "f64": [8, Float64Array],
    "complex f64": [16, Float64Array],
    "f16": [2, Uint16Array],
    "complex f16": [4, Uint16Array],
    "f16x2": [4, Uint16Array],
    "f16x4": [8, Uint16Array],
    "bf16": [2, Uint16Array],
    "complex bf16": [4, Uint16Array],
    "i32": [4, Int32Array],
    "i32x2": [8, Int32Array],
    "i32x4": [16, Int32Array],
    "u32": [4, Uint32Array],
    "u32x2": [8, Uint32Array],
    "u32x4": [16, Uint32Array],
    "i64": [8, BigInt64Array],
    "u64": [8, BigUint64Array],
    "u8": [1, Uint8Array],
    "u8x2": [2, Uint8Array],
    "u8x3": [3, Uint8Array],
    "u8x4": [4, Uint8Array],
    "i8": [1, Int8Array],
    "i16": [2, Int16Array],
    "u16": [2, Uint16Array],
    "u16x4": [8, Uint16Array],
};

// What an array holds if nobody says more.
const PLAIN = new Map([
    [Float32Array, "f32"],
    [Float64Array, "f64"],
    [Int32Array, "i32"],
    [Uint32Array, "u32"],
    [Int16Array, "i16"],
    [Uint16Array, "u16"],
    [Int8Array, "i8"],
    [Uint8Array, "u8"],
    [Uint8ClampedArray, "u8"],
    [BigInt64Array, "i64"],
    [BigUint64Array, "u64"],
]);

/** `{ bytes, Type }` of an element type. */
export function layoutOf(element) {
    if (!Object.hasOwn(TABLE, element)) {
        throw new FftError("parse", `\`${element}\` is not an element type: expected one of ${Object.keys(TABLE).join(", ")}`);
    }
    const [bytes, Type] = TABLE[element];
    return { bytes, Type };
}

/** The element type of a typed array, if it holds plain numbers. */
export function plainElement(data) {
    const element = PLAIN.get(data?.constructor);
    if (element === undefined) {
        throw new FftError("unsupported", `expected a typed array, got ${data?.constructor?.name ?? typeof data}`);
    }
    return element;
}

/** Fails unless a typed array holds `len` elements of a type. */
export function check(argument, data, element, len) {
    const { bytes, Type } = layoutOf(element);
    // Pictures come as Uint8ClampedArray; a Uint8Array may hold the bytes of anything; and where
    // browsers have Float16Array, its bits are those of f16.
    const fits =
        data instanceof Type ||
        data instanceof Uint8Array ||
        (Type === Uint8Array && data instanceof Uint8ClampedArray) ||
        (element.includes("f16") && !element.includes("bf16") && data?.constructor?.name === "Float16Array");
    if (!fits) {
        throw new FftError("unsupported", `${argument}: ${element} needs a ${Type.name}, got ${data?.constructor?.name ?? typeof data}`);
    }
    const actual = data.byteLength / bytes;
    if (actual !== len) {
        throw new FftError("wrong-length", `${argument}: expected ${len} elements of ${element}, got ${actual}`);
    }
}
