# SPDX-License-Identifier: Apache-2.0
"""`surefoot view [BAG]`: the page in the browser, of a graph that runs, or over a recording."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from surefoot.errors import SurefootError
from surefoot.recording.renamed import open_bag
from surefoot.robot.load import load_robot
from surefoot.security import enclave_words
from surefoot.terrain.world import find_world, read_world
from surefoot.viewer.page.access import Access, access


def view(
    bag: Annotated[Path | None, typer.Argument(metavar="[BAG]", help="A bag to go through; without one, a graph that runs.")] = None,
    robot: Annotated[
        str, typer.Option(help="A name in config/robots, or a path to a robot.yaml; by default hyq, or the one that the bag names.")
    ] = "",
    world: Annotated[
        str, typer.Option(help="A name in config/worlds, or a path, where the ground is known; by default the one that the bag names.")
    ] = "",
    host: Annotated[str, typer.Option(help="Address to serve on; beyond this machine the page is for looking only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to serve on; 0: 8080 or, where that is taken, a free one.")] = 0,
    commands: Annotated[str, typer.Option(help="auto: from this machine only; on: from elsewhere too, with a token; off: never.")] = "auto",
    pad: Annotated[bool, typer.Option("--pad/--no-pad", help="Whether there is an on-screen gamepad.")] = True,
    token: Annotated[str, typer.Option(help="That commands from elsewhere need; empty: one is made up and shown.")] = "",
    topic_map: Annotated[Path | None, typer.Option("--map", help="Of a bag: YAML with the topics of another robot.")] = None,
    lockstep: Annotated[bool, typer.Option("--lockstep", help="The graph runs in lockstep.")] = False,
) -> None:
    """Show a running robot in the browser: what it plans, what it rehearses, and why it refuses.

    Nothing of the robot waits for it: it may be started and ended at any time. In another terminal: `surefoot launch sim realtime:=true`.
    Over a bag it has a time line with requests, verdicts and faults, and commands nothing.
    """
    # What can be refused is refused before a node starts.
    access(host, port, commands, pad, token)
    if bag is not None:
        _view_bag(bag, topic_map, robot, world, access(host, port, "off", pad=False))
        return
    robot = robot or "hyq"
    load_robot(robot)
    if world:
        read_world(find_world(world))
    from surefoot.nodes.view import main

    given = {"robot": robot, "world": world, "host": host, "port": port, "commands": commands, "pad": pad, "token": token}
    words = [f"{name}:={_written(value)}" for name, value in {**given, "lockstep": lockstep}.items() if value != ""]
    sys.argv = ["view", "--ros-args", *enclave_words("view"), *(part for word in words for part in ("-p", word))]
    main()


def _view_bag(path: Path, topic_map: Path | None, robot: str, world: str, allowed: Access) -> None:
    from surefoot.nodes.bag_page import BagPage
    from surefoot.nodes.bag_story import BagStory

    bag = open_bag(path, topic_map)
    print(f"reading {bag.path}: {bag.seconds:.0f} s, {sum(bag.counts.values())} messages", flush=True)
    story = BagStory(bag, robot)
    ground = None
    if world or story.world:
        try:
            ground = read_world(find_world(world or story.world))
        except SurefootError as error:
            if world:
                raise
            print(f"the ground of the recording is not drawn: {error}", flush=True)
    for problem in story.problems:
        print(problem, flush=True)
    page = BagPage(story, allowed, ground)
    print(f"open {page.page.address}", flush=True)
    try:
        page.run()
    finally:
        page.close()


def _written(value: object) -> str:
    """As a ROS argument carries it; a text stays a text, whatever it looks like."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)
