//! Tests of the proof in [`super`]: which barriers threads execute at the same time, and when there is no proof.

use super::*;
use crate::llvm::{Context, Function, Opcode};
use terms::{Shape, Term, Terms};

/// Calls `look` with a kernel whose body is `body`. `%n` is a parameter, and therefore uniform; `%id` is the thread's
/// index.
fn kernel<T>(body: &str, look: impl for<'c> FnOnce(Function<'c>, &facts::Facts<'c>, &[Value<'c>]) -> T) -> T {
    let text = format!(
        "declare i32 @__offload_thread_id_x() memory(none)
         declare i32 @__offload_block_id_x() memory(none)
         declare void @__offload_sync_threads() convergent
         define void @k(ptr %p, i32 %n) {{
         entry:
           %id = call i32 @__offload_thread_id_x()
           {body}
         }}"
    );
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), "test").expect("the test's IR is valid");
    let function = module.function("k").expect("it was just defined");
    let barriers: Vec<_> = function.instructions().filter(|i| is_barrier(*i)).collect();
    graph::isolate(&barriers);
    look(function, &facts::Facts::of(&module, function, &divergence_sources(&module)), &barriers)
}

/// The number of barriers in each class with several; none if there is no proof.
fn shared(body: &str) -> Option<Vec<usize>> {
    kernel(body, |function, facts, barriers| {
        let lockstep::Found::Proof(found) = lockstep::find(function, facts, barriers, None) else { return None };
        let sizes = found
            .classes
            .shared()
            .into_iter()
            .map(|class| class.iter().filter(|n| found.graph.is_barrier(**n)).count());
        Some(sizes.filter(|size| *size > 0).collect())
    })
}

const SYNC: &str = "call void @__offload_sync_threads()";

/// A branch on `condition` with this number of barriers on each side.
fn branch(condition: &str, yes: usize, no: usize) -> String {
    let times = |count| vec![SYNC; count].join("\n");
    format!(
        "%c = {condition}
         br i1 %c, label %yes, label %no
         yes:
         {}
         br label %end
         no:
         {}
         br label %end
         end:
         ret void",
        times(yes),
        times(no)
    )
}

const OF_THREAD: &str = "icmp ult i32 %id, 7";
const OF_LAUNCH: &str = "icmp ult i32 %n, 7";

#[test]
fn threads_that_part_pass_the_first_barriers_together_then_the_second() {
    assert_eq!(shared(&branch(OF_THREAD, 1, 1)), Some(vec![2]));
    assert_eq!(shared(&branch(OF_THREAD, 2, 2)), Some(vec![2, 2]));
}

#[test]
fn a_thread_that_passes_more_barriers_than_another_is_no_proof() {
    assert_eq!(shared(&branch(OF_THREAD, 1, 0)), None);
    assert_eq!(shared(&branch(OF_THREAD, 2, 1)), None);
}

#[test]
fn all_threads_decide_alike_about_what_the_launch_gave() {
    for (yes, no) in [(1, 0), (2, 1)] {
        assert!(shared(&branch(OF_LAUNCH, yes, no)).is_some());
    }
}

/// A loop with a barrier, whose counter runs from `from` to `to`.
fn counted(from: &str, to: &str) -> String {
    format!(
        "br label %head
         head:
         %i = phi i32 [ {from}, %entry ], [ %next, %head ]
         {SYNC}
         %next = add i32 %i, 1
         %done = icmp eq i32 %next, {to}
         br i1 %done, label %end, label %head
         end:
         ret void"
    )
}

#[test]
fn a_loop_with_a_barrier_runs_as_often_for_all_threads() {
    assert!(shared(&counted("0", "%n")).is_some());
    assert!(shared(&counted("0", "%id")).is_none());
    assert!(shared(&counted("%id", "%n")).is_none());
}

/// The block `name`, a loop with a barrier, which `from` enters with the iteration `first` and which ends before `%n`.
fn counting(name: &str, first: &str, from: &str) -> String {
    format!(
        "{name}:
         %{name}.i = phi i32 [ {first}, %{from} ], [ %{name}.next, %{name} ]
         {SYNC}
         %{name}.next = add i32 %{name}.i, 1
         %{name}.last = icmp eq i32 %{name}.next, %n
         br i1 %{name}.last, label %end, label %{name}"
    )
}

/// Two copies of a loop, as the host's optimiser creates them: each thread executes one of them, and starts at its own
/// index.
#[test]
fn two_copies_of_a_loop_are_one() {
    let copies = |second: &str| {
        format!(
            "%c = {OF_THREAD}
             br i1 %c, label %a, label %b
             {}
             {}
             end:
             ret void",
            counting("a", "0", "entry"),
            counting("b", second, "entry")
        )
    };
    assert_eq!(shared(&copies("0")), Some(vec![2]));
    assert_eq!(shared(&copies("1")), None, "one of them runs once less");
}

/// The first iteration of one copy was peeled off, and its comparison has a constant.
#[test]
fn iterations_of_which_one_copy_has_its_own_are_one() {
    let peeled = |limit: &str| {
        format!(
            "%c = {OF_THREAD}
             br i1 %c, label %a, label %first
             {}
             first:
             {SYNC}
             %df = icmp eq i32 %n, {limit}
             br i1 %df, label %end, label %b
             {}
             end:
             ret void",
            counting("a", "0", "entry"),
            counting("b", "1", "first")
        )
    };
    assert_eq!(shared(&peeled("1")), Some(vec![3]));
    assert_eq!(shared(&peeled("2")), None, "the other copy runs twice then");
}

