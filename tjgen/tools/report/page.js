"use strict";
// What the page does without this: everything but the search for text and opening all at once.
(() => {
  const search = document.getElementById("search");
  if (!search) return;
  const runs = [...document.querySelectorAll("details.run")];
  const texts = runs.map((run) => `${run.querySelector("summary").textContent} ${run.querySelector(".facts").textContent}`.toLowerCase());
  const hits = document.getElementById("hits");
  const open = document.getElementById("open");
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    runs.forEach((run, index) => {
      const fits = words.every((word) => texts[index].includes(word));
      run.classList.toggle("missed", !fits);
      count += fits;
    });
    for (const group of document.querySelectorAll(".family, .place")) {
      group.classList.toggle("missed", !group.querySelector("details.run:not(.missed)"));
    }
    hits.textContent = words.length ? `${count} of ${runs.length}` : "";
    document.getElementById("nothing").hidden = count > 0;
  };
  search.addEventListener("input", show);
  search.form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target === search) {
      search.value = "";
      show();
    }
  });
  open.addEventListener("click", () => {
    const wanted = runs.some((run) => !run.open && !run.classList.contains("missed"));
    for (const run of runs) if (!run.classList.contains("missed")) run.open = wanted;
    open.textContent = wanted ? "Close all" : "Open all";
  });
  search.parentElement.hidden = open.hidden = false;
  show();
})();
