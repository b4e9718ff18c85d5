//! Generates the variable part of `shaders/transpose/tiles.wgsl` from [`Tiles`].
//!
//! A tile has two directions: a, along the fastest axis of the input, and b, along the fastest axis
//! of the output. It consists of blocks. A block is loaded in accesses to the input from
//! neighbouring b. After it is transposed in registers, it consists of accesses to the output from
//! neighbouring a. These go through workgroup memory, where each a has a row, and are stored along
//! the rows of the output. Without workgroup memory they are stored directly.
//!
//! With workgroup memory, an invocation loads all its blocks before it uses one, so that all its
//! loads are in flight together.

use std::collections::HashMap;

use crate::kernels::transpose::tiles::{Side, Spread, Tiles, Walk};
use crate::wgsl::{
    self, Body, Expr, Function, Module, Scalar, Type, U32, Writes, all, boolean, call, construct, convert, max, min, select,
};

/// The text between the markers of the file.
pub(super) fn wgsl(tiles: &Tiles) -> String {
    let mut module = Module::default();
    let [load, store] = tiles.widths().map(|bytes| access(tiles, bytes));
    let read = if tiles.load.shifted { U32 } else { load };
    let written = if tiles.store.shifted { Type::Atomic(Scalar::U32) } else { store.clone() };
    let (input, output) = module.input_output(tiles.in_place, read, written);
    let accesses = tiles.together() * tiles.tile[1] * tiles.pitch();
    let memory = tiles.memory.map(|_| module.workgroup("memory", Type::sized(store, accesses)));
    module.gap();

    let mut main = Function::new("main").entry(&tiles.invocations().to_string());
    let index = main.workgroup_index();
    let t = main.builtin("local_invocation_index", "t", U32).below(tiles.invocations());
    let index = main.body.value("index", index);
    let mut extent_a = param("extent_a");
    if tiles.guarded {
        extent_a = main.body.value("extent_a", select(&index.less(param("groups")), extent_a, 0));
    }
    let last = main.body.value("last", call("arrayLength", [&input.pointer()], U32) - 1);
    if tiles.load.shifted || tiles.store.shifted {
        module.function(joined_function(tiles.int64));
    }
    let body = std::mem::take(&mut main.body);
    let mut emitter = Emitter { tiles, body, input, output, last, t, extent_a, named: HashMap::new() };
    let halves = emitter.halves(&index);
    match &memory {
        Some(memory) => emitter.through_memory(memory, &halves),
        None => emitter.straight(&halves),
    }
    main.body = emitter.body;
    if let Some(memory) = memory.filter(|_| tiles.store.shifted) {
        module.function(put(tiles, &memory, &emitter.output));
    }
    module.function(main);
    module.finish()
}

fn param(name: &str) -> Expr {
    wgsl::param(name, U32)
}

/// The type of an access of `bytes` bytes. It consists of u64 if either access has 32 bytes,
/// because a vector of u32 has at most 16.
fn access(tiles: &Tiles, bytes: u32) -> Type {
    let scalar = if tiles.widths().contains(&32) { Scalar::U64 } else { Scalar::U32 };
    Type::numbers(bytes / component_bytes(tiles), scalar)
}

fn component_bytes(tiles: &Tiles) -> u32 {
    if tiles.widths().contains(&32) { 8 } else { 4 }
}

/// Elements per word, and bits per element, for elements smaller than words.
fn packing(tiles: &Tiles) -> (u32, u32) {
    (4 / tiles.bytes, 8 * tiles.bytes)
}

/// The function that [`joined`] calls. As one number of 64 bits, u8 8191² takes 0.0530 ms on an
/// H200, in two words 0.0556.
fn joined_function(int64: bool) -> Function {
    let mut joined = Function::new("joined").returning(U32);
    joined = joined.doc("The 32 bits that begin `bits` bits (0 to 32, an even number) after the begin of `first`,\ncontinued in `second`.");
    let [first, second, bits] = ["first", "second", "bits"].map(|name| joined.parameter(name, U32));
    let body = &mut joined.body;
    if int64 {
        let [first, second] = [first, second].map(|word| convert(&Type::Scalar(Scalar::U64), &word));
        body.give(convert(&U32, &(((second << 32) | first) >> bits)));
    } else {
        body.comment("Each shift is made in two halves, because a shift by 32 bits is none in WGSL.");
        let half = body.value("half", bits / 2);
        let rest = body.value("rest", Expr::from(16) - &half);
        body.give(((first >> &half) >> half) | ((second << &rest) << rest));
    }
    joined
}

