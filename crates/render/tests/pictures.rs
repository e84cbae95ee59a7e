//! Pictures of known scenes have the pixels they should.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test asserts by unwrapping")]

use thixo_render::{
    Bounds, Camera, Clear, Colour, Discs, Field, Finish, Ground, Image, Level, Light, Mesh, Picture, Size, Spheres,
    Stride, Vec3, View,
};

const SIZE: Size = Size { width: 96, height: 96 };

/// From the front, parallel, 4 m high.
fn camera() -> Camera {
    Camera { from: Vec3::new(0.0, 0.0, 10.0), look_at: Vec3::ZERO, up: Vec3::Y, view: View::Parallel(4.0) }
}

/// Sun from the right.
fn light() -> Light {
    Light { sun: Vec3::new(1.0, 0.2, 0.4).normalize(), ..Light::studio(-Vec3::Z, Vec3::Y) }
}

fn brightness(image: &Image, x: u32, y: u32) -> u32 {
    image.pixel(x, y).unwrap().iter().map(|&byte| u32::from(byte)).sum()
}

#[test]
fn sphere_has_its_colour_a_bright_side_and_a_dark_one() {
    let mut picture = Picture::new(light());
    picture.add(Spheres::new(&[Vec3::ZERO], 1.0, &[Colour::new(0.6, 0.1, 0.1)]), Finish::Matte);
    let image = picture.draw(&camera(), SIZE).unwrap();
    let [red, green, blue] = image.pixel(48, 48).unwrap();
    assert!(red > 2 * green && red > 2 * blue, "{red} {green} {blue}");
    assert!(brightness(&image, 65, 48) > brightness(&image, 31, 48) * 5 / 4);
    // The sphere has a radius of 24 pixels: beyond is sky.
    let sky = image.pixel(48 + 26, 48).unwrap();
    assert!(sky[2] >= sky[0] && sky[0] > 150, "{sky:?}");
    assert!(image.pixel(48 + 22, 48).unwrap()[2] < 120);
}

#[test]
fn ground_is_darker_in_the_shadow_and_its_edge_is_soft() {
    let mut picture = Picture::new(Light { sun: Vec3::new(1.0, 1.0, 0.0).normalize(), ..light() });
    picture.ground = Some(Ground {
        point: Vec3::new(0.0, -1.0, 0.0),
        normal: Vec3::Y,
        colour: Colour::splat(0.5),
        is_endless: false,
    });
    picture.add(Spheres::new(&[Vec3::ZERO], 0.5, &[Colour::ONE]), Finish::Matte);
    let above = Camera { from: Vec3::new(0.0, 10.0, 0.0), up: -Vec3::Z, ..camera() };
    let image = picture.draw(&above, SIZE).unwrap();
    // The sun stands at 45 degrees: the shadow of the centre falls 1 m to the left, 24 pixels.
    let (shadow, lit) = (brightness(&image, 48 - 30, 48), brightness(&image, 48 + 30, 48));
    assert!(shadow * 4 < lit * 3, "{shadow} of {lit}");
    let edge: Vec<u32> = (2..18).map(|x| brightness(&image, x, 48)).collect();
    assert!(edge.iter().any(|&value| value > shadow + 20 && value < lit - 20), "{edge:?}");
}

#[test]
fn one_ball_looks_the_same_as_sphere_as_level_and_as_discs() {
    struct Ball;
    impl Field for Ball {
        fn value(&self, point: Vec3) -> f32 {
            point.length() - 1.0
        }
        fn bounds(&self) -> Bounds {
            Bounds { low: Vec3::splat(-1.1), high: Vec3::splat(1.1) }
        }
        fn colour(&self, _: Vec3) -> Colour {
            Colour::splat(0.4)
        }
    }
    let grey = [Colour::splat(0.4)];
    let points: Vec<Vec3> = (0..4000)
        .map(|k| {
            let (height, angle) = (1.0 - (2 * k + 1) as f32 / 4000.0, k as f32 * 2.399_963_2);
            let radius = (1.0 - height * height).sqrt();
            Vec3::new(radius * angle.cos(), height, radius * angle.sin())
        })
        .collect();
    let draw = |add: &dyn Fn(&mut Picture)| {
        let mut picture = Picture::new(light());
        add(&mut picture);
        picture.draw(&camera(), SIZE).unwrap()
    };
    let sphere = draw(&|picture| picture.add(Spheres::new(&[Vec3::ZERO], 1.0, &grey), Finish::Matte));
    let level = draw(&|picture| picture.add(Level::new(Ball, Stride::Distance(0.02)), Finish::Matte));
    let discs = draw(&|picture| picture.add(Discs::new(&points, &points, 0.05, &grey), Finish::Matte));
    let difference = |other: &Image| {
        let differences = sphere.bytes().iter().zip(other.bytes()).map(|(a, b)| f64::from(a.abs_diff(*b)));
        differences.sum::<f64>() / sphere.bytes().len() as f64
    };
    assert!(difference(&level) < 0.6, "level: {}", difference(&level));
    assert!(difference(&discs) < 2.5, "discs: {}", difference(&discs));
}

