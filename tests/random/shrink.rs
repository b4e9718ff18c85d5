//! Making a failing case simpler, as long as it fails.

use crate::draws::Choices;

/// The simplest choices found for which `fails` returns the choices that it made; at most so many
/// tries. The order of the attempts: fewer choices, zeros, smaller numbers.
pub fn shrink(failing: Choices, tries: usize, mut fails: impl FnMut(&Choices) -> Option<Choices>) -> Choices {
    let mut best = failing;
    let mut left = tries;
    let mut attempt = |best: &mut Choices, candidate: Choices| -> bool {
        if left == 0 || !candidate.is_simpler_than(best) {
            return false;
        }
        left -= 1;
        match fails(&candidate) {
            // Choices that were too large or left over are made as they are understood.
            Some(made) if made.is_simpler_than(best) => {
                *best = made;
                true
            }
            Some(_) => {
                *best = candidate;
                true
            }
            None => false,
        }
    };
    loop {
        let before = best.clone();
        // The end of the sequence: half, a quarter, ... of it.
        let mut cut = best.0.len() / 2;
        while cut > 0 {
            let candidate = Choices(best.0[..best.0.len().saturating_sub(cut)].to_vec()).trimmed();
            if !attempt(&mut best, candidate) {
                cut /= 2;
            }
        }
        // Groups of choices left out, or zero.
        for group in [8, 4, 2, 1] {
            let mut at = 0;
            while at < best.0.len() {
                let end = (at + group).min(best.0.len());
                let (mut zeros, mut without) = (best.clone(), best.clone());
                zeros.0[at..end].fill(0);
                without.0.drain(at..end);
                // What is left out makes room for what follows.
                if !attempt(&mut best, without.trimmed()) {
                    attempt(&mut best, zeros.trimmed());
                    at += group;
                }
            }
        }
        // Each choice as small as it can be.
        for at in 0..best.0.len() {
            let mut step = best.0.get(at).copied().unwrap_or(0);
            while step > 0 {
                let mut smaller = best.clone();
                let Some(choice) = smaller.0.get_mut(at).filter(|choice| **choice >= step) else { break };
                *choice -= step;
                if !attempt(&mut best, smaller.trimmed()) {
                    step /= 2;
                }
            }
        }
        if best == before {
            return best;
        }
    }
}
