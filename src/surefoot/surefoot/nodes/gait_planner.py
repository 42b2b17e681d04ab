# SPDX-License-Identifier: Apache-2.0
"""Node: state and wishes in, motion plan out; takes gait requests through rehearsal to commit or veto."""

from pathlib import Path

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient
from std_msgs.msg import String
from surefoot_msgs.action import ScoreTransitions
from surefoot_msgs.msg import FootPlanState, GaitStatus, MotionPlan, OperatorCommand, RobotMode, Verdict
from surefoot_msgs.msg import RobotState as RobotStateMessage

from surefoot.errors import SensorError
from surefoot.gait.modes import FAULT_TEXT, GROUND_NOT_FOUND, NO_FAULT, SWING
from surefoot.gait.of_robot import gaits_of
from surefoot.gait.settings import PlannerSettings
from surefoot.gait.state_watch import StateWatch
from surefoot.locomotion.laws import LAW_OF
from surefoot.locomotion.policy import standing_plan, state_record
from surefoot.nodes import quality
from surefoot.nodes.base import SurefootNode, run
from surefoot.nodes.conversions.common import array_of, seconds_of, stamp_of
from surefoot.nodes.conversions.gait import message_of_gait
from surefoot.nodes.conversions.operator import wish_of
from surefoot.nodes.conversions.plan import inactive_plan, message_of_plan
from surefoot.nodes.conversions.rehearsal import (
    is_trustworthy,
    message_of_candidate,
    message_of_foot,
    message_of_planner,
    message_of_terrain,
    offer_of,
)
from surefoot.nodes.conversions.state import StateReader
from surefoot.nodes.deadline import verdict_deadline
from surefoot.nodes.join import Tick, TickJoin
from surefoot.nodes.parameters import GaitPlannerParameters
from surefoot.robot.locate import shared_directory
from surefoot.robot.state import RobotState
from surefoot.servos.rate import RateMeter, rate_problem
from surefoot.settings import read_settings
from surefoot.terrain.belief import read_grounds
from surefoot.traces.coordinator import GaitCoordinator
from surefoot.traces.decision.settings import DecisionSettings
from surefoot.traces.request import Answer, Enquiry

NOBODY_ANSWERS = "nobody answers on /score_transitions: is particle_trace running?"


def cloud_seed(seed: int, enquiry: int) -> int:
    """Of the cloud of an enquiry, 1, 2, …: the same for the same run, and another for each."""
    return int(np.random.SeedSequence((seed, enquiry)).generate_state(1, np.uint32)[0])


