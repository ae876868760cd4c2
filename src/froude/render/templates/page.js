"use strict";
// Draws every chart of the page from the specifications inside it; colours follow the page's own variables.
(() => {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const options = { mode: "vega-lite", renderer: "svg", actions: false, tooltip: { theme: "custom" } };
  for (const slot of document.querySelectorAll("[data-slot]")) {
    window.vegaEmbed(slot, specs[Number(slot.dataset.slot)], options).catch((error) => {
      slot.textContent = "This chart could not be drawn: " + error.message;
    });
  }
})();
