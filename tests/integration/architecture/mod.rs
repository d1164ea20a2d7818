//! What `docs/architecture.md` says about the source, held by reading the source.

mod guards;
mod imports;
mod owners;
mod settings;
