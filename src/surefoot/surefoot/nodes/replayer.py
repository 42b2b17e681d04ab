# SPDX-License-Identifier: Apache-2.0
"""Node: a bag in the place of a robot, with nodes that are fed from it."""

import math
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from surefoot.errors import ConfigurationError, SurefootError
from surefoot.nodes import quality
from surefoot.nodes.bag_types import other_type
from surefoot.nodes.base import SurefootNode, finish, run
from surefoot.nodes.parameters import ReplayerParameters
from surefoot.nodes.replay.neighbours import PREFIX, Neighbours, played_as
from surefoot.nodes.replay.offline import apart
from surefoot.nodes.replay.session import ABOUT_THE_PROCESS, Session
from surefoot.nodes.stack_topics import STACK_TOPICS, message_class
from surefoot.recording.playback import Playback
from surefoot.recording.provenance import URDF
from surefoot.recording.reader import SECOND
from surefoot.recording.renamed import open_bag
from surefoot.recording.timeline import clock_topic, with_time
from surefoot.recording.types import RawMessage
from surefoot.teleop.terminal import Terminal

LOOK_TIME = 2.0  # s to find a live robot
LOOK_PERIOD = 0.5  # s between looks for one that comes later
PERIOD = 0.002  # s
MOST_AT_ONCE = 0.02
"""Time for which messages are sent before everything else gets a turn, s."""
HELP = "space: pause or go on   . : one tick   left, right: 1 s back or on   up, down: twice or half the speed   l: loop   q: end"


