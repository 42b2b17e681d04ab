# SPDX-License-Identifier: Apache-2.0
"""Numbers that the sources print, by ground and by our name of the controller; None: it fell.

Tables 3, 4 and 5 of [Zapolsky and Drumwright 2016], which the dissertation repeats as Tables 12 to 14 [Zapolsky 2017].
"""

TRACKING: dict[str, dict[str, tuple[float, float] | None]] = {
    "rigid, low friction": {
        "two_stage_qp": (0.0310, 1.9425), "two_stage_qp_no_slip": (0.0483, 2.6295), "coulomb_lcp": (0.0239, 1.8386),
        "no_slip_lcp": None, "joint_pid": (0.0895, 1.5569), "sensed_contact": (0.0325, 1.7952), "sensed_contact_2": (0.0328, 1.7830),
    },
    "rigid, high friction": {
        "two_stage_qp": (0.0486, 2.2596), "two_stage_qp_no_slip": (0.0654, 2.5737), "coulomb_lcp": (0.0259, 1.8784),
        "no_slip_lcp": (0.0260, 1.8950), "joint_pid": (0.0916, 1.4653), "sensed_contact": (0.1317, 2.5585),
        "sensed_contact_2": (0.1316, 2.5608),
    },
    "compliant, low friction": {
        "two_stage_qp": (0.0217, 2.0365), "two_stage_qp_no_slip": None, "coulomb_lcp": (0.0219, 2.0786),
        "no_slip_lcp": None, "joint_pid": (0.0850, 1.5845), "sensed_contact": (0.0265, 1.8858), "sensed_contact_2": (0.0267, 1.8742),
    },
    "compliant, high friction": {
        "two_stage_qp": (0.0342, 2.9360), "two_stage_qp_no_slip": (0.0446, 3.9779), "coulomb_lcp": (0.0226, 2.1243),
        "no_slip_lcp": None, "joint_pid": (0.0850, 1.5845), "sensed_contact": (0.1270, 4.4377), "sensed_contact_2": (0.1270, 4.2061),
    },
}  # fmt: skip
"""Table 3: mean joint error in position, rad, and in velocity, rad/s. Both compliant rows of PID are printed alike."""

SMOOTHNESS: dict[str, tuple[float, float]] = {
    "two_stage_qp": (52.5718, 0.2016), "two_stage_qp_no_slip": (245.5117, 0.4239), "coulomb_lcp": (677.9693, 0.8351),
    "no_slip_lcp": (351.1803, 0.4055), "sensed_contact": (974.3312, 0.9918), "sensed_contact_2": (17528.0, 2.7416),
    "joint_pid": (100.1571, 0.3413),
}  # fmt: skip
"""Table 4: mean change and mean size of the torques; the source prints no unit and no ground."""

PREDICTION: dict[str, dict[str, tuple[float, float] | None]] = {
    "rigid, low friction": {
        "two_stage_qp": (3.8009, 0.1253), "two_stage_qp_no_slip": (8.4567, 0.2226), "coulomb_lcp": (0.9371, 0.0194), "no_slip_lcp": None,
    },
    "rigid, high friction": {
        "two_stage_qp": (13.8457, 0.2748), "two_stage_qp_no_slip": (12.4153, 0.2526), "coulomb_lcp": (1.2768, 0.0155),
        "no_slip_lcp": (0.3572, 0.0116),
    },
    "compliant, low friction": {
        "two_stage_qp": (7.8260, 0.1712), "two_stage_qp_no_slip": None, "coulomb_lcp": (4.6385, 0.0637), "no_slip_lcp": None,
    },
    "compliant, high friction": {
        "two_stage_qp": (14.9225, 0.3086), "two_stage_qp_no_slip": (15.1897, 0.3066), "coulomb_lcp": (12.4896, 0.2400), "no_slip_lcp": None,
    },
}  # fmt: skip
"""Table 5: error of the summed normal forces, N and relative."""

LESS_ERROR_THAN_PID = {"Trot": 0.7708, "FigureEight": 0.9033}
LESS_ERROR_THAN_NO_SLIP = {"FigureEight": 0.5630}
"""Of the inverse dynamics on ground with a friction of 0.1, HyQ [Zapolsky et al. 2013, section 4]."""