class GaitPlannerNode(SurefootNode):
    """Topics: /robot_state, /operator_command, /robot_mode, /controller in; /motion_plan, /gait_status, /verdict, /swing out.

    Asks by the action /score_transitions.
    """

    def __init__(self) -> None:
        super().__init__("gait_planner")
        config: Path = shared_directory() / "config"
        description = self.model.description
        decision = read_settings(DecisionSettings, config / "decision.yaml")
        given = self.declared(GaitPlannerParameters)
        changes: dict[str, float] = {"latency": given.latency or (decision.latency if self.lockstep else decision.realtime_latency)}
        self._decision = decision.model_copy(update=changes | ({"particles": given.particles} if given.particles else {}))
        self._deadline = given.deadline or verdict_deadline(self._decision, self.lockstep)
        gaits = gaits_of(self.model)
        grounds = read_grounds(config / "terrain" / "grounds.yaml")
        settings = read_settings(PlannerSettings, config / "gait_planner.yaml")
        self._coordinator = GaitCoordinator(self.model, gaits, grounds, settings, self._decision)
        self._coordinator.planning.warm_up(self.model)
        self._coordinator.law.warm_up(standing_plan(), state_record(self.model.neutral()))
        self._rate, self._watch = RateMeter(), StateWatch()
        self._coordinator.objection = lambda gait: rate_problem(gait, self._rate.rate)
        self._reader = StateReader(description)
        self._plans = self.create_publisher(MotionPlan, "/motion_plan", quality.command(self.lockstep))
        self._statuses = self.create_publisher(GaitStatus, "/gait_status", quality.EVENT)
        self._verdicts = self.create_publisher(Verdict, "/verdict", quality.EVENT)
        self._swings = self.create_publisher(FootPlanState, "/swing", quality.SHOWN)
        self._swings_told = [0.0] * len(description.foot_names)
        self._client = ActionClient(self, ScoreTransitions, "/score_transitions")
        self._held: Tick | None = None
        self._told: tuple[object, ...] = ()
        self._fault_told = NO_FAULT
        self._answer: Answer | str | None = None
        self._goal = 0
        self._goal_deadline = 0.0
        self._unsent: ScoreTransitions.Goal | None = None
        topics = ("/robot_state", "/operator_command", "/robot_mode")
        self._join = TickJoin(topics, "/robot_state", self.lockstep, self._tick)
        if self.lockstep:
            # The mode of a tick is known only after it: each tick meets the mode of the one before.
            self._join.push("/robot_mode", RobotMode())
        self.create_subscription(RobotStateMessage, topics[0], self._join.receiver(topics[0]), quality.command(self.lockstep))
        self.create_subscription(OperatorCommand, topics[1], self._join.receiver(topics[1]), quality.command(self.lockstep))
        self.create_subscription(RobotMode, topics[2], self._join.receiver(topics[2]), quality.command(self.lockstep))
        self.create_subscription(String, "/controller", self._hear_controller, quality.EVENT)
        self.create_timer(0.05, self._look_after_goal)

    def _hear_controller(self, message: String) -> None:
        name = message.data
        known = ", ".join(LAW_OF)
        self._coordinator.doubt = "" if name in LAW_OF else f"'{name}' drives the robot, and the traces know only: {known}"
        if name in LAW_OF:
            self._coordinator.law.put(LAW_OF[name])

    def _tick(self, tick: Tick) -> None:
        stamp = seconds_of(tick["/robot_state"].header.stamp)
        if self._coordinator.must_wait(stamp):
            if self._answer is not None:
                self._take_answer(tick)
            elif self.lockstep:
                # Simulated time is charged a fixed latency for the verdict: the tick waits until it is there.
                self._held = tick
                return
        self._plan(tick)

    def _take_answer(self, tick: Tick) -> None:
        answer, self._answer = self._answer, None
        state = self._state(tick["/robot_state"])
        if isinstance(answer, str):
            self._coordinator.no_answer(answer)
        elif answer is not None and state is not None:
            self._coordinator.answer(state, answer)

    def _plan(self, tick: Tick) -> None:
        message, operator, mode = tick["/robot_state"], tick["/operator_command"], tick["/robot_mode"]
        stamp = seconds_of(message.header.stamp)
        # The estimator speaks at each sample of the joints.
        self._rate.note(stamp)
        standing, walking = (mode is not None and mode.mode == one for one in (RobotMode.READY, RobotMode.WALKING))
        state = self._watched(message, stamp, standing)
        suspended = self._watch.suspended
        if self._watch.odometry_reset:
            self._coordinator.rest()
        if state is None or not (standing or walking) or operator is None or suspended:
            if operator is None:
                self._coordinator.rest()
            else:
                self._coordinator.rest(operator.gait_request_id, operator.gait)
            self._plans.publish(inactive_plan(stamp, suspended))
            self._tell(stamp, np.zeros(3))
            return
        wish = wish_of(operator, self.model.description)
        enquiry = self._law(state, wish, walking)
        planning = self._coordinator.planning
        if not planning.sound:
            self.fault("plan_not_finite", f"no plan for the state of {stamp:.3f} s is finite; planning begins anew")
            self._coordinator.rest(operator.gait_request_id, operator.gait)
            self._plans.publish(inactive_plan(stamp))
            self._tell(stamp, np.zeros(3))
            return
        # Before the plan: what comes back to this tick's command must not overtake what it says of the request.
        self._tell(stamp, planning.planner["command"][0])
        self._plans.publish(
            message_of_plan(stamp, planning.plan_record[0], planning.gait.name, planning.planner["fault"][0], self.model.description)
        )
        if enquiry is not None:
            self._ask(enquiry, message)
        self._tell_fault(int(planning.planner["fault"][0]))
        self._tell_swings()

    def _tell_fault(self, fault: int) -> None:
        """Report a fault of the plan once, when it begins or changes; the plan says it all the time."""
        if fault == self._fault_told:
            return
        if fault == GROUND_NOT_FOUND:
            self.fault("ground_not_found", FAULT_TEXT[fault])
        elif fault != NO_FAULT:
            self.get_logger().info(FAULT_TEXT[fault])
        self._fault_told = fault

    def _tell_swings(self) -> None:
        """Say the path of each foot that was lifted, once, to those who look; at most one a tick, so that no tick is long for it."""
        record = self._coordinator.planning.planner[0]
        for leg, start in enumerate(record["knot_time"][:, 0]):
            if start != self._swings_told[leg] and record["mode"][leg] == SWING:
                self._swings_told[leg] = float(start)
                if self._swings.get_subscription_count() > 0:
                    self._swings.publish(message_of_foot(record, leg, self.model.description.foot_names[leg]))
                return

    def _law(self, state: RobotState, wish: object, walking: bool) -> Enquiry | None:
        result: Enquiry | None = self.timed(self._coordinator.tick)(state, wish, walking)
        return result

    def _state(self, message: RobotStateMessage) -> RobotState | None:
        try:
            return self._reader.read(message)
        except SensorError as error:
            self.fault("refused_message", str(error))
            return None

    def _watched(self, message: RobotStateMessage, stamp: float, standing: bool) -> RobotState | None:
        """The state, None where there is none that may be walked on."""
        read = self._state(message) if message.valid else None
        moving = bool(self._coordinator.planning.plan_record["moving"][0])
        state = self._watch.look(stamp, message.foot_contact_probability, read, standing=standing, moving=moving)
        since = self._watch.frozen_since
        if since is not None:
            self.fault("state_frozen", f"the state is the same to the last digit since {since:.3f} s, and the robot should walk")
        return state

    def _ask(self, enquiry: Enquiry, state: RobotStateMessage) -> None:
        """Send an enquiry to the particle traces."""
        snapshot, description = enquiry.snapshot, self.model.description
        goal = ScoreTransitions.Goal(
            request_id=enquiry.request_id,
            robot_state=state,
            planner_state=message_of_planner(snapshot.planner, snapshot.gait_from.name, snapshot.command, description),
            gait_from=message_of_gait(snapshot.gait_from, description),
            gait_to=message_of_gait(snapshot.gait_to, description),
            intermediates=[message_of_gait(gait, description) for gait in snapshot.intermediates],
            terrain=message_of_terrain(snapshot.terrain, float(snapshot.planner["ground_height"][0])),
            terrain_here=message_of_terrain(snapshot.terrain_here, float(snapshot.planner["ground_height"][0])),
            law=snapshot.law.name,
            law_integral=snapshot.law.memory["integral"].ravel(),
            law_time=float(snapshot.law.memory["last_time"][0]),
            candidates=[message_of_candidate(candidate) for candidate in enquiry.candidates],
            particles=self._decision.particles,
            most_particles=self._decision.most_particles,
            horizon=self._decision.horizon,
            # Other robots for each enquiry, or one unlucky cloud would mislead all of them.
            seed=cloud_seed(self.seed, self._goal + 1),
            accept_at=self._decision.accept_at,
            confidence=self._decision.confidence,
            latency=self._decision.latency,
            deadline=Duration(sec=int(self._deadline), nanosec=int(self._deadline % 1.0 * 1e9)),
        )
        self._answer = None
        self._goal += 1
        number = self._goal
        self._goal_deadline = self.steady() + self._deadline
        self._unsent = goal
        self._send()
        if self._unsent is not None and not self.lockstep:
            self._silence(number, NOBODY_ANSWERS)

    def _send(self) -> None:
        """Send the goal if there is somebody who takes it. In lockstep it may wait for that: the graph starts in any order."""
        if self._unsent is None or not self._client.server_is_ready():
            return
        number, goal, self._unsent = self._goal, self._unsent, None
        future = self._client.send_goal_async(goal)
        future.add_done_callback(self.guarded(lambda done: self._goal_taken(number, done)))

    def _goal_taken(self, number: int, future: object) -> None:
        handle = future.result()  # type: ignore[attr-defined]
        if not handle.accepted:
            self._silence(number, "particle_trace refused to rehearse")
            return
        answer = handle.get_result_async()
        answer.add_done_callback(self.guarded(lambda done: self._verdict_came(number, done.result().result.verdict)))

    def _verdict_came(self, number: int, verdict: Verdict) -> None:
        enquiry = self._coordinator.enquiry
        if number != self._goal or enquiry is None:
            # The request was dropped, or is rehearsed again, since.
            self.counters["verdicts_dropped"] += 1
            return
        self._verdicts.publish(verdict)
        problem = is_trustworthy(verdict, enquiry.request_id, enquiry.candidates, self._decision)
        if problem:
            self._silence(number, problem)
            return
        candidate = enquiry.candidates[verdict.chosen] if verdict.accepted else None
        answer = Answer(
            verdict.accepted,
            candidate,
            verdict.reason,
            array_of(verdict.predicted_base_position),
            array_of(verdict.predicted_base_deviation),
            offer_of(verdict),
        )
        self._resolve(answer)

    def _resolve(self, answer: Answer | str) -> None:
        """Keep an answer, or the reason why there is none, for the tick at which it is due."""
        self._answer = answer
        held, self._held = self._held, None
        if held is not None:
            self._tick(held)

    def _silence(self, number: int, reason: str) -> None:
        if number == self._goal and self._coordinator.enquiry is not None:
            self.fault("no_verdict", reason)
            self._unsent = None
            self._resolve(reason)

    def _look_after_goal(self) -> None:
        if self._coordinator.enquiry is None or self._answer is not None:
            return
        if self.steady() > self._goal_deadline:
            self._silence(self._goal, NOBODY_ANSWERS if self._unsent is not None else f"no verdict within {self._deadline:.0f} s")
            return
        self._send()

    def _tell(self, stamp: float, command: np.ndarray) -> None:
        """Publish the status when it changed."""
        status, gait = self._coordinator.status, self._coordinator.planning.gait.name
        news = (gait, status, self._coordinator.ground.name, *np.round(command, 2))
        if news == self._told:
            return
        self._told = news
        message = GaitStatus(
            gait=gait,
            request_state=int(status.state),
            request_id=status.request_id,
            requested_gait=status.gait,
            switch_time=status.switch_time,
            reason=status.reason,
            offer="" if status.offer is None else status.offer.reason,
            offer_command_factor=0.0 if status.offer is None else status.offer.command_factor,
            offer_intermediate="" if status.offer is None else status.offer.intermediate,
            offer_delay=0.0 if status.offer is None else status.offer.delay,
            ground=self._coordinator.ground.name,
        )
        message.header.stamp = stamp_of(stamp)
        message.command.linear.x, message.command.linear.y, message.command.angular.z = (float(value) for value in command)
        self._statuses.publish(message)


def main() -> None:
    """Entry point."""
    run(GaitPlannerNode)


if __name__ == "__main__":
    main()
