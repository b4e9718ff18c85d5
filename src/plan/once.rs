//! Values that are computed once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use crate::error::Result;

/// Values that are made once for each key, by whichever thread asks first.
///
/// A thread that wants a value which another one is making waits for it; whoever wants a different
/// one does not.
#[derive(Debug)]
pub(crate) struct OnceMap<K, V>(Mutex<HashMap<K, Arc<OnceCell<V>>>>);

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
        lock(&self.0).get(key)?.get().cloned()
    }

    /// The value, made by `make` unless it is there. If that fails or panics, the next thread that
    /// wants it tries again.
    pub fn get_or_make(&self, key: &K, make: impl FnOnce() -> Result<V>) -> Result<V> {
        let cell = Arc::clone(lock(&self.0).entry(key.clone()).or_default());
        let value = cell.get_or_try_init(make).cloned();
        if value.is_err() {
            let mut cells = lock(&self.0);
            // Nobody waits for it if the map and this call alone have it.
            if cells.get(key).is_some_and(|known| Arc::ptr_eq(known, &cell)) && Arc::strong_count(&cell) == 2 && cell.get().is_none() {
                cells.remove(key);
            }
        }
        value
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
    fn a_panic_harms_nobody_else() {
        let map = OnceMap::default();
        let panicked = std::thread::scope(|scope| scope.spawn(|| map.get_or_make(&1, || panic!("expected by the test"))).join());
        assert!(panicked.is_err());
        assert_eq!(map.get(&1), None);
        assert_eq!(map.get_or_make(&1, || Ok(7)), Ok(7));
        assert_eq!(map.get_or_make(&2, || Ok(8)), Ok(8));
    }

    /// Those that wait try one after the other, until one succeeds.
    #[test]
    fn whoever_waited_for_what_failed_makes_it() {
        let (map, tries) = (OnceMap::default(), AtomicUsize::new(0));
        let outcomes: Vec<Result<usize>> = std::thread::scope(|scope| {
            let ask = || {
                map.get_or_make(&1, || {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    let own = tries.fetch_add(1, Ordering::Relaxed);
                    if own < 2 { Err(failure()) } else { Ok(own) }
                })
            };
            let threads = [(); 6].map(|()| scope.spawn(ask));
            threads.map(|thread| thread.join().unwrap()).into()
        });
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_err()).count(), 2);
        assert!(outcomes.iter().flatten().all(|&made| made == 2));
        assert_eq!((tries.into_inner(), map.get(&1)), (3, Some(2)));
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
