//! Tells host code where a thread is in the text of its kernel: a table of the loops, and a call at the beginning of
//! each iteration. Without offloadc, this decides which lanes of a warp take part in an operation (`fallback/path.rs`
//! of the crate `offload`). offloadc removes all of it.

use proc_macro2::{Ident, LineColumn, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, ExprForLoop, ExprLoop, ExprPath, ExprWhile, Item, Label, Path, Stmt, parse_quote};

/// A line and a column of the source file, both from 1.
type Place = (u32, u32);

/// Returns statements for the beginning of the function, and counts the iterations in its body. A body without an
/// operation of a warp is left as it is.
pub(crate) fn count_iterations(body: &mut Block, offload: &Path) -> TokenStream {
    if !has_operation(body.to_token_stream()) {
        return TokenStream::new();
    }
    let mut text = Text { offload, loops: Vec::new(), operations: Vec::new(), is_left: false };
    text.visit_block_mut(body);
    let (loops, operations) = (text.loops, text.operations);
    quote! {
        static __OFFLOAD_TEXT: #offload::__private::Text = #offload::__private::Text {
            file: ::core::file!(),
            loops: &[#(#loops),*],
            operations: &[#(#operations),*],
        };
        #offload::__private::enter(&__OFFLOAD_TEXT);
    }
}

/// Whether tokens have the name of an operation of a warp.
fn has_operation(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_operation(group.stream()),
        TokenTree::Ident(name) => is_operation(&name),
        _ => false,
    })
}

/// Whether a function of this name may be an operation of a warp without a mask.
fn is_operation(name: &Ident) -> bool {
    const NAMES: [&str; 4] = ["any", "all", "active_mask", "elect"];
    const BEGINNINGS: [&str; 5] = ["shuffle", "ballot", "match_any", "popc", "reduce"];
    let name = name.to_string();
    NAMES.contains(&name.as_str()) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// A place as `core::panic::Location` counts it.
fn place(at: LineColumn) -> Place {
    (at.line as u32, at.column as u32 + 1)
}

fn places((line, column): Place, (last_line, last_column): Place) -> TokenStream {
    quote!(((#line, #column), (#last_line, #last_column)))
}

struct Text<'a> {
    offload: &'a Path,
    loops: Vec<TokenStream>,
    /// The places of calls that may be operations.
    operations: Vec<TokenStream>,
    /// Whether this is the left side of an assignment, which is executed after the right side.
    is_left: bool,
}

impl Text<'_> {
    fn visit_left_side(&mut self, left: &mut Expr) {
        let outer = std::mem::replace(&mut self.is_left, true);
        self.visit_expr_mut(left);
        self.is_left = outer;
    }

    fn add_operation(&mut self, function: &Expr) {
        let Expr::Path(ExprPath { path, .. }) = function else { return };
        let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else { return };
        if is_operation(&last.ident) && !self.is_left {
            let first = path.leading_colon.map_or(first.ident.span(), |colon| colon.spans[0]);
            let (line, column) = place(first.start());
            self.operations.push(quote!((#line, #column)));
        }
    }

    /// Visits a loop with `visit`, and returns the call that counts its iterations.
    fn count(&mut self, label: &Option<Label>, keyword: Span, body: Span, visit: impl FnOnce(&mut Self)) -> Stmt {
        let first = label.as_ref().map_or(keyword, |label| label.name.apostrophe);
        let index = self.loops.len();
        self.loops.push(places(place(first.start()), place(body.end())));
        visit(self);
        let (offload, inner) = (self.offload, self.loops.len());
        parse_quote!(#offload::__private::iteration(#index, #inner);)
    }
}

impl VisitMut for Text<'_> {
    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        let (label, keyword) = (each.label.clone(), each.for_token.span);
        let body = each.body.brace_token.span.close();
        let count = self.count(&label, keyword, body, |text| visit_mut::visit_expr_for_loop_mut(text, each));
        each.body.stmts.insert(0, count);
    }

    fn visit_expr_loop_mut(&mut self, each: &mut ExprLoop) {
        let (label, keyword) = (each.label.clone(), each.loop_token.span);
        let body = each.body.brace_token.span.close();
        let count = self.count(&label, keyword, body, |text| visit_mut::visit_expr_loop_mut(text, each));
        each.body.stmts.insert(0, count);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            // The condition belongs to the iteration that it begins, so that the call must be before it.
            Expr::While(each) => {
                let (label, keyword) = (each.label.clone(), each.while_token.span);
                let close = each.body.brace_token.span.close();
                let count = self.count(&label, keyword, close, |text| visit_mut::visit_expr_while_mut(text, each));
                let ExprWhile { attrs, cond, body, .. } = &*each;
                *expr = parse_quote! {
                    #(#attrs)* #label loop {
                        #count
                        if #cond #body else { break }
                    }
                };
            }
            // Their code is not executed at its place in the text.
            Expr::Closure(_) | Expr::Async(_) => {}
            Expr::Assign(assign) => {
                self.visit_left_side(&mut assign.left);
                self.visit_expr_mut(&mut assign.right);
            }
            Expr::Binary(binary) if is_assignment(&binary.op) => {
                self.visit_left_side(&mut binary.left);
                self.visit_expr_mut(&mut binary.right);
            }
            Expr::Call(call) => {
                self.add_operation(&call.func);
                visit_mut::visit_expr_call_mut(self, call);
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Whether the operator is `+=` or alike.
fn is_assignment(operator: &BinOp) -> bool {
    let text = operator.to_token_stream().to_string();
    text.ends_with('=') && !["==", "!=", "<=", ">="].contains(&text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table and the body of a function whose text is `body`.
    fn counted(body: &str) -> (String, String) {
        let mut block = syn::parse_str::<Block>(body).expect("a block");
        let table = count_iterations(&mut block, &parse_quote!(offload)).to_string();
        (table, block.to_token_stream().to_string())
    }

    #[test]
    fn operations_stand_in_the_order_of_the_text() {
        let (table, _) = counted("{ a(warp::ballot(true));\n  let b = || warp::ballot(true);\n  x[any(c)] = all(d); }");
        assert!(table.contains("operations : & [(1u32 , 5u32) , (3u32 , 15u32)]"), "{table}");
        assert!(table.contains("loops : & []"), "{table}");
    }

    #[test]
    fn loops_are_counted_before_their_conditions() {
        let (table, body) = counted("{ 'a: while any(b) { for _ in 0..2 { c += 1; } } loop {} }");
        assert!(
            body.contains("'a : loop { offload :: __private :: iteration (0usize , 2usize) ; if any (b) {"),
            "{body}"
        );
        assert!(body.contains("{ offload :: __private :: iteration (1usize , 2usize) ; c += 1 ; }"), "{body}");
        assert!(body.contains("loop { offload :: __private :: iteration (2usize , 3usize) ; }"), "{body}");
        assert!(table.contains("loops : & [((1u32 , 3u32) , (1u32 , 49u32)) ,"), "{table}");
    }

    #[test]
    fn a_kernel_without_operations_is_left_alone() {
        let (table, body) = counted("{ while a < b { a += 1 ; } }");
        assert_eq!((table.as_str(), body.as_str()), ("", "{ while a < b { a += 1 ; } }"));
    }
}
