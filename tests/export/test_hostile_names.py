"""Names of a mechanism stay names in every file that is made of it, whatever printable characters they have."""

import ast
import contextlib
import io
import json
import re
import shutil
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis.explanation.explain import explain
from linkwright.cli import main
from linkwright.errors import MechanismError
from linkwright.formats import from_yaml, to_mjcf, to_sdf, to_urdf, to_yaml
from linkwright.generated_text import c_comment, c_identifier
from linkwright.viewer import ShownMotion, document, page
from linkwright.viewer.run_report import run_report_page
from tests.export.hostile_names import (
    MARK,
    REFUSED,
    build_kit,
    hostile_mechanisms,
    hostile_names,
    plain_arm,
    rename_parts,
    run_kit,
)

PLAIN = plain_arm()
MECHANISMS = hostile_mechanisms(PLAIN)
every = pytest.mark.parametrize("mech", MECHANISMS, ids=range(len(MECHANISMS)))
some = pytest.mark.parametrize("mech", [MECHANISMS[0], MECHANISMS[2]], ids=[0, 2])


@pytest.fixture(scope="module")
def plain_kit():
    return build_kit(PLAIN)


def own_names(mech):
    return [*mech.names, *(x.name for x in (*mech.joints, *mech.loops, *mech.actuators, *mech.frames))]


def without_comments(text):
    """C without its comments, by the rules of the language: trigraphs, then joined lines, then comments."""
    for last, mark in zip("=/'()!<>-", "#\\^[]|{}~", strict=True):
        text = text.replace(f"??{last}", mark)
    text = text.replace("\\\n", "")
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def test_there_are_two_hundred_names_and_all_are_used():
    used = {name for mech in MECHANISMS for name in (mech.name, mech.base, *own_names(mech))}
    assert used == set(hostile_names()) and len(used) >= 200


@every
def test_the_header_of_a_kit_is_declarations_only(mech, plain_kit):
    """Without comments a line of a kit is one of the kit of harmless names, or gives a name its number or a field."""
    named = re.compile(r"\s+K_(Q|V|ACTUATOR|JOINT|LEG)_\w+ = \d+,?|\s+k_real \w+;\s*")
    kit = build_kit(mech)
    for file in plain_kit.files:
        text, known = without_comments(kit.files[file]), without_comments(plain_kit.files[file])
        strange = {line.rstrip() for line in text.splitlines()} - {line.rstrip() for line in known.splitlines()}
        if file.endswith(".c"):  # fields of the struct of parameters
            strange = {line for line in strange if "p->" not in line}
        assert not [line for line in strange if not named.fullmatch(line)], file
        assert text.isascii()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("mech", [MECHANISMS[0], hostile_mechanisms(lw.catalog.load("3-rrr"))[2]], ids=["arm", "3-rrr"])
def test_kits_are_compiled_without_a_warning_and_run_only_what_is_theirs(mech, tmp_path):
    """All other mechanisms, and units: python -m tests.export.hostile_names."""
    shown = run_kit(build_kit(mech), tmp_path)
    assert MARK not in shown and shown.splitlines()[-1] == "passed"


def test_comments_and_identifiers_of_c():
    for name in hostile_names():
        assert "*/" not in c_comment(name) and "/*" not in c_comment(name)
        assert not {"??", "\\"} & {*re.findall(r"\?\?|\\", c_comment(name))}
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,99}", c_identifier(name))


@every
def test_units_of_fmi_name_their_variables_and_nothing_else(mech):
    unit = lw.export.fmu(lw.build(mech), "k", binary=False, derivatives=False, version=2 if len(mech.name) % 2 else 3)
    root = ET.fromstring(unit.files["modelDescription.xml"])
    assert root.get("modelName") == mech.name
    listed = root.find("ModelVariables")
    assert [x.get("name") for x in listed] == [x.name for x in unit.variables]
    assert {f"effort.{a.name}" for a in mech.actuators} <= {x.get("name") for x in listed}
    assert without_comments(unit.files["sources/equations.h"].decode()).isascii()


@every
def test_the_relay_of_ros_runs_with_the_names_as_texts(mech):
    model = lw.build(mech)
    made = lw.export.ros2_relay(model, "k")
    module, printed = {"__name__": "relay"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(made.files["k_relay.py"], "relay", "exec"), module)
        assert module["Relay"]().update(model.actuated, module["HOME"][: model.na]) in (module["OK"], module["UNKNOWN"])
    assert printed.getvalue() == ""
    assert module["ACTUATORS"] == tuple(model.actuated) and module["JOINTS"] == made.joints
    assert isinstance(ast.parse(made.files["k.launch.py"]).body[0], ast.Expr)
    assert {x.get("name") for x in ET.fromstring(made.files["k.urdf"]).iter("joint")} >= set(made.joints)


