//! Values that are computed once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// Values that are made once for each key, by whichever thread asks first.
///
/// A thread that wants a value which another one is making waits for it; whoever wants a different
/// one does not.
#[derive(Debug)]
pub(crate) struct OnceMap<K, V>(Mutex<HashMap<K, Arc<Mutex<Option<V>>>>>);

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Clone + Eq + Hash, V: Clone> OnceMap<K, V> {
    /// Forgets all values. Those that are being made go only to who waits for them.
    pub fn clear(&self) {
        lock(&self.0).clear();
    }

    /// The value, if it is there already.
    pub fn get(&self, key: &K) -> Option<V> {
        let cell = Arc::clone(lock(&self.0).get(key)?);
        // A locked one is being made.
        cell.try_lock().ok()?.clone()
    }

    /// The value, made by `make` unless it is there. If that fails, the next thread that wants it
    /// tries again.
    pub fn get_or_make(&self, key: &K, make: impl FnOnce() -> Result<V>) -> Result<V> {
        let cell = Arc::clone(lock(&self.0).entry(key.clone()).or_default());
        let mut value = lock(&cell);
        if let Some(value) = &*value {
            return Ok(value.clone());
        }
        match make() {
            Ok(made) => Ok(value.insert(made).clone()),
            Err(error) => {
                drop(value);
                let mut cells = lock(&self.0);
                // Nobody else waits if the only other owner is the map.
                if cells.get(key).is_some_and(|known| Arc::ptr_eq(known, &cell)) && Arc::strong_count(&cell) == 2 {
                    cells.remove(key);
                }
                Err(error)
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;
    use crate::error::{Cause, Error};

    fn failure() -> Error {
        Error::Wgpu { during: "test", source: Cause::new("") }
    }

    #[test]
    fn threads_that_want_the_same_wait_for_one_of_them() {
        let (map, made) = (OnceMap::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = map.get_or_make(&1, || {
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok(made.fetch_add(1, Ordering::Relaxed))
                    });
                    assert_eq!(value, Ok(0));
                });
            }
        });
        assert_eq!(map.get(&1), Some(0));
    }

    /// Each of two values is made only while the other one is: with one lock for both, this would
    /// never end.
    #[test]
    fn threads_that_want_different_ones_do_not_wait() {
        let map = OnceMap::default();
        let ((to_second, from_first), (to_first, from_second)) = (mpsc::channel(), mpsc::channel());
        std::thread::scope(|scope| {
            let map = &map;
            let meet = |key, send: mpsc::Sender<()>, receive: mpsc::Receiver<()>| {
                scope.spawn(move || {
                    map.get_or_make(&key, || {
                        send.send(()).unwrap();
                        receive.recv_timeout(std::time::Duration::from_secs(60)).map_err(|_| failure())
                    })
                })
            };
            let threads = [meet(1, to_second, from_second), meet(2, to_first, from_first)];
            for thread in threads {
                assert_eq!(thread.join().unwrap(), Ok(()));
            }
        });
    }

    #[test]
    fn what_failed_is_tried_again_and_not_kept() {
        let map = OnceMap::default();
        assert_eq!(map.get_or_make(&1, || Err(failure())), Err(failure()));
        assert!(lock(&map.0).is_empty());
        assert_eq!(map.get_or_make(&1, || Ok(7)), Ok(7));
        assert_eq!(map.get_or_make(&1, || Err(failure())), Ok(7));
        map.clear();
        assert_eq!(map.get(&1), None);
    }
}
