# SPDX-License-Identifier: Apache-2.0
"""Which networks of this machine Cyclone DDS speaks on, as its configuration says: the same one has many spellings."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree

import psutil

URI = "CYCLONEDDS_URI"


def networks_of(configuration: str, domain: int) -> tuple[str, ...]:
    """Names of the network interfaces that a domain may be on.

    Args:
        configuration: XML of Cyclone DDS, or where it lies; empty: as CYCLONEDDS_URI says.
        domain: of DDS.

    Returns:
        Those that are named, by name or by address. Where none is, or what names them cannot be read, Cyclone chooses: then all that this
        machine has.
    """
    named = {interface for root in _roots(configuration or os.environ.get(URI, "")) for interface in _named(root, domain)}
    by_address = {one.address: name for name, addresses in psutil.net_if_addrs().items() for one in addresses}
    return tuple(sorted({by_address.get(name, name) for name in named} or {name for _, name in socket.if_nameindex()}))


def absent_networks(configuration: str, domain: int) -> tuple[str, ...]:
    """Names of interfaces that a configuration asks for, and that this machine does not have. Args as `networks_of`.

    What is named by an address or by a pattern is left to Cyclone, and so is what need not be there (`presence_required`).
    """
    named = {name for root in _roots(configuration or os.environ.get(URI, "")) for name in _named(root, domain, needed=True)}
    return tuple(sorted(named - {name for _, name in socket.if_nameindex()} - {name for name in named if set(name) & set("*?.:")}))


def _roots(text: str) -> Iterator[ElementTree.Element]:
    """The parts of a configuration; several fragments of XML may follow each other, or places of files, with commas between."""
    text = text.strip()
    parts = [text] if text.startswith("<") else [_text_in(place.strip()) for place in text.split(",") if place.strip()]
    for part in parts:
        try:
            # Fragments have no root of their own.
            yield ElementTree.fromstring(f"<all>{part[part.find('?>') + 2 if part.startswith('<?') else 0:]}</all>")
        except ElementTree.ParseError:
            continue


def _text_in(place: str) -> str:
    if place.startswith("<"):
        return place
    path = Path(unquote(urlparse(place).path) if place.startswith("file:") else place).expanduser()
    return path.read_text(errors="replace").strip() if path.is_file() else ""


def _named(root: ElementTree.Element, domain: int, needed: bool = False) -> Iterator[str]:
    """What is named for a domain, or what of that is needed; XML of Cyclone knows no difference between large and small letters."""
    for element in root:
        tag, attributes = element.tag.rsplit("}")[-1].lower(), {key.lower(): value.strip() for key, value in element.attrib.items()}
        if tag == "domain" and attributes.get("id", "any").lower() not in ("any", str(domain)):
            continue
        if tag == "networkinterface" and (name := attributes.get("name") or attributes.get("address")):
            if not needed or attributes.get("presence_required", "true").lower() != "false":
                yield name
        elif tag == "networkinterfaceaddress" and (element.text or "").strip().lower() not in ("", "auto"):
            yield from (word.strip() for word in (element.text or "").split(","))
        yield from _named(element, domain, needed)
