// Finds the cells of points, in integers: no digit of an angle is lost, however large the grid.

// Of an angle, in units of 2^-64 of a turn, the low word first, on an axis of n cells: the first
// cell that it reaches, and how far that cell lies inside of the window's begin, in units of 2^-24
// of a cell.
fn place_of(turn: vec2<u32>, n: u32) -> vec2<u32> {
    let position = added(product(turn.y, n), product(turn.x, n).y);
    // The window begins at position - WIDTH / 2.
    let fraction = position.x + (WIDTH % 2u) * 0x80000000u;
    let carry = select(0u, 1u, fraction < position.x);
    let before = position.y + carry + n - (WIDTH + 1u) / 2u;
    // The next whole cell.
    let cell = before + select(0u, 1u, fraction != 0u);
    return vec2(cell % n, (0u - fraction) >> 8u);
}
