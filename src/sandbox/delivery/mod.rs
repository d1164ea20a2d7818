//! Events on their way to the endpoints: the queue with its switches, the signature, and the sender.

mod queue;
mod sender;
mod settings;
mod signature;
#[cfg(test)]
pub use signature::sign;

pub use queue::{Attempt, Deliveries, Job};
pub use sender::{client, run};
pub use settings::{Order, Settings, SettingsPatch};
