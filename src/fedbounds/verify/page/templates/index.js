// Tables sort, edges of the graph light up, and the table of claims is searched.
const text = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.key === undefined ? cell.textContent.trim() : cell.dataset.key;
};
const compare = (a, b, numeric) => {
  if (a === "" || b === "") return (a === "") - (b === "");
  return numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", {numeric: true});
};
const sortBy = (table, column, header) => {
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  const body = table.tBodies[0], rows = [...body.rows];
  const numeric = rows.some((row) => row.cells[column].dataset.key !== undefined);
  rows.sort((x, y) => {
    const a = text(x, column), b = text(y, column);
    return a === "" || b === "" || ascending ? compare(a, b, numeric) : compare(b, a, numeric);
  });
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  body.append(...rows);
};
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(table, column, header));
    header.append(button);
  });
}
const edges = [...document.querySelectorAll(".edges path[data-from]")];
for (const node of document.querySelectorAll("a.node")) {
  const light = (on) => {
    for (const edge of edges) {
      const touches = edge.dataset.from === node.dataset.id || edge.dataset.to === node.dataset.id;
      if (touches) edge.classList.toggle("lit", on);
    }
  };
  for (const name of ["focus", "mouseenter"]) node.addEventListener(name, () => light(true));
  for (const name of ["blur", "mouseleave"]) node.addEventListener(name, () => light(false));
}
const search = document.getElementById("search");
const told = document.querySelector("output[for='search']");
const found = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...document.querySelectorAll("#table-of-claims tbody tr")];
  for (const row of rows) {
    const said = `${row.textContent} ${row.dataset.text}`.toLowerCase();
    row.hidden = !words.every((word) => said.includes(word));
  }
  const shown = rows.filter((row) => !row.hidden).length;
  told.textContent = words.length ? `${shown} of ${rows.length} claims` : "";
};
if (search) {
  search.closest("p").hidden = false;
  search.addEventListener("input", found);
  if (search.value) found();
}
