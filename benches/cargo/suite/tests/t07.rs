//! One of twelve programs that test the same library.

#[test]
fn numbers_are_added() {
    let mut a: Vec<f32> = (0..100).map(|i| i as f32).collect();
    suite::add(&mut a, 7.0);
    assert!(a.iter().enumerate().all(|(i, a)| *a == i as f32 + 7.0));
}

#[test]
fn numbers_are_found() {
    assert_eq!(suite::numbers("a 7 and 2"), serde_json::json!([7, 2]));
}
