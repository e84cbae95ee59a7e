//! Ends before, after, on and between frames: every way to one end gives the same bits.

use crate::sandbox::Sandbox;

/// 0.1 s is frame 20; 0.1234 s lies between frames 24 and 25.
const ON_FRAME: &str = "0.1";
const OFF_FRAME: &str = "0.1234";

#[test]
fn frames_lie_exactly_at_their_times() {
    let sandbox = Sandbox::new();
    sandbox.unbroken(&["--until", OFF_FRAME]);
    for frame in 0..=24_u32 {
        let path = sandbox.path(&format!("unbroken/frames/{frame:06}.thixo"));
        let read = thixo_frames::read_native(&path).unwrap();
        assert_eq!(read.info.time, f64::from(frame) / 200.0);
        assert_eq!(read.info.frame, u64::from(frame));
    }
    assert_eq!(sandbox.results("unbroken").frames.len(), 25);
    let last = sandbox.results("unbroken").log.pop().unwrap();
    assert!(last.contains(&format!("\"time\":{OFF_FRAME},")), "{last}");
}

#[test]
fn any_chain_of_ends_gives_the_bits_of_one_run_to_the_last() {
    let sandbox = Sandbox::new();
    let chains: [&[&str]; 4] = [
        &[ON_FRAME, OFF_FRAME],
        &[OFF_FRAME, "0.2"],
        &["0.0123", "0.0124", "0.0301", OFF_FRAME, "0.1235"],
        // The end of the scene is 1 s: one chain goes beyond it.
        &["0.999", "1.05"],
    ];
    for (number, chain) in chains.iter().enumerate() {
        let expected = sandbox.unbroken(&["--until", chain.last().unwrap()]);
        let folder = format!("chain-{number}");
        sandbox.thixo(&["run", "splash.toml", "-o", &folder, "--until", chain[0]]).expect(0);
        for end in &chain[1..] {
            sandbox.thixo(&["run", "--resume", &folder, "--until", end]).expect(0);
        }
        sandbox.results(&folder).assert_same(&expected);
    }
}

#[test]
fn run_with_an_early_end_goes_on_to_the_end_of_the_scene() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&[]);
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", OFF_FRAME]).expect(0);
    sandbox.thixo(&["run", "--resume", "x"]).expect(0);
    sandbox.results("x").assert_same(&expected);
}

#[test]
fn finished_run_is_left_alone() {
    let sandbox = Sandbox::new();
    for (folder, end) in [("on", ON_FRAME), ("off", OFF_FRAME)] {
        sandbox.thixo(&["run", "splash.toml", "-o", folder, "--until", end]).expect(0);
        let before = crate::sandbox::contents(&sandbox.path(folder));
        for until in [end, "0.05", "0.0301"] {
            let ended = sandbox.thixo(&["run", "--resume", folder, "--until", until]).expect(0);
            assert!(ended.stderr.contains("the run is finished"), "{until}: {}", ended.stderr);
        }
        assert_eq!(crate::sandbox::contents(&sandbox.path(folder)), before);
    }
}

#[test]
fn end_that_means_a_frame_is_on_it() {
    let sandbox = Sandbox::new();
    // 0.29 * 100 is 28.999999999999996.
    let expected = sandbox.unbroken(&["--until", "0.29", "--set", "time.fps=100"]);
    assert_eq!(expected.frames.len(), 30);
}

#[test]
fn senseless_ends_are_refused() {
    let sandbox = Sandbox::new();
    for end in ["0", "-1", "nan", "inf", "soon", "1e300", "1e9"] {
        sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", end]).expect(2);
        assert!(!sandbox.path("x").exists());
    }
}