/// The conditions of a kernel's comparisons, as terms.
fn conditions(lines: &[&str], look: impl FnOnce(&Terms<'_, '_>, Vec<Term>)) {
    let lines = lines.iter().enumerate().map(|(number, line)| format!("%v{number} = {line}\n"));
    let body = format!("{}ret void", lines.collect::<String>());
    kernel(&body, |function, facts, _| {
        let mut terms = Terms::new(&facts.sources);
        let is_comparison = |i: &Value<'_>| i.is(Opcode::ICmp) || i.is(Opcode::FCmp);
        let compared = function.instructions().filter(is_comparison);
        let found = compared.map(|value| terms.condition(value)).collect();
        look(&terms, found);
    });
}

#[test]
fn comparisons_that_tell_the_same_values_apart_are_one_term() {
    let lines = ["icmp ult i32 %n, 5", "icmp ule i32 %n, 4", "icmp uge i32 %n, 5", "icmp ugt i32 %n, 4"];
    conditions(&lines, |_, terms| assert!(terms.iter().all(|term| *term == terms[0]), "{terms:?}"));
    conditions(&["icmp eq i32 %n, 5", "icmp ne i32 %n, 5"], |_, terms| assert_eq!(terms[0], terms[1]));
}

#[test]
fn comparisons_of_floats_are_compared_too() {
    let with = |predicates: &[&str], of: &str| {
        let mut lines: Vec<_> = predicates.iter().map(|p| format!("fcmp {p} double {of}")).collect();
        lines.insert(0, "uitofp i32 %n to double".to_owned());
        lines
    };
    let same = |lines: Vec<String>| {
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let mut all = true;
        conditions(&lines, |_, terms| all = terms.iter().all(|term| *term == terms[0]));
        all
    };
    assert!(same(with(&["olt", "uge"], "%v0, 5.0")), "one is the opposite of the other");
    assert!(same([with(&["olt"], "%v0, 5.0"), vec!["fcmp ogt double 5.0, %v0".to_owned()]].concat()));
    assert!(!same(with(&["olt", "ult"], "%v0, 5.0")), "they differ for a NaN");
    assert!(!same(with(&["olt", "ole"], "%v0, 5.0")));
}

/// A loop whose condition was not copied, around a branch with the barrier on each side.
fn around_copies(start: &str, step: &str, condition: &str) -> String {
    format!(
        "br label %head
         head:
         %i = phi {start}, [ %next, %latch ]
         %c = {OF_THREAD}
         br i1 %c, label %yes, label %no
         yes:
         {SYNC}
         br label %latch
         no:
         {SYNC}
         br label %latch
         latch:
         {step}
         {condition}
         br i1 %more, label %head, label %end
         end:
         ret void"
    )
}

#[test]
fn what_the_divergence_analysis_calls_uniform_is_uniform_here() {
    let float =
        around_copies("double [ 0.0, %entry ]", "%next = fadd double %i, 0.5", "%more = fcmp olt double %i, 4.0");
    assert_eq!(shared(&float), Some(vec![2]));
    let array = around_copies(
        "ptr [ %p, %entry ]",
        "%a = alloca [4 x i32]
         %at = getelementptr i32, ptr %a, i32 %n
         store i32 %n, ptr %at
         %next = getelementptr i8, ptr %i, i64 1
         %v = load i32, ptr %at",
        "%more = icmp ult i32 %v, 7",
    );
    assert_eq!(shared(&array), Some(vec![2]), "an array of the thread");
    assert_eq!(shared(&array.replace("store i32 %n", "store i32 %id")), None);
    let own = around_copies("i32 [ 0, %entry ]", "%next = add i32 %i, %id", "%more = icmp ult i32 %next, 9");
    assert_eq!(shared(&own), None);
    let atomic = around_copies(
        "i32 [ 0, %entry ]",
        "%next = load atomic i32, ptr %p monotonic, align 4",
        "%more = icmp ult i32 %next, 9",
    );
    assert_eq!(shared(&atomic), None, "another thread may write between two loads");
    assert_eq!(shared(&atomic.replace("atomic i32, ptr %p monotonic", "i32, ptr %p")), Some(vec![2]));
}

#[test]
fn comparisons_that_differ_are_not() {
    let lines = ["icmp ult i32 %n, 5", "icmp ule i32 %n, 5", "icmp slt i32 %n, 5", "icmp ult i32 %id, 5"];
    conditions(&lines, |_, terms| {
        let different: HashSet<_> = terms.iter().collect();
        assert_eq!(different.len(), terms.len(), "{terms:?}");
    });
    // The largest number has no successor.
    conditions(&["icmp ule i8 -1, -1", "icmp ult i8 -1, 0"], |_, terms| assert_ne!(terms[0], terms[1]));
}

#[test]
fn a_term_says_whether_it_has_a_time() {
    let body = "%loaded = load i32, ptr %p
         %sum = add i32 %loaded, %n
         %fixed = add i32 %n, 3
         ret void";
    kernel(body, |function, facts, _| {
        let mut terms = Terms::new(&facts.sources);
        let mut add = function.instructions().filter(|i| i.is(Opcode::Add));
        let (sum, fixed) = (add.next().expect("there are two"), add.next().expect("there are two"));
        let (sum, fixed) = (terms.of(sum), terms.of(fixed));
        assert!(terms.is_timed(sum) && !terms.is_timed(fixed));
        let id = function.instructions().next().expect("the first line");
        let id = terms.of(id);
        assert!(matches!(terms.shape(id), Shape::Unknown), "the thread's number differs");
    });
}
