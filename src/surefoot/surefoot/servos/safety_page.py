# SPDX-License-Identifier: Apache-2.0
"""docs/safety.md, made from the declarations of the code: `python -m surefoot.servos.safety_page > docs/safety.md`."""

import re
import textwrap

from surefoot.servos.gates import gates_table
from surefoot.servos.limiter import BOUNDS
from surefoot.servos.modes import Mode, moves_table, requests_of
from surefoot.servos.settings import BridgeSettings

MODES = {
    Mode.OFF: "no torque; nothing moves until armed",
    Mode.DAMPING: "armed: joint damping alone",
    Mode.STANDING_UP: "from the measured pose to the stand pose, at bounded speed and torque",
    Mode.READY: "stands under balance control",
    Mode.WALKING: "the gait planner may step",
    Mode.SITTING_DOWN: "from the measured pose to the lie pose",
    Mode.SITTING: "lies, held by damping",
    Mode.STOPPED: "emergency stop: joint damping, latched",
    Mode.FAULT: "a gate tripped: joint damping, latched",
}

TEXT = """# Safety

The servo bridge is the last gate before the motors. What is below is made from its own declarations
(`python -m surefoot.servos.safety_page > docs/safety.md`), and a test holds it to them.

- **Nothing moves until armed**, and then from the measured pose. A request that has no meaning now is refused, with the reason;
  `surefoot status` says what would be accepted, and why not the rest, without asking the robot for it (values `answer_…` on `/diagnostics`,
  looked at each half second).
- **Nobody stands up who is not taken over there.** STAND is refused while nothing fresh comes from the balance controller, which says at
  each plan that it lives, also when it has no command: it, the planner and the estimator before it may take a while to start. The reason
  of the mode says so after `silent_after` ("STAND waits: …"), in `surefoot status`, on the page and in the log. Where it falls silent for
  so long on the way up, or in READY before it has taken over, the robot lies down again: the bridge's own posture, which needs nobody,
  brings it down as gently as it came up, and damping would let it sink. The reason says "controller silent".
- **No number that is not finite, and none outside of the limits, leaves the bridge**, whatever comes in. What merely exceeds a limit in a
  command is brought inside; what must not be is a gate. One thing begins outside: a joint that lies beyond its limit when the robot stands
  up is led inwards from where it is, see "Up again".
- **No target stems from what nobody measured.** A command that asks for damping, or for nothing, has no targets, whatever positions it
  carries along, and no bus sends those as goals: before the first joint state, and after a clock that went back, nobody knows them.
- **A gate that trips asks for joint damping in that same tick**, and at every tick after it, latched; what the servos make of it is said
  under "With a bus to real servos". The reason names the gate, the joint, its value,
  the limit, and since when. Only ARM leads out, and only from a safe pose once the cause is gone. Damping brakes with no more than the
  effort limit at the measured speed: where that is so high that it would, there is less of it. It never drives.
- **One bridge a robot.** A second one on this machine that would speak on the same topics of a ROS domain, or has the same device, whoever
  started it, is refused by locks that die with their holder. Those topics are `/joint_command` and what a bus file of foreign topics tells
  the servos on, by the names that others see: another namespace changes none of ours, and whoever has a second robot in one domain remaps
  them. A lock is a file in `/tmp` and a name that nobody can remove: without the file it holds as well, wherever both also share a network.
  Containers with a `/tmp` of their own and other machines do not see it: see "Strangers".

## Modes

{modes}

STOP is accepted in every mode. Every mode but STOPPED and FAULT leads to FAULT when a gate trips.

## Moves

{moves}

## Up again

After a fault or a stop the robot sinks, damped, until it lies on its belly, on the stops of its joints, or on both. From there it is armed
by hand, and stands up with nobody touching it, if

- the cause is gone, and the joint state and the attitude are known;
- the base is level within `max_start_tilt` and the joints are slower than `max_start_joint_speed`;
- no joint is further than `overrun_margin` beyond its limits. The weight of the robot presses joints beyond where their stops begin; what
  is further away than a stop gives way is a calibration that is wrong, or a leg that is broken.

Whatever else is refused with the first joint, its value and the limit, how many more there are, and what to do. On the way up the torque
comes in over `blend_time` and leads no joint further out that is beyond a stop by `position_margin`; legs that are not folded are folded
first. The target of a joint that is beyond its limit starts where it is measured, and from there only comes inwards, at the speed of the
posture: a servo that knows nothing but its goal makes no jump either. Where the joint springs back on its own, the target comes after it,
no faster than the velocity limit. A robot that lies on its side or its back is not stood up: put it on its belly.

A robot that comes up with its legs splayed has to bring its feet in under its weight. Where the ground holds them, so that the joints rest
away from the stand pose at the end of the way up, it takes one foot after the other: leans over the other three, lifts the foot and sets
it down where it stands. It does so only if it is up, if its feet are on one plane, and if the legs that carry are strong enough; twice at
most, at the speed of the posture and inside of all bounds. Where that does not help, the gate "posture" says which joint is off.

## On a stand

A robot that should stand, and of which no foot bears load for 0.25 s, hangs, or somebody holds it: nobody knows where it is, and
nobody needs to. Its attitude is known, and all gates go on. The bridge then holds the stand pose by itself, in READY; WALK is refused with
that reason, SIT and STOP are not. Once three feet bear load for 0.2 s balance control takes over, as after standing up. A robot that walks
and loses all ground is damped, as before.

## Without an estimate

A robot that stands on its feet needs nobody to know where it is. Where a plan to stand is in force in READY, and the attitude stops coming,
the estimator says that it knows none, or the planner that it has no state to go by, the bridge holds the robot: in the tick in which
"command stale", "attitude missing" or "estimator invalid" would have tripped, springs of `posture_stiffness` take over the torque that each
joint carries, and hold it where it is, inside of all bounds. The other gates go on: joint state, servos, following, and the attitude as far
as one is known. The reason of the mode says "held without an estimate" and why; WALK is refused, SIT and STOP are not. With a new estimate
balance control takes over, as after standing up; it may count from another origin, so the planner begins to stand anew. If none comes
within `estimate_hold`, the robot lies down by itself. Wherever the stack runs free, as on a robot, an estimator that ended is started again
by the launch files.

The bridge hears no IMU: while no attitude comes, a robot that is pushed over shows in its joints alone. A robot that walks, rises, sits
down or hangs is damped, as before, and so is one that stands whose balance controller falls silent beside a good estimate.

## Gates

Asked in this order, at each tick.

{gates}

All ages are those of the stamps: an attitude that waited in a queue is as old as it says. An attitude that the estimator says it does not
know may come back, and is waited for `attitude_missing_after`; where no newer word of it arrives at all, it is missed after `stale_after`,
as commands and joint states are. Joint states that come again, or older than the
newest by up to `stale_after`, let time go on as silence does; further back is a clock that went back. Where the stamps leap ahead, or no
tick came for a while, the bridge's own motions and the bounds on targets go on by a third of `stale_after` in one tick, not by the leap.

A new stamp is no news. Who hangs and sends the last sample again and again looks alive by every age; but what is measured, and what is
worked out of it, changes in its last digits while something moves. So the bridge holds its sources against each other while the robot is
balanced, and while it rises or lies down by the bridge's own posture: the same joint state while targets move by `frozen_motion`, the same
attitude or the same torques while joints do, and that for `stale_after` more, is the gate "frozen". Its cause is gone once that source has
said something else. On a stand the base rests while the legs move: an attitude that never said anything else at all is asked only in a
robot that is balanced. What has no noise and nothing to tell, as a robot that stands still in simulation, is not; nor is
a driver that holds the samples of a slow sensor for less. Before it the state estimator does not believe such an IMU, the gait planner such
a state, the balance controller such a plan. An operator who says the same for long is none of these: nobody can tell it from a steady hand.

What swings in and out of a limit is beyond it, too. So the time that a joint is beyond position, velocity, torque, power or following adds
up, and is lost again at half the rate while it is inside: what lasts trips after the patience, what is beyond for more than a third of the
time trips later, and short spikes do not. A number that was not measured changes nothing. The reason says the worst value of that time and
when it began.

Some gates look at what not every robot measures: torque and power at the joints' measured effort, "servo fault", temperature and voltage at
what servos tell, and `max_power` and `min_voltage` are not set by default. Which of them cannot trip is in the log when the robot is
armed, and on `/diagnostics` ("not_watched").

An operator who lets go of the dead-man switch, or whose pad is gone, is no fault: the wanted velocity is zero upstream, and the robot
stands or steps where it is. When the whole side of the operator falls silent (`operator_missing_after`), a walking robot comes to a stand;
taking its torque away would drop it. A word that is half a second old when it arrives, or waits so long for a tick, counts for nothing,
unless it is STOP.

## Bounds

Every command passes these, in this order; what is changed is said in its remarks and counted.

{bounds}

## Settings

`config/servo_bridge.yaml`; those of the robot (limits, damping, speed of postures) are in its own file.

{settings}

## With a bus to real servos

The bridge node has a parameter `bus` (docs/buses.md). The watchdog is the same: a bus that gives no sample for `stale_after` is a stale
joint state, the reason says which servo is silent, and the latch is the same. What the servos themselves report (overload, temperature,
voltage) is asked by gates of its own, and so is a servo that has torque when it should have none, or none when it should, or that is in
another operating mode than it was told. What holds for what is read holds for what is written: where no command has left for `stale_after`,
that is a servo fault, and it is in the log as an error in every mode, also where no gate is asked.

What damping is depends on the servo. A position servo knows none: its torque is switched off, which is said anew at every tick, because
nobody confirms it. In current mode, and with the interface `torque` of foreign topics, the torque is worked out here from the joint's own
last state; a joint whose state is older than `stale_after` of the bus file gets none. A stamp that goes back, by however little, takes
everything that was heard before it out of the torque. A motor of a Unitree robot is told its damping, and no position.

A foreign joint that is told positions and no gains can neither be damped nor let go of. It is told nothing at all before it is to be held
for the first time: in OFF, and armed, nothing moves. After that, where the torque is to be taken away (a stop, a fault, the end), **its
goal is where it was measured at that moment, and stays there**: it is held, also beyond a limit, and does not follow the load. Where that
is not known then (no state within `stale_after`, a clock that went back, a number that no joint can measure), its goal stays the one before
until it is. It holds for as long as the driver behind the topic does: have a switch for its power at hand.

What happens when this computer stops, without a word (a crash, `kill -9`, a pulled cable):

- X and MX servos have a watchdog of their own (`watchdog` in the bus file). It stops them where they are; **it does not switch their torque
  off**. It is looked after while the bridge runs, and armed again under damping.
- RX-24F servos have none: **they hold their last goal, under torque, until their power is cut**. Have a switch for it at hand.
- What a robot of Unitree does then has not been tried.
- A foreign driver of positions holds its last goal, unless it watches over silence itself.

Of a Unitree robot it is checked that each state is whole and new, that the robot reaches each motor, and that each motor is in the servo
mode that it is told; the temperatures and the voltage have gates of their own. Not checked are `level_flag` of its state, whose meaning
there is not documented, its battery, and whether its own motion service commands beside us.

A servo that has shut down (overload, overheating) stays down until it is restarted: `surefoot servos reboot`, or its power off and on.

## Strangers

The bridge believes whoever publishes on its topics in its ROS domain, and holds all that they say to every gate and bound above, whoever
they are: `tests/servos/test_fuzz.py` and `surefoot faults fuzz servo_bridge --alone` send what nobody should (docs/faults.md, "Garbage").

On each topic that moves the robot one node alone is to speak. The bridge looks twice a second who publishes on `/joint_states`,
`/base_attitude`, `/servo_command`, `/operator_command` and, behind itself, `/joint_command`: who speaks there goes around it. With a bus
file of foreign topics it looks at all of those as well: where the states come from, and where the servos are told. Where there are two it
says so, with their names, in the log and on `/diagnostics` ("strangers"), and nobody is armed or stands up. It takes no torque away for
that: whoever could drop a robot by appearing would not have to command it. A node that was killed counts until the middleware misses it,
after 10 s.

On a network that others share, choose a `ROS_DOMAIN_ID` of your own,
set `ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST` where everything runs on the robot, or keep strangers out with SROS 2, on an installed ROS 2,
in the `ROS_DOMAIN_ID` of the robot:

```sh
ros2 security create_keystore ~/surefoot_keys
ros2 security generate_artifacts -k ~/surefoot_keys -p config/security/policy.xml
ros2 launch surefoot_bringup robot.launch.xml robot:=… security:=true keystore:=$HOME/surefoot_keys
```

It is off unless `security:=true` is given or the shell has the variables of ROS 2 for it (`ROS_SECURITY_ENABLE`, `ROS_SECURITY_STRATEGY`,
`ROS_SECURITY_KEYSTORE`), which the launch files hand on. `sim`, `robot`, `replay` and `tune` have it; beside Gazebo, whose nodes have no
enclaves, it is not for. Each node is in an enclave of its own, `/surefoot/NAME`, and `config/security/policy.xml` allows it what it says
and hears and nothing else, so that `inverse_dynamics` alone commands; a test holds that file to what the middleware knows of the nodes.
`surefoot drive`, `view` and `bag record` are in the enclaves of their nodes. Who is in the enclave `/`, such as `surefoot status` and
`preflight`, only hears. A bus of foreign topics (docs/buses.md) needs its topics in the policy, and a gait that is changed as ROS
parameters an enclave that may call those services. `security_strategy:=Permissive` starts nodes without a key unprotected.

A keystore, keys or a library that is missing is named before anything starts, with the way out: the environment that `./surefoot` makes has
a Fast DDS without the security libraries, where `security:=true` says just that; none runs unprotected.

Run with keys once (n = 1, seed 0): `launch sim` with the short story of the tests, in lockstep, on rclpy of Kilted over Cyclone DDS
0.10.2 (`rmw_cyclonedds_cpp` 4.0.2), keys and permissions by sros2 0.13.0. Nine nodes came up in their enclaves; HyQ was armed, stood up,
rehearsed, was given its walk and walked to the end of the story at 6.6 s. Somebody without keys, who published on `/servo_command`
meanwhile, saw no node, heard nothing and was heard by nobody. With the keys of `/` all nine were seen and `/joint_states` and
`/robot_mode` heard; a publisher on `/servo_command` was refused as it was made, as to one with the keys of `narrator`, which may not hear
`/joint_states` either. In another start the nodes of recorder, page and markers came up too, and the recorder read the parameters of the
others; that graph did not get to walk: on a machine with 30 processes in line for two cores handshakes ran out of time, and a node that
is not known to another by its keys is not there for it. So see with `surefoot status` that the bridge is heard before anybody relies on
the graph. What is refused to a node ends it, with the topic in its last words. Not run with keys: **Fast DDS**, a real robot, `replay`,
`tune`, gamepad and path follower.
"""


def _modes() -> str:
    lines = ["| mode | what it is | accepts |", "|---|---|---|"]
    for mode in Mode:
        accepted = ", ".join(request.name for request in requests_of(mode))
        lines.append(f"| {mode.name} | {MODES[mode]} | {accepted} |")
    return "\n".join(lines)


def _bounds() -> str:
    items = [f"{place}. **{name}**: {what}." for place, (name, what) in enumerate(BOUNDS.items(), 1)]
    return "\n".join(textwrap.fill(item, 140, subsequent_indent="   ", break_on_hyphens=False) for item in items)


def _settings() -> str:
    lines = ["| setting | default | what |", "|---|---|---|"]
    for name, field in BridgeSettings.model_fields.items():
        words = re.sub(r"\s+", " ", field.description or "").replace("|", "/")
        default = field.default
        shown = "none" if default is None else f"{default:.4g}" if isinstance(default, float) else str(default).lower()
        lines.append(f"| `{name}` | {shown} | {words} |")
    return "\n".join(lines)


def safety_page() -> str:
    """The page, as Markdown."""
    return TEXT.format(modes=_modes(), moves=moves_table(), gates=gates_table(), bounds=_bounds(), settings=_settings())


if __name__ == "__main__":
    print(safety_page(), end="")
