//! Numbers that differ by a constant from thread to thread, of which the first thread of a group has none, or whose
//! constant is negative.

use crate::cpu_by_hand::{check, kernel, module};
use offloadc::contract::kernel::ParameterKind::{Pointer, Value};

/// A kernel that stores `4 / 3` of a number for each thread, which `body` computes as `%f` of `%i` and the thread's
/// `%x`.
fn computing(name: &str, body: &str) -> String {
    format!(
        "define void @{name}(i32 %n, ptr %data) {{
  %x = call i32 @__offload_thread_id_x()
  {body}
  %g = fdiv double %f, 3.0
  %h = fadd double %f, %g
  %v = select i1 %is, double %h, double -1.0
  %e = zext i32 %x to i64
  %p = getelementptr double, ptr %data, i64 %e
  store double %v, ptr %p
  ret void
}}
"
    )
}

#[test]
fn threads_without_a_number_do_not_change_those_of_others() {
    // The difference is poison in the first threads of a group, which do not use it, and not in the last ones.
    let body = "%all = add nsw i32 %x, -2147483648
  %less = add nsw i32 %all, -5
  %is = icmp uge i32 %x, %n
  %i = sext i32 %less to i64
  %f = sitofp i64 %i to double";
    let program = r#"
ENTRY(lowest);
int main(void) {
  double to[64];
  struct { uint32_t n; double *to; } a = {5, to};
  RUN(lowest, 1, 1, 1, 64, 1, 1, 0, &a);
  for (int x = 0; x < 64; x++) {
    double f = x - 2147483653.0;
    CHECK(to[x] == (x < 5 ? -1.0 : f + f / 3.0));
  }
  return wrong;
}"#;
    check(&module(&computing("lowest", body)), &[kernel("lowest", &[(Value, 4, 4), (Pointer, 8, 8)])], program);
}

#[test]
fn a_product_with_a_negative_constant_falls() {
    let body = "%is = icmp ne i32 %x, %n
  %s = mul nsw i32 %x, -3
  %i = sext i32 %s to i64
  %q = getelementptr double, ptr %data, i64 %i
  %f = load double, ptr %q";
    let program = r#"
ENTRY(falls);
int main(void) {
  double data[256];
  for (int i = 0; i < 256; i++) data[i] = i;
  struct { uint32_t n; double *to; } a = {3, data + 192};
  RUN(falls, 1, 1, 1, 64, 1, 1, 0, &a);
  for (int x = 1; x < 64; x++) {
    double f = 192 - 3 * x;
    CHECK(data[192 + x] == (x == 3 ? -1.0 : f + f / 3.0));
  }
  return wrong;
}"#;
    check(&module(&computing("falls", body)), &[kernel("falls", &[(Value, 4, 4), (Pointer, 8, 8)])], program);
}

#[test]
fn an_extension_that_is_poison_in_the_first_thread_alone_is_right_in_others() {
    // `nneg` means that the number is below 2^31, as it is from thread 3 on.
    let body = "%all = sub nuw i32 -2147483646, %x
  %is = icmp uge i32 %x, %n
  %i = zext nneg i32 %all to i64
  %f = sitofp i64 %i to double";
    let program = r#"
ENTRY(falling);
int main(void) {
  double to[64];
  struct { uint32_t n; double *to; } a = {3, to};
  RUN(falling, 1, 1, 1, 64, 1, 1, 0, &a);
  for (int x = 0; x < 64; x++) {
    double f = 2147483650.0 - x;
    CHECK(to[x] == (x < 3 ? -1.0 : f + f / 3.0));
  }
  return wrong;
}"#;
    check(&module(&computing("falling", body)), &[kernel("falling", &[(Value, 4, 4), (Pointer, 8, 8)])], program);
}

#[test]
fn addresses_that_the_first_thread_has_none_of_are_right_in_others() {
    // `nuw` means that the index is not negative, as it is in the first thread alone, which reads nothing.
    let body = "%j = add nsw i32 %x, -1
  %is = icmp sge i32 %j, %n
  %i = sext i32 %j to i64
  %from = getelementptr double, ptr %data, i64 128
  %q = getelementptr inbounds nuw double, ptr %from, i64 %i
  %r = select i1 %is, ptr %q, ptr %from
  %f = load double, ptr %r";
    let program = r#"
ENTRY(before);
int main(void) {
  double data[256];
  for (int i = 0; i < 256; i++) data[i] = i;
  struct { uint32_t n; double *data; } a = {0, data};
  RUN(before, 1, 1, 1, 64, 1, 1, 0, &a);
  for (int x = 0; x < 64; x++) {
    double f = 127 + x;
    CHECK(data[x] == (x < 1 ? -1.0 : f + f / 3.0));
  }
  return wrong;
}"#;
    check(&module(&computing("before", body)), &[kernel("before", &[(Value, 4, 4), (Pointer, 8, 8)])], program);
}
