//! Turns: `make test` does some checks in one run of several only. `scripts/run_tests` sets `OFFLOADC_TURN` to a number
//! that the commit determines, and prints it. Without the variable the number is 0.

/// Whether this run does all checks that have no separate variable: `make test-all` sets `OFFLOADC_ALL_TURNS`.
pub fn all() -> bool {
    std::env::var_os("OFFLOADC_ALL_TURNS").is_some()
}

/// The number of this run.
fn turn() -> usize {
    std::env::var("OFFLOADC_TURN").map_or(0, |text| text.parse().expect("OFFLOADC_TURN is a number"))
}

/// The one of `count` things whose turn it is.
pub fn next(count: usize) -> usize {
    turn() % count
}

/// Whether it is the turn of the thing with this name, if each run does one of `count`.
pub fn is_turn_of(name: &str, count: usize) -> bool {
    is_next(number_of(name), count)
}

/// The one of these things whose turn it is for the thing with this name.
pub fn of<'a, T>(name: &str, things: &'a [T]) -> &'a T {
    &things[(number_of(name) + next(things.len())) % things.len()]
}

fn number_of(name: &str) -> usize {
    name.bytes().map(usize::from).sum()
}

/// Whether it is the turn of the thing with this number, if each run does one of `count`.
pub fn is_next(number: usize, count: usize) -> bool {
    number % count == next(count)
}
