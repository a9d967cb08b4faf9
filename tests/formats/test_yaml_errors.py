"""Broken files: each mistake is reported with its line, its path, the value found and the way out."""

import pytest

from linkwright.errors import FormatError
from linkwright.formats import from_yaml

GOOD = """\
format: 1
name: arm
bodies:
  link1: {mass: 1}
  link2: {mass: 1}
joints:
  j1: {type: revolute, parent: ground, child: link1}
  j2: {type: prismatic, parent: link1, child: link2}
frames:
  tip: {body: link2}
platform: tip
actuators:
  m1: {joint: j1}
home: {j1: 0}
couplings:
  gear: {terms: {j1: 1, j2: -2}, offset: 0.5}
struts:
  spring: {parent: ground, child: link2, stiffness: 100 N/m, length: 20 mm}
"""


def complaint(text):
    with pytest.raises(FormatError) as caught:
        from_yaml(text, "arm.yaml")
    return str(caught.value)


def test_the_good_file_is_good():
    assert from_yaml(GOOD).names == ("link1", "link2")


MISTAKES = [
    ("format: 1\n", "", "format: the file has no format; begin it with 'format: 1'"),
    ("format: 1", "format: 2", "arm.yaml:1: format: the format is 2 and this version reads format 1"),
    ("name: arm\n", "", "name: 'name' is missing; add it"),
    ("name: arm", "nam: arm", "unknown key 'nam' (did you mean 'name'?)"),
    ("name: arm", "name: 12", "arm.yaml:2: name: 12 is not a text; put it in quotes"),
    ("link1: {mass: 1}", "link1: {mas: 1}", "arm.yaml:4: bodies.link1.mas: unknown key 'mas' (did you mean 'mass'?)"),
    ("link1: {mass: 1}", "link1: {mass: 4 mm}", "'4 mm' is a length, but a mass is wanted; write for example '4 kg'"),
    ("link1: {mass: 1}", "link1: {mass: heavy}", "'heavy' is not a quantity; write a number, or a number and a unit"),
    ("link1: {mass: 1}", "link1: {mass: 4 kgg}", "unknown unit 'kgg' (did you mean 'kg'?)"),
    ("link1: {mass: 1}", "link1: {mass: yes}", "'yes' is not a quantity"),
    ("link1: {mass: 1}", "link1: {mass: true}", "True is not a number; a mass is wanted"),
    ("link1: {mass: 1}", "link1: {mass: .nan}", "nan is not a finite number"),
    ("link1: {mass: 1}", "link1: {mass: -1}", "arm.yaml:4: bodies.link1: body 'link1' has the negative mass -1 kg"),
    ("link1: {mass: 1}", "link1: {mass: }", "nothing is not a number; a mass is wanted, for example '1 kg'"),
    ("link1: {mass: 1}", "link1: {com: [1, 2]}", "[1, 2] is not a list of three numbers"),
    ("link1: {mass: 1}", "link1: {com: [1, 2, 3 kg]}", "'3 kg' is a mass, but a length is wanted"),
    ("link1: {mass: 1}", "link1: {inertia: [1, -1, 9]}", "a real body has none below zero"),
    ("link1: {mass: 1}", "link1: {inertia: {xx: 1, qq: 2}}", "'qq' is not an element of an inertia"),
    ("link1: {mass: 1}", "link1: {shapes: [{ball: {radius: 1}}]}", "a shape is one of box, cylinder, sphere"),
    ("link1: {mass: 1}", "link1: {shapes: [{sphere: {radius: 1}, color: red}]}", "'red' is not a valid color"),
    ("link1: {mass: 1}", "link1: 5", "a block of 'key: value' lines is wanted here and 5 was found"),
    ("  link1: {mass: 1}", "  link1: {mass: 1}\n  link1: {}", "'link1' is given twice in 'bodies', first in line 4"),
    (
        "type: revolute",
        "type: revolut",
        "arm.yaml:7: joints.j1: unknown kind of joint 'revolut' (did you mean 'revolute'?)",
    ),
    ("type: revolute, ", "", "joints.j1: 'type' is missing; name the kind of joint, for example 'type: revolute'"),
    ("child: link1}", "child: link9}", "joint 'j1' has the unknown child body 'link9' (did you mean 'link"),
    ("child: link1}", "child: link1, axis: [0, 0, 0]}", "joints.j1.axis: [0, 0, 0] has no direction"),
    ("child: link1}", "child: link1, axis: up}", "'up' is not an axis; write x, y, z"),
    ("child: link1}", "child: link1, axs: z}", "joints.j1.axs: unknown key 'axs' (did you mean 'axis'?)"),
    ("child: link1}", "child: link1, pitch: 1}", "joints.j1.pitch: unknown key 'pitch'"),
    ("child: link1}", "child: link1, at: {xzy: [0, 0, 0]}}", "'xzy' is not a part of a pose; write xyz and one of rpy"),
    ("child: link1}", "child: link1, at: {rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}}", "rpy and quaternion both give"),
    (
        "child: link1}",
        "child: link1, at: {matrix: [[1, 0, 0], [0, 2, 0], [0, 0, 1]]}}",
        "an orientation that is not a rotation",
    ),
    ("child: link1}", "child: link1, limits: {lower: 100 mm}}", "'100 mm' is a length, but an angle is wanted"),
    ("child: link1}", "child: link1, limits: {lower: [1, 2]}}", "has 2 values and one value (an angle) is wanted"),
    ("child: link1}", "child: link1, limits: {lower: 2, upper: 1}}", "has a lower limit 2 above its upper limit 1"),
    (
        "child: link1}",
        "child: link1, limits: {uper: 1}}",
        "joints.j1.limits.uper: unknown key 'uper' (did you mean 'upper'?)",
    ),
    ("child: link1}", "child: link1, friction: {viscous: -1}}", "values must be finite and not negative"),
    ("child: link1}", "child: link1, spring: {rest: 1}}", "joints.j1.spring.stiffness: 'stiffness' is missing"),
    ("type: prismatic", "type: screw", "joints.j2.pitch: 'pitch' is missing"),
    (
        "type: prismatic",
        "type: screw, pitch: 5 mm",
        "'5 mm' is a length, but a pitch is wanted; write for example '5 m/rad'",
    ),
    (
        "platform: tip",
        "platform: top",
        "arm.yaml:11: platform: the platform 'top' is not a frame (did you mean 'tip'?)",
    ),
    ("body: link2", "body: lnk2", "frame 'tip' sits on the unknown body 'lnk2' (did you mean 'link2'?)"),
    ("m1: {joint: j1}", "m1: {joint: j7}", "actuator 'm1' drives the unknown joint 'j7'"),
    (
        "m1: {joint: j1}",
        "m1: {joint: j1, effort: 5 N}",
        "actuators.m1.effort: '5 N' is a force, but a torque is wanted",
    ),
    ("m1: {joint: j1}", "m1: {joint: j1, dof: lenth}", "'lenth' is not a freedom of the joint"),
    ("home: {j1: 0}", "home: {j1: 3 mm}", "arm.yaml:14: home.j1: '3 mm' is a length, but an angle is wanted"),
    ("home: {j1: 0}", "home: {j1: [0, 0]}", "has 2 values and the joint's coordinates are angle"),
    ("home: {j1: 0}", "home: {j8: 0}", "the home pose names the unknown joint 'j8'"),
    ("home: {j1: 0}", "home: {j1: [0}", "this is not valid YAML"),
    ("home: {j1: 0}", "1: 2", "arm.yaml:14: '1' is not a name; names are texts, put it in quotes"),
    ("home: {j1: 0}", "gravity: [0, 0, 9 kg]", "'9 kg' is a mass, but an acceleration is wanted"),
    ("home: {j1: 0}", "dh: {rows: []}", "dh.convention: name the convention of the table: 'standard'"),
    ("home: {j1: 0}", "dh: {convention: both, rows: []}", "the same numbers give different arms"),
    ("home: {j1: 0}", "dh: {convention: standard, rows: [{joint: revolute, b: 1, d: 1}]}", "b and d are two names"),
    (
        "home: {j1: 0}",
        "dh: {convention: standard, rows: [{joint: spherical}]}",
        "unknown kind of joint 'spherical'",
    ),
    (
        "{j1: 1, j2: -2}",
        "{j1: 1}",
        "couplings.gear: coupling 'gear' has 1 terms; a coupling relates two joints or more",
    ),
    ("{j1: 1, j2: -2}", "{j1: 1, j3: -2}", "coupling 'gear' names the unknown tree joint 'j3' (known: 'j1', 'j2')"),
    ("{j1: 1, j2: -2}", "{j1: 1, j2: 2 kg}", "'2 kg' is a mass"),
    ("{j1: 1, j2: -2}", "[j1, j2]", "is not a list of ratios; write for example {wheel: 1, pinion: -2}"),
    ("offset: 0.5", "offset: 1 s", "'1 s' is a time"),
    ("offset: 0.5", "ofset: 0.5", "unknown key 'ofset' (did you mean 'offset'?)"),
    ("stiffness: 100 N/m", "stiffness: 100 N", "'100 N' is a force, but a stiffness is wanted"),
    ("stiffness: 100 N/m", "stiffness: -100", "struts.spring: strut 'spring' has the stiffness -100.0"),
    ("stiffness: 100 N/m, ", "", "'stiffness' is missing; add it"),
    ("child: link2, stiff", "child: link3, stiff", "strut 'spring' has the unknown child body 'link3'"),
    ("child: link2, stiff", "child: link2, at: [0, 1], stiff", "[0, 1] is not a list of three numbers"),
    ("type: revolute", "type: hinge", "unknown kind of joint 'hinge' (did you mean 'revolute'?)"),
    ("type: revolute", "type: S", "unknown kind of joint 'S' (did you mean 'spherical'?)"),
    ("bodies:", "links:", "arm.yaml:3: links: unknown key 'links' (did you mean 'bodies'?)"),
    ("child: link1}", "child: link1, damping: 1}", "unknown key 'damping' (write friction: {viscous: ...})"),
    ("child: link1}", "child: link1, limits: {min: 1}}", "limits.min: unknown key 'min' (did you mean 'lower'?)"),
    ("child: link1}", "child: link1, limits: [-1, 1]}", "a list was found; write for example {lower: ..., upper: ...}"),
    ("child: link1}", "child: link1, limits: {effort: -5}}", "has the effort limit -5; it holds both ways"),
    ("child: link1}", "child: link1, axis: 90 deg}", "'90 deg' is not an axis; write x, y, z"),
    ("joints:", "joints:\n  j0: 3", "write for example {type: revolute, parent: ..., child: "),
    ("link1: {mass: 1}", "link1:", "nothing was found; write for example {mass: ..., com: ...}"),
    (
        "link1: {mass: 1}",
        "link1: {mass: 1, length: 2}",
        "unknown key 'length' (write 'at' and 'child_at' of its joints",
    ),
    ("link1: {mass: 1}", "link1: {mass: 0,12}", "'12' is not a name; names are texts, put it in quotes; decimals are"),
    ("link1: {mass: 1}", "link1: {mass: '0,12 kg'}", "a decimal comma is not read; write a point"),
    ("link1: {mass: 1}", "link1: {mass: m / 2}", "or '= m / 2' to compute it from parameters"),
    ("link1: {mass: 1}", "link1: {mass: = max(1, 2)}", "an expression with a comma goes in quotes"),
    ("link1: {mass: 1}", "ground: {mass: 1}", "arm.yaml:4: bodies.ground: the body 'ground' has the name of the base"),
    ("link1: {mass: 1}", "link1: {mass: 1}\n  link3: {mass: 1}", "arm.yaml:5: bodies.link3: no chain of joints leads"),
    (
        "parent: ground, child: link1",
        "parent: Ground, child: link1",
        "unknown parent body 'Ground' (the base is called",
    ),
    ("parent: ground, child: link1", "parent: world, child: link1", "unknown parent body 'world' (the base is called"),
    ("m1: {joint: j1}", "m1: j1", "'j1' was found; write for example {joint: ...}"),
    (
        "frames:",
        "loops:\n  j2: {type: revolute, parent: ground, child: link2}\nframes:",
        "a joint too, in line 8; keep",
    ),
    ("  j2: {type", "   j2: {type", "arm.yaml:8: this is not valid YAML: the line does not line up with line 7"),
    ("  j2: {type", "\tj2: {type", "arm.yaml:8: this is not valid YAML: the line begins with a tab"),
    ("child: link1}", "child: link1", "arm.yaml:7: this is not valid YAML: the '{' of line 7 is not closed"),
    ("child: link1}", "child: link{i}}", 'a name with {i} in it goes in quotes here, for example "leg{i}"'),
    ("name: arm", "name:arm", "arm.yaml:2: this is not valid YAML: the line is not 'key: value'; write a colon and a"),
    ("name: arm", "name: arm: mine", "arm.yaml:2: this is not valid YAML: there is a second ':' here"),
    ("name: arm", 'name: "arm', "arm.yaml:2: this is not valid YAML: the quote that begins in line 2 does not end"),
    ("name: arm", "name: @arm", "arm.yaml:2: this is not valid YAML: character '@' that cannot start any token"),
]


