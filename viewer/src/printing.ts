// On paper a page is light, and what is folded is opened.

/** Prepare the page for printing, and bring it back afterwards. */
export function listenToPrinting(paint: () => void): void {
  let before: { theme: string; opened: HTMLDetailsElement[] } | null = null;
  window.addEventListener("beforeprint", () => {
    const folded = [...document.querySelectorAll<HTMLDetailsElement>("#report details:not([open]), .event-list:not([open])")];
    before = { theme: document.documentElement.dataset.theme ?? "light", opened: folded };
    for (const each of folded) each.open = true;
    document.documentElement.dataset.theme = "light";
    paint();
  });
  window.addEventListener("afterprint", () => {
    if (!before) return;
    for (const each of before.opened) each.open = false;
    document.documentElement.dataset.theme = before.theme;
    before = null;
    paint();
  });
}
