//! Values that are computed once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use crate::error::Result;

/// How much a map keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Room {
    pub values: usize,
    pub bytes: u64,
}

/// An LRU cache whose entries are built once, by the first caller.
///
/// A thread that asks for a value that another one is building waits for it; threads that ask for
/// other values do not. There are at most as many values as the map has room for, besides those
/// that are being built; the least recently used one is evicted. One value is kept however many
/// bytes it takes.
#[derive(Debug)]
pub(crate) struct OnceMap<K, V> {
    room: Room,
    bytes_of: fn(&V) -> u64,
    cells: Mutex<Cells<K, V>>,
}

#[derive(Debug)]
struct Cells<K, V> {
    by_key: HashMap<K, Cell<V>>,
    /// Counts what was asked for.
    turn: u64,
}

#[derive(Debug)]
struct Cell<V> {
    value: Arc<OnceCell<V>>,
    /// When it was last asked for.
    turn: u64,
}

impl<K, V> OnceMap<K, V> {
    /// A map with room for so many values, at least one, whatever they take.
    pub fn new(values: usize) -> Self {
        Self::within(Room { values, bytes: u64::MAX }, |_| 0)
    }

    /// A map that also keeps to a number of bytes.
    pub fn within(room: Room, bytes_of: fn(&V) -> u64) -> Self {
        Self { room, bytes_of, cells: Mutex::new(Cells { by_key: HashMap::new(), turn: 0 }) }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> OnceMap<K, V> {
    /// Forgets all values. Those that are being made go only to the calls that wait for them.
    pub fn clear(&self) {
        let forgotten = std::mem::take(&mut lock(&self.cells).by_key);
        // What they hold may take long to free, and may ask this map for something.
        drop(forgotten);
    }

    /// The value, if it is there already.
    pub fn get(&self, key: &K) -> Option<V> {
        let cells = &mut *lock(&self.cells);
        let cell = cells.by_key.get_mut(key)?;
        cells.turn += 1;
        cell.turn = cells.turn;
        cell.value.get().cloned()
    }

    /// How many values there are, with those that are being made.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        lock(&self.cells).by_key.len()
    }

    /// The value, made by `make` unless it is there. If that fails or panics, the next thread that
    /// wants it tries again.
    pub fn get_or_make(&self, key: &K, make: impl FnOnce() -> Result<V>) -> Result<V> {
        let own = {
            let cells = &mut *lock(&self.cells);
            cells.turn += 1;
            let turn = cells.turn;
            let cell = cells.by_key.entry(key.clone()).or_insert_with(|| Cell { value: Arc::default(), turn });
            cell.turn = turn;
            Arc::clone(&cell.value)
        };
        let mut is_new = false;
        let value = own
            .get_or_try_init(|| {
                is_new = true;
                make()
            })
            .cloned();
        if !is_new {
            return value;
        }
        let mut forgotten = Vec::new();
        let cells = &mut *lock(&self.cells);
        if value.is_err() {
            // Nobody waits for it if the map and this call alone have it.
            let is_own = |known: &Cell<V>| Arc::ptr_eq(&known.value, &own);
            if cells.by_key.get(key).is_some_and(is_own) && Arc::strong_count(&own) == 2 && own.get().is_none() {
                cells.by_key.remove(key);
            }
        }
        let bytes_of = |cell: &Cell<V>| cell.value.get().map_or(0, self.bytes_of);
        let mut bytes: u64 = cells.by_key.values().map(bytes_of).fold(0, u64::saturating_add);
        while cells.by_key.len() > 1 && (cells.by_key.len() > self.room.values || bytes > self.room.bytes) {
            let made = cells.by_key.iter().filter(|(_, cell)| cell.value.get().is_some());
            let Some(oldest) = made.min_by_key(|(_, cell)| cell.turn).map(|(key, _)| key.clone()) else { break };
            let oldest = cells.by_key.remove(&oldest).expect("it was there");
            bytes = bytes.saturating_sub(bytes_of(&oldest));
            forgotten.push(oldest);
        }
        // `forgotten` is dropped after the lock.
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
        let (map, made) = (OnceMap::new(64), AtomicUsize::new(0));
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
        let map = OnceMap::new(64);
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
        let map = OnceMap::new(64);
        let panicked = std::thread::scope(|scope| scope.spawn(|| map.get_or_make(&1, || panic!("expected by the test"))).join());
        assert!(panicked.is_err());
        assert_eq!(map.get(&1), None);
        assert_eq!(map.get_or_make(&1, || Ok(7)), Ok(7));
        assert_eq!(map.get_or_make(&2, || Ok(8)), Ok(8));
    }

    /// Those that wait try one after the other, until one succeeds.
    #[test]
    fn a_call_that_waited_for_what_failed_makes_it() {
        let (map, tries) = (OnceMap::new(64), AtomicUsize::new(0));
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
        let map = OnceMap::new(64);
        assert_eq!(map.get_or_make(&1, || Err(failure())), Err(failure()));
        assert_eq!(map.len(), 0);
        assert_eq!(map.get_or_make(&1, || Ok(7)), Ok(7));
        assert_eq!(map.get_or_make(&1, || Err(failure())), Ok(7));
        map.clear();
        assert_eq!(map.get(&1), None);
    }

    #[test]
    fn what_nobody_asked_for_the_longest_time_is_forgotten() {
        let map = OnceMap::new(3);
        for key in 0..3 {
            assert_eq!(map.get_or_make(&key, || Ok(key)), Ok(key));
        }
        assert_eq!(map.get(&0), Some(0));
        assert_eq!(map.get_or_make(&3, || Ok(3)), Ok(3));
        assert_eq!([0, 1, 2, 3].map(|key| map.get(&key)), [Some(0), None, Some(2), Some(3)]);
        for key in 0..if cfg!(miri) { 20 } else { 1000 } {
            assert_eq!(map.get_or_make(&key, || Ok(key)), Ok(key));
            assert!(map.len() <= 3);
        }
    }

    #[test]
    fn what_takes_too_many_bytes_is_forgotten() {
        let map = OnceMap::within(Room { values: 10, bytes: 100 }, |bytes: &u64| *bytes);
        let there = |keys: [u32; 4]| keys.map(|key| map.get(&key).is_some());
        for key in 0..4 {
            assert_eq!(map.get_or_make(&key, || Ok(30)), Ok(30));
        }
        assert_eq!(there([0, 1, 2, 3]), [false, true, true, true]);
        assert_eq!(map.get_or_make(&4, || Ok(65)), Ok(65));
        assert_eq!(there([1, 2, 3, 4]), [false, false, true, true]);
        // One alone is kept.
        assert_eq!(map.get_or_make(&5, || Ok(1000)), Ok(1000));
        assert_eq!((map.len(), map.get(&5)), (1, Some(1000)));
        assert_eq!(map.get_or_make(&6, || Ok(1)), Ok(1));
        assert_eq!((map.len(), map.get(&6)), (1, Some(1)));
    }

    /// A value that is being made is not evicted, even if another one needs the room.
    #[test]
    fn what_is_being_made_does_not_count() {
        let map = OnceMap::new(1);
        let outer = map.get_or_make(&0, || {
            for key in 1..9 {
                assert_eq!(map.get_or_make(&key, || Ok(key)), Ok(key));
                assert!(map.len() <= 2);
            }
            Ok(0)
        });
        assert_eq!((outer, map.get(&0), map.len()), (Ok(0), Some(0), 1));
    }
}
