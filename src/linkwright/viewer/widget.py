"""The live page in a notebook: requests travel through the notebook's own connection, and no port is opened."""

from __future__ import annotations

from typing import Any

from linkwright.checks import require_instance, require_integer
from linkwright.errors import LinkwrightError, missing_package_text
from linkwright.model import Model
from linkwright.viewer.session import LiveSession

# In the page: what it fetches is requested from the window around it.
BRIDGE = """
(() => {
  const waiting = new Map(), me = Math.random().toString(36).slice(2);
  let count = 0;
  const kept = new Map();  // a frame without an origin of its own has no storage
  const storage = {
    getItem: (k) => kept.get(k) ?? null,
    setItem: (k, v) => kept.set(k, v),
    removeItem: (k) => kept.delete(k),
  };
  Object.defineProperty(window, "sessionStorage", { value: storage });
  addEventListener("message", (event) => {
    const reply = event.data, done = reply && reply.kind === "linkwright" ? waiting.get(reply.id) : undefined;
    if (event.source !== parent || !done) return;
    waiting.delete(reply.id);
    done({ status: reply.status, ok: reply.status < 300, json: async () => reply.data });
  });
  window.fetch = (path, options) => new Promise((done) => {
    const id = me + count++;
    waiting.set(id, done);
    parent.postMessage({ kind: "linkwright", id, path, request: JSON.parse(options.body) }, "*");
  });
})();
"""

# Around it: the page in a frame, its requests sent to Python and the responses handed back.
MODULE = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:1px solid #ccc`;
  frame.srcdoc = model.get("page");
  const received = (event) => {
    if (event.source === frame.contentWindow && event.data?.kind === "linkwright") model.send(event.data);
  };
  const returned = (content) => frame.contentWindow?.postMessage(content, "*");
  window.addEventListener("message", received);
  model.on("msg:custom", returned);
  el.appendChild(frame);
  return () => {
    window.removeEventListener("message", received);
    model.off("msg:custom", returned);
  };
}
export default { render };
"""


def live_widget(model: Model, height: int = 620) -> Any:
    """The live page as a widget of a notebook: drag the platform or an actuator, every loop stays closed.

    It needs the package anywidget (the extra `notebook`), a running kernel, and no open port.

    Args:
        model: what to move.
        height: of the frame, [pixel].
    """
    session = LiveSession(require_instance("model", model, Model, "a Model"))
    widget = _widget_class()(page=session.html(before=BRIDGE), height=require_integer("height", height))
    widget.on_msg(lambda widget, content, buffers: widget.send(response_to_message(session, content)))
    return widget


def response_to_message(session: LiveSession, content: Any) -> dict[str, Any]:
    """The message that goes back to the page for one that it sent."""
    received = content if isinstance(content, dict) else {}
    status, data = session.reply(str(received.get("path", "")), received.get("request"))
    return {"kind": "linkwright", "id": received.get("id"), "status": int(status), "data": data}


def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError:
        text = missing_package_text("live pages in a notebook", "anywidget", "notebook")
        raise LinkwrightError(f"{text}; or open the page in a browser: linkwright view NAME --live") from None

    class LiveWidget(anywidget.AnyWidget):
        """A frame with the live page."""

        _esm = MODULE
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int(620).tag(sync=True)

    return LiveWidget
