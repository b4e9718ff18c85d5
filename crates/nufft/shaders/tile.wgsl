// The tile to which a further item of work belongs.
fn tile_of(item: u32) -> u32 {
    var low = 0u;
    var high = grid.tiles.w;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if extra[middle] <= item {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
