//! Errors that arrive later than the call that caused them returns: the browser's.
//!
//! There an error scope answers by a promise. [`collected`] opens scopes around each call of wgpu
//! and keeps their promises. A plan that is made by `plan_async`, or a run, awaits them before it
//! says that all is well. Calls outside of [`collected`] open no scopes, and the browser writes
//! their errors to its console.

#[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
pub(crate) use browser::{Late, collected, observed};
#[cfg(all(target_arch = "wasm32", not(feature = "webgpu")))]
pub(crate) use elsewhere::observed;
#[cfg(not(all(target_arch = "wasm32", feature = "webgpu")))]
pub(crate) use elsewhere::{Late, collected};

#[cfg(all(target_arch = "wasm32", feature = "webgpu"))]
mod browser {
    use std::cell::RefCell;

    use js_sys::{Function, Promise, Reflect};
    use wasm_bindgen_futures::JsFuture;
    use wasm_bindgen_futures::wasm_bindgen::{JsCast, JsValue};

    use crate::error::{Cause, Error, Result};

    /// Scopes that have been closed and have not answered yet.
    #[derive(Debug, Default)]
    #[must_use = "the errors are known only after this was awaited"]
    pub(crate) struct Late(Vec<Scopes>);

    #[derive(Debug)]
    struct Scopes {
        during: &'static str,
        bytes: u64,
        answers: Vec<Promise>,
    }

    thread_local! {
        /// Where closed scopes go, if anywhere.
        static COLLECTED: RefCell<Option<Late>> = const { RefCell::new(None) };
    }

    /// wgpu's own scopes panic when they meet an internal error, so this opens the browser's.
    const FILTERS: [&str; 3] = ["out-of-memory", "internal", "validation"];

    /// Does the work, which awaits nothing, and returns with its value the errors to come.
    pub(crate) fn collected<T>(work: impl FnOnce() -> T) -> (T, Late) {
        let outer = COLLECTED.replace(Some(Late::default()));
        let value = work();
        let late = COLLECTED.replace(outer).unwrap_or_default();
        (value, late)
    }

    /// Does the work between error scopes, if somebody will await what they say.
    pub(crate) fn observed<T>(device: &wgpu::Device, during: &'static str, bytes: u64, work: impl FnOnce() -> T) -> T {
        let device: &JsValue = match device.as_webgpu() {
            Some(device) if COLLECTED.with_borrow(Option::is_some) => device.as_ref(),
            _ => return work(),
        };
        let opened = FILTERS.iter().filter(|filter| call(device, "pushErrorScope", Some(filter)).is_ok()).count();
        let value = work();
        let answers = (0..opened).filter_map(|_| call(device, "popErrorScope", None).ok()?.dyn_into().ok()).collect();
        COLLECTED.with_borrow_mut(|late| late.as_mut().map(|late| late.0.push(Scopes { during, bytes, answers })));
        value
    }

    fn call(device: &JsValue, method: &str, argument: Option<&str>) -> std::result::Result<JsValue, JsValue> {
        let method: Function = Reflect::get(device, &method.into())?.dyn_into()?;
        match argument {
            Some(argument) => method.call1(device, &argument.into()),
            None => method.call0(device),
        }
    }

    impl Late {
        /// The first error that one of the scopes caught.
        pub async fn outcome(self) -> Result<()> {
            for Scopes { during, bytes, answers } in self.0 {
                for answer in answers {
                    match JsFuture::from(answer).await {
                        Ok(error) if error.is_null() || error.is_undefined() => {}
                        Ok(error) => return Err(error_of(during, bytes, &error)),
                        Err(why) => return Err(Error::DeviceLost { during, message: text_of(&why) }),
                    }
                }
            }
            Ok(())
        }
    }

    fn error_of(during: &'static str, bytes: u64, error: &JsValue) -> Error {
        let kind = Reflect::get(error, &"constructor".into()).and_then(|kind| Reflect::get(&kind, &"name".into()));
        if kind.is_ok_and(|kind| kind == "GPUOutOfMemoryError") {
            return Error::OutOfMemory { during, bytes };
        }
        Error::Wgpu { during, source: Cause::new(text_of(error)) }
    }

    fn text_of(error: &JsValue) -> String {
        let message = Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
        message.filter(|message| !message.is_empty()).unwrap_or_else(|| format!("{error:?}"))
    }
}

/// Where wgpu's scopes answer at once, nothing is late. In a browser without the feature `webgpu`
/// of this crate, nothing is known.
#[cfg(not(all(target_arch = "wasm32", feature = "webgpu")))]
mod elsewhere {
    use crate::error::Result;

    /// No errors.
    #[derive(Debug, Default)]
    pub(crate) struct Late(());

    /// Does the work.
    pub(crate) fn collected<T>(work: impl FnOnce() -> T) -> (T, Late) {
        (work(), Late::default())
    }

    /// Does the work. What a browser's device says goes to its console.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn observed<T>(_: &wgpu::Device, _: &'static str, _: u64, work: impl FnOnce() -> T) -> T {
        work()
    }

    impl Late {
        /// Always that all is well.
        #[expect(clippy::unused_async, reason = "as in the browser")]
        pub async fn outcome(self) -> Result<()> {
            Ok(())
        }
    }
}
