//! The numbers of parameters that a kernel may have.

/// Calls a macro with one group for each number of parameters: for each parameter the name of its type, the name of its
/// argument's type, and its field in the tuple.
macro_rules! for_each_arity {
    ($tuples:ident) => {
        $tuples!(
            ()
            (A A1 0)
            (A A1 0 B B1 1)
            (A A1 0 B B1 1 C C1 2)
            (A A1 0 B B1 1 C C1 2 D D1 3)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10)
            (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10 L L1 11)
        );
    };
}
