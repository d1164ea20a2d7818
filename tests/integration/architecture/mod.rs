//! What `docs/architecture.md` says about the source, held by reading the source.

mod imports;
mod owners;
