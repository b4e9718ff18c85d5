//! Blocks between ranks, in messages of bounded size, while this rank goes on computing.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::link::{Link, Patience};
use super::message::UnderWay;
use super::runs::Runs;
use super::wire::Wire;
use crate::error::{Error, Result};

/// Messages from one rank that are received at once. While one is copied to its place, the next one
/// arrives.
const RECEIVED_AT_ONCE: usize = 2;
/// The most messages that are sent at once, and the most bytes of them, which is also no more than this
/// part of the array that is received, or than one message.
const SENT_AT_ONCE: usize = 64;
const BYTES_AT_ONCE: usize = 256 << 20;
const PART_AT_ONCE: usize = 4;

/// A message has so much of what one rank sends another one, or this many bytes if that is less.
const PARTS_OF_A_BLOCK: usize = 8;
const LEAST_PART: usize = 1 << 20;

/// The most bytes of a message: what the caller says, and for small arrays less, so that the messages under
/// way are a part of the array. `whole` are its bytes, of which each of `ranks` sends its own to `group` others.
pub(super) fn message_bytes(most: usize, whole: usize, ranks: usize, group: usize) -> usize {
    most.min((whole / ranks / group / PARTS_OF_A_BLOCK).max(LEAST_PART))
}

/// The parts of a block that are single messages. Both sides cut a block alike.
fn parts(bytes: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    (0..bytes).step_by(most).map(move |start| start..(start + most).min(bytes))
}

/// What arrives from one rank.
struct Incoming {
    from: usize,
    /// What is to be received, in order: a block's place, and which of its bytes.
    expected: VecDeque<(Rc<Runs>, Range<usize>)>,
    under_way: VecDeque<(UnderWay<u8>, Rc<Runs>, usize)>,
}

/// An exchange under way.
///
/// Nobody waits for ever: receiving and sending go on side by side, so a rank that waits until it
/// may send more still takes what arrives.
pub(super) struct Exchange<'e> {
    link: &'e Link,
    target: &'e mut [u8],
    wire: Wire,
    /// The most bytes of the array in a message.
    most: usize,
    incoming: Vec<Incoming>,
    outgoing: VecDeque<(UnderWay<u8>, usize)>,
    done: &'e mut dyn FnMut(usize),
    /// Why nothing is exchanged any more.
    given_up: Option<Error>,
}

impl<'e> Exchange<'e> {
    /// Begins to receive blocks of the ranks in `incoming`: their places in `target`, in the order
    /// in which they are sent. `done` is called with the size of each message that has arrived.
    pub fn new(
        link: &'e Link,
        target: &'e mut [u8],
        incoming: impl IntoIterator<Item = (usize, Vec<Runs>)>,
        wire: Wire,
        message_bytes: usize,
        done: &'e mut dyn FnMut(usize),
    ) -> Self {
        let most = wire.most(message_bytes);
        let incoming = incoming.into_iter().map(|(from, blocks)| {
            let mut expected = VecDeque::new();
            for block in blocks {
                let block = Rc::new(block);
                expected.extend(parts(block.bytes(), most).map(|part| (Rc::clone(&block), part)));
            }
            Incoming { from, expected, under_way: VecDeque::new() }
        });
        let incoming: Vec<Incoming> = incoming.collect();
        link.state.arrived.set([0, incoming.iter().map(|own| own.expected.len()).sum()]);
        let mut own = Self { link, target, wire, most, incoming, outgoing: VecDeque::new(), done, given_up: None };
        own.progress();
        own
    }

    /// Memory for a block of so many bytes, in messages.
    pub fn messages(&self, bytes: usize) -> Vec<Vec<u8>> {
        parts(bytes, self.most).map(|part| vec![0; part.len()]).collect()
    }

    /// Copies a block of this rank's own to its place.
    pub fn keep(&mut self, messages: Vec<Vec<u8>>, place: &Runs) {
        let mut start = 0;
        for bytes in messages {
            let bytes = self.wire.rounded(bytes);
            place.unpack(&bytes, start, self.target);
            start += bytes.len();
            (self.done)(bytes.len());
        }
    }

    /// Sends a block in the messages that [`messages`](Self::messages) made.
    pub async fn send(&mut self, to: usize, messages: Vec<Vec<u8>>) {
        let most = (self.target.len() / PART_AT_ONCE).min(BYTES_AT_ONCE);
        for bytes in messages {
            let bytes = self.wire.pack(bytes);
            self.wait_until(|own| {
                let under_way: usize = own.outgoing.iter().map(|(_, bytes)| bytes).sum();
                own.outgoing.is_empty() || own.outgoing.len() < SENT_AT_ONCE && under_way + bytes.len() <= most.max(own.most)
            })
            .await;
            if self.given_up.is_none() {
                let length = bytes.len();
                self.outgoing.push_back((self.link.send(to, bytes), length));
            }
        }
    }

    /// Sends a block of an array.
    pub async fn send_from(&mut self, to: usize, array: &[u8], block: &Runs) {
        for part in parts(block.bytes(), self.most) {
            self.send(to, vec![block.pack(array, part)]).await;
        }
    }

    /// Copies a block of an array of this rank's own to its place.
    pub fn keep_from(&mut self, array: &[u8], block: &Runs, place: &Runs) {
        for part in parts(block.bytes(), self.most) {
            place.unpack(&self.wire.rounded(block.pack(array, part.clone())), part.start, self.target);
            (self.done)(part.len());
        }
    }

    /// Takes what has arrived, and goes on. Returns whether anything has happened.
    pub fn progress(&mut self) -> bool {
        if self.given_up.is_some() {
            return false;
        }
        let mut happened = false;
        for own in &mut self.incoming {
            loop {
                while own.under_way.len() < RECEIVED_AT_ONCE
                    && let Some((block, part)) = own.expected.pop_front()
                {
                    own.under_way.push_back((self.link.receive(own.from, self.wire.bytes(part.len())), block, part.start));
                }
                let Some(bytes) = own.under_way.front_mut().and_then(|(message, ..)| message.finished()) else { break };
                let Some((_, block, start)) = own.under_way.pop_front() else { break };
                let bytes = self.wire.unpack(bytes);
                block.unpack(&bytes, start, self.target);
                let [arrived, all] = self.link.state.arrived.get();
                self.link.state.arrived.set([arrived + 1, all]);
                (self.done)(bytes.len());
                happened = true;
            }
        }
        let before = self.outgoing.len();
        self.outgoing.retain_mut(|(message, _)| message.finished().is_none());
        happened || self.outgoing.len() < before
    }

    /// Whether this rank has given up, because another one does not answer.
    pub fn has_given_up(&self) -> bool {
        self.given_up.is_some()
    }

    async fn wait_until(&mut self, enough: impl Fn(&Self) -> bool) {
        let mut patience = Patience::new();
        while self.given_up.is_none() && !enough(self) {
            if self.progress() {
                patience = Patience::new();
            } else if let Err(error) = self.link.pause(&mut patience).await {
                self.given_up = Some(error);
            }
        }
    }

    /// Waits until everything has arrived and has been sent.
    pub async fn finish(mut self) -> Result<()> {
        let is_complete =
            |own: &Self| own.outgoing.is_empty() && own.incoming.iter().all(|own| own.expected.is_empty() && own.under_way.is_empty());
        self.wait_until(is_complete).await;
        self.link.state.arrived.set([0, 0]);
        self.given_up.map_or(Ok(()), Err)
    }
}
