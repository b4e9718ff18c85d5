//! Copies that access memory as the passes of a transform do: what a pass takes whose arithmetic
//! costs nothing.
//!
//! ```sh
//! cargo bench --bench measure -- patterns
//! ```
//!
//! The array has n by n complex numbers; n is 4096 on a GPU, or less if its bindings are smaller. A
//! pass over rows has a workgroup for each row. A pass over columns has one for 4 columns, as many as
//! fit, so that it loads and stores 32 bytes at a time unless the array between the two is in blocks:
//! `4x16` are 4 numbers of each of 16 rows, one after the other. With `exchange` the numbers go through
//! workgroup memory, as between two stages. `both` are a pass over rows and one over columns, in turns.
//!
//! `chunks` are two passes over the rows of 4 such arrays, in parts that stay in a cache: both passes
//! over the first part, then both over the second one.
//!
//! `of_rows` is the time over that of as many bytes copied by rows.

use serde_json::json;
use wgpu_fft::{Complex32, DeviceBuffer, Gpu, wgpu};

use crate::support::{Bench, Candidate, Case, Column, Format, Program, Result, pipeline, rounded};

pub const PROGRAM: Program = Program {
    name: "patterns",
    about: "copies that access memory as the passes of a transform do",
    options: "(--recipe has no effect)
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("pattern", "spec", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("GB/s", "gb_per_s", Format::Digits),
    Column::new("of rows", "of_rows", Format::Decimals(3)),
];

/// Invocations of a workgroup.
const INVOCATIONS: u32 = 256;
/// Columns of a workgroup.
const TOGETHER: u32 = 4;
/// Arrays of which chunks are parts.
const ARRAYS: u64 = 4;

fn work(bench: &mut Bench) -> Result<()> {
    let mut n = bench.sized(4096, 1024, 256);
    let profile = bench.gpu().profile();
    while n > INVOCATIONS && bytes_of(n) * ARRAYS > profile.binding_bytes.min(profile.buffer_bytes) {
        n /= 2;
    }
    let mut patterns = Patterns::new(bench.gpu(), n)?.all();
    patterns.retain(|own| own.name == ROWS || bench.options().wants(&own.name));
    let candidates = patterns.iter().map(|own| {
        let steps = own.steps.clone();
        Candidate::recorded(vec![Box::new(move |pass| record(&steps, pass))])
    });
    let samples = bench.measure(candidates.collect())?;
    let by_rows = samples[0].gb_per_s(patterns[0].bytes);
    for (own, samples) in patterns.into_iter().zip(&samples) {
        let case = Case { title: own.name, shape: n.to_string(), bytes: own.bytes };
        let speed = samples.gb_per_s(own.bytes);
        let own = [
            ("dispatches", json!(own.steps.len())),
            ("samples", json!(samples.count())),
            ("ms", rounded(samples.median() * 1e3)),
            ("gb_per_s", rounded(speed)),
            ("of_rows", rounded(by_rows / speed)),
        ];
        bench.report_own(&case, "", own);
    }
    Ok(())
}

/// The bytes of n by n complex numbers.
fn bytes_of(n: u32) -> u64 {
    8 * u64::from(n) * u64::from(n)
}

/// What all times are compared with.
const ROWS: &str = "rows";

/// A dispatch: its pipeline, its arrays, and its workgroups.
type Step = (wgpu::ComputePipeline, wgpu::BindGroup, u32);

struct Pattern {
    name: String,
    steps: Vec<Step>,
    /// Read and written by all steps.
    bytes: u64,
}

fn record(steps: &[Step], pass: &mut wgpu::ComputePass<'_>) {
    for (pipeline, group, workgroups) in steps {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(*workgroups, 1, 1);
    }
}

/// Where a workgroup's numbers are: an index by its own index `group`, that of the invocation `t`,
/// and that of the number `i`.
#[derive(Clone, Copy)]
enum Place {
    /// A row for each workgroup.
    Rows,
    /// A row for each workgroup, of an array in blocks.
    RowsInBlocks([u32; 2]),
    /// Some columns for each workgroup.
    Columns,
    /// Some columns for each workgroup, of an array in blocks.
    ColumnsInBlocks([u32; 2]),
}

impl Place {
    fn index(self, n: u32, i: u32) -> String {
        let along = format!("t + {}u", i * INVOCATIONS);
        let down = format!("t / {TOGETHER}u + {}u", i * INVOCATIONS / TOGETHER);
        let column = format!("group * {TOGETHER}u + t % {TOGETHER}u");
        let in_blocks = |[width, height]: [u32; 2], row: &str, column: &str| {
            let (across, size) = (n / width, width * height);
            format!(
                "(({row}) / {height}u * {across}u + ({column}) / {width}u) * {size}u + ({row}) % {height}u * {width}u + ({column}) % {width}u"
            )
        };
        match self {
            Self::Rows => format!("group * {n}u + {along}"),
            Self::RowsInBlocks(block) => in_blocks(block, "group", &along),
            Self::Columns => format!("({down}) * {n}u + {column}"),
            Self::ColumnsInBlocks(block) => in_blocks(block, &down, &column),
        }
    }

    /// Numbers of an invocation.
    fn elements(self, n: u32) -> u32 {
        match self {
            Self::Rows | Self::RowsInBlocks(_) => n / INVOCATIONS,
            Self::Columns | Self::ColumnsInBlocks(_) => n * TOGETHER / INVOCATIONS,
        }
    }
}

/// Two arrays, and what lies between two passes. Each has room for [`ARRAYS`] of n by n.
struct Patterns<'a> {
    gpu: &'a Gpu,
    n: u32,
    input: DeviceBuffer<Complex32>,
    between: DeviceBuffer<Complex32>,
    output: DeviceBuffer<Complex32>,
}

