//! Tells host code where a thread is in the text of its kernel: a table of the loops, and a call at the beginning of
//! each iteration. Without offloadc, this decides which lanes of a warp take part in an operation (`fallback/path.rs`
//! of the crate `offload`). offloadc removes all of it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprForLoop, ExprLoop, ExprWhile, Item, Label, Macro, Path, Stmt, parse_quote};

/// A line and a column of the source file, both from 1.
type Place = (u32, u32);

/// Returns statements for the beginning of the function, and counts the iterations in its body. A body without an
/// operation of a warp is left as it is.
pub(crate) fn count_iterations(body: &mut Block, offload: &Path) -> TokenStream {
    if !has_operation(body.to_token_stream()) || !proc_macro::is_available() {
        return TokenStream::new();
    }
    let braces = body.brace_token.span;
    let whole = places(start(braces.open()), end(braces.close()));
    let mut text = Text { offload, loops: Vec::new(), opaque: Vec::new() };
    text.visit_block_mut(body);
    let (loops, opaque) = (text.loops, text.opaque);
    quote! {
        static __OFFLOAD_TEXT: #offload::__private::Text = #offload::__private::Text {
            file: ::core::file!(),
            body: #whole,
            loops: &[#(#loops),*],
            opaque: &[#(#opaque),*],
        };
        #offload::__private::enter(&__OFFLOAD_TEXT);
    }
}

/// Whether tokens have a name that an operation of a warp may have.
fn has_operation(tokens: TokenStream) -> bool {
    const NAMES: [&str; 3] = ["any", "all", "active_mask"];
    const BEGINNINGS: [&str; 6] = ["warp", "shuffle", "ballot", "match_any", "popc", "reduce"];
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_operation(group.stream()),
        TokenTree::Ident(name) => {
            let name = name.to_string();
            NAMES.contains(&name.as_str()) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        }
        _ => false,
    })
}

fn start(span: Span) -> Place {
    let span = span.unwrap().start();
    (span.line() as u32, span.column() as u32)
}

fn end(span: Span) -> Place {
    let span = span.unwrap().end();
    (span.line() as u32, span.column() as u32)
}

fn places((line, column): Place, (last_line, last_column): Place) -> TokenStream {
    quote!(((#line, #column), (#last_line, #last_column)))
}

struct Text<'a> {
    offload: &'a Path,
    loops: Vec<TokenStream>,
    opaque: Vec<TokenStream>,
}

impl Text<'_> {
    fn exclude(&mut self, part: &impl ToTokens) {
        let mut tokens = part.to_token_stream().into_iter();
        let Some(first) = tokens.next() else { return };
        let last = tokens.last().unwrap_or_else(|| first.clone());
        self.opaque.push(places(start(first.span()), end(last.span())));
    }

    /// Visits a loop with `visit`, and returns the call that counts its iterations.
    fn count(&mut self, label: &Option<Label>, keyword: Span, body: Span, visit: impl FnOnce(&mut Self)) -> Stmt {
        let first = label.as_ref().map_or(keyword, |label| label.name.apostrophe);
        let index = self.loops.len();
        self.loops.push(places(start(first), end(body)));
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
            // Their code is executed at other times than where it stands.
            Expr::Closure(_) | Expr::Async(_) => self.exclude(expr),
            Expr::Assign(assign) => {
                self.exclude(&assign.left);
                visit_mut::visit_expr_assign_mut(self, assign);
            }
            Expr::Binary(binary) => {
                use syn::BinOp::*;
                if matches!(
                    binary.op,
                    AddAssign(_)
                        | SubAssign(_)
                        | MulAssign(_)
                        | DivAssign(_)
                        | RemAssign(_)
                        | BitXorAssign(_)
                        | BitAndAssign(_)
                        | BitOrAssign(_)
                        | ShlAssign(_)
                        | ShrAssign(_)
                ) {
                    self.exclude(&binary.left);
                }
                visit_mut::visit_expr_binary_mut(self, binary);
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut Macro) {
        self.exclude(invocation);
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        self.exclude(item);
    }
}