class Tags(HTMLParser):
    """Elements and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found |= {tag, *((tag, name) for name, _ in attributes)}


def pages(mech):
    model = lw.build(mech)
    q = model.assemble().q
    run = lw.simulate(model, q, 0.0 * q, 0.01)
    content = document(model, ShownMotion(np.zeros(1), q[None]))
    return content, [page(content), explain(mech).html(), run_report_page(run), mech._repr_html_()]


@pytest.fixture(scope="module")
def plain_tags():
    return [Tags(text).found for text in pages(PLAIN)[1]]


@some
def test_pages_have_no_elements_but_ours_and_all_forbid_scripts_of_others(mech, plain_tags):
    content, texts = pages(mech)
    for text, known in zip(texts, plain_tags, strict=True):
        assert Tags(text).found <= known | {("td", "class")}  # long names break anywhere
    for text in texts[:3]:
        (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', text)
        assert policy.startswith("default-src &#x27;none&#x27;; ") and "unsafe" not in policy.replace(
            "wasm-unsafe-eval", ""
        )
        assert "base-uri" in policy and "form-action" in policy
    (data,) = re.findall(r'<script type="application/json" id="linkwright-data">(.*?)</script>', texts[0], re.DOTALL)
    assert [body["name"] for body in json.loads(data)["scene"]["bodies"]] == list(mech.names)
    assert ET.fromstring(content.still).find("{http://www.w3.org/2000/svg}title").text == content.title


def is_reserved_in_sdf(name):
    """By the rules of SDF 1.7: scopes, and names that begin and end with two underscores."""
    return "::" in name or (name.startswith("__") and name.endswith("__")) or name == "world"


@every
def test_files_of_mechanisms_keep_every_name(mech, tmp_path):
    assert from_yaml(to_yaml(mech), "x.yaml") == mech
    for ending, write in (("urdf", to_urdf), ("sdf", to_sdf)):
        made = write(mech)
        path = tmp_path / f"x.{ending}"
        path.write_text(made.text, encoding="utf-8")
        names = {*mech.names, *(j.name for j in mech.joints)}
        kept = names if ending == "urdf" else {name for name in names if not is_reserved_in_sdf(name)}
        assert {*own_names(lw.load(path))} >= kept
        assert len(kept) == len(names) or any("reserved in SDF" in str(x) for x in made.losses)
    assert {x.get("name") for x in ET.fromstring(to_mjcf(mech).text).iter("body")} >= set(mech.names)


@some
def test_runs_keep_every_name_and_no_title_is_a_formula(mech, tmp_path):
    model = lw.build(mech)
    q = model.assemble().q
    run = lw.simulate(model, q, 0.0 * q, 0.01)
    for ending in ("csv", "npz", "mat"):
        run.save(tmp_path / f"run.{ending}")
        found = lw.open_result(tmp_path / f"run.{ending}")
        assert [x.name for x in found.series] == [x.name for x in run.series]
    titles = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[2]
    assert not re.search(r'(^|,)"?[=+@-]', titles)


@some
def test_verbs_print_names_as_they_are(mech, tmp_path):
    file = tmp_path / "robot.yaml"
    file.write_text(to_yaml(mech), encoding="utf-8")
    wide = {"COLUMNS": "2000", "NO_COLOR": "1", "TERM": "dumb"}
    shown = CliRunner(env=wide).invoke(main, ["info", str(file)])
    assert shown.exit_code == 0, shown.output
    assert not [name for name in own_names(mech) if len(name) < 60 and name.strip() not in shown.output]
    data = json.loads(CliRunner().invoke(main, ["info", str(file), "--json"]).output)
    assert data["name"] == mech.name


@pytest.mark.parametrize("text", REFUSED, ids=map(ascii, REFUSED))
def test_texts_that_would_steer_a_terminal_are_refused(text, tmp_path):
    mech = lw.catalog.load("four-bar")
    for name in (mech.name, mech.bodies[0].name, mech.joints[0].name, mech.base):
        with pytest.raises(MechanismError) as caught:
            rename_parts(mech, {name: text})
        assert "no-name" in [finding.code for finding in caught.value.findings]
        assert str(caught.value).isprintable()
    for field in ("source", "license"):
        if text in ("a\nb", "a\tb"):
            continue
        with pytest.raises(MechanismError) as caught:
            lw.Mechanism(**{**{f: getattr(mech, f) for f in ("name", "bodies", "joints", "loops")}, field: text})
        assert [finding.code for finding in caught.value.findings] == ["unprintable-text"]


def test_texts_are_escaped_in_one_module():
    source = Path(lw.__file__).parent
    own = re.compile(r"^(import html$|from html import|from xml.sax)|replace\(\"\*/\"", re.MULTILINE)
    found = {str(path.relative_to(source)) for path in source.rglob("*.py") if own.search(path.read_text("utf-8"))}
    assert found == {"generated_text.py", str(Path("formats", "xml.py"))}


class _WithoutTexts(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.Constant("") if isinstance(node.value, str) else node


def bare_pack(mech):
    """Files of a pack of the first joint without their comments and texts."""
    joint = mech.joints[0].name
    made = lw.export.transmission(mech, [joint], [joint], "k", {joint: (-0.3, 0.3)})
    assert json.loads(made["k.json"])["joints"].keys() == {joint}
    assert made["k.html"].count("<script") == made["k.html"].count("</script>") == 1
    for name in ("k_ros2_control.xml", "package.xml"):
        ET.fromstring(made[name])
    bare = {name: without_comments(made[name]) for name in ("k.h", "k_transmission.h", "k_transmission.c")}
    code = re.sub(r"//.*", "", made["k_ros2_control.cpp"])
    bare["cpp"] = re.sub(r'"(\\.|[^"\\\n])*"', '""', code)
    for name in ("k_torch.py", "k_jax.py"):
        bare[name] = ast.dump(_WithoutTexts().visit(ast.parse(made[name])))
    return bare


@some
def test_packs_of_transmissions_hold_names_as_texts(mech):
    names = {"k.h": r"K_\w+ = \d+"}  # enumerators are made of the names
    found, plain = bare_pack(mech), bare_pack(PLAIN)
    for file, text in plain.items():
        for pattern in [names[file]] if file in names else []:
            text, found[file] = (re.sub(pattern, "", x) for x in (text, found[file]))
        assert found[file] == text, file
        assert MARK not in found[file]
