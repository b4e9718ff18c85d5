//! Hand-written recipes in addition to the rules' choices, so that tests reach every kernel in
//! every form. Not every device is large enough for all of them.

/// For complex transforms, by shape.
pub const COMPLEX: &[(&[usize], &[&str])] = &[
    (&[1], &["axis 0: stockham 1 lanes=1 lines=3", "axis 0: radix2 rows=3 lanes=1"]),
    (&[2], &["axis 0: stockham 2 lanes=2", "axis 0: radix2 rows=2 lanes=5"]),
    // One stage: one invocation per line, and idle ones beside it.
    (&[16], &["axis 0: stockham 16 lanes=1 lines=4", "axis 0: stockham 16 lanes=3 lines=2", "axis 0: radix2 rows=3 lanes=1"]),
    // Kinds of exchange, padding, and sources of twiddle factors.
    (
        &[64],
        &[
            "axis 0: stockham 8.8 lanes=8 lines=4",
            "axis 0: stockham 8.8 lanes=4 lines=2 exchange=whole roots=table",
            "axis 0: stockham 2.2.2.2.2.2 lanes=32 exchange=whole banks=0 roots=table",
            "axis 0: stockham 4.16 lanes=4 lines=3 banks=16 roots=table",
            "axis 0: stockham 2.4.8 lanes=2 lines=5 banks=0",
            "axis 0: stockham 4.4.4 lanes=16 lines=2 exchange=whole banks=64",
            "axis 0: stockham 16.4 lanes=4 lines=2 pieces=4",
            "axis 0: stockham 4.4.4 lanes=5 lines=2",
            "axis 0: stockham 64 lanes=1 lines=2",
            "axis 0: stockham 8 lanes=1 lines=4 block=4x1 + stockham 8 lanes=1 lines=4",
            "axis 0: stockham 8 lanes=1 lines=4 + stockham 8 lanes=1 lines=4 roots=table",
            "axis 0 bluestein 128: stockham 16.8 lanes=8 lines=2 exchange=whole",
            // Accesses of two numbers, along rows and across lines.
            "axis 0: stockham 8.8 lanes=4 lines=4 width=2",
            "axis 0: stockham 8.2.4 lanes=4 lines=3 exchange=whole roots=table width=2",
            "axis 0: stockham 8 lanes=1 lines=4 width=2 + stockham 8 lanes=1 lines=8",
            "axis 0: stockham 2.4 lanes=3 lines=4 exchange=whole roots=table width=2 + stockham 4.2 lanes=3 lines=2",
            "axis 0: radix2 rows=1 lanes=32",
            "axis 0: radix2 rows=2 lanes=5",
        ],
    ),
    // Several pieces, and rounds in which not every invocation takes part.
    (
        &[256],
        &[
            "axis 0: stockham 16.16 lanes=16 lines=2 pieces=2",
            "axis 0: stockham 16.16 lanes=16 lines=3 pieces=4 exchange=whole",
            "axis 0: stockham 4.8.8 lanes=16 lines=1 pieces=4",
            "axis 0: stockham 16.16 lanes=8 lines=2 pieces=2 width=2",
            "axis 0: stockham 4.16.4 lanes=16 pieces=4 width=2",
            "axis 0: stockham 8.8.4 lanes=10 lines=3 banks=16",
            "axis 0: stockham 8.8.4 lanes=5 lines=1 banks=0",
            "axis 0: stockham 8.8.4 lanes=33 lines=7 banks=64 roots=table",
            "axis 0: radix2 rows=3 lanes=10",
        ],
    ),
    // Several passes, blocks between them, and convolutions of one pass and of several.
    (
        &[240],
        &[
            "axis 0: stockham 4.3 lanes=3 lines=4 + stockham 5.4 lanes=5 lines=2",
            "axis 0: stockham 4.3 lanes=3 lines=4 block=4x1 + stockham 5.4 lanes=4 lines=2",
            "axis 0: stockham 4 lanes=1 lines=8 + stockham 6 lanes=1 lines=4 + stockham 10 lanes=2 lines=2",
            "axis 0: stockham 4 lanes=1 lines=8 block=5x1 + stockham 6 lanes=1 lines=4 block=5x1 + stockham 10 lanes=2 lines=2",
            "axis 0: stockham 2.2 lanes=1 lines=8 block=4x1 + stockham 6 lanes=1 lines=3 + stockham 10 lanes=1 lines=2 roots=table",
            "axis 0: stockham 4.3 lanes=2 lines=4 width=2 + stockham 5.4 lanes=3 lines=6",
            "axis 0 bluestein 512: stockham 8.8 lanes=8 lines=2 + stockham 8 lanes=1 lines=8",
            "axis 0 bluestein 480: stockham 8.5.12 lanes=40 lines=1",
            "axis 0 bluestein 480: stockham 8.5.12 lanes=11 lines=3 roots=table",
        ],
    ),
    // As the rules divide long lengths: without blocks, so that lines begin in any row.
    (&[480], &["axis 0: stockham 5.4 lanes=4 lines=32 + stockham 6.4 lanes=2 lines=8 pieces=2"]),
    // Odd numbers of pieces.
    (&[225], &["axis 0: stockham 15.15 lanes=15 lines=2 pieces=5", "axis 0: stockham 15.15 lanes=5 lines=3 pieces=3 exchange=whole"]),
    // Radices of every small prime.
    (&[3 * 5 * 7], &["axis 0: stockham 3.5.7 lanes=4 lines=3", "axis 0: stockham 15.7 lanes=7"]),
    (&[11 * 13], &["axis 0: stockham 11.13 lanes=11 lines=2 exchange=whole", "axis 0: stockham 13.11 lanes=6 roots=table"]),
    (&[17 * 19], &["axis 0: stockham 17.19 lanes=17", "axis 0: stockham 19 lanes=1 lines=17 + stockham 17 lanes=1 lines=4"]),
    (&[23 * 29], &["axis 0: stockham 29.23 lanes=23 lines=2"]),
    (&[37], &["axis 0: stockham 37 lanes=1 lines=4", "axis 0 bluestein 75: stockham 5.15 lanes=5"]),
    (
        &[1024],
        &[
            "axis 0: stockham 8.8.8.2 lanes=128",
            "axis 0: stockham 16.16.4 lanes=64 exchange=whole roots=table",
            "axis 0: stockham 2.8.8.8 lanes=128 exchange=whole banks=0 roots=table",
            "axis 0: stockham 32.32 lanes=32 pieces=2",
            "axis 0: stockham 8.16.8 lanes=64 width=2",
            "axis 0: stockham 32 lanes=1 lines=32 block=8x1 + stockham 32 lanes=1 lines=32",
            "axis 0: stockham 8.4 lanes=4 lines=8 block=8x1 + stockham 4.8 lanes=4 lines=8",
        ],
    ),
    // Two axes: strided lines, blocks, transposes.
    (
        &[12, 20],
        &[
            "axis 1: stockham 5.4 lanes=5 lines=2 block=4x3; axis 0: stockham 4.3 lanes=3 lines=8",
            "axis 1: stockham 5.4 lanes=5 lines=2 block=3x5; axis 0: stockham 4.3 lanes=4 lines=8",
            "axis 0: stockham 4.3 lanes=3 lines=8 block=4x3; axis 1: stockham 5.4 lanes=5 lines=2",
            "axis 1: stockham 2.5.2 lanes=5 lines=2 block=4x3 width=2; axis 0: stockham 4.3 lanes=3 lines=8 width=2",
            "axis 1: stockham 5.4 lanes=5 lines=2; axis 0: stockham 4 lanes=1 lines=4 width=2 + stockham 3 lanes=1 lines=20 width=2",
            "axis 1: stockham 5 lanes=1 lines=4 block=4x1 + stockham 4 lanes=1 lines=5; axis 0: stockham 4 lanes=1 lines=5 + stockham 3 lanes=1 lines=20",
            "axis 1 bluestein 40: stockham 8.5 lanes=5 lines=2; axis 0 bluestein 24: stockham 4 lanes=1 lines=4 + stockham 6 lanes=1 lines=4",
            // Both axes in one pass.
            "axes 0 to 1: stockham 4.3.5.4 lanes=20 lines=2",
            "axes 0 to 1: stockham 12.20 lanes=20 exchange=whole roots=table",
        ],
    ),
    (
        &[16, 64],
        &[
            "rows: radix2 rows=2 lanes=8; columns: stockham 4.4 lanes=4 lines=4; transpose: naive 8x8",
            "rows: stockham 8.8 lanes=8 lines=4 roots=table; columns: radix2 rows=1 lanes=8; transpose: tiled 16+0 elements=1",
            "rows: stockham 8.8 lanes=8; columns: stockham 4.4 lanes=2 lines=4; transpose: tiled 16+1 elements=4",
            "rows: stockham 8.8 lanes=8; columns: stockham 4.4 lanes=2 lines=4; transpose: tiles 16x16 width=16 blocks=1 swizzle walk=rows",
            "axis 1: stockham 8.8 lanes=8 lines=1 block=8x4; axis 0: stockham 4.4 lanes=4 lines=8",
            "axis 1: stockham 8.8 lanes=8 lines=2; axis 0: stockham 16 lanes=1 lines=64",
            "axis 1: stockham 8.8 lanes=8 lines=2; axis 0: stockham 4.4 lanes=4 lines=16 pieces=2 width=2",
            "axes 0 to 1: stockham 4.4.8.8 lanes=32 pieces=2",
            "axes 0 to 1: stockham 16.8.8 lanes=32 lines=2 exchange=whole pieces=4",
            "axes 0 to 1: stockham 2.8.16.4 lanes=128 banks=0",
            "rows: stockham 8.8 lanes=4 width=2; columns: stockham 4.4 lanes=2 lines=4 width=2; transpose: naive 8x8",
        ],
    ),
    (
        &[4, 6, 10],
        &[
            "axis 2: stockham 10 lanes=1 lines=4 block=5x3; axis 1: stockham 2.3 lanes=3 lines=8 block=3x2; axis 0: stockham 4 lanes=1 lines=16",
            "axis 2: stockham 10 lanes=1 lines=4; axis 1: stockham 2.3 lanes=3 lines=8 width=2; axis 0: stockham 4 lanes=1 lines=16 width=2",
            "axes 0 to 2: stockham 4.2.3.10 lanes=10 lines=3",
            "axes 1 to 2: stockham 2.3.5.2 lanes=10 lines=2; axis 0: stockham 4 lanes=1 lines=16",
            "axis 2: stockham 10 lanes=1 lines=4; axes 0 to 1: stockham 4.6 lanes=6 lines=5",
        ],
    ),
];