#[test]
fn clear_things_show_what_is_behind_them_turned_around() {
    // A ball of glass turns the picture behind it upside down: left is red, right is green.
    let backdrop = |low: f32, high: f32, colour| {
        Mesh::cuboid(&Bounds { low: Vec3::new(low, -9.0, -4.0), high: Vec3::new(high, 9.0, -3.0) }, colour)
    };
    let mut picture = Picture::new(light());
    picture.add(backdrop(-9.0, 0.0, Colour::new(0.7, 0.05, 0.05)), Finish::Matte);
    picture.add(backdrop(0.0, 9.0, Colour::new(0.05, 0.7, 0.05)), Finish::Matte);
    let behind = picture.draw(&camera(), SIZE).unwrap();
    struct Ball;
    impl Field for Ball {
        fn value(&self, point: Vec3) -> f32 {
            point.length() - 1.2
        }
        fn bounds(&self) -> Bounds {
            Bounds { low: Vec3::splat(-1.3), high: Vec3::splat(1.3) }
        }
        fn colour(&self, _: Vec3) -> Colour {
            Colour::ONE
        }
    }
    let glass = Clear { index: 1.5, absorption: Vec3::new(0.0, 0.0, 0.0), milk: 0.0 };
    picture.add(Level::new(Ball, Stride::Distance(0.01)), Finish::Clear(glass));
    let through = picture.draw(&camera(), SIZE).unwrap();
    let is_red = |image: &Image, x| image.pixel(x, 48).unwrap()[0] > image.pixel(x, 48).unwrap()[1];
    assert!(is_red(&behind, 40) && !is_red(&behind, 56));
    assert!(!is_red(&through, 40) && is_red(&through, 56));
    // What absorbs is darker.
    let mut dark = Picture::new(light());
    dark.add(backdrop(-9.0, 9.0, Colour::splat(0.7)), Finish::Matte);
    let plain = dark.draw(&camera(), SIZE).unwrap();
    dark.add(Level::new(Ball, Stride::Distance(0.01)), Finish::Clear(Clear { absorption: Vec3::splat(1.0), ..glass }));
    let image = dark.draw(&camera(), SIZE).unwrap();
    assert!(brightness(&image, 48, 48) * 2 < brightness(&plain, 48, 48));
}

#[test]
fn shells_are_seen_behind_what_is_in_them_and_throw_no_shadow() {
    let red = Colour::new(0.6, 0.05, 0.05);
    let draw = |shell: Option<Finish>| {
        let mut picture = Picture::new(light());
        picture.add(Spheres::new(&[Vec3::ZERO], 0.4, &[red]), Finish::Matte);
        if let Some(finish) = shell {
            let bounds = Bounds { low: Vec3::splat(-1.2), high: Vec3::splat(1.2) };
            picture.add(Mesh::cuboid(&bounds, Colour::new(0.05, 0.6, 0.05)), finish);
        }
        picture.draw(&camera(), SIZE).unwrap()
    };
    let (bare, shell, closed) = (draw(None), draw(Some(Finish::Shell)), draw(Some(Finish::Matte)));
    let is_green = |image: &Image, x| {
        let [red, green, _] = image.pixel(x, 48).unwrap().map(i32::from);
        green > red + 40
    };
    assert!(is_green(&closed, 48) && is_green(&closed, 65));
    assert!(!is_green(&shell, 48) && is_green(&shell, 65) && !is_green(&shell, 90));
    // What is inside is lit as if there were no shell.
    let (lit, alone) = (brightness(&shell, 55, 48), brightness(&bare, 55, 48));
    assert!(lit.abs_diff(alone) < 12, "{lit} instead of {alone}");
}

