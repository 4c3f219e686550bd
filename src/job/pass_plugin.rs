//! `--load-pass-plugin`: which plugins run in which stages.

use std::path::PathBuf;

use super::UsageError;
use crate::cli::options::Options;
use crate::stage::Stage;

/// The stages whose pipelines plugins extend.
const STAGES: [Stage; 2] = [Stage::Simplify, Stage::Optimize];

/// A plugin of LLVM's pass manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginFile {
    /// The shared library.
    pub path: PathBuf,
    /// The stage whose pipeline it extends.
    pub stage: Stage,
    /// The passes of it that are named; may be empty.
    pub named: String,
}

/// The plugins of the options.
pub(super) fn pass_plugins(options: &Options) -> Result<Vec<PluginFile>, UsageError> {
    let words = &options.device_code.load_pass_plugin;
    if !words.is_empty() && options.passes.run_pass.is_some() {
        return Err(UsageError::new("`--load-pass-plugin` has no effect with `--run-pass`").help("omit one of them"));
    }
    let plugins: Vec<_> = words.iter().map(|word| parse(word)).collect::<Result<_, _>>()?;
    if let Some(from) = options.from
        && let Some(plugin) = plugins.iter().find(|plugin| plugin.stage <= from)
    {
        let message = format!("the stage `{}` does not run with `--from={}`", plugin.stage.name(), from.name());
        return Err(UsageError::new(message).help("load the plugin where the input is made"));
    }
    let distributes =
        options.distribution.distributor.is_some() || options.emit.iter().any(|emit| emit.stage == Stage::Slice);
    if distributes && plugins.iter().any(|plugin| plugin.stage == Stage::Optimize) {
        let message = "a plugin of the stage `optimize` would have to run on other machines";
        return Err(UsageError::new(message).help("use it in the stage `simplify`, or compile on this machine alone"));
    }
    Ok(plugins)
}

/// Parses `FILE@STAGE` or `FILE@STAGE:PASSES`.
fn parse(word: &str) -> Result<PluginFile, UsageError> {
    let names = STAGES.map(Stage::name).join("` or `");
    let wrong = |message: String| UsageError::new(message).help(format!("FILE@STAGE, where STAGE is `{names}`"));
    let Some((path, rest)) = word.rsplit_once('@').filter(|(path, _)| !path.is_empty()) else {
        return Err(wrong(format!("`--load-pass-plugin={word}` names no stage")));
    };
    let (stage, named) = rest.split_once(':').unwrap_or((rest, ""));
    match STAGES.into_iter().find(|known| known.name() == stage) {
        Some(stage) => Ok(PluginFile { path: PathBuf::from(path), stage, named: named.to_owned() }),
        None => Err(wrong(format!("no plugins run in `{stage}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_has_a_stage() {
        let plugin = |stage, named: &str| PluginFile { path: "a@b/p.so".into(), stage, named: named.to_owned() };
        assert_eq!(parse("a@b/p.so@simplify").unwrap(), plugin(Stage::Simplify, ""));
        assert_eq!(parse("a@b/p.so@optimize:f(x,y<a:b>)").unwrap(), plugin(Stage::Optimize, "f(x,y<a:b>)"));
        for wrong in ["p.so", "@simplify", "p.so@host", "p.so@", "p.so@codegen:x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
