// Finds the cells of points, in integers: no digit of an angle is lost, however large the grid.

// Of an angle, in units of 2^-96 of a turn, the low word first, on an axis of n cells: the first
// cell that it reaches, and how far that cell lies inside of the window's begin, as 24 bits of the
// fraction of a cell and 32 more.
fn place_of(turn: vec3<u32>, n: u32) -> vec3<u32> {
    let middle = added(product(turn.y, n), product(turn.x, n).y);
    let position = added(product(turn.z, n), middle.y);
    // The window begins at position - WIDTH / 2.
    let fraction = position.x + (WIDTH % 2u) * 0x80000000u;
    let carry = select(0u, 1u, fraction < position.x);
    let before = position.y + carry + n - (WIDTH + 1u) / 2u;
    // The next whole cell.
    let cell = before + select(0u, 1u, (fraction | middle.x) != 0u);
    let low = 0u - middle.x;
    let high = ~fraction + select(0u, 1u, low == 0u);
    return vec3(cell % n, high >> 8u, (high << 24u) | (low >> 8u));
}
