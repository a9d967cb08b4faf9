// The still picture that the page holds for browsers without JavaScript, shown also where nothing can be drawn in 3D.

import { element } from "./elements";

export function stillPicture(): HTMLElement {
  const text = document.querySelector("noscript.still")?.textContent ?? "";
  const picture = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
  const reason = "This browser draws nothing in three dimensions (WebGL is missing or switched off): the mechanism stands at its first pose.";
  const box = element("div", { class: "still-picture" }, element("p", { class: "note", role: "status" }, reason));
  if (picture) box.append(document.importNode(picture, true));
  return box;
}
