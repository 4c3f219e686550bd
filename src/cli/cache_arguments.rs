//! The options and commands about the cache.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The cache.
#[derive(Args, Clone, Debug, Default)]
pub struct CacheArguments {
    /// The folder of the cache [default: `OFFLOADC_CACHE_DIR`, or else `offloadc` in the user's cache folder]
    ///
    /// The cache has the images and host objects of earlier runs. They are used again if nothing that decides their
    /// bytes has changed.
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,

    /// The address of a cache on a server: a prefix for `GET` and `PUT` [default: `OFFLOADC_CACHE_REMOTE`]
    ///
    /// The server is asked for what the folder lacks, and receives what is compiled. `OFFLOADC_CACHE_TOKEN` is the
    /// token that it wants. With `OFFLOADC_CACHE_READ_ONLY=1`, it receives nothing. `SSL_CERT_FILE` is a file with root
    /// certificates, if Mozilla's are not those of the server.
    #[arg(long, value_name = "URL")]
    pub cache_remote: Option<String>,

    /// Compile all code, and keep none; also `OFFLOADC_NO_CACHE=1`
    #[arg(long)]
    pub no_cache: bool,

    /// Print what is not in the cache, and what differs from the nearest entry that is there
    #[arg(long)]
    pub cache_why: bool,
}

/// `offloadc cache`.
#[derive(Clone, Debug, Subcommand)]
pub enum CacheCommand {
    /// Print the folder, the number of its entries and their size
    Stats {
        /// The folder of the cache
        #[arg(long, value_name = "DIR")]
        cache_dir: Option<PathBuf>,
    },
    /// Remove all entries
    Clear {
        /// The folder of the cache
        #[arg(long, value_name = "DIR")]
        cache_dir: Option<PathBuf>,
    },
}
