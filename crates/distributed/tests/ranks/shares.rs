//! Who has what, and what is reported of it.

use std::sync::{Arc, Mutex};

use wgpu_fft_distributed::wgpu_fft::Complex32;
use wgpu_fft_distributed::wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft_distributed::{Decomposition, Job, JobOptions, Order, Part, Phase, Strategy, partition};

use crate::harness::{Context, Outcome};

pub fn shares_are_balanced(context: &Context) -> Outcome {
    let (spec, options) = (C2c::forward([17, 5]), JobOptions::default());
    let job = Job::new(&context.cluster, spec.clone(), &options).map_err(|error| error.to_string())?;
    // The same without a job.
    let parts = Part::of_rank(&spec, &options, context.rank, context.size).map_err(|error| error.to_string())?;
    let unknown = Part::of_rank(&spec, &options.strategy(Strategy::Measured), 0, context.size + 1).map_err(|error| error.to_string());
    if parts != [job.input(), job.output()] || !unknown.as_ref().is_err_and(|text| text.contains("measured")) {
        return Err(format!("{parts:?} {unknown:?}"));
    }
    let expected: [&[&[usize]]; 2] = [&[&[17], &[9, 8], &[6, 6, 5], &[5, 4, 4, 4]], &[&[5], &[3, 2], &[2, 2, 1], &[2, 1, 1, 1]]];
    let Some((rows, columns)) = expected[0].get(context.size - 1).zip(expected[1].get(context.size - 1)) else { return Ok(()) };
    let shares = job.shares();
    if shares.0 == [rows.to_vec(), columns.to_vec()] { Ok(()) } else { Err(format!("{shares:?}")) }
}

/// What a rank gives and gets has the documented extents.
pub fn slabs_follow_one_another(context: &Context) -> Outcome {
    let options = JobOptions::default().strategy(Strategy::Ratio((0..context.size).map(|rank| rank as f64 + 1.0).collect()));
    let what = |error: wgpu_fft_distributed::Error| error.to_string();
    let there = Job::new(&context.cluster, R2c::forward([12, 10, 14]), &options).map_err(what)?;
    let back = Job::new(&context.cluster, C2r::inverse([12, 10, 14]), &options).map_err(what)?;
    let natural = Job::new(&context.cluster, R2c::forward([12, 10, 14]), &options.clone().order(Order::Natural)).map_err(what)?;
    let fine = there.input().ranges[1..] == [0..10, 0..14]
        && (there.output().axes, &there.output().ranges[1..]) == (vec![1, 2, 0], &[0..8, 0..12])
        && (natural.output().axes, &natural.output().ranges[1..]) == (vec![0, 1, 2], &[0..10, 0..8])
        && natural.output().along(0) == natural.input().along(0)
        && back.input() == there.output()
        && back.output() == there.input();
    let mut ends = vec![0u64; context.size];
    wgpu_fft_distributed::mpi::traits::CommunicatorCollectives::all_gather_into(
        &context.world,
        &(there.output().along(1).end as u64),
        &mut ends[..],
    );
    if fine && ends.is_sorted() && ends.last() == Some(&10) {
        Ok(())
    } else {
        Err(format!("{:?} {:?} {ends:?}", there.input(), there.output()))
    }
}

/// Four ranks have a quarter of a volume of two planes each, which slabs cannot give them.
pub fn pencils_have_two_axes(context: &Context) -> Outcome {
    let what = |error: wgpu_fft_distributed::Error| error.to_string();
    let options = JobOptions::default().strategy(Strategy::Equal).decomposition(Decomposition::Pencils);
    let job = Job::new(&context.cluster, R2c::forward([2, 6, 14]), &options).map_err(what)?;
    let [positions, frequencies] = [job.input(), job.output()];
    // The rows of the grid, and the place of this rank in it.
    let (rows, columns) = if context.size == 4 { (2, 2) } else { (1, context.size) };
    let part = |extent: usize, parts: usize, place: usize| partition::ranges(&partition::equal(extent, parts))[place].clone();
    let (row, column) = (context.rank / columns, context.rank % columns);
    let expected = (context.size != 3)
        .then(|| [vec![part(2, rows, row), part(6, columns, column), 0..14], vec![part(6, rows, row), part(8, columns, column), 0..2]]);
    let fine = positions.axes == [0, 1, 2] && frequencies.axes == [1, 2, 0] && frequencies.extents == [6, 8, 2];
    match expected {
        Some(expected) if !fine || [positions.ranges.clone(), frequencies.ranges.clone()] != expected => {
            Err(format!("{positions:?} {frequencies:?}, not {expected:?}"))
        }
        _ => Ok(()),
    }
}

pub fn reports_name_everybody(context: &Context) -> Outcome {
    let what = |error: wgpu_fft_distributed::Error| error.to_string();
    let options = JobOptions::default().strategy(Strategy::Equal).order(Order::Natural);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&heard);
    let job = Job::new(&context.cluster, C2c::forward([64, 48]), &options).map_err(what)?;
    let job = job.on_progress(move |now| ears.lock().unwrap().push((now.label.to_owned(), now.phase, now.phases, now.done == now.total)));
    let zeros = vec![Complex32::ZERO; job.input_len()];
    let report = job.run(&zeros, &mut vec![Complex32::ONE; job.output_len()]).map_err(what)?;
    let expected = [Phase::Rows, Phase::Exchange, Phase::Columns, Phase::Return].map(|phase| phase.to_string());
    let complete = |(i, phase): (usize, &String)| heard.lock().unwrap().contains(&(phase.clone(), i, 4, true));
    if let Some((_, phase)) = expected.iter().enumerate().find(|phase| !complete(*phase)) {
        return Err(format!("no progress of the phase {phase} was heard of: {heard:?}"));
    }
    let phases: Vec<&String> = report.phases.iter().map(|phase| &phase.label).collect();
    let names = context.cluster.members().iter().all(|member| report.phases[0].workers[member.rank].name.contains(&member.adapter));
    let sum: usize = report.phases[0].workers.iter().map(|worker| worker.work.units).sum();
    let bytes: u64 = report.phases[0].workers.iter().map(|worker| worker.work.bytes_in).sum();
    let everybody = report.phases.iter().all(|phase| phase.workers.len() == context.size);
    if context.rank == 0 {
        println!("{report}");
    }
    let fine = everybody && names && sum == 64 && bytes == 64 * 48 * 8 && phases == expected.iter().collect::<Vec<_>>();
    if fine { Ok(()) } else { Err(format!("{report:?}")) }
}
