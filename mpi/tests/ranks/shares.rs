//! Who has what, and what is reported of it.

use wgpu_fft_mpi::{C2c, C2r, Options, Order, Phase, R2c, Strategy};

use crate::harness::{Context, Outcome};

pub fn shares_are_balanced(context: &Context) -> Outcome {
    let plan = context.cluster.plan(C2c::forward([17, 5]), &Options::default().strategy(Strategy::Equal));
    let plan = plan.map_err(|error| error.to_string())?;
    let expected: [&[&[usize]]; 2] = [&[&[17], &[9, 8], &[6, 6, 5], &[5, 4, 4, 4]], &[&[5], &[3, 2], &[2, 2, 1], &[2, 1, 1, 1]]];
    let Some((rows, columns)) = expected[0].get(context.size - 1).zip(expected[1].get(context.size - 1)) else { return Ok(()) };
    let shares = plan.shares();
    if shares.rows == **rows && shares.columns == **columns { Ok(()) } else { Err(format!("{shares:?}")) }
}

/// What a rank gives and gets has the documented extents.
pub fn slabs_follow_one_another(context: &Context) -> Outcome {
    let options = Options::default().strategy(Strategy::Ratio((0..context.size).map(|rank| rank as f64 + 1.0).collect()));
    let what = |error: wgpu_fft_mpi::Error| error.to_string();
    let there = context.cluster.plan(R2c::forward([12, 10, 14]), &options).map_err(what)?;
    let back = context.cluster.plan(C2r::inverse([12, 10, 14]), &options).map_err(what)?;
    let natural = context.cluster.plan(R2c::forward([12, 10, 14]).order(Order::Natural), &options).map_err(what)?;
    let fine = (there.input().axis, there.input().unit) == (0, 140)
        && (there.output().axis, there.output().unit) == (1, 8 * 12)
        && (natural.output().axis, natural.output().unit) == (0, 80)
        && back.input() == there.output()
        && back.output() == there.input();
    let mut ends = vec![0u64; context.size];
    wgpu_fft_mpi::mpi::traits::CommunicatorCollectives::all_gather_into(&context.world, &(there.output().range.end as u64), &mut ends[..]);
    if fine && ends.is_sorted() && ends.last() == Some(&10) {
        Ok(())
    } else {
        Err(format!("{:?} {:?} {ends:?}", there.input(), there.output()))
    }
}

pub fn reports_name_everybody(context: &Context) -> Outcome {
    let what = |error: wgpu_fft_mpi::Error| error.to_string();
    let mut plan =
        context.cluster.plan(C2c::forward([64, 48]).order(Order::Natural), &Options::default().strategy(Strategy::Equal)).map_err(what)?;
    let heard = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let ears = std::rc::Rc::clone(&heard);
    plan.on_progress(move |progress| ears.borrow_mut().push(progress));
    let zeros = vec![wgpu_fft_mpi::Complex32::ZERO; plan.input().len()];
    plan.run(&zeros).map_err(what)?;
    let complete = |phase| heard.borrow().iter().any(|progress| progress.phase == phase && progress.done == progress.total);
    if let Some(phase) = [Phase::Rows, Phase::Exchange, Phase::Columns, Phase::Return].into_iter().find(|phase| !complete(*phase)) {
        return Err(format!("no progress of the phase {phase} was heard of"));
    }
    let Some(report) = plan.report().map_err(what)? else {
        return if context.rank > 0 { Ok(()) } else { Err("rank 0 has no report".to_owned()) };
    };
    let phases: Vec<Phase> = report.ranks[0].entries.iter().map(|entry| entry.phase).collect();
    let names = context.cluster.members().iter().all(|member| report.to_string().contains(&member.adapter));
    let sum: usize = report.ranks.iter().map(|rank| rank.rows).sum();
    let fine =
        report.ranks.len() == context.size && names && sum == 64 && phases == [Phase::Rows, Phase::Exchange, Phase::Columns, Phase::Return];
    println!("{report}");
    if fine { Ok(()) } else { Err(format!("{report:?}")) }
}