/// The word that begins `bits` bits after the start of `first`.
fn joined(first: &Expr, second: &Expr, bits: &Expr) -> Expr {
    call("joined", [first, second, bits], U32)
}

/// An access built from its parts, in order.
fn assembled(access: &Type, parts: &[Expr]) -> Expr {
    if let [one] = parts { one.clone() } else { construct(access, parts) }
}

/// The place of a row and column of a half's tile in workgroup memory.
fn address(tiles: &Tiles, half: u32, row: &Expr, column: &Expr) -> Expr {
    let column = match tiles.memory {
        Some(Spread::Swizzle) => column ^ ((row / tiles.load.elements * tiles.step()) & (tiles.grid()[0] - 1)),
        _ => column.clone(),
    };
    (row + half % tiles.together() * tiles.tile[1]) * tiles.pitch() + column
}

/// The function that stores a word of a row that begins within a word.
fn put(tiles: &Tiles, memory: &Expr, output: &Expr) -> Function {
    let (per_word, bits) = packing(tiles);
    let mut put = Function::new("put").doc("Stores word j of those that a row of the tile touches: only the bits of its own elements.");
    let [first, row, j, count] = ["first", "row", "j", "count"].map(|name| put.parameter(name, U32));
    let row = row.below(tiles.tile[1]);
    let body = &mut put.body;
    let [below, above] = [max(&j, 1) - 1, min(&j, tiles.grid()[0] - 1)].map(|column| memory.at(address(tiles, 0, &row, &column)));
    let value = body.value("value", joined(&below, &above, &(Expr::from(32) - &first % per_word * bits)));
    let mask = body.value("mask", call("own_bits", [&first, &j, &count, &bits.into()], U32));
    let place = body.value("place", &first / per_word + &j);
    let word = output.at(place).pointer();
    body.when_else(
        &mask.equals(u32::MAX),
        |body| body.call("atomicStore", [&word, &value]),
        |body| {
            body.when(&mask.differs(0), |body| {
                body.call("atomicAnd", [&word, &!mask.clone()]);
                body.call("atomicOr", [&word, &(&value & &mask)]);
            });
        },
    );
    put
}

/// One of the two tiles that a workgroup exchanges in place; otherwise its only tile.
struct Half {
    number: u32,
    /// Its first a and b.
    a: Expr,
    b: Expr,
    /// Its first place in the input, and in the output.
    load_from: Expr,
    store_to: Expr,
}

/// A block of a half.
struct Block<'a> {
    half: &'a Half,
    /// Its index along a, and along b.
    a: Expr,
    b: Expr,
}

struct Emitter<'a> {
    tiles: &'a Tiles,
    body: Body,
    input: Expr,
    /// The place of the last element of the input.
    last: Expr,
    output: Expr,
    t: Expr,
    /// Zero in workgroups without a tile.
    extent_a: Expr,
    /// Columns and rows already named, by their names and their expressions.
    named: HashMap<(&'static str, String), Expr>,
}

impl Writes for Emitter<'_> {
    fn body(&mut self) -> &mut Body {
        &mut self.body
    }
}