@pytest.mark.parametrize(("good", "bad", "expected"), MISTAKES, ids=[m[1][:50] or f"no {m[0]!r}" for m in MISTAKES])
def test_a_mistake_is_reported(good, bad, expected):
    assert good in GOOD
    found = complaint(GOOD.replace(good, bad, 1))
    assert expected in found
    assert found.startswith("arm.yaml")


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file():
    bad = GOOD.replace("link1: {mass: 1}", "link1: {mass: 3 mm}").replace("link2: {mass: 1}", "link2: {mass: -1}")
    bad = bad.replace("type: prismatic", "type: prism").replace("home: {j1: 0}", "home: {j1: 1 m}\ngravty: 3")
    lines = complaint(bad).splitlines()
    assert lines[0] == "arm.yaml: 5 problems"
    assert [line.split(":")[1] for line in lines[1:]] == ["4", "5", "8", "14", "15"]


def test_the_error_carries_its_problems():
    with pytest.raises(FormatError) as caught:
        from_yaml(GOOD.replace("mass", "mas"), "arm.yaml")
    assert [(p.path, p.line) for p in caught.value.findings] == [
        (("bodies", "link1", "mas"), 4),
        (("bodies", "link2", "mas"), 5),
    ]


@pytest.mark.parametrize("text", ["", "# only a comment", "null", "[1, 2]", "word", "3"])
def test_a_file_that_says_nothing(text):
    assert "begin it with 'format: 1'" in complaint(text)
