//! Runs work that may crash the driver, hang or lose its device in a thread of its own, with a time
//! limit.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::{Error, Result};

type Job<L> = Box<dyn FnOnce(&mut L) + Send>;

/// Something that lives in a thread of its own and is asked to do jobs there.
pub(super) struct Isolated<L> {
    jobs: Option<mpsc::Sender<Job<L>>>,
    thread: Option<JoinHandle<()>>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mishap {
    /// It took longer than anybody waits. The thread is left to itself.
    Hung,
    /// The thread ended, by a panic.
    Panicked,
}

impl<L: 'static> Isolated<L> {
    /// Makes one by `open`, in its thread.
    pub fn start(open: impl FnOnce() -> Result<L> + Send + 'static, patience: Duration) -> Result<Self> {
        let (jobs, inbox) = mpsc::channel::<Job<L>>();
        let (opened, outcome) = mpsc::channel();
        let work = move || match open() {
            Ok(mut own) => {
                let _ = opened.send(Ok(()));
                inbox.into_iter().for_each(|job| job(&mut own));
            }
            // The receiver may have timed out.
            Err(error) => drop(opened.send(Err(error))),
        };
        let no_thread = |error: std::io::Error| Error::Unsupported {
            what: "measuring recipes".to_owned(),
            why: format!("no thread could be started: {error}"),
        };
        let thread = std::thread::Builder::new().name("wgpu-fft tuning".to_owned()).spawn(work).map_err(no_thread)?;
        match outcome.recv_timeout(patience) {
            Ok(outcome) => outcome.map(|()| Self { jobs: Some(jobs), thread: Some(thread) }),
            Err(error) => {
                let message =
                    if error == RecvTimeoutError::Timeout { format!("no device within {patience:?}") } else { "a panic".to_owned() };
                Err(Error::DeviceLost { during: "opening a device to measure on", message })
            }
        }
    }

    /// Has `work` done and waits for its result, but not longer than `patience`. After a mishap
    /// nobody is there to ask any more.
    pub fn ask<R: Send + 'static>(
        &mut self,
        patience: Duration,
        work: impl FnOnce(&mut L) -> R + Send + 'static,
    ) -> std::result::Result<R, Mishap> {
        let answer = Arc::new(Mutex::new(None));
        let place = Arc::clone(&answer);
        self.have_done(patience, Box::new(move |own| *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(work(own))))?;
        let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(answer.expect("a job that was done has left its answer"))
    }

    /// The same, whatever the job's result is: channels are compiled for each type that they carry.
    fn have_done(&mut self, patience: Duration, work: Job<L>) -> std::result::Result<(), Mishap> {
        let (done, answered) = mpsc::channel();
        let job: Job<L> = Box::new(move |own| {
            work(own);
            // The receiver may have timed out.
            let _ = done.send(Ok(()));
        });
        let asked = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        let answer: std::result::Result<Result<()>, _> =
            if asked { answered.recv_timeout(patience) } else { Err(RecvTimeoutError::Disconnected) };
        answer.map(drop).map_err(|error| {
            self.jobs = None;
            // Joining would wait for what hangs.
            self.thread = None;
            if error == RecvTimeoutError::Timeout { Mishap::Hung } else { Mishap::Panicked }
        })
    }
}

impl<L> Drop for Isolated<L> {
    /// Waits until the device is closed: a process that ends meanwhile pulls the driver away from
    /// under it.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Cause;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn jobs_are_done_in_order() {
        let mut own = Isolated::start(|| Ok(Vec::new()), LONG).unwrap();
        for i in 0..3 {
            assert_eq!(
                own.ask(LONG, move |list| {
                    list.push(i);
                    list.clone()
                }),
                Ok((0..=i).collect())
            );
        }
    }

    #[test]
    fn what_hangs_is_left_to_itself() {
        let mut own = Isolated::start(|| Ok(()), LONG).unwrap();
        let (release, held) = mpsc::channel::<()>();
        assert_eq!(own.ask(Duration::from_millis(20), move |()| held.recv().is_ok()), Err(Mishap::Hung));
        // Neither this nor the end of the test waits for it.
        assert_eq!(own.ask(LONG, |()| ()), Err(Mishap::Panicked));
        drop(own);
        drop(release);
    }

    #[test]
    fn a_panic_stays_in_its_thread() {
        let mut own = Isolated::start(|| Ok(()), LONG).unwrap();
        let outcome: std::result::Result<(), _> = own.ask(LONG, |()| panic!("expected by the test"));
        assert_eq!(outcome, Err(Mishap::Panicked));
    }

    #[test]
    fn what_does_not_open_says_why() {
        let error = Error::Wgpu { during: "test", source: Cause::new("") };
        let expected = error.clone();
        assert_eq!(Isolated::<()>::start(move || Err(error), LONG).err(), Some(expected));
        let slow = Isolated::<()>::start(
            || {
                std::thread::sleep(Duration::from_millis(200));
                Ok(())
            },
            Duration::from_millis(10),
        );
        assert!(matches!(slow.err(), Some(Error::DeviceLost { .. })));
    }
}
