"""The live page as a widget: a stand-in for the notebook carries messages, and the page drags without any port."""

import json

from linkwright.viewer.session import LiveSession
from linkwright.viewer.widget import BRIDGE, MODULE, response_to_message
from tests.viewer.mechanisms import model

STAND_IN = """async ([module, page]) => {
  const listeners = [];
  const model = {
    get: (name) => ({ page, height: 500 })[name],
    send: async (content) => {
      const reply = await window.received(content);
      listeners.forEach((each) => each(reply));
    },
    on: (name, listener) => listeners.push(listener),
    off: () => undefined,
  };
  const widget = await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
  widget.default.render({ model, el: document.body });
}"""


def test_the_page_is_served_through_messages(running, tmp_path):
    session, paths = LiveSession(model("four-bar")), []

    def received(content):
        paths.append(content["path"])
        return json.loads(json.dumps(response_to_message(session, content)))

    (tmp_path / "empty.html").write_text("<!doctype html><title>notebook</title><body></body>", encoding="utf-8")
    view = running.new_page()
    try:
        view.goto((tmp_path / "empty.html").as_uri())
        view.expose_function("received", received)
        view.evaluate(STAND_IN, [MODULE, session.html(before=BRIDGE)])
        inner = view.frames[1]
        inner.wait_for_selector("#linkwright[data-ready=true]", timeout=30_000)
        reply = inner.evaluate(
            """async () => {
              const q = linkwright.live.state.q;
              const reply = await fetch("/solve", { body: JSON.stringify({ q }) });
              return [reply.status, await reply.json()];
            }"""
        )
    finally:
        view.close()
    assert reply[0] == 200 and "q" in reply[1]
    assert "/solve" in paths


def test_odd_messages_have_a_response():
    session = LiveSession(model("four-bar"))
    assert response_to_message(session, None)["status"] == 400
    assert response_to_message(session, {"id": 3, "path": "/none", "request": {}}) == {
        "kind": "linkwright",
        "id": 3,
        "status": 404,
        "data": {"error": "there is nothing at /none"},
    }
