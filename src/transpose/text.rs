//! The WGSL of `transpose/tiles`, written from [`Tiles`], which says what it computes.
//!
//! A tile of a x b elements, a the fastest axis of the input and b that of the output, consists of blocks of V accesses to the input, from neighbouring b, which
//! turned in registers are accesses to the output, from neighbouring a. They go to workgroup memory, where one row holds one a, and from there along the rows to the
//! output; or, without workgroup memory, straight there.
//!
//! All loads of an invocation come first, so that they are under way together.

use std::fmt::{Arguments, Write};

use crate::kernels::transpose::tiles::{Spread, Tiles, Walk};

/// The text between the markers of the file.
pub(super) fn wgsl(tiles: &Tiles) -> String {
    let mut text = Text { tiles, text: String::new(), indent: 0 };
    text.globals();
    text.line(format_args!("@compute @workgroup_size({}u)", tiles.invocations()));
    text.line(format_args!("fn main("));
    text.line(format_args!("    @builtin(workgroup_id) group_id: vec3<u32>,"));
    text.line(format_args!("    @builtin(num_workgroups) group_count: vec3<u32>,"));
    text.line(format_args!("    @builtin(local_invocation_index) t: u32,"));
    text.line(format_args!(") {{"));
    text.indent = 1;
    text.place();
    if tiles.memory.is_some() {
        text.through_memory();
    } else {
        text.direct();
    }
    text.indent = 0;
    text.line(format_args!("}}"));
    text.text
}

struct Text<'a> {
    tiles: &'a Tiles,
    text: String,
    indent: usize,
}

