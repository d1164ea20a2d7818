// Makes five things more comfortable. Every page works without it.
"use strict";

// Sign-up: the browser knows its time zone. What a person typed is left alone.
for (const field of document.querySelectorAll("input[data-guess-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && field.value === field.defaultValue) field.value = zone;
}

// Passwords can be looked at while they are typed.
for (const box of document.querySelectorAll("[data-secret]")) {
  const field = box.querySelector("input");
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("aria-controls", field.id);
  const show = (visible) => {
    field.type = visible ? "text" : "password";
    button.textContent = visible ? box.dataset.hide : box.dataset.show;
    button.setAttribute("aria-label", visible ? box.dataset.hidePassword : box.dataset.showPassword);
  };
  show(false);
  button.addEventListener("click", () => show(field.type === "password"));
  field.form.addEventListener("submit", () => show(false));
  box.append(button);
}

// A form that was refused: begin with what is wrong.
document.querySelector("[data-focus]")?.focus();

// After paying: look again until the page has something else to say.
function lookAgain(page) {
  const { again, seconds, state } = page.dataset;
  if (!again) return;
  setTimeout(async () => {
    try {
      const answer = await fetch(again, { headers: { accept: "text/html" }, cache: "no-store" });
      if (answer.status >= 500) throw new Error("not now");
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-state]");
      if (!next || next.dataset.state !== state) return location.replace(again);
      page.dataset.again = next.dataset.again;
    } catch {
      // The server or the network may come back.
    }
    lookAgain(page);
  }, Number(seconds) * 1000);
}
for (const page of document.querySelectorAll("[data-again]")) lookAgain(page);

// Back after logging out: a page that the browser had kept in memory is asked for again.
addEventListener("pageshow", (event) => {
  if (event.persisted && "private" in document.body.dataset) location.reload();
});