class ReplayerNode(SurefootNode):
    """Topics: /clock and everything in the bag out, under /replay what is not known to move nothing; /replay_control in.

    /replay_control takes a String: pause, resume, step, seek S, speed X, loop on, loop off, end. The parameters paused, speed and loop
    can be set while it plays, too.
    """

    def __init__(self) -> None:
        super().__init__("replayer")
        given = self.declared(ReplayerParameters)
        path, names = given.bag, given.nodes
        if not path:
            raise ConfigurationError("replayer needs the parameter 'bag': the folder of a bag")
        self._bag = open_bag(Path(path).expanduser(), Path(given.topic_map).expanduser() if given.topic_map else None)
        for problem in self._bag.problems:
            self.get_logger().warning(problem)
        speed = given.speed
        outlets = self._outlets()
        played = {"/clock", "/robot_description", *(topic for _, topic, _ in outlets.values())}
        self._neighbours = Neighbours(self, played, [name.strip() for name in given.listeners.split(",") if name.strip()])
        self._refuse_a_live_robot()
        self._clock_topic = clock_topic(self._bag)
        start, end = self._span()
        self._playback = Playback(start, end, speed or math.inf, given.loop, given.paused)
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        self._said: dict[str, Any] = {}
        self._session = Session(self._bag, wanted, apart(), self._say) if wanted else None
        self._terminal = Terminal() if given.keys else None
        self._times = self.create_publisher(Clock, "/clock", 10)
        self._publish_description()
        self._spoken = {name: self.create_publisher(*outlet) for name, outlet in outlets.items()}
        self._jumps, self._clock_jumps = 0, 0
        self._rewind()
        self.create_subscription(String, "/replay_control", lambda message: self._obey(message.data), 10)
        self.create_timer(1.0 / given.clock_hz, self._tell_time)
        self._advance = self.timed(self._play)
        self.create_timer(PERIOD, self._tick)
        self.create_timer(LOOK_PERIOD, self._end_beside_a_live_robot)
        if self._terminal is not None:
            print(HELP, flush=True)
            self.create_timer(0.05, self._read_keys)
        seconds = (end - start) / SECOND
        self.get_logger().info(f"plays {path}: {seconds:.1f} s at speed {speed:g}" + (f", through {names}" if names else ""))

    def at_end(self) -> None:
        """The terminal is as it was."""
        if self._terminal is not None:
            self._terminal.close()

    def health(self) -> dict[str, str]:
        """Where it is."""
        position = (self._playback.position - self._playback.start) / SECOND
        return {"position_s": f"{position:.3f}", "paused": str(self._playback.paused), "jumps": str(self._playback.jumps)}

    def _refuse_a_live_robot(self) -> None:
        """A bag beside a robot would be taken for its sensors."""
        until = time.monotonic() + LOOK_TIME
        while time.monotonic() < until:
            if stranger := self._neighbours.stranger():
                raise SurefootError(_not_beside(stranger))
            time.sleep(0.05)

    def _end_beside_a_live_robot(self) -> None:
        """One that comes while the bag is played would take it for its sensors, too."""
        if stranger := self._neighbours.stranger(playing=True):
            self.get_logger().error(_not_beside(stranger))
            finish(2)

    def _span(self) -> tuple[int, int]:
        ticks = self._bag.messages((self._clock_topic,) if self._clock_topic else None)
        times = [moment for moment, _ in with_time(ticks, self._clock_topic)]
        return (times[0], times[-1]) if times else (0, 0)

    def _outlets(self) -> dict[str, tuple[Any, str, QoSProfile]]:
        """By the name that we know a topic by: its class, the name under which it is played, and its profile."""
        outlets: dict[str, tuple[Any, str, QoSProfile]] = {}
        for name, topic in self._bag.topics.items():
            if not self._bag.counts.get(name) or name in ABOUT_THE_PROCESS or name == "/rosout":
                continue
            try:
                kind = message_class(topic.type)
                problem = other_type(self._bag, name, kind)
            except ConfigurationError as error:
                problem = str(error)
            if problem:
                self.get_logger().warning(f"not played: {problem}")
                continue
            outlets[name] = (kind, played_as(name), STACK_TOPICS[name].quality(True) if name in STACK_TOPICS else QoSProfile(depth=10))
        return outlets

    def _publish_description(self) -> None:
        if URDF in self._bag.attachments:
            self._description = self.create_publisher(String, "/robot_description", quality.EVENT)
            self._description.publish(String(data=self._bag.attachments[URDF].decode()))

    def _rewind(self) -> None:
        """Read the bag from its beginning; what the nodes know of what was before is gone."""
        # The messages are read anew: a bag is a file that goes on in one direction.
        self._messages: Iterator[tuple[int, RawMessage]] = with_time(self._bag.messages(), self._clock_topic)
        self._next = next(self._messages, None)

    def _jump(self) -> None:
        self._jumps = self._playback.jumps
        if self._session is not None:
            self._session.build()
        self._rewind()
        while self._next is not None and self._next[0] < self._playback.position:
            self._next = next(self._messages, None)

    def _tick(self) -> None:
        self._advance()

    def _play(self) -> None:
        now = time.monotonic()
        position = self._playback.look(now)
        if self._playback.jumps != self._jumps:
            self._jump()
        while self._next is not None and self._next[0] <= position:
            message = self._next[1]
            if message.topic in self._spoken:
                self._spoken[message.topic].publish(message.data)
            if self._session is not None:
                self._session.feed(message)
            self._next = next(self._messages, None)
            if time.monotonic() - now > MOST_AT_ONCE:
                return
        if self._next is None and not self._playback.loop and not self._playback.paused:
            self.get_logger().info("the bag is at its end")
            finish()

    def _say(self, node: str, topic: str, message: Any) -> None:
        """What a replayed node says goes out, but never where a robot hears it."""
        if topic in ABOUT_THE_PROCESS:
            return
        if topic not in self._said:
            self._said[topic] = self.create_publisher(type(message), f"{PREFIX}{topic}/again", QoSProfile(depth=10))
        self._said[topic].publish(message)

    def _tell_time(self) -> None:
        position = self._playback.position
        self._times.publish(Clock(clock=Time(sec=position // SECOND, nanosec=position % SECOND)))

    def tune(self, changes: Mapping[str, Any]) -> None:
        """Play otherwise."""
        if "speed" in changes:
            self._playback.set_speed(float(changes["speed"]) or math.inf)
        if "loop" in changes:
            self._playback.loop = changes["loop"]
        if "paused" in changes:
            self._playback.pause(changes["paused"])

    def _obey(self, words: str) -> None:
        playback = self._playback
        verb, _, rest = words.strip().partition(" ")
        try:
            if verb in ("pause", "resume"):
                playback.pause(verb == "pause")
            elif verb == "step":
                self._step()
            elif verb == "seek":
                playback.seek(playback.start + round(float(rest) * SECOND))
            elif verb == "speed":
                playback.set_speed(float(rest) or math.inf)
            elif verb == "loop":
                playback.loop = rest != "off"
            elif verb == "end":
                finish()
            else:
                raise ConfigurationError(f"'{words}' is not known; say pause, resume, step, seek S, speed X, loop on, loop off or end")
        except (ConfigurationError, ValueError, OverflowError) as error:
            self.fault("not_understood", str(error))

    def _step(self) -> None:
        """To the next sample."""
        if self._next is not None:
            self._playback.step_to(max(self._next[0], self._playback.position + 1))

    def _read_keys(self) -> None:
        playback, keys = self._playback, self._terminal.keys() if self._terminal is not None else []
        position = (playback.position - playback.start) / SECOND
        words = {
            " ": "resume" if playback.paused else "pause", ".": "step", "left": f"seek {position - 1.0}", "right": f"seek {position + 1.0}",
            "up": f"speed {playback.speed * 2.0}", "down": f"speed {playback.speed / 2.0}", "l": f"loop {'off' if playback.loop else 'on'}",
            "q": "end",
        }  # fmt: skip
        for key in ("q",) if keys is None else keys:
            if key in words:
                self._obey(words[key])
                print(f"{position:8.3f} s  {words[key]}", file=sys.stderr, flush=True)


def _not_beside(stranger: str) -> str:
    return (
        f"{stranger}: a robot or its stack is alive in this domain, and a bag is not played beside it. End it, or play the bag in another "
        "domain: ROS_DOMAIN_ID=42 surefoot launch replay …; a node that only listens is named with listeners:=NAME"
    )


def main() -> None:
    """Entry point."""
    run(ReplayerNode)


if __name__ == "__main__":
    main()
