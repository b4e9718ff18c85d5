//! Sends the results of a pass to other ranks, piece by piece as the device computes them.

use std::collections::VecDeque;

use super::exchange::Exchange;
use super::local::{Read, Sink};
use super::steps::ExchangeStep;

/// Sends the pieces of a pass to the ranks of an exchange.
pub(super) struct Sending<'s, 'e> {
    exchange: Exchange<'e>,
    step: &'s ExchangeStep,
    /// The pieces that have been sent.
    sent: usize,
    done: &'s mut dyn FnMut(usize),
}

impl<'s, 'e> Sending<'s, 'e> {
    /// `done` is called with the bytes of each piece.
    pub fn new(exchange: Exchange<'e>, step: &'s ExchangeStep, done: &'s mut dyn FnMut(usize)) -> Self {
        Self { exchange, step, sent: 0, done }
    }

    /// Sends the next piece. `read` writes it over slices that follow one another in the piece.
    async fn piece(&mut self, read: Read<'_>) -> wgpu_fft::Result<()> {
        let turn = &self.step.turn;
        let Some(piece) = self.step.pieces[turn.own].get(self.sent) else { return Ok(()) };
        let batch = turn.block().lines(piece)[0].max(1);
        let bytes: Vec<usize> = (0..turn.ranks.len()).map(|to| turn.sent_bytes(piece, to)).collect();
        let mut messages: Vec<Vec<Vec<u8>>> = bytes.iter().map(|bytes| self.exchange.messages(*bytes)).collect();
        // The device's result goes straight into the messages: for each transform of the batch it
        // has one block after the other.
        let mut rest: Vec<VecDeque<&mut [u8]>> = messages.iter_mut().map(|own| own.iter_mut().map(Vec::as_mut_slice).collect()).collect();
        let mut targets: Vec<&mut [u8]> = Vec::new();
        for _ in 0..batch {
            for (rest, bytes) in rest.iter_mut().zip(&bytes) {
                let mut left = bytes / batch;
                while left > 0 {
                    let Some(own) = rest.pop_front() else { break };
                    let (taken, others) = own.split_at_mut(left.min(own.len()));
                    left -= taken.len();
                    targets.push(taken);
                    if !others.is_empty() {
                        rest.push_front(others);
                    }
                }
            }
        }
        let outcome = read(targets);
        self.sent += 1;
        // Not all ranks send to the same one at the same time.
        for to in turn.order() {
            let own = std::mem::take(&mut messages[to]);
            if to == turn.own {
                self.exchange.keep(own, &turn.received(to, piece));
            } else {
                self.exchange.send(turn.ranks[to], own).await;
            }
        }
        self.exchange.progress();
        (self.done)(bytes.iter().sum());
        outcome
    }

    /// Sends the pieces that there are not, because this rank has failed: the others expect them.
    pub async fn rest(mut self) -> Exchange<'e> {
        let pieces = self.step.pieces[self.step.turn.own].len();
        while self.sent < pieces && !self.exchange.has_given_up() {
            // Zeros. The outcome cannot fail.
            let _ = self.piece(&mut |_| Ok(())).await;
        }
        self.exchange
    }
}

impl Sink for Sending<'_, '_> {
    async fn take(&mut self, read: Read<'_>) -> wgpu_fft::Result<()> {
        self.piece(read).await
    }

    fn meanwhile(&mut self) {
        self.exchange.progress();
    }
}
