//! Scratch memory of plans, of their own or shared.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Program;
use crate::error::{self, Error, Result};
use crate::gpu::{Gpu, View};
use crate::kernels::Slot;

/// Scratch memory that plans share, because they never run at once. Give it to
/// [`Planner::with_workspace`](crate::Planner::with_workspace).
///
/// Without one, each plan has memory of its own, which it holds even while others run. A shared one
/// is only as large as the largest plan needs:
///
/// ```no_run
/// use wgpu_fft::plan::Workspace;
/// use wgpu_fft::{Gpu, Planner, fft::C2c};
///
/// # fn share(gpu: &Gpu) -> wgpu_fft::Result<()> {
/// let workspace = Workspace::new();
/// let planner = Planner::new(gpu).with_workspace(&workspace);
/// let large = planner.plan(C2c::forward(1 << 24))?;
/// let small = planner.plan(C2c::inverse(1 << 22))?;
/// assert!(workspace.bytes() < large.workspace_bytes() + small.workspace_bytes());
/// # Ok(())
/// # }
/// ```
///
/// Plans of one device run one after the other, in the order in which their commands are submitted
/// to its one queue, so any number of them can be recorded, bound and submitted in any order and by
/// any threads. Contents between runs are unspecified: each run writes before it reads.
///
/// A workspace has a buffer for each array of scratch memory that a plan needs, because a dispatch
/// cannot read from one part of a buffer and write to another. Few plans need more than two. Clones
/// are handles of the same memory. It is freed when the last handle, plan and
/// [`Bound`](super::Bound) that uses it is gone.
///
/// # Growing
/// The memory grows when a plan is made that needs more. Plans made before use the larger memory
/// from then on. A [`Bound`](super::Bound) keeps the buffers that it was bound to, and the smaller
/// ones are freed when the last such is gone. So make the largest plan first, or bind after all
/// plans are made.
///
/// # What stays a plan's own
/// Reductions that join parts count arrivals in a few words that must begin as zeros. Each plan
/// keeps these to itself. They are part of [`Plan::workspace_bytes`](super::Plan::workspace_bytes),
/// but not of [`bytes`](Self::bytes).
#[derive(Clone, Debug)]
pub struct Workspace(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    size: Size,
    buffers: Mutex<Vec<Place>>,
}

/// How large the memory may become.
#[derive(Debug)]
enum Size {
    /// At most so many bytes in all.
    AtMost(u64),
    /// The caller's buffers, with so many bytes from each place on.
    Given(Vec<u64>),
}

/// A buffer, and the first byte in it.
pub(super) type Place = (wgpu::Buffer, u64);

impl Workspace {
    /// A workspace that begins empty and grows as plans need it.
    #[must_use]
    pub fn new() -> Self {
        Self::at_most(u64::MAX)
    }

    /// A workspace that begins empty and grows to at most `bytes` in all. Planning fails with
    /// [`Error::LimitExceeded`] if a plan needs more.
    #[must_use]
    pub fn at_most(bytes: u64) -> Self {
        Self(Arc::new(Shared { size: Size::AtMost(bytes), buffers: Mutex::default() }))
    }

