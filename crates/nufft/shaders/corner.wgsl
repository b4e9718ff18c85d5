// The first cell of a tile.
fn corner_of(tile: u32) -> vec3<u32> {
    let row = tile / grid.tiles.x;
    return vec3(tile % grid.tiles.x * TILE_X, row % grid.tiles.y * TILE_Y, row / grid.tiles.y * TILE_Z);
}
