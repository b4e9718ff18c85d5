//! Findings and reports.

use std::fmt;
use std::sync::Arc;

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic operation, including loads and stores of atomics.
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
    /// An index is not below the length of its array or vector. Such a read returns 0, and such a
    /// write is ignored.
    OutOfBounds {
        /// The access, as `name[index]`.
        place: String,
        /// How it is accessed.
        mode: AccessMode,
        /// The index.
        index: i64,
        /// The length.
        length: u64,
    },
    /// A read of memory that has not been written. It returns words of all ones.
    Unwritten {
        /// The access, as `name[index]`.
        place: String,
        /// Offset, in bytes in the bound buffer or in words in workgroup memory.
        offset: u64,
    },
    /// Two invocations access the same place without a barrier between, and at least one of them
    /// writes.
    Race {
        /// The access, as `name[index]`.
        place: String,
        /// How this invocation accesses it.
        mode: AccessMode,
        /// How the other invocation accessed it.
        other: AccessMode,
        /// Line of the other access.
        other_line: u32,
        /// Workgroup of the other invocation.
        other_workgroup: [u32; 3],
        /// `local_invocation_id` of the other invocation. `None` if there were several, or if
        /// another workgroup has run since.
        other_invocation: Option<[u32; 3]>,
    },
    /// Not all invocations of the workgroup arrive at a barrier.
    DivergentBarrier {
        /// Number of invocations that arrived.
        arrived: u32,
        /// Number of invocations in the workgroup.
        expected: u32,
        /// Whether the others have returned, as far as that is known.
        returned: bool,
    },
    /// Not all invocations of the subgroup arrive at a subgroup operation or subgroup barrier.
    DivergentSubgroup {
        /// Number of invocations that arrived.
        arrived: u32,
        /// Number of invocations in the subgroup.
        expected: u32,
    },
    /// A value that was shuffled from an inactive invocation, or from outside the subgroup, affects
    /// control flow, an index, or a stored value.
    UndefinedShuffle {
        /// How the value is used.
        used_as: &'static str,
        /// Line of the shuffle.
        shuffle_line: u32,
    },
    /// The source of a broadcast differs between the invocations of a subgroup.
    NonUniformArgument {
        /// The operation that it is an argument of.
        of: &'static str,
    },
    /// Arithmetic wrapped around, and its result is used as an index.
    WrappedIndex {
        /// The access, as `name[index]`.
        place: String,
        /// The index.
        index: i64,
        /// What the index would be without wrap-around.
        exact: i64,
    },
    /// A division or remainder by 0, or of the smallest integer by -1.
    Division {
        /// "by zero", or "of the smallest integer by -1".
        what: &'static str,
    },
    /// A shift by at least as many bits as the number has.
    Shift {
        /// The shift.
        amount: u32,
        /// Bits of the number.
        width: u32,
    },
    /// A conversion of a number that the integer type cannot represent.
    Conversion {
        /// The number.
        value: f64,
        /// The type.
        to: &'static str,
    },
    /// A loop did not end within the limit, and was left.
    EndlessLoop {
        /// Number of iterations of all loops so far.
        turns: u64,
    },
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds { place, mode, index, length } => write!(f, "{mode} out of bounds: {place}: index {index}, length {length}"),
            Self::Unwritten { place, offset } => write!(f, "read of unwritten memory: {place} (offset {offset})"),
            Self::Race { place, mode, other, other_line, other_workgroup, other_invocation } => {
                write!(f, "data race: {mode} of {place} conflicts with {other} in line {other_line} by ")?;
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
                write!(f, "undefined value as {used_as}: line {shuffle_line} reads from an inactive invocation or outside the subgroup")
            }
            Self::NonUniformArgument { of } => write!(f, "the argument of {of} differs between invocations"),
            Self::WrappedIndex { place, index, exact } => {
                write!(f, "index after wrap-around: {place}: index {index}, without wrap-around {exact}")
            }
            Self::Division { what } => write!(f, "division {what}"),
            Self::Shift { amount, width } => write!(f, "shift of {width} bits by {amount}"),
            Self::Conversion { value, to } => write!(f, "conversion out of range: {value:e} to {to}"),
            Self::EndlessLoop { turns } => write!(f, "loop does not end: {turns} iterations so far"),
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

/// A position in the shader's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Line, counted from 1.
    pub line: u32,
    /// Column, counted from 1.
    pub column: u32,
    /// The line without surrounding white space.
    pub text: String,
    /// Lines of the calls that led there, innermost first.
    pub called_from: Vec<u32>,
}

/// A mistake in the shader. Repetitions at the same position of the text are only counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The position in the text.
    pub location: Location,
    /// `workgroup_id` of the first case.
    pub workgroup: [u32; 3],
    /// `local_invocation_id` of the first case.
    pub invocation: [u32; 3],
    /// Number of cases. Races are counted per word, everything else per invocation.
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

/// The result of a dispatch.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Report {
    pub(crate) findings: Vec<Finding>,
    pub(crate) dropped: u64,
    pub(crate) steps: u64,
    pub(crate) source: Option<Arc<str>>,
}

impl Report {
    /// The findings, in the order in which they first occurred.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether there are no findings.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.dropped == 0
    }

    /// Number of cases at positions that were not recorded, because
    /// [`Config::max_findings`](crate::Config::max_findings) was reached.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Number of instructions executed, counted once for each lockstep group of invocations.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The shader's text.
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