impl Text<'_> {
    fn line(&mut self, line: Arguments<'_>) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 4 * self.indent);
    }

    fn open(&mut self, condition: &str) {
        self.line(format_args!("if ({condition}) {{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line(format_args!("}}"));
    }

    /// Bytes of a component of an access.
    fn component_bytes(&self) -> u32 {
        if self.tiles.widths().contains(&32) { 8 } else { 4 }
    }

    fn access_type(&self, bytes: u32) -> String {
        let own = self.component_bytes();
        let scalar = if own == 8 { "u64" } else { "u32" };
        match bytes / own {
            1 => scalar.to_owned(),
            count => format!("vec{count}<{scalar}>"),
        }
    }

    /// Elements of a word.
    fn per_word(&self) -> u32 {
        4 / self.tiles.bytes.min(4)
    }

    /// Bindings, workgroup memory, and how words are stored where accesses are shifted.
    fn globals(&mut self) {
        let tiles = self.tiles;
        let [load, store] = tiles.widths().map(|bytes| self.access_type(bytes));
        if tiles.in_place {
            self.line(format_args!("@group(0) @binding(2) var<storage, read_write> data: array<{load}>;"));
        } else {
            let load = if tiles.load.shifted { "u32" } else { &load };
            let target = if tiles.store.shifted { "atomic<u32>" } else { &store };
            self.line(format_args!("@group(0) @binding(1) var<storage, read> input: array<{load}>;"));
            self.line(format_args!("@group(0) @binding(2) var<storage, read_write> output: array<{target}>;"));
        }
        if tiles.memory.is_some() {
            let count = tiles.halves() * tiles.tile[1] * tiles.pitch();
            self.line(format_args!("var<workgroup> memory: array<{store}, {count}>;"));
        }
        self.line(format_args!(""));
        if tiles.store.shifted {
            self.put();
        }
    }

    /// Stores word j of those that a row of the tile touches, of which only the row's own elements change.
    fn put(&mut self) {
        let (per_word, bits) = (self.per_word(), 8 * self.tiles.bytes);
        let last = self.tiles.grid()[0] - 1;
        self.line(format_args!("fn put(first: u32, row: u32, j: u32, limit: u32) {{"));
        self.indent = 1;
        self.line(format_args!("let skipped = first % {per_word}u;"));
        let [below, above] =
            ["max(j, 1u) - 1u".to_owned(), format!("min(j, {last}u)")].map(|column| self.address(0, "row", "row", &column));
        self.line(format_args!("let value = joined(memory[{below}], memory[{above}], 32u - skipped * {bits}u);"));
        self.line(format_args!("let begin = select(0u, skipped, j == 0u);"));
        self.line(format_args!("let end = min(max(limit + skipped, j * {per_word}u) - j * {per_word}u, {per_word}u);"));
        self.line(format_args!("let mask = bits_between(begin * {bits}u, end * {bits}u);"));
        self.line(format_args!("let place = first / {per_word}u + j;"));
        self.open("mask == 0xffffffffu");
        self.line(format_args!("atomicStore(&output[place], value);"));
        self.indent -= 1;
        self.line(format_args!("}} else if (mask != 0u) {{"));
        self.indent += 1;
        self.line(format_args!("atomicAnd(&output[place], ~mask);"));
        self.line(format_args!("atomicOr(&output[place], value & mask);"));
        self.close();
        self.indent = 0;
        self.line(format_args!("}}"));
        self.line(format_args!(""));
    }

    /// Which tile, and where it begins on both sides.
    fn place(&mut self) {
        let tiles = self.tiles;
        self.line(format_args!("let index = workgroup_index(group_id, group_count);"));
        if tiles.in_place {
            self.line(format_args!("let width = params.tiles_a | 1u;"));
            self.line(format_args!("let height = (params.tiles_a + 1u) / 2u;"));
            self.line(format_args!("let r = index / width % height;"));
            self.line(format_args!("let c = index % width;"));
            self.line(format_args!("let own = params.tiles_a - r;"));
            self.line(format_args!("let tile_b = select(own + params.tiles_a % 2u - 1u, r, c < own);"));
            self.line(format_args!("let tile_a = tile_b + select(c - own, c, c < own);"));
            self.line(format_args!("let outer = index / (width * height);"));
        } else {
            match tiles.walk {
                Walk::Rows | Walk::Diagonal => {
                    self.line(format_args!("let rest = index / params.tiles_a;"));
                    self.line(format_args!("let tile_b = rest % params.tiles_b;"));
                    let along = "index % params.tiles_a";
                    if tiles.walk == Walk::Diagonal {
                        self.line(format_args!("let tile_a = ({along} + tile_b) % params.tiles_a;"));
                    } else {
                        self.line(format_args!("let tile_a = {along};"));
                    }
                    self.line(format_args!("let outer = rest / params.tiles_b;"));
                }
                Walk::Columns => {
                    self.line(format_args!("let rest = index / params.tiles_b;"));
                    self.line(format_args!("let tile_b = index % params.tiles_b;"));
                    self.line(format_args!("let tile_a = rest % params.tiles_a;"));
                    self.line(format_args!("let outer = rest / params.tiles_a;"));
                }
                Walk::Bands(rows) => {
                    self.line(format_args!("let each = params.tiles_a * params.tiles_b;"));
                    self.line(format_args!("let outer = index / each;"));
                    self.line(format_args!("let within = index % each;"));
                    self.line(format_args!("let first = within / ({rows}u * params.tiles_a) * {rows}u;"));
                    self.line(format_args!("let height = min({rows}u, params.tiles_b - first);"));
                    self.line(format_args!("let own = within % ({rows}u * params.tiles_a);"));
                    self.line(format_args!("let tile_b = first + own % height;"));
                    self.line(format_args!("let tile_a = own / height;"));
                }
            }
        }
        if tiles.guarded {
            self.line(format_args!("let extent_a = select(0u, params.extent_a, index < params.groups);"));
        }
        let mut indices = vec!["outer".to_owned()];
        if tiles.outer >= 2 {
            self.line(format_args!("let outer_0 = outer % params.outer_0;"));
            self.line(format_args!("let rest_0 = outer / params.outer_0;"));
            indices = vec!["outer_0".to_owned(), "rest_0".to_owned()];
        }
        if tiles.outer >= 3 {
            self.line(format_args!("let outer_1 = rest_0 % params.outer_1;"));
            self.line(format_args!("let rest_1 = rest_0 / params.outer_1;"));
            indices = vec!["outer_0".to_owned(), "outer_1".to_owned(), "rest_1".to_owned()];
        }
        indices.truncate(tiles.outer as usize);
        for side in ["input", "output"] {
            let mut sum = format!("params.{side}");
            for (i, index) in indices.iter().enumerate() {
                let _ = write!(sum, " + {index} * params.{side}_{i}");
            }
            self.line(format_args!("let {side}_begin = {sum};"));
        }
        let [tile_b, tile_a] = tiles.tile;
        let along = |side: crate::kernels::transpose::tiles::Side, extent: u32| if side.shifted { extent } else { extent / side.elements };
        let (columns, rows) = (along(tiles.load, tile_a), along(tiles.store, tile_b));
        for half in 0..tiles.halves() {
            let (a, b) = if half == 0 { ("tile_a", "tile_b") } else { ("tile_b", "tile_a") };
            self.line(format_args!("let a{half} = {a} * {tile_a}u;"));
            self.line(format_args!("let b{half} = {b} * {tile_b}u;"));
            self.line(format_args!("let from{half} = input_begin + b{half} * params.input_b + {a} * {columns}u;"));
            self.line(format_args!("let to{half} = output_begin + a{half} * params.output_a + {b} * {rows}u;"));
        }
    }

    /// Position i·N + t, N invocations, of a grid so many wide: column and row, as expressions.
    fn position(&self, i: u32, width: u32) -> [String; 2] {
        let n = self.tiles.invocations();
        let plus = |base: &str, offset: u32| match (base, offset) {
            ("", offset) => format!("{offset}u"),
            (base, 0) => base.to_owned(),
            (base, offset) => format!("({base} + {offset}u)"),
        };
        if n.is_multiple_of(width) {
            let column = if width == n { "t".to_owned() } else { format!("t % {width}u") };
            let row = if width == n { String::new() } else { format!("t / {width}u") };
            [column, plus(&row, i * (n / width))]
        } else if width.is_multiple_of(n) {
            let times = width / n;
            [plus("t", i % times * n), plus("", i / times)]
        } else {
            let all = plus("t", i * n);
            [format!("{all} % {width}u"), format!("{all} / {width}u")]
        }
    }

    /// Where an access lies in workgroup memory: that of column `column`, an expression, in row `row` of half `half`; block is the row's number over the V of blocks.
    fn address(&self, half: u32, row: &str, block: &str, column: &str) -> String {
        let (pitch, height) = (self.tiles.pitch(), self.tiles.tile[1]);
        let row = if half == 0 { row.to_owned() } else { format!("({row} + {height}u)") };
        match self.tiles.memory {
            Some(Spread::Swizzle) => {
                let v = self.tiles.load.elements;
                let block = if block == "row" && v > 1 { format!("(row / {v}u)") } else { block.to_owned() };
                format!("{row} * {pitch}u + (({column}) ^ ({block} & {}u))", self.tiles.grid()[0] - 1)
            }
            _ => format!("{row} * {pitch}u + {column}"),
        }
    }

    /// Loads a block, of which each row is returned as the names of its components. `declared` if it happens under a condition that ends before they are used.
    fn load(&mut self, half: u32, name: &str, qa: &str, qb: &str, condition: Option<&str>) -> Vec<Vec<String>> {
        let tiles = self.tiles;
        let [width, _] = tiles.widths();
        let access = self.access_type(width);
        let count = width / self.component_bytes();
        let source = if tiles.in_place { "data" } else { "input" };
        let rows: Vec<String> = (0..tiles.store.elements).map(|k| format!("{name}_{k}")).collect();
        if condition.is_some() {
            for row in &rows {
                self.line(format_args!("var {row}: {access};"));
            }
        }
        if let Some(condition) = condition {
            self.open(condition);
        }
        let v = tiles.load.elements;
        let column = if tiles.load.shifted { format!("{qa} * {v}u") } else { qa.to_owned() };
        self.line(format_args!("let {name} = from{half} + {qb} * {}u * params.input_b + {column};", tiles.store.elements));
        // Where the output is shifted, a block may have rows past the last b, of which nothing is
        // stored: they are that of the last b once more, so that no load leaves the array.
        let rows_end = tiles.guarded && tiles.store.shifted;
        if rows_end {
            self.line(format_args!("let {name}_last = params.extent_b - 1u - b{half} - {qb} * {}u;", tiles.store.elements));
        }
        // Where the input is shifted, a block may have columns past the last a, and a row has a
        // word more than it takes if it is not shifted after all: such words are the row's last.
        let columns_end = match tiles.guarded && tiles.load.shifted {
            true => format!("params.extent_a - 1u - a{half} - {qa} * {v}u"),
            false => format!("{}u", v - 1),
        };
        if tiles.load.shifted {
            self.line(format_args!("let {name}_end = {columns_end};"));
        }
        for (k, row) in rows.iter().enumerate() {
            let place = match k {
                0 => name.to_owned(),
                k if rows_end => format!("{name} + min({k}u, {name}_last) * params.input_b"),
                1 => format!("{name} + params.input_b"),
                k => format!("{name} + {k}u * params.input_b"),
            };
            let value = if tiles.load.shifted {
                let (per_word, bits) = (self.per_word(), 8 * tiles.bytes);
                self.line(format_args!("let {row}_place = {place};"));
                self.line(format_args!("let {row}_bits = {row}_place % {per_word}u * {bits}u;"));
                self.line(format_args!("let {row}_word0 = input[{row}_place / {per_word}u];"));
                self.line(format_args!("let {row}_end = ({row}_place + {name}_end) / {per_word}u;"));
                for j in 1..=count {
                    self.line(format_args!("let {row}_word{j} = input[min({row}_place / {per_word}u + {j}u, {row}_end)];"));
                }
                let words: Vec<String> = (0..count).map(|j| format!("joined({row}_word{j}, {row}_word{}, {row}_bits)", j + 1)).collect();
                if count == 1 { words[0].clone() } else { format!("{access}({})", words.join(", ")) }
            } else {
                format!("{source}[{place}]")
            };
            let keyword = if condition.is_some() { "" } else { "let " };
            self.line(format_args!("{keyword}{row} = {value};"));
        }
        if condition.is_some() {
            self.close();
        }
        rows.iter().map(|row| components(row, count)).collect()
    }

    /// The block turned: for each a an access to the output, as an expression.
    fn turn(&mut self, name: &str, rows: &[Vec<String>]) -> Vec<String> {
        let tiles = self.tiles;
        let (v, own) = (tiles.load.elements, self.component_bytes());
        let columns: Vec<Vec<String>> = if tiles.bytes >= own {
            let each = (tiles.bytes / own) as usize;
            let of = |k: usize| rows.iter().flat_map(move |row| row[k * each..(k + 1) * each].to_vec()).collect();
            (0..v as usize).map(of).collect()
        } else {
            let per_word = self.per_word() as usize;
            let mut columns = vec![Vec::new(); v as usize];
            for (i, rows) in rows.chunks(per_word).enumerate() {
                for j in 0..v as usize / per_word {
                    let words: Vec<&str> = rows.iter().map(|row| row[j].as_str()).collect();
                    let turned = self.turn_words(&format!("{name}_{i}_{j}"), &words);
                    turned.into_iter().enumerate().for_each(|(k, word)| columns[j * per_word + k].push(word));
                }
            }
            columns
        };
        let [_, width] = tiles.widths();
        let access = self.access_type(width);
        columns
            .into_iter()
            .map(|words| if words.len() == 1 { words[0].clone() } else { format!("{access}({})", words.join(", ")) })
            .collect()
    }

    /// Words of 2 or 4 elements each, as many, with rows and columns exchanged.
    fn turn_words(&mut self, name: &str, x: &[&str]) -> Vec<String> {
        let mut named = |suffix: String, value: String| {
            self.line(format_args!("let {name}_{suffix} = {value};"));
            format!("{name}_{suffix}")
        };
        let mut exchange = |[x, y]: [&str; 2], bits: u32, suffix: [String; 2]| {
            let low = if bits == 8 { "0x00ff00ffu" } else { "0x0000ffffu" };
            let high = if bits == 8 { "0xff00ff00u" } else { "0xffff0000u" };
            let [first, second] = suffix;
            [
                named(first, format!("({x} & {low}) | (({y} << {bits}u) & {high})")),
                named(second, format!("(({x} >> {bits}u) & {low}) | ({y} & {high})")),
            ]
        };
        if x.len() == 2 {
            return exchange([x[0], x[1]], 16, ["y0".to_owned(), "y1".to_owned()]).to_vec();
        }
        let [t0, t1] = exchange([x[0], x[1]], 8, ["t0".to_owned(), "t1".to_owned()]);
        let [t2, t3] = exchange([x[2], x[3]], 8, ["t2".to_owned(), "t3".to_owned()]);
        let [y0, y2] = exchange([&t0, &t2], 16, ["y0".to_owned(), "y2".to_owned()]);
        let [y1, y3] = exchange([&t1, &t3], 16, ["y1".to_owned(), "y3".to_owned()]);
        vec![y0, y1, y2, y3]
    }

    /// Whether the block begins inside.
    fn inside(&self, half: u32, qa: &str, qb: &str) -> String {
        format!(
            "a{half} + {qa} * {}u < extent_a && b{half} + {qb} * {}u < params.extent_b",
            self.tiles.load.elements, self.tiles.store.elements
        )
    }

    fn through_memory(&mut self) {
        let tiles = self.tiles;
        let [height, width] = tiles.grid();
        let mut blocks = Vec::new();
        for half in 0..tiles.halves() {
            for i in 0..tiles.blocks {
                let name = format!("x{half}{i}");
                let [column, row] = self.position(i, width);
                let (qa, qb) = (format!("qa{half}{i}"), format!("qb{half}{i}"));
                self.line(format_args!("let {qa} = {column};"));
                self.line(format_args!("let {qb} = {row};"));
                let condition = tiles.guarded.then(|| self.inside(half, &qa, &qb));
                let rows = self.load(half, &name, &qa, &qb, condition.as_deref());
                blocks.push((half, name, qa, qb, rows));
            }
        }
        let v = tiles.load.elements;
        for (half, name, qa, qb, rows) in blocks {
            for (k, value) in self.turn(&format!("{name}_t"), &rows).into_iter().enumerate() {
                let row = match (v, k) {
                    (1, _) => qa.clone(),
                    (v, 0) => format!("{qa} * {v}u"),
                    (v, k) => format!("({qa} * {v}u + {k}u)"),
                };
                let address = self.address(half, &row, &qa, &qb);
                self.line(format_args!("memory[{address}] = {value};"));
            }
        }
        self.line(format_args!("workgroupBarrier();"));
        let target = if tiles.in_place { "data" } else { "output" };
        for half in 0..tiles.halves() {
            for i in 0..tiles.blocks * v {
                let [column, row] = self.position(i, height);
                self.line(format_args!("{{"));
                self.indent += 1;
                self.line(format_args!("let row = {row};"));
                self.line(format_args!("let column = {column};"));
                if tiles.store.shifted {
                    self.put_row(half, "column");
                } else {
                    if tiles.guarded {
                        let condition =
                            format!("a{half} + row < extent_a && b{half} + column * {}u < params.extent_b", tiles.store.elements);
                        self.open(&condition);
                    }
                    let address = self.address(half, "row", "row", "column");
                    self.line(format_args!("{target}[to{half} + row * params.output_a + column] = memory[{address}];"));
                    if tiles.guarded {
                        self.close();
                    }
                }
                self.close();
            }
        }
        if tiles.store.shifted {
            // A shifted row touches one word more.
            for i in 0..tiles.tile[1].div_ceil(tiles.invocations()) {
                let row = if i == 0 { "t".to_owned() } else { format!("t + {}u", i * tiles.invocations()) };
                self.line(format_args!("{{"));
                self.indent += 1;
                self.line(format_args!("let row = {row};"));
                self.open(&format!("row < {}u", tiles.tile[1]));
                self.put_row(0, &format!("{height}u"));
                self.close();
                self.close();
            }
        }
    }

    /// Stores one word of row `row` of the tile.
    fn put_row(&mut self, half: u32, column: &str) {
        let tile_b = self.tiles.tile[0];
        if self.tiles.guarded {
            self.open(&format!("a{half} + row < extent_a"));
        }
        self.line(format_args!("put(to{half} + row * params.output_a, row, {column}, min({tile_b}u, params.extent_b - b{half}));"));
        if self.tiles.guarded {
            self.close();
        }
    }

    /// Without workgroup memory.
    fn direct(&mut self) {
        let tiles = self.tiles;
        let [height, width] = tiles.grid();
        let target = if tiles.in_place { "data" } else { "output" };
        for i in 0..tiles.blocks {
            self.line(format_args!("{{"));
            self.indent += 1;
            let [first, second] = self.position(i, if tiles.across { height } else { width });
            let [column, row] = if tiles.across { [second, first] } else { [first, second] };
            self.line(format_args!("let qa = {column};"));
            self.line(format_args!("let qb = {row};"));
            let mut conditions = Vec::new();
            if tiles.guarded {
                conditions.push(self.inside(0, "qa", "qb"));
            }
            if tiles.in_place {
                // On the diagonal two invocations would exchange the same two blocks.
                conditions.push("(tile_a != tile_b || qa <= qb)".to_owned());
            }
            if !conditions.is_empty() {
                self.open(&conditions.join(" && "));
            }
            let mut halves = Vec::new();
            for half in 0..tiles.halves() {
                let (qa, qb) = if half == 0 { ("qa", "qb") } else { ("qb", "qa") };
                halves.push((half, qa, qb, self.load(half, &format!("x{half}"), qa, qb, None)));
            }
            let halves: Vec<_> =
                halves.into_iter().map(|(half, qa, qb, rows)| (half, qa, qb, self.turn(&format!("x{half}_t"), &rows))).collect();
            for (half, qa, qb, values) in halves {
                let v = tiles.load.elements;
                self.line(format_args!("let y{half} = to{half} + {qa} * {v}u * params.output_a + {qb};"));
                for (k, value) in values.into_iter().enumerate() {
                    let place = match k {
                        0 => format!("y{half}"),
                        1 => format!("y{half} + params.output_a"),
                        k => format!("y{half} + {k}u * params.output_a"),
                    };
                    // Shifted accesses may go past the end of a row.
                    let partial = tiles.guarded && tiles.load.shifted && k > 0;
                    if partial {
                        self.open(&format!("a{half} + {qa} * {v}u + {k}u < extent_a"));
                    }
                    self.line(format_args!("{target}[{place}] = {value};"));
                    if partial {
                        self.close();
                    }
                }
            }
            if !conditions.is_empty() {
                self.close();
            }
            self.close();
        }
    }
}

/// The components of an access.
fn components(name: &str, count: u32) -> Vec<String> {
    match count {
        1 => vec![name.to_owned()],
        count => ["x", "y", "z", "w"][..count as usize].iter().map(|component| format!("{name}.{component}")).collect(),
    }
}