impl Emitter<'_> {
    /// The tiles of a workgroup, and where they begin.
    fn halves(&mut self, index: &Expr) -> Vec<Half> {
        let (tiles, body) = (self.tiles, &mut self.body);
        let vector = Type::Vector(3, Scalar::U32);
        let tile = match tiles.walk {
            Walk::Bands(rows) if tiles.in_place => call("tile_of_pair_by_bands", [index, &rows.into()], vector),
            _ if tiles.in_place => call("tile_of_pair", [index], vector),
            Walk::Rows => call("tile_by_rows", [index], vector),
            Walk::Columns => call("tile_by_columns", [index], vector),
            Walk::Diagonal => call("tile_by_diagonals", [index], vector),
            Walk::Bands(rows) => call("tile_by_bands", [index, &rows.into()], vector),
        };
        let tile = body.value("tile", tile);
        let begins = call(&format!("begins_{}", tiles.outer), [&tile.components("z")], Type::Vector(2, Scalar::U32));
        let begins = body.value("begins", begins);
        let along = |side: Side, extent: u32| if side.shifted { extent } else { extent / side.elements };
        let [extent_b, extent_a] = tiles.tile;
        let (a, b) = (body.value("a", tile.x() * extent_a), body.value("b", tile.y() * extent_b));
        let mut half = |number: u32, [a, b]: [&Expr; 2], [tile_a, tile_b]: [Expr; 2]| {
            let load_from = begins.x() + b * param("input_b") + tile_a * along(tiles.load, extent_a);
            let store_to = begins.y() + a * param("output_a") + tile_b * along(tiles.store, extent_b);
            let (load_from, store_to) = (body.value("load_from", load_from), body.value("store_to", store_to));
            Half { number, a: a.clone(), b: b.clone(), load_from, store_to }
        };
        let mut halves = vec![half(0, [&a, &b], [tile.x(), tile.y()])];
        if tiles.in_place {
            halves.push(half(1, [&b, &a], [tile.y(), tile.x()]));
        }
        halves
    }

    /// The column and row of an invocation in iteration i, on a grid of `width` columns.
    fn position(&mut self, i: u32, width: u32, [column, row]: [&'static str; 2]) -> [Expr; 2] {
        let position = &self.t + i * self.tiles.invocations();
        // Many iterations have the same column, which gets only one name.
        [(column, &position % width), (row, &position / width)].map(|(name, value)| {
            let named = self.named.entry((name, value.to_string()));
            named.or_insert_with(|| self.body.value(name, value)).clone()
        })
    }

    /// Whether the array has this a and this b of the tile.
    fn inside(&self, half: &Half, a: Expr, b: Expr) -> Expr {
        if self.tiles.guarded { (&half.a + a).less(&self.extent_a).and((&half.b + b).less(param("extent_b"))) } else { boolean(true) }
    }

    fn begins_inside(&self, Block { half, a, b }: &Block<'_>) -> Expr {
        self.inside(half, a * self.tiles.load.elements, b * self.tiles.store.elements)
    }

    /// The accesses of a block to the input, or zeros if the condition does not hold.
    fn load(&mut self, block: &Block<'_>, condition: &Expr) -> Vec<Expr> {
        let access = access(self.tiles, self.tiles.widths()[0]);
        let names: Vec<_> = (0..self.tiles.store.elements).map(|k| (format!("x{k}"), access.clone())).collect();
        self.values_when(condition, &names, |own| if own.tiles.load.shifted { own.shifted_rows(block) } else { own.rows(block) })
    }

    /// The places of the rows of a block.
    fn places(&mut self, Block { half, a, b }: &Block<'_>) -> Vec<Expr> {
        let tiles = self.tiles;
        let rows = tiles.store.elements;
        let column = if tiles.load.shifted { a * tiles.load.elements } else { a.clone() };
        let place = self.body.value("place", &half.load_from + b * rows * param("input_b") + column);
        (0..rows).map(|k| &place + param("input_b") * k).collect()
    }

    /// Whether a row may lie beyond the last b. This only happens with shifted outputs, whose rows
    /// may have any length.
    fn may_be_past(&self, row: u32) -> bool {
        row > 0 && self.tiles.guarded && self.tiles.store.shifted
    }

    /// The element at a place of the input that may lie beyond its end. What is loaded there is
    /// never stored, so the last element will do. Clamps for each row and block cost shifted
    /// transposes on an H200 up to 2.6%: 8191 x 8191 bytes took 0.0750 ms instead of 0.0732. A
    /// clamp to the length of the array, only where an access may leave it, takes 0.0737.
    fn input_at(&self, place: Expr, may_leave: bool) -> Expr {
        self.input.at(if may_leave { min(&place, &self.last) } else { place })
    }

    fn rows(&mut self, block: &Block<'_>) -> Vec<Expr> {
        let places = self.places(block);
        (0..).zip(places).map(|(k, place)| self.input_at(place, self.may_be_past(k))).collect()
    }

    /// The rows of a block that begin within words.
    fn shifted_rows(&mut self, block: &Block<'_>) -> Vec<Expr> {
        let tiles = self.tiles;
        let (per_word, bits) = packing(tiles);
        let access = access(tiles, tiles.widths()[0]);
        let elements = tiles.load.elements;
        let places = self.places(block);
        let count = elements / per_word;
        let row = |(k, place)| {
            let place = self.body.value(&format!("place{k}"), place);
            let shift = self.body.value(&format!("shift{k}"), &place % per_word * bits);
            // A block may have columns beyond the last a. A row that begins at a word boundary does
            // not need the extra word.
            let may_leave = |j: u32| self.may_be_past(k) || j > 0 && tiles.guarded || j == count;
            let words: Vec<Expr> = (0..=count).map(|j| self.input_at(&place / per_word + j, may_leave(j))).collect();
            let named = words.into_iter().enumerate();
            let words: Vec<Expr> = named.map(|(j, word)| self.body.value(&format!("word{k}_{j}"), word)).collect();
            let parts: Vec<Expr> = words.windows(2).map(|pair| joined(&pair[0], &pair[1], &shift)).collect();
            assembled(&access, &parts)
        };
        (0..).zip(places).map(row).collect()
    }

    /// Transposes a block: one access to the output for each a.
    fn turned(&mut self, rows: &[Expr]) -> Vec<Expr> {
        let tiles = self.tiles;
        let elements = tiles.load.elements as usize;
        let access = access(tiles, tiles.widths()[1]);
        if tiles.bytes >= 4 {
            let each = (tiles.bytes / component_bytes(tiles)) as usize;
            let element = |row: &Expr, k: usize| match row.ty() {
                Type::Vector(..) => row.components(&"xyzw"[k * each..(k + 1) * each]),
                _ => row.clone(),
            };
            return (0..elements).map(|k| assembled(&access, &rows.iter().map(|row| element(row, k)).collect::<Vec<_>>())).collect();
        }
        let per_word = packing(tiles).0 as usize;
        let square = Type::Vector(per_word as u32, Scalar::U32);
        let turn = if per_word == 4 { "turn_bytes" } else { "turn_halves" };
        let mut columns = vec![Vec::new(); elements];
        for rows in rows.chunks(per_word) {
            for j in 0..elements / per_word {
                let words: Vec<Expr> = rows.iter().map(|row| row.component(j)).collect();
                let turned = self.body.value("turned", call(turn, [&construct(&square, &words)], square.clone()));
                (0..per_word).for_each(|k| columns[j * per_word + k].push(turned.component(k)));
            }
        }
        columns.iter().map(|words| assembled(&access, words)).collect()
    }

    fn through_memory(&mut self, memory: &Expr, halves: &[Half]) {
        let tiles = self.tiles;
        let ([height, width], elements) = (tiles.grid(), tiles.load.elements);
        let mut loaded = Vec::new();
        for half in halves {
            for i in 0..tiles.blocks {
                let [a, b] = self.position(i, width, ["block_a", "block_b"]);
                let block = Block { half, a, b };
                let rows = self.load(&block, &self.begins_inside(&block));
                loaded.push((block, rows));
            }
        }
        let together = tiles.together() as usize;
        let in_turns = together < halves.len();
        let mut taken = Vec::new();
        let turns = halves.chunks(together).zip(loaded.chunks(together * tiles.blocks as usize));
        for (turn, (halves, loaded)) in turns.enumerate() {
            if turn > 0 {
                self.body.barrier();
            }
            for (Block { half, a, b }, rows) in loaded {
                for (k, value) in self.turned(rows).into_iter().enumerate() {
                    let place = memory.at(address(tiles, half.number, &(a * elements + k as u32), b));
                    self.body.assign(&place, value);
                }
            }
            self.body.barrier();
            for half in halves {
                if tiles.store.shifted {
                    self.store_shifted(memory, half);
                    continue;
                }
                for i in 0..tiles.blocks * elements {
                    let [column, row] = self.position(i, height, ["column", "row"]);
                    let inside = self.inside(half, row.clone(), &column * tiles.store.elements);
                    let mut value = memory.at(address(tiles, half.number, &row, &column));
                    if in_turns {
                        // Nothing is stored while another invocation holds what it loaded there.
                        value = self.body.value("taken", value);
                    }
                    taken.push((inside, &half.store_to + &row * param("output_a") + column, value));
                }
            }
        }
        for (inside, place, value) in taken {
            let place = self.output.at(place);
            self.when(&inside, |own| own.body.assign(&place, value));
        }
    }

    /// Stores rows that begin and end within words. Most words are whole, and need no more than a
    /// shift. The first and the last one of each row are left to invocations of their own, which
    /// look at single bits. 8191 x 8191 bytes take 0.0638 ms on an H200, and took 0.0742 when every
    /// invocation looked at the bits of its word.
    fn store_shifted(&mut self, memory: &Expr, half: &Half) {
        let tiles = self.tiles;
        let ([height, _], (per_word, bits)) = (tiles.grid(), packing(tiles));
        let [extent_b, extent_a] = tiles.tile;
        let count =
            if tiles.guarded { self.body.value("count", min(&extent_b.into(), param("extent_b") - &half.b)) } else { extent_b.into() };
        let exists = |own: &Self, row: &Expr| if tiles.guarded { (&half.a + row).less(&own.extent_a) } else { boolean(true) };
        for i in 0..tiles.blocks * tiles.load.elements {
            let [j, row] = self.position(i, height, ["column", "row"]);
            let first = self.body.value("first", &half.store_to + &row * param("output_a"));
            let skipped = self.body.value("skipped", &first % per_word);
            let mut is_whole = j.at_least(1).and(exists(self, &row));
            if tiles.guarded {
                is_whole = is_whole.and(((&j + 1) * per_word).at_most(&count + &skipped));
            }
            let word = self.output.at(&first / per_word + &j).pointer();
            self.when(&is_whole, |own| {
                let [below, above] = [&j - 1, j].map(|column| memory.at(address(tiles, half.number, &row, &column)));
                own.body.call("atomicStore", [&word, &joined(&below, &above, &(Expr::from(32) - skipped * bits))]);
            });
        }
        let ends = 2 * extent_a;
        for i in 0..ends.div_ceil(tiles.invocations()) {
            let end = self.body.value("end", &self.t + i * tiles.invocations());
            let row = self.body.value("row", &end % extent_a);
            let is_there = end.less(ends).and(exists(self, &row));
            self.when(&is_there, |own| {
                let first = own.body.value("first", &half.store_to + &row * param("output_a"));
                let last = own.body.value("last", (&count + &first % per_word) / per_word);
                let is_first = end.less(extent_a);
                // A row of a few elements may have one word alone.
                own.when(&is_first.or(last.at_least(1)), |own| {
                    own.body.call("put", [&first, &row, &select(&is_first, 0, last), &count]);
                });
            });
        }
    }

    /// Moves blocks without workgroup memory.
    fn straight(&mut self, halves: &[Half]) {
        let tiles = self.tiles;
        let [height, width] = tiles.grid();
        for i in 0..tiles.blocks {
            let [a, b] = if tiles.across {
                let [b, a] = self.position(i, height, ["block_b", "block_a"]);
                [a, b]
            } else {
                self.position(i, width, ["block_a", "block_b"])
            };
            let blocks = halves.iter().map(|half| match half.number {
                0 => Block { half, a: a.clone(), b: b.clone() },
                _ => Block { half, a: b.clone(), b: a.clone() },
            });
            let blocks: Vec<Block<'_>> = blocks.collect();
            let mut conditions = vec![self.begins_inside(&blocks[0])];
            if tiles.in_place {
                // In a tile on the diagonal, two invocations would exchange the same two blocks.
                conditions.push(halves[0].a.differs(&halves[0].b).or(a.at_most(&b)));
            }
            self.when(&all(conditions), |own| own.move_blocks(&blocks));
        }
    }

    /// Loads blocks and stores them.
    fn move_blocks(&mut self, blocks: &[Block<'_>]) {
        let tiles = self.tiles;
        let elements = tiles.load.elements;
        let rows: Vec<_> = blocks.iter().map(|block| self.load(block, &boolean(true))).collect();
        let turned: Vec<_> = rows.iter().map(|rows| self.turned(rows)).collect();
        for (Block { half, a, b }, values) in blocks.iter().zip(turned) {
            let place = self.body.value("place", &half.store_to + a * elements * param("output_a") + b);
            for (k, value) in (0..).zip(values) {
                // A block that begins within a word may have columns beyond the last a.
                let partial = tiles.guarded && tiles.load.shifted && k > 0;
                let inside = if partial { (&half.a + a * elements + k).less(&self.extent_a) } else { boolean(true) };
                let place = self.output.at(&place + param("output_a") * k);
                self.when(&inside, |own| own.body.assign(&place, value));
            }
        }
    }
}