/// For complex transforms with the lanes kernel, by shape. These are for processors with subgroups
/// of 8.
pub const LANES: &[(&[usize], &[&str])] = &[
    (&[1], &["axis 0: lanes 1.1 lanes=1 width=1 invocations=8"]),
    (&[7], &["axis 0: lanes 7.1 lanes=1 width=1 invocations=16"]),
    // Every width and number of lanes, lanes with less work than others, and idle lanes.
    (
        &[64],
        &[
            "axis 0: lanes 8.8 lanes=1 width=4 invocations=128",
            "axis 0: lanes 8.8 lanes=2 width=4 invocations=64",
            "axis 0: lanes 16.4 lanes=4 width=2 invocations=24",
            "axis 0: lanes 16.4 lanes=4 width=2 invocations=24 loops=1",
            "axis 0: lanes 32.2 lanes=8 width=1 invocations=32 loops=1",
            "axis 0: lanes 4.16 lanes=4 width=1 invocations=8",
            "axis 0: lanes 32.2 lanes=8 width=1 invocations=32",
            "axis 0: lanes 64.1 lanes=1 width=1 invocations=8",
            "axis 0: lanes 8.1 lanes=1 width=1 invocations=64 + lanes 8.1 lanes=1 width=1 invocations=64",
        ],
    ),
    (
        &[90],
        &[
            "axis 0: lanes 9.10 lanes=8 width=1 invocations=64",
            "axis 0: lanes 9.10 lanes=8 width=1 invocations=64 loops=1",
            "axis 0: lanes 10.9 lanes=4 width=1 invocations=64",
        ],
    ),
    (&[96], &["axis 0: lanes 12.8 lanes=4 width=2 invocations=64", "axis 0: lanes 24.4 lanes=2 width=4 invocations=64"]),
    (&[143], &["axis 0: lanes 13.11 lanes=8 width=1 invocations=8"]),
    (&[720], &["axis 0: lanes 36.20 lanes=8 width=4 invocations=128"]),
    (&[1024], &["axis 0: lanes 32.32 lanes=8 width=4 invocations=128", "axis 0: lanes 32.32 lanes=4 width=2 invocations=8"]),
    (&[1920], &["axis 0: lanes 60.32 lanes=8 width=4 invocations=128", "axis 0: lanes 60.32 lanes=8 width=4 invocations=64 loops=1"]),
    (&[2048], &["axis 0: lanes 64.32 lanes=8 width=4 invocations=64 loops=1"]),
    // Columns: in one lane, in several lanes, and in two passes with twiddle factors between them.
    (
        &[60, 24],
        &[
            "axis 1: lanes 6.4 lanes=1 width=2 invocations=64; axis 0: lanes 60.1 lanes=1 width=4 invocations=64",
            "axis 1: lanes 24.1 lanes=1 width=1 invocations=64; axis 0: lanes 10.1 lanes=1 width=4 invocations=64 + lanes 6.1 lanes=1 width=2 invocations=8",
            "axis 1: lanes 6.4 lanes=1 width=2 invocations=64; axis 0: lanes 10.6 lanes=4 width=1 invocations=64",
            "axis 0: lanes 10.6 lanes=2 width=2 invocations=64; axis 1: stockham 6.4 lanes=4 lines=8",
            "axis 0: lanes 10.6 lanes=2 width=4 invocations=64 loops=1; axis 1: lanes 6.4 lanes=2 width=2 invocations=64 loops=1",
        ],
    ),
    // Tables of twiddle factors as products.
    (
        &[4, 20_480],
        &[
            "axis 1: lanes 32.1 lanes=1 width=1 invocations=64 + lanes 32.1 lanes=1 width=1 invocations=64 + lanes 20.1 lanes=1 width=1 invocations=8; axis 0: lanes 4.1 lanes=1 width=4 invocations=64",
        ],
    ),
    (
        &[8, 4, 12],
        &[
            "axis 2: lanes 12.1 lanes=1 width=1 invocations=8; axis 1: lanes 4.1 lanes=1 width=4 invocations=8; axis 0: lanes 4.1 lanes=1 width=2 invocations=8 + lanes 2.1 lanes=1 width=4 invocations=8",
        ],
    ),
];

