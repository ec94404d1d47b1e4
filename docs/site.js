// Tables of the site fold on a phone (site.css): each cell gets the heading of its column.
for (const table of document.querySelectorAll(".md-typeset table:not([class])")) {
  const headings = [...table.querySelectorAll("thead th")].map((heading) => heading.textContent);
  for (const row of table.querySelectorAll("tbody tr"))
    [...row.children].forEach((cell, i) => { cell.dataset.heading = headings[i] ?? ""; });
}