    /// A workspace in the caller's buffers, which does not grow. The views are of bytes in
    /// different buffers of the planner's device, with the usage `STORAGE`. A plan with several
    /// workspaces ([`Program`] prints them) takes one view for each, in this order.
    /// Planning fails with [`Error::LimitExceeded`] if a plan needs more or larger ones.
    ///
    /// ```no_run
    /// use wgpu_fft::plan::Workspace;
    /// use wgpu_fft::{Gpu, Planner, View, wgpu};
    ///
    /// # fn given(gpu: &Gpu, arena: &wgpu::Buffer) -> wgpu_fft::Result<Planner> {
    /// // 64 MiB that begin at 1 MiB of a buffer with other things in it.
    /// let workspace = Workspace::in_buffers(gpu, &[View::new(arena, 1 << 20, 64 << 20)?])?;
    /// # Ok(
    /// Planner::new(gpu).with_workspace(&workspace)
    /// # )
    /// # }
    /// ```
    ///
    /// Calls that are given such a buffer as input or output of a plan that uses it as workspace
    /// return [`Error::Aliased`].
    ///
    /// # Errors
    /// [`Error::MissingUsage`], [`Error::Misaligned`] if a view does not begin at a multiple of
    /// [`storage_alignment`](crate::DeviceProfile::storage_alignment), [`Error::Aliased`] if two
    /// views are in one buffer, [`Error::ForeignObject`] for a buffer of another device.
    pub fn in_buffers(gpu: &Gpu, views: &[View<'_, u8>]) -> Result<Self> {
        let argument = "workspace";
        let mut places: Vec<Place> = Vec::new();
        let mut sizes = Vec::new();
        for view in views {
            let (buffer, offset) = view.any().place();
            view.any().check(argument, view.len(), gpu.profile().storage_alignment)?;
            gpu.check_buffer(argument, buffer)?;
            if places.iter().any(|(other, _)| other == buffer) {
                return Err(Error::Aliased { first: argument, second: "another workspace" });
            }
            places.push((buffer.clone(), offset));
            // Arrays are bound in words.
            sizes.push(view.len() as u64 / 4 * 4);
        }
        Ok(Self(Arc::new(Shared { size: Size::Given(sizes), buffers: Mutex::new(places) })))
    }

    /// Bytes of device memory that it holds now. Buffers that only a [`Bound`](super::Bound) still
    /// keeps are not counted.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.0.size {
            Size::Given(sizes) => sizes.iter().sum(),
            Size::AtMost(_) => self.lock().iter().map(|(buffer, _)| buffer.size()).sum(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Place>> {
        self.0.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that there are buffers of at least these sizes, for the program of this title.
    fn reserve(&self, gpu: &Gpu, title: &str, sizes: &[u64]) -> Result<()> {
        let within = |what: &dyn fmt::Display, limit, required, available| {
            error::within(|| format!("`{title}`: {what}"), limit, required, available)
        };
        let mut buffers = self.lock();
        for (buffer, _) in buffers.iter() {
            gpu.check_buffer("workspace", buffer)?;
        }
        match &self.0.size {
            Size::Given(given) => {
                within(&"arrays of workspace", "buffers of the given workspace", sizes.len() as u64, given.len() as u64)?;
                let mut all = sizes.iter().zip(given).enumerate();
                all.try_for_each(|(i, (&size, &own))| {
                    within(&format_args!("workspace {i} (bytes)"), "bytes of the given workspace", size, own)
                })
            }
            Size::AtMost(most) => {
                let count = buffers.len().max(sizes.len());
                let now = |i: usize| buffers.get(i).map_or(0, |(buffer, _)| buffer.size());
                let grown: Vec<u64> = (0..count).map(|i| sizes.get(i).copied().unwrap_or(0).max(now(i))).collect();
                let required = grown.iter().fold(0u64, |sum, size| sum.saturating_add(*size));
                within(&"workspace shared with other plans (bytes)", "bytes of the workspace", required, *most)?;
                // All or none, so that a failure leaves it as it was.
                let mut own = buffers.clone();
                for (i, &size) in grown.iter().enumerate().filter(|(i, size)| **size > now(*i)) {
                    let place = (gpu.create_buffer(&format!("shared workspace{i}"), size, wgpu::BufferUsages::STORAGE)?, 0);
                    match own.get_mut(i) {
                        Some(smaller) => *smaller = place,
                        None => own.push(place),
                    }
                }
                *buffers = own;
                Ok(())
            }
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

/// A workspace array of one plan.
#[derive(Debug)]
pub(super) enum Scratch {
    /// In a buffer of the plan's own.
    Own(wgpu::Buffer),
    /// In a buffer of a shared workspace, of this number.
    Shared(Workspace, usize),
}

impl Scratch {
    /// The workspace arrays of a program: in `shared` if there is one, except for what must begin
    /// as zeros.
    pub fn of(program: &Program, gpu: &Gpu, shared: Option<&Workspace>) -> Result<Vec<Self>> {
        let mut sizes = Vec::new();
        let arrays = (0..program.workspaces.len()).map(|i| {
            let slot = Slot::Workspace(i);
            match shared {
                Some(workspace) if !program.begins_as_zeros(slot) => {
                    sizes.push(program.bytes(slot));
                    Ok(Self::Shared(workspace.clone(), sizes.len() - 1))
                }
                _ => {
                    let label = format!("workspace{i} of `{}`", program.title);
                    gpu.create_buffer(&label, program.bytes(slot), wgpu::BufferUsages::STORAGE).map(Self::Own)
                }
            }
        });
        let arrays = arrays.collect::<Result<_>>()?;
        match shared {
            Some(workspace) if !sizes.is_empty() => workspace.reserve(gpu, &program.title, &sizes)?,
            _ => {}
        }
        Ok(arrays)
    }

    /// Where the array is now.
    pub fn place(&self) -> Place {
        match self {
            Self::Own(buffer) => (buffer.clone(), 0),
            Self::Shared(workspace, i) => workspace.lock()[*i].clone(),
        }
    }
}