/// For rows of 60 reals, in both directions.
const ROWS_OF_60: &[&str] = &[
    "axis 0: stockham 5.4.3 lanes=15",
    "axis 0 pairs: stockham 5.4.3 lanes=7 lines=3",
    "axis 0 pairs: stockham 5.4.3 lanes=20 exchange=whole banks=0",
    "axis 0 pairs: stockham 60 lanes=1 lines=4",
    "axis 0: stockham 10 lanes=1 lines=3 + stockham 6 lanes=1 lines=4",
    "axis 0: stockham 10 lanes=1 lines=3 block=3x1 + stockham 6 lanes=1 lines=4",
    "axis 0 halves: stockham 5.6 lanes=6 lines=2",
    "axis 0 halves: stockham 5 lanes=1 lines=4 + stockham 6 lanes=1 lines=4",
    "axis 0 bluestein 128: stockham 16.8 lanes=8",
    "axis 0 bluestein 128 pairs: stockham 16.8 lanes=8",
    "axis 0 bluestein 128: stockham 16 lanes=1 + stockham 8 lanes=1",
    "axis 0 pairs: stockham 10.6 lanes=6 lines=3 pieces=2",
    "axis 0 pairs: stockham 6.10 lanes=6 pieces=2 exchange=whole",
    "axis 0 halves: stockham 6.5 lanes=5 lines=2",
    "axis 0 halves: stockham 10 lanes=1 lines=3 block=3x1 + stockham 3 lanes=1 lines=4",
    "axis 0 bluestein 64 halves: stockham 8.8 lanes=8 lines=2",
    "axis 0 bluestein 60 halves: stockham 10 lanes=1 lines=3 + stockham 6 lanes=1 lines=4",
];

