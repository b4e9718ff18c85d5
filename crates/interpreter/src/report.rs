//! What was found.

use std::fmt;
use std::sync::Arc;

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic operation, loads and stores of atomics included.
    Atomic,
}

impl fmt::Display for AccessMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessMode::Read => "read",
            AccessMode::Write => "write",
            AccessMode::Atomic => "atomic operation",
        })
    }
}

/// What is wrong, with the values involved.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FindingKind {
    /// An index is not below the length of its array or vector. Such reads give 0, such writes are
    /// dropped.
    OutOfBounds {
        /// The access, as `name[index]`.
        place: String,
        /// How it is touched.
        mode: AccessMode,
        /// The index.
        index: i64,
        /// The length.
        length: u64,
    },
    /// A read of what nobody has written. It gives words whose bits are all ones.
    Unwritten {
        /// The access, as `name[index]`.
        place: String,
        /// Offset in the bound buffer in bytes, or in workgroup memory in words.
        offset: u64,
    },
    /// Two invocations touch the same place, at least one writes, and no barrier stands between.
    Race {
        /// The access, as `name[index]`.
        place: String,
        /// How this invocation touches it.
        mode: AccessMode,
        /// How the other one did.
        other: AccessMode,
        /// Line of the other access.
        other_line: u32,
        /// Workgroup of the other invocation.
        other_workgroup: [u32; 3],
        /// Its `local_invocation_id`; none if there were several, or if another workgroup has come
        /// since.
        other_invocation: Option<[u32; 3]>,
    },
    /// A barrier that not all invocations of the workgroup arrive at.
    DivergentBarrier {
        /// Invocations that arrived.
        arrived: u32,
        /// Invocations of the workgroup.
        expected: u32,
        /// Whether the others have returned, as far as one can tell.
        returned: bool,
    },
    /// A subgroup operation or subgroup barrier that not all invocations of the subgroup arrive at.
    DivergentSubgroup {
        /// Invocations that arrived.
        arrived: u32,
        /// Invocations of the subgroup.
        expected: u32,
    },
    /// A value that came through a shuffle from an inactive invocation, or from outside of the
    /// subgroup, decides about control flow, an index, or what is stored.
    UndefinedShuffle {
        /// What the value is used for.
        used_as: &'static str,
        /// Line of the shuffle.
        shuffle_line: u32,
    },
    /// A broadcast whose source differs between the invocations of a subgroup.
    NonUniformArgument {
        /// What it is the argument of.
        of: &'static str,
    },
    /// Arithmetic wrapped around, and its result is an index.
    WrappedIndex {
        /// The access, as `name[index]`.
        place: String,
        /// The index.
        index: i64,
        /// What it would be without wrap-around.
        exact: i64,
    },
    /// A division or remainder by 0, or of the smallest integer by -1.
    Division {
        /// "by zero", or "of the smallest integer by -1".
        what: &'static str,
    },
    /// A shift by as many bits as the number has, or more.
    Shift {
        /// The shift.
        amount: u32,
        /// Bits of the number.
        width: u32,
    },
    /// A conversion of a number that the integer type does not have.
    Conversion {
        /// The number.
        value: f64,
        /// The type.
        to: &'static str,
    },
    /// A loop that does not end within the limit. It is left.
    EndlessLoop {
        /// Turns of all loops so far.
        turns: u64,
    },
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds { place, mode, index, length } => write!(f, "{mode} out of bounds: {place}: index {index}, length {length}"),
            Self::Unwritten { place, offset } => write!(f, "read of what nobody has written: {place} (offset {offset})"),
            Self::Race { place, mode, other, other_line, other_workgroup, other_invocation } => {
                write!(f, "data race: {mode} of {place} beside {other}, line {other_line}, by ")?;
                match other_invocation {
                    Some(id) => write!(f, "invocation {} ", Triple(*id))?,
                    None => write!(f, "other invocations ")?,
                }
                write!(f, "of workgroup {}", Triple(*other_workgroup))
            }
            Self::DivergentBarrier { arrived, expected, returned } => {
                write!(f, "barrier in non-uniform control flow: {arrived} of {expected} invocations arrived")?;
                f.write_str(if *returned { "; others have returned" } else { "" })
            }
            Self::DivergentSubgroup { arrived, expected } => {
                write!(f, "subgroup operation in non-uniform control flow: {arrived} of {expected} invocations of the subgroup arrived")
            }
            Self::UndefinedShuffle { used_as, shuffle_line } => {
                write!(f, "undefined value as {used_as}: line {shuffle_line} reads from an inactive invocation or outside of the subgroup")
            }
            Self::NonUniformArgument { of } => write!(f, "the argument of {of} differs between invocations"),
            Self::WrappedIndex { place, index, exact } => {
                write!(f, "index after wrap-around: {place}: index {index}, without wrap-around {exact}")
            }
            Self::Division { what } => write!(f, "division {what}"),
            Self::Shift { amount, width } => write!(f, "shift of {width} bits by {amount}"),
            Self::Conversion { value, to } => write!(f, "conversion out of range: {value:e} to {to}"),
            Self::EndlessLoop { turns } => write!(f, "loop does not end: {turns} turns"),
        }
    }
}

struct Triple([u32; 3]);

impl fmt::Display for Triple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}

/// A place in the text of the shader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The line without white space around it.
    pub text: String,
    /// Lines of the calls that led there, innermost first.
    pub called_from: Vec<u32>,
}

/// One thing that is wrong. Repetitions at the same place of the text are counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Where in the text.
    pub location: Location,
    /// `workgroup_id` of the first case.
    pub workgroup: [u32; 3],
    /// `local_invocation_id` of the first case.
    pub invocation: [u32; 3],
    /// How many cases there were. A race is counted per word, other things per invocation.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.kind)?;
        writeln!(f, "  --> line {}, column {}: {}", self.location.line, self.location.column, self.location.text)?;
        if !self.location.called_from.is_empty() {
            let lines: Vec<_> = self.location.called_from.iter().map(u32::to_string).collect();
            writeln!(f, "  called from line {}", lines.join(", from line "))?;
        }
        write!(f, "  invocation {} of workgroup {}", Triple(self.invocation), Triple(self.workgroup))?;
        if self.count > 1 {
            write!(f, ", and {} more", self.count - 1)?;
        }
        writeln!(f)
    }
}

/// What a dispatch did.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Report {
    pub(crate) findings: Vec<Finding>,
    pub(crate) dropped: u64,
    pub(crate) steps: u64,
    pub(crate) source: Option<Arc<str>>,
}

impl Report {
    /// What is wrong, in the order in which it was first seen.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.dropped == 0
    }

    /// Cases at places of the text for which [`Config::max_findings`](crate::Config::max_findings)
    /// left no room.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Instructions executed, one for each group of invocations in lockstep.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The text that ran.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_clean() {
            return writeln!(f, "nothing found");
        }
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        write!(f, "{} finding(s)", self.findings.len())?;
        if self.dropped > 0 {
            write!(f, ", and {} case(s) elsewhere", self.dropped)?;
        }
        writeln!(f)
    }
}