impl<'a> Patterns<'a> {
    fn new(gpu: &'a Gpu, n: u32) -> Result<Self> {
        let array = || gpu.alloc((ARRAYS * bytes_of(n) / 8) as usize);
        Ok(Self { gpu, n, input: array()?, between: array()?, output: array()? })
    }

    /// A kernel that copies from one place to another, perhaps with an exchange in so many pieces.
    fn pipeline(&self, from: Place, to: Place, pieces: u32) -> wgpu::ComputePipeline {
        let count = from.elements(self.n);
        let mut body = String::new();
        for i in 0..count {
            body += &format!("    var x{i} = a[{}];\n", from.index(self.n, i));
        }
        let each = count.checked_div(pieces).unwrap_or(0);
        for (piece, part) in (0..pieces).flat_map(|piece| ["x", "y"].map(|part| (piece, part))) {
            let own = piece * each..(piece + 1) * each;
            body += "    workgroupBarrier();\n";
            for (place, i) in own.clone().enumerate() {
                body += &format!("    exchanged[t + {}u] = x{i}.{part};\n", place as u32 * INVOCATIONS);
            }
            body += "    workgroupBarrier();\n";
            for (place, i) in own.enumerate() {
                let other = format!("(t * 33u + {}u) % {}u", place as u32 * INVOCATIONS, each * INVOCATIONS);
                body += &format!("    x{i}.{part} = exchanged[{other}];\n");
            }
        }
        for i in 0..count {
            body += &format!("    b[{}] = x{i};\n", to.index(self.n, i));
        }
        let text = format!(
            "@group(0) @binding(0) var<storage, read> a: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> b: array<vec2<f32>>;
var<workgroup> exchanged: array<f32, {}>;

@compute @workgroup_size({INVOCATIONS})
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {{
    let group = id.x;
{body}}}
",
            (each * INVOCATIONS).max(1)
        );
        pipeline(self.gpu, "patterns", &text, &[])
    }

    /// A dispatch from part of one array to part of another, both of which begin at a byte and have so
    /// many bytes.
    fn step(&self, pipeline: &wgpu::ComputePipeline, arrays: [(&DeviceBuffer<Complex32>, u64); 2], bytes: u64, workgroups: u32) -> Step {
        let entries = [0, 1].map(|binding| {
            let (array, offset) = arrays[binding];
            let resource = wgpu::BufferBinding { buffer: array.buffer(), offset, size: wgpu::BufferSize::new(bytes) };
            wgpu::BindGroupEntry { binding: binding as u32, resource: wgpu::BindingResource::Buffer(resource) }
        });
        let layout = &pipeline.get_bind_group_layout(0);
        let group = self.gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: Some("patterns"), layout, entries: &entries });
        (pipeline.clone(), group, workgroups)
    }

    fn all(&self) -> Vec<Pattern> {
        let (n, bytes) = (self.n, bytes_of(self.n));
        let mut all = Vec::new();
        let mut add = |name: String, steps: Vec<Step>, bytes: u64| all.push(Pattern { name, steps, bytes });
        let exchanges = |pieces: u32| if pieces > 0 { ", exchange" } else { "" };
        let over_rows =
            |to: Place, pieces: u32| self.step(&self.pipeline(Place::Rows, to, pieces), [(&self.input, 0), (&self.between, 0)], bytes, n);
        let over_columns = |from: Place, pieces: u32| {
            self.step(&self.pipeline(from, Place::Columns, pieces), [(&self.between, 0), (&self.output, 0)], bytes, n / TOGETHER)
        };
        add(ROWS.to_owned(), vec![over_rows(Place::Rows, 0)], 2 * bytes);
        // So many pieces of an exchange fit the workgroup memory.
        let pieces = |elements: u32, least: u32| {
            (4 * elements * INVOCATIONS).div_ceil(self.gpu.profile().workgroup_bytes).next_power_of_two().clamp(least, elements)
        };
        for [rows, columns] in [[0, 0], [pieces(Place::Rows.elements(n), 1), pieces(Place::Columns.elements(n), 2)]] {
            let what = exchanges(columns);
            if rows > 0 {
                add(format!("rows{what}"), vec![over_rows(Place::Rows, rows)], 2 * bytes);
            }
            add(format!("columns{what}"), vec![over_columns(Place::Columns, columns)], 2 * bytes);
            for block in [[4, 16], [8, 16], [16, 4]] {
                let [width, height] = block;
                let first = over_rows(Place::RowsInBlocks(block), rows);
                let second = over_columns(Place::ColumnsInBlocks(block), columns);
                add(format!("rows to blocks {width}x{height}{what}"), vec![first.clone()], 2 * bytes);
                add(format!("columns of blocks {width}x{height}{what}"), vec![second.clone()], 2 * bytes);
                add(format!("both by blocks {width}x{height}{what}"), vec![first, second], 4 * bytes);
            }
        }
        let (total, copy) = (ARRAYS * bytes, self.pipeline(Place::Rows, Place::Rows, 0));
        for parts in [1, 16, 32, 64, 128] {
            let (part, workgroups) = (total / parts, (u64::from(n) * ARRAYS / parts) as u32);
            let steps = (0..parts).flat_map(|i| {
                [[(&self.input, i * part), (&self.between, 0)], [(&self.between, 0), (&self.output, i * part)]]
                    .map(|arrays| self.step(&copy, arrays, part, workgroups))
            });
            let mib = part as f64 / f64::from(1 << 20);
            add(format!("chunks of {mib} MiB"), steps.collect(), 4 * total);
        }
        all
    }
}