/// For transforms from and to real numbers, by shape.
pub const REAL: &[(&[usize], [&[&str]; 2])] = &[
    (&[60], [ROWS_OF_60; 2]),
    (
        &[64],
        [
            &["axis 0 pairs: stockham 8.8 lanes=8 lines=2 pieces=2", "axis 0 pairs: stockham 8.8 lanes=4 lines=3 pieces=4 exchange=whole"],
            &["axis 0 pairs: stockham 8.8 lanes=8 lines=2 pieces=2", "axis 0: stockham 8.8 lanes=4 lines=3 pieces=4"],
        ],
    ),
    // Halves in lanes, by accesses that rows in place have as well.
    (&[2], [&["axis 0 halves: lanes 1.1 lanes=1 width=1 invocations=8"]; 2]),
    (&[24], [&["axis 0 halves: lanes 4.3 lanes=2 width=1 invocations=64"]; 2]),
    (&[30], [&["axis 0 halves: lanes 5.1 lanes=1 width=1 invocations=8 + lanes 3.1 lanes=1 width=1 invocations=8"]; 2]),
    (
        &[12, 20],
        [
            &[
                "axis 1 pairs: stockham 5.4 lanes=5 lines=2 block=4x2; axis 0: stockham 4.3 lanes=3 lines=8",
                "axis 1 pairs: stockham 5.4 lanes=5 lines=2 block=3x4; axis 0: stockham 4.3 lanes=3 lines=8",
                "axis 1: stockham 5.4 lanes=4 lines=4; axis 0: stockham 4 lanes=1 lines=8 + stockham 3 lanes=1 lines=16",
                "axis 1 halves: stockham 10 lanes=1 lines=4; axis 0: stockham 4.3 lanes=3 lines=8",
                "axis 1 halves: lanes 5.2 lanes=2 width=1 invocations=64; axis 0: lanes 12.1 lanes=1 width=1 invocations=64",
            ],
            &[
                "axis 0: stockham 4.3 lanes=3 lines=8 block=4x2; axis 1: stockham 5.4 lanes=5 lines=2",
                "axis 0: stockham 4.3 lanes=3 lines=8; axis 1 pairs: stockham 5.4 lanes=5 lines=2",
                "axis 0: stockham 4 lanes=1 lines=8 + stockham 3 lanes=1 lines=16; axis 1: stockham 5.4 lanes=4 lines=4",
                "axis 0: stockham 4.3 lanes=3 lines=8; axis 1 halves: stockham 10 lanes=1 lines=4",
                "axis 0: lanes 12.1 lanes=1 width=1 invocations=64; axis 1 halves: lanes 5.2 lanes=2 width=1 invocations=64",
            ],
        ],
    ),
    (
        &[3, 4, 15],
        [
            &["axis 2 pairs: stockham 3.5 lanes=5 lines=3; axis 1: stockham 4 lanes=1 lines=8; axis 0: stockham 3 lanes=1 lines=8"],
            &["axis 0: stockham 3 lanes=1 lines=8; axis 1: stockham 4 lanes=1 lines=8; axis 2 pairs: stockham 3.5 lanes=5 lines=3"],
        ],
    ),
];

