//! The list of all laws.

/// Makes every law a test of an implementation, in a module of this name; or those only that take no longer than a second,
/// of what should not take as long again: `laws!(name, crate::path::Implementation, cheap)`.
macro_rules! laws {
    ($module:ident, $stepper:ty, $which:ident) => {
        mod $module {
            laws_in! { $stepper, $which, accounts:
                slow what_fluids_lose_walls_receive,
                cheap what_bodies_in_contact_lose_walls_receive,
                cheap what_a_body_receives_is_its_change_of_momentum,
            }
            laws_in! { $stepper, $which, attachments:
                cheap a_free_body_gets_the_momentum_of_its_loads,
                cheap a_twisted_bar_turns_by_the_stated_angle,
                cheap a_loaded_beam_deflects_as_timoshenko,
                cheap a_load_that_nobody_bears_is_refused,
            }
            laws_in! { $stepper, $which, conservation:
                cheap momentum_is_conserved_without_walls,
                cheap central_friction_conserves_angular_momentum,
                cheap angular_momentum_and_energy_are_conserved_without_friction,
                cheap continuity_follows_the_sum_to_second_order_in_time,
                cheap friction_only_takes_energy,
                cheap default_friction_is_a_rate,
                cheap free_fall_follows_half_g_t_squared,
                cheap leapfrog_is_of_second_order_in_position_and_velocity,
            }
            laws_in! { $stepper, $which, contact:
                cheap bodies_that_collide_keep_their_momentum_and_gain_no_energy,
                slow bodies_at_rest_on_each_other_stay_there,
                slow a_stiff_block_lies_still,
                cheap a_body_does_not_pass_through_itself,
                cheap what_is_clamped_bears_like_a_wall,
                cheap walls_do_not_move_what_clamps_hold,
                cheap friction_holds_below_its_angle_and_brakes_above,
                cheap a_plate_sinks_under_water_as_far_as_under_as_much_weight,
                cheap fluids_are_refused_where_only_contact_is_handled,
            }
            laws_in! { $stepper, $which, contact_by_hand:
                cheap penalty_pushes_two_particles_as_worked_by_hand,
                cheap penalty_is_as_stiff_as_both_bodies_in_series,
                cheap penalty_pushes_off_a_wall_as_worked_by_hand,
                cheap predictor_corrector_stops_two_particles_as_worked_by_hand,
                cheap predictor_corrector_shares_the_work_of_pairs_that_lean_the_same_way,
                cheap predictor_corrector_stops_at_a_wall_as_worked_by_hand,
            }
            laws_in! { $stepper, $which, elasticity:
                cheap beam_deflects_as_timoshenko,
                cheap energy_of_a_free_oscillation_is_kept,
                cheap stiff_jelly_bounces_on_the_floor_in_long_steps,
                cheap stiff_jelly_bounces_under_an_incompressible_solver,
                cheap a_free_implicit_body_falls_as_it_should,
                cheap steps_that_bodies_shorten_leave_no_slivers,
                cheap clamps_hold_and_pull,
                cheap bodies_of_one_or_two_particles_fall,
            }
            laws_in! { $stepper, $which, embedding:
                cheap bodies_come_and_go_between_steps,
                cheap a_wall_that_the_caller_moves_displaces_the_water,
                cheap bad_bodies_are_refused,
            }
            laws_in! { $stepper, $which, exactness:
                slow a_diverging_step_is_taken_back_and_retried_smaller,
            }
            laws_in! { $stepper, $which, impacts:
                slow balls_that_bounce_gain_nothing,
                slow a_rod_that_is_struck_spins_as_a_rigid_one,
                slow a_rod_that_a_jet_strikes_spins_as_a_rigid_one,
            }
            laws_in! { $stepper, $which, incompressible:
                cheap a_collapsing_column_keeps_its_density,
                cheap pressures_are_those_of_all_solves_of_a_step,
                cheap water_at_rest_stays_and_carries_its_weight,
                cheap momentum_is_conserved_without_walls,
                slow layers_of_any_density_ratio_stay_at_rest,
                slow fluids_that_change_places_gain_no_energy,
                slow abuse_is_survived_or_diagnosed,
            }
            laws_in! { $stepper, $which, invariance:
                cheap renaming_bodies_changes_no_bit,
                cheap a_material_that_nothing_is_made_of_changes_no_bit,
                cheap a_material_that_nothing_is_made_of_changes_no_bit_to_solvers_that_iterate,
                slow a_frame_moved_by_whole_periods_changes_no_bit,
                cheap a_moved_frame_changes_nothing_but_rounding,
                slow interleaved_simulations_give_the_bits_of_each_alone,
                cheap simulations_at_one_time_give_the_bits_of_each_alone,
            }
            laws_in! { $stepper, $which, individual:
                cheap individual_steps_lead_where_short_steps_of_all_do,
                cheap individual_steps_conserve_momentum,
                cheap a_block_on_soft_water_saves_evaluations,
            }
            laws_in! { $stepper, $which, motion:
                cheap water_in_a_moving_tank_goes_with_it,
                cheap flow_between_plates_is_that_of_couette_and_poiseuille,
                slow who_crushes_matter_is_named,
                slow plates_that_hold_drag_fluid_along_by_every_friction,
                cheap a_wall_on_a_path_is_where_its_path_says_after_a_step_that_was_retried,
            }
            laws_in! { $stepper, $which, rest:
                cheap a_full_tank_starts_at_rest_density_exactly,
                cheap pressure_grows_linearly_with_depth_in_the_plane,
                cheap pressure_grows_linearly_with_depth_in_space,
                cheap the_tank_carries_the_weight_of_its_water,
                cheap a_lone_drop_gets_through_no_wall,
                cheap a_thin_wall_holds_matter_on_its_side,
            }
            laws_in! { $stepper, $which, restart:
                slow restarted_run_with_a_solver_that_iterates_equals_unbroken_run,
                cheap restarted_run_equals_unbroken_run,
                cheap restarted_run_with_individual_steps_equals_unbroken_run,
                cheap restarted_run_of_honey_equals_unbroken_run,
                cheap restarted_run_of_elastic_bodies_equals_unbroken_run,
                cheap restarted_run_with_carried_densities_equals_unbroken_run,
                cheap restarted_run_with_a_moving_wall_equals_unbroken_run,
                cheap restarted_wcsph_equals_unbroken_run,
                cheap restarted_wcsph_with_continuity_equals_unbroken_run,
                cheap restarted_pcisph_equals_unbroken_run,
                cheap restarted_iisph_equals_unbroken_run,
                slow restarted_dfsph_equals_unbroken_run,
                cheap restarted_cohesion_equals_unbroken_run,
                cheap restarted_penalty_equals_unbroken_run,
                cheap restarted_predictor_corrector_equals_unbroken_run,
            }
            laws_in! { $stepper, $which, swinging:
                cheap implicit_steps_are_of_second_order,
                cheap a_beam_that_swings_keeps_its_energy,
                slow a_ball_that_bounces_gains_nothing,
            }
        }
    };
}

/// The laws of one file.
macro_rules! laws_in {
    ($stepper:ty, $which:ident, $file:ident: $($kind:ident $name:ident,)*) => {
        mod $file {
            $(law! { $stepper, $which, $file, $kind, $name })*
        }
    };
}

/// One law.
macro_rules! law {
    ($stepper:ty, cheap, $file:ident, slow, $name:ident) => {};
    ($stepper:ty, $which:ident, $file:ident, $kind:ident, $name:ident) => {
        #[test]
        fn $name() {
            $crate::suite::$file::$name::<$stepper>();
        }
    };
}

/// Makes it a test that two implementations give the same bits.
macro_rules! twins {
    ($module:ident, $one:ty, $other:ty) => {
        mod $module {
            twins! { @ $one, $other, the_same_bits }
            twins! { @ $one, $other, the_same_bits_of_elastic_bodies }
            twins! { @ $one, $other, the_same_bits_to_solvers_that_iterate }
            twins! { @ $one, $other, the_same_bits_in_individual_steps }
        }
    };
    (@ $one:ty, $other:ty, $name:ident) => {
        #[test]
        fn $name() {
            $crate::suite::exactness::$name::<$one, $other>();
        }
    };
}
