//! When frames are due, and when a run ends.

/// Most frames of a run: their names have six digits.
const MOST_FRAMES: f64 = 1e6;

/// An end this close to a frame (relative) is meant to be on it: 0.1 * 30 is not 3.
const SAME_TIME: f64 = 1e-9;

/// The frames of a run, and its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timeline {
    fps: f64,
    /// When the run ends [s]; exactly the time of a frame if it is meant to be.
    pub(crate) end: f64,
    /// The number of the last frame.
    pub(crate) last_frame: u64,
}

/// What a run is heading for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    /// When it is reached [s].
    pub(crate) time: f64,
    /// When the next frame would be [s]: steps head for that, also if the end comes first.
    pub(crate) frame: f64,
    /// Is it a frame? Otherwise it is an end between two frames.
    pub(crate) is_frame: bool,
}

impl Timeline {
    /// The frames n/fps up to `end`. The error says what is wrong with the two.
    pub(crate) fn new(fps: f64, end: f64) -> Result<Timeline, String> {
        let frames = end * fps;
        if !(end > 0.0 && fps > 0.0 && frames <= MOST_FRAMES) {
            return Err(format!(
                "an end at {end} s with {fps} frames per second makes {frames:.0} frames; there may be {MOST_FRAMES}"
            ));
        }
        let nearest = frames.round();
        if (nearest - frames).abs() <= SAME_TIME * frames {
            Ok(Timeline { fps, end: nearest / fps, last_frame: nearest as u64 })
        } else {
            Ok(Timeline { fps, end, last_frame: frames.floor() as u64 })
        }
    }

    /// When a frame is due [s].
    pub(crate) fn time_of(&self, frame: u64) -> f64 {
        frame as f64 / self.fps
    }

    /// Is `next_frame` the one to be written next when it is `time`?
    pub(crate) fn is_due(&self, next_frame: u64, time: f64) -> bool {
        let before = next_frame.saturating_sub(1);
        self.time_of(before) <= time && (next_frame == 0 || time < self.time_of(next_frame))
    }

    /// What comes next when `next_frame` is not yet written and it is `time`; nothing at the end.
    pub(crate) fn goal(&self, next_frame: u64, time: f64) -> Option<Goal> {
        let frame = self.time_of(next_frame);
        if next_frame <= self.last_frame {
            Some(Goal { time: frame, frame, is_frame: true })
        } else {
            Some(Goal { time: self.end, frame, is_frame: false }).filter(|goal| time < goal.time)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_means_a_frame_is_exactly_on_it() {
        for fps in [1.0, 24.0, 29.97, 30.0, 50.0, 60.0, 240.0] {
            for frame in 1..2000_u32 {
                // As a person would write it: some digits of the time.
                let end: f64 = format!("{:.12}", f64::from(frame) / fps).parse().unwrap();
                let timeline = Timeline::new(fps, end).unwrap();
                assert_eq!((timeline.last_frame, timeline.end), (frame.into(), f64::from(frame) / fps));
            }
        }
    }

    #[test]
    fn goals_are_every_frame_and_then_the_end() {
        let timeline = Timeline::new(10.0, 0.25).unwrap();
        let frame = |time| Some(Goal { time, frame: time, is_frame: true });
        assert_eq!(timeline.goal(0, 0.0), frame(0.0));
        assert_eq!(timeline.goal(2, 0.15), frame(0.2));
        assert_eq!(timeline.goal(3, 0.2), Some(Goal { time: 0.25, frame: 3.0 / 10.0, is_frame: false }));
        assert_eq!(timeline.goal(3, 0.25), None);
        let timeline = Timeline::new(10.0, 0.3).unwrap();
        assert_eq!((timeline.goal(3, 0.2), timeline.goal(4, 0.3)), (frame(0.3), None));
        assert_eq!(
            Timeline::new(10.0, 0.01).unwrap().goal(1, 0.0),
            Some(Goal { time: 0.01, frame: 0.1, is_frame: false })
        );
    }

    #[test]
    fn each_moment_has_one_frame_that_is_due() {
        let timeline = Timeline::new(30.0, 1.0).unwrap();
        for (time, due) in [(0.0, 1), (0.01, 1), (1.0 / 30.0, 2), (0.99, 30), (1.0, 31)] {
            let all: Vec<_> = (1..40).filter(|&frame| timeline.is_due(frame, time)).collect();
            assert_eq!(all, [due], "at {time}");
        }
        assert!(timeline.is_due(0, 0.0));
    }

    #[test]
    fn absurd_ends_are_refused() {
        for (fps, end) in [(30.0, 1e9), (30.0, f64::NAN), (30.0, 0.0), (1e300, 1e300)] {
            assert!(Timeline::new(fps, end).is_err(), "{fps} {end}");
        }
    }
}
