//! A buffer that the host maps.

use super::answer::Answer;

#[derive(Debug)]
pub(super) enum State {
    /// The device may use it.
    Unmapped,
    Asked(Answer),
    Mapped,
}

/// A buffer that is kept for its next use, and whether it is mapped: a staging buffer, or an array
/// of a run, which not every device can map.
#[derive(Debug)]
pub struct Staging {
    buffer: wgpu::Buffer,
    pub(super) state: State,
    /// The last that uses it.
    pub(super) submission: Option<wgpu::SubmissionIndex>,
    new: bool,
}

impl Staging {
    /// A new buffer, mapped if it can be written to.
    pub(super) fn new(buffer: wgpu::Buffer) -> Self {
        let state = if buffer.usage().contains(wgpu::BufferUsages::MAP_WRITE) { State::Mapped } else { State::Unmapped };
        Self { buffer, state, submission: None, new: true }
    }

    /// The buffer itself.
    #[must_use]
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Whether it was just made, and holds zeros.
    pub(crate) fn is_new(&self) -> bool {
        self.new
    }

    pub(super) fn reuse(mut self) -> Self {
        self.new = false;
        self
    }

    /// Whether it can be mapped in this way.
    pub(crate) fn can(&self, mode: wgpu::MapMode) -> bool {
        self.buffer.usage().contains(match mode {
            wgpu::MapMode::Read => wgpu::BufferUsages::MAP_READ,
            wgpu::MapMode::Write => wgpu::BufferUsages::MAP_WRITE,
        })
    }

    /// Whether it is no array, which kernels use.
    pub(super) fn is_staging(&self) -> bool {
        !self.buffer.usage().contains(wgpu::BufferUsages::STORAGE)
    }

    /// Whether no mapping is waited for, also if it failed.
    pub(super) fn is_settled(&mut self) -> bool {
        if let State::Asked(answer) = &mut self.state { answer.is_given() } else { true }
    }

    pub(super) fn unmap(&mut self) {
        self.buffer.unmap();
        self.state = State::Unmapped;
    }
}
