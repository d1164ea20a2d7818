//! The configurations of `docs/gate`, in the real nginx and the real Caddy, in front of an application that says what it got.

mod cases;
mod server;
mod upstream;
