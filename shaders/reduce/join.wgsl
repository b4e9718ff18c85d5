// The end of a reduction of lines in parts. The workgroup that arrives last combines the parts.
//
// A workgroup publishes the words of its result in atomics, as halves of 16 bits with a mark bit
// above them. Then it increments a counter in another atomic. The workgroup that reaches the final
// count reads all results. WGSL guarantees no order between different atomics, so it reads each of
// them until the mark is set. That wait ends, because the store was made before the count, by an
// invocation that waits for nothing. The last workgroup leaves zeros for the next run. Parts are
// combined in their own order, not in the order of arrival.
//
// Requires: LANES is WORKGROUP. The generated part declares WORDS, the number of words of a value,
// and the functions `to_words`, `from_words` and `store`.
// Rust twin: src/kernels/reduce/lines.rs

/// For each line a counter, then for each of its parts the words of its result as halves.
@group(0) @binding(4) var<storage, read_write> arrivals: array<atomic<u32>>;

var<workgroup> arrived: u32;

/// Number of atomics for a value.
const HALVES = 2u * WORDS;

/// Marks a half of a word that has been published.
const MARK = 0x10000u;

fn publish_word(place: u32, word: u32) {
    atomicStore(&arrivals[place], (word & 0xffffu) | MARK);
    atomicStore(&arrivals[place + 1u], (word >> 16u) | MARK);
}

/// Waits for a word, and leaves zeros in its place.
fn consume_word(place: u32) -> u32 {
    var low = 0u;
    var high = 0u;
    while ((low & high & MARK) == 0u) {
        low = atomicLoad(&arrivals[place]);
        high = atomicLoad(&arrivals[place + 1u]);
    }
    atomicStore(&arrivals[place], 0u);
    atomicStore(&arrivals[place + 1u], 0u);
    return (low & 0xffffu) | (high << 16u);
}

fn publish(place: u32, value: Value) {
    let words = to_words(value);
    publish_word(place, words.x);
    if (WORDS > 1u) {
        publish_word(place + 2u, words.y);
    }
    if (WORDS > 2u) {
        publish_word(place + 4u, words.z);
        publish_word(place + 6u, words.w);
    }
}

fn consume(place: u32) -> Value {
    var words = vec4<u32>(consume_word(place), 0u, 0u, 0u);
    if (WORDS > 1u) {
        words.y = consume_word(place + 2u);
    }
    if (WORDS > 2u) {
        words.z = consume_word(place + 4u);
        words.w = consume_word(place + 6u);
    }
    return from_words(words);
}

/// Publishes the result of a part. The workgroup that arrives last combines all parts and stores
/// the result of the line.
fn store_result(own: Value, line: u32, part: u32, t: u32, lane: u32) {
    if (line >= params.lines) {
        return;
    }
    let first = params.lines + line * params.parts * HALVES;
    if (t == 0u) {
        publish(first + part * HALVES, own);
        arrived = atomicAdd(&arrivals[line], 1u);
    }
    if (workgroupUniformLoad(&arrived) + 1u < params.parts) {
        return;
    }
    var value = identity();
    for (var p = t; p < params.parts; p += WORKGROUP) {
        value = combine(value, consume(first + p * HALVES));
    }
    value = over_lanes(value, t, lane);
    if (t == 0u) {
        store(params.first_result + line, value);
        atomicStore(&arrivals[line], 0u);
    }
}