#[test]
fn sky_that_is_hidden_sends_less_and_clear_things_tint_their_shadow() {
    // From above, onto the ground beside a high wall that stands on the side away from the sun.
    let ground = Ground { point: Vec3::ZERO, normal: Vec3::Y, colour: Colour::splat(0.5), is_endless: true };
    let above = Camera { from: Vec3::new(0.0, 10.0, 0.0), up: -Vec3::Z, ..camera() };
    let draw = |finish: Option<Finish>, low: Vec3, high: Vec3| {
        let mut picture = Picture::new(Light { sun: Vec3::new(1.0, 1.0, 0.0).normalize(), ..light() });
        picture.ground = Some(ground);
        if let Some(finish) = finish {
            picture.add(Mesh::cuboid(&Bounds { low, high }, Colour::splat(0.05)), finish);
        }
        picture.draw(&above, SIZE).unwrap()
    };
    let wall = [Vec3::new(-1.5, 0.0, -9.0), Vec3::new(-0.5, 5.0, 9.0)];
    let open = brightness(&draw(None, wall[0], wall[1]), 40, 48);
    let beside = brightness(&draw(Some(Finish::Matte), wall[0], wall[1]), 40, 48);
    assert!(beside + 15 < open, "{beside} of {open}");
    // A block of clear matter throws its shadow to the left, in its colour.
    let block = [Vec3::new(-0.2, 0.5, -1.0), Vec3::new(0.8, 1.5, 1.0)];
    let red = Clear { index: 1.1, absorption: Vec3::new(0.0, 3.0, 3.0), milk: 0.0 };
    let [red, green, blue] = draw(Some(Finish::Clear(red)), block[0], block[1]).pixel(48 - 14, 48).unwrap();
    assert!(red.saturating_sub(green) > 25 && red.saturating_sub(blue) > 25, "{red} {green} {blue}");
}

#[test]
fn any_number_of_threads_draws_the_same_picture() {
    let centres: Vec<Vec3> = (0..3000)
        .map(|k| Vec3::new((k % 20) as f32, (k / 20 % 15) as f32, (k / 300) as f32) * 0.1 - Vec3::ONE)
        .collect();
    let draw = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut picture = Picture::new(light());
            picture.ground =
                Some(Ground { point: -Vec3::Y, normal: Vec3::Y, colour: Colour::splat(0.5), is_endless: false });
            picture.add(Spheres::new(&centres, 0.05, &[Colour::splat(0.3)]), Finish::Matte);
            picture.draw(&camera(), SIZE).unwrap()
        })
    };
    assert!(draw(1) == draw(3));
}

#[test]
fn odd_cameras_and_empty_worlds_give_pictures_or_errors() {
    let mut picture = Picture::new(light());
    assert!(picture.draw(&camera(), SIZE).is_ok());
    assert!(picture.draw(&camera(), Size { width: 0, height: 0 }).is_err());
    assert!(picture.draw(&camera(), Size { width: 1 << 20, height: 1 << 20 }).is_err());
    assert!(picture.draw(&Camera { from: Vec3::ZERO, ..camera() }, SIZE).is_err());
    // Within a sphere one sees what is outside; within glass, too.
    picture.add(Spheres::new(&[Vec3::ZERO], 3.0, &[Colour::X]), Finish::Matte);
    let within = Camera { from: Vec3::new(0.0, 0.0, 1.0), view: View::Perspective(40.0), ..camera() };
    assert!(picture.draw(&within, SIZE).unwrap().pixel(48, 48).unwrap()[2] > 150);
    let bounds = Bounds { low: Vec3::splat(-2.0), high: Vec3::splat(2.0) };
    picture.add(Mesh::cuboid(&bounds, Colour::ONE), Finish::Clear(Clear::glass(4.0)));
    assert!(picture.draw(&within, SIZE).is_ok());
    let straight_down = Camera { from: Vec3::new(0.0, 9.0, 0.0), ..camera() };
    assert!(picture.draw(&straight_down, Size { width: 1, height: 1 }).is_ok());
}
