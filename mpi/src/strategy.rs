//! How a job is divided among the ranks.

use wgpu_fft::multi::partition::{equal, ranges, weighted};
use wgpu_fft::tune::rules::takemoto::{Amount, global_split};

use crate::error::Result;
use crate::job::Job;
use crate::measure::measured;
use crate::slabs::Shares;
use crate::spec::Transform;

/// How rows and columns are divided among the ranks.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Strategy {
    /// By the measured cost of each rank, see [`Cost`](wgpu_fft::multi::partition::Cost). A rank
    /// that would only slow the job down gets nothing. All ranks are measured at the same time,
    /// because some may share cores, a bus or a card. The measurement takes a few passes over a
    /// sample of at most 8 MiB.
    #[default]
    Measured,
    /// Equal shares for all ranks.
    Equal,
    /// In proportion to these numbers, one for each rank.
    Ratio(Vec<f64>),
    /// By the rule of Takemoto, Wada, Kondo and Honda, from the number of processing elements of
    /// each rank's device and the amount of computation. It serves as a baseline for comparison.
    Takemoto(Vec<u32>),
    /// These shares. With the [`shares`](crate::Plan::shares) of another plan, the output of a
    /// transform fits its inverse.
    Given(Shares),
}

/// The shares of a job. Collective.
pub(crate) fn shares<T: Transform>(job: &Job<T>, strategy: &Strategy) -> Result<Shares> {
    let columns = job.geometry.columns;
    let one_each = |given: usize, what: &str| {
        if given == job.link.size() {
            return Ok(());
        }
        let what = format!("{given} {what} for {} ranks", job.link.size());
        Err(wgpu_fft::Error::Unsupported { what, why: "there must be one for each rank".to_owned() })
    };
    let by = |divide: &dyn Fn(usize) -> wgpu_fft::Result<Vec<usize>>| -> Result<Shares> {
        Ok(Shares { rows: job.rows_by(divide)?, columns: divide(columns)? })
    };
    match strategy {
        Strategy::Measured => {
            if job.link.size() == 1 {
                return by(&|units| Ok(vec![units]));
            }
            measured(job)
        }
        Strategy::Equal => by(&|units| Ok(equal(units, job.link.size()))),
        Strategy::Ratio(weights) => {
            one_each(weights.len(), "weights")?;
            by(&|units| weighted(units, weights))
        }
        Strategy::Given(shares) => given(job, shares),
        Strategy::Takemoto(elements) => {
            one_each(elements.len(), "numbers of processing elements")?;
            by(&|units| global_split(units, elements, Amount::of_operations(job.operations())))
        }
    }
}

/// The given shares, if they fit this job.
fn given<T: Transform>(job: &Job<T>, shares: &Shares) -> Result<Shares> {
    let fits = |shares: &[usize], units: usize, alignment: usize| {
        let sum = shares.iter().try_fold(0usize, |sum, share| sum.checked_add(*share));
        let whole = || ranges(shares).iter().all(|range| range.end == units || range.end.is_multiple_of(alignment));
        shares.len() == job.link.size() && sum == Some(units) && whole()
    };
    let (rows, columns, alignment) = (job.geometry.rows, job.geometry.columns, job.alignment());
    if fits(&shares.rows, rows, alignment) && fits(&shares.columns, columns, 1) {
        return Ok(shares.clone());
    }
    let why =
        format!("for {} ranks they must add up to {rows} rows and {columns} columns, with rows in groups of {alignment}", job.link.size());
    Err(wgpu_fft::Error::Unsupported { what: format!("{shares:?} of `{}`", job.spec), why }.into())
}
