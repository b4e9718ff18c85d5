//! What estimates of a run's time have measured of a device.

use once_cell::sync::OnceCell;

/// What was measured of a device, when it was needed for the first time.
#[derive(Debug, Default)]
pub(crate) struct Times {
    /// From the host to the device and back, for next to nothing and without a kernel.
    pub trip: OnceCell<f64>,
    pub device: OnceCell<OfDevice>,
}

/// In seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfDevice {
    /// From a call to its result, for an array of next to nothing.
    pub call: f64,
    pub dispatch: f64,
    /// A byte that a pass loads or stores.
    pub byte: f64,
    /// A byte from the host or to it.
    pub transfer: f64,
    /// A floating-point operation of a pass.
    pub operation: f64,
}