/// For transforms from and to real numbers out of place, by shape: halves in lanes.
pub const HALVES_IN_LANES: &[(&[usize], [&[&str]; 2])] = &[
    (&[2], [&["axis 0 halves: lanes 1.1 lanes=1 width=1 invocations=8"]; 2]),
    (&[8], [&["axis 0 halves: lanes 2.2 lanes=1 width=2 invocations=8", "axis 0 halves: lanes 2.2 lanes=2 width=1 invocations=8"]; 2]),
    (
        &[24],
        [&[
            "axis 0 halves: lanes 6.2 lanes=1 width=2 invocations=24",
            "axis 0 halves: lanes 12.1 lanes=1 width=1 invocations=64",
            "axis 0 halves: lanes 4.1 lanes=1 width=1 invocations=8 + lanes 3.1 lanes=1 width=1 invocations=8",
        ]; 2],
    ),
    (&[30], [&["axis 0 halves: lanes 5.3 lanes=1 width=1 invocations=8"]; 2]),
    (
        &[128],
        [&[
            "axis 0 halves: lanes 8.8 lanes=2 width=4 invocations=64",
            "axis 0 halves: lanes 16.4 lanes=4 width=2 invocations=24",
            "axis 0 halves: lanes 16.4 lanes=8 width=1 invocations=64 loops=1",
        ]; 2],
    ),
    (
        &[12, 64],
        [
            &[
                "axis 1 packed: lanes 8.4 lanes=1 width=4 invocations=64; axis 0: lanes 12.1 lanes=1 width=4 invocations=64",
                "axis 1 packed: lanes 8.4 lanes=1 width=4 invocations=64; axis 0: stockham 4 lanes=1 lines=8 block=4x2 + stockham 3 lanes=1 lines=8",
            ],
            &[
                "axis 0: lanes 12.1 lanes=1 width=4 invocations=64; axis 1 packed: lanes 8.4 lanes=1 width=4 invocations=64",
                "axis 0: stockham 4 lanes=1 lines=8 + stockham 3 lanes=1 lines=8; axis 1 packed: lanes 8.4 lanes=1 width=4 invocations=64",
            ],
        ],
    ),
    // An odd number of blocks, whose middle one is its own mirror image but for the row.
    (
        &[4, 3, 24],
        [
            &[
                "axis 2 packed: lanes 6.2 lanes=1 width=2 invocations=64; axis 1: lanes 3.1 lanes=1 width=4 invocations=64; axis 0: lanes 4.1 lanes=1 width=2 invocations=64",
                "axis 2 packed: lanes 4.3 lanes=1 width=1 invocations=64; axis 0: lanes 2.1 lanes=1 width=1 invocations=64 + lanes 2.1 lanes=1 width=1 invocations=64; axis 1: stockham 3 lanes=1 lines=8",
                "axis 2 halves: lanes 4.3 lanes=1 width=1 invocations=64; axis 0: lanes 2.1 lanes=1 width=1 invocations=64 + lanes 2.1 lanes=1 width=1 invocations=64; axis 1: stockham 3 lanes=1 lines=8",
            ],
            &[
                "axis 0: lanes 4.1 lanes=1 width=2 invocations=64; axis 1: lanes 3.1 lanes=1 width=4 invocations=64; axis 2 packed: lanes 6.2 lanes=1 width=2 invocations=64",
                "axis 1: stockham 3 lanes=1 lines=8; axis 0: lanes 2.1 lanes=1 width=1 invocations=64 + lanes 2.1 lanes=1 width=1 invocations=64; axis 2 packed: lanes 4.3 lanes=1 width=1 invocations=64",
                "axis 1: stockham 3 lanes=1 lines=8; axis 0: lanes 2.1 lanes=1 width=1 invocations=64 + lanes 2.1 lanes=1 width=1 invocations=64; axis 2 halves: lanes 4.3 lanes=1 width=1 invocations=64",
            ],
        ],
    ),
    (
        &[7, 2],
        [
            &["axis 1 packed: lanes 1.1 lanes=1 width=1 invocations=8; axis 0: lanes 7.1 lanes=1 width=1 invocations=8"],
            &["axis 0: lanes 7.1 lanes=1 width=1 invocations=8; axis 1 packed: lanes 1.1 lanes=1 width=1 invocations=8"],
        ],
    ),
];

/// Recipes for transposes, of every variant.
pub const TRANSPOSES: [&str; 11] = [
    "naive 16x16",
    "naive 8x4",
    "naive 7x3",
    "tiled 16+0 elements=1",
    "tiled 16+1 elements=1",
    "tiled 16+1 elements=2",
    "tiled 32+1 elements=4",
    "tiled 32+1 elements=8",
    "tiled 16+1 elements=16",
    "tiled 4+1 elements=1",
    "tiled 5+2 elements=5",
];
