//! Operations of subgroups.

use naga::{CollectiveOperation, Expression, GatherMode, Handle};

use crate::error::Error;
use crate::program::{Gather, Instr, Scan};

use super::{Compiler, Value, ZERO};

impl Compiler<'_> {
    pub(super) fn gather(&mut self, mode: GatherMode, argument: Handle<Expression>, result: Handle<Expression>) -> Result<(), Error> {
        let (mode, index) = match mode {
            GatherMode::BroadcastFirst => (Gather::First, ZERO),
            GatherMode::Broadcast(i) => (Gather::Broadcast, self.scalar(i)?),
            GatherMode::Shuffle(i) => (Gather::Shuffle, self.scalar(i)?),
            GatherMode::ShuffleDown(i) => (Gather::Down, self.scalar(i)?),
            GatherMode::ShuffleUp(i) => (Gather::Up, self.scalar(i)?),
            GatherMode::ShuffleXor(i) => (Gather::Xor, self.scalar(i)?),
            GatherMode::QuadBroadcast(i) => (Gather::QuadBroadcast, self.scalar(i)?),
            GatherMode::QuadSwap(direction) => (Gather::QuadSwap(direction as u32 + 1), ZERO),
        };
        let (value, kind) = (self.value(argument)?, self.kind_of(argument)?);
        let site = self.site();
        let mut check = true;
        let mut results = Vec::new();
        for &from in value.scalars()?.iter() {
            let to = self.temporary(kind);
            for word in 0..kind.words() {
                self.emit(Instr::Gather { mode, to: to + word, from: from + word, index, check, site });
                check = false;
            }
            results.push(to);
        }
        self.set(result, Value::Scalars(results.into()));
        Ok(())
    }

    pub(super) fn collective(
        &mut self,
        op: naga::SubgroupOperation,
        scan: CollectiveOperation,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<(), Error> {
        let scan = match scan {
            CollectiveOperation::Reduce => Scan::Reduce,
            CollectiveOperation::InclusiveScan => Scan::Inclusive,
            CollectiveOperation::ExclusiveScan => Scan::Exclusive,
        };
        let (value, kind) = (self.value(argument)?, self.kind_of(argument)?);
        let site = self.site();
        let mut check = true;
        let mut results = Vec::new();
        for &from in value.scalars()?.iter() {
            let to = self.temporary(kind);
            self.emit(Instr::Combine { op, scan, kind, to, from, check, site });
            check = false;
            results.push(to);
        }
        self.set(result, Value::Scalars(results.into()));
        Ok(())
    }
}
