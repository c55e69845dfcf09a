"use strict";
// The list of responses: sorting, filtering, paging, and reading one. Text is only ever set as text.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const columns = data.columns;
  const verdict = columns.indexOf("verdict");
  const rows = data.rows;
  const perPage = 50;
  const byId = (id) => document.getElementById(id);
  const make = (tag, text) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  let sortedBy = -1;
  let descending = false;
  let page = 0;
  let found = rows.map((_, index) => index);
  let reading = 0;

  // A missing value comes last, whatever the order.
  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === null) return descending ? -1 : 1;
    if (b === null) return descending ? 1 : -1;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b));
  };

  const filters = new Map();
  const form = byId("filters");
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  const labelled = (name, control) => {
    const label = make("label", name);
    label.append(control);
    form.append(label);
    control.addEventListener("input", () => { page = 0; update(); });
    return control;
  };
  columns.forEach((name, column) => {
    if (column === verdict) return;
    const values = [...new Set(rows.map((row) => row[column]))].sort(compare);
    if (values.length < 2) return;
    const select = make("select");
    select.append(new Option("all", ""));
    values.forEach((value, index) => select.append(new Option(value === null ? "–" : value === "" ? "(none)" : value, index + 1)));
    filters.set(column, () => select.value === "" ? undefined : { value: values[select.value - 1] });
    labelled(name, select);
  });
  const search = make("input");
  search.type = "search";
  labelled("words", search);

  const head = make("tr");
  const heads = columns.map((name, column) => {
    const cell = make("th");
    cell.scope = "col";
    const button = make("button", name);
    button.type = "button";
    button.addEventListener("click", () => {
      descending = sortedBy === column && !descending;
      sortedBy = column;
      page = 0;
      update();
    });
    cell.append(button);
    head.append(cell);
    return cell;
  });
  const last = make("th", "read");
  last.scope = "col";
  head.append(last);
  byId("list").tHead.append(head);

  const update = () => {
    const words = search.value.trim().toLowerCase();
    found = [];
    rows.forEach((row, index) => {
      for (const [column, chosen] of filters) {
        const wanted = chosen();
        if (wanted !== undefined && row[column] !== wanted.value) return;
      }
      if (words && !data.texts[index].some((text) => text.toLowerCase().includes(words))) return;
      found.push(index);
    });
    if (sortedBy >= 0) {
      const sign = descending ? -1 : 1;
      found.sort((a, b) => sign * compare(rows[a][sortedBy], rows[b][sortedBy]) || a - b);
    }
    heads.forEach((cell, column) => {
      if (column === sortedBy) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    show();
  };

  const show = () => {
    const pages = Math.max(1, Math.ceil(found.length / perPage));
    page = Math.min(page, pages - 1);
    const body = byId("list").tBodies[0];
    body.replaceChildren(...found.slice(page * perPage, (page + 1) * perPage).map((index, place) => {
      const line = make("tr");
      rows[index].forEach((value) => line.append(make("td", value === null ? "–" : value)));
      const cell = make("td");
      const button = make("button", "Read");
      button.type = "button";
      button.setAttribute("aria-label", `Read response ${page * perPage + place + 1}`);
      button.addEventListener("click", () => open(page * perPage + place));
      cell.append(button);
      line.append(cell);
      return line;
    }));
    byId("count").textContent = `${found.length} of ${rows.length} responses`;
    byId("pages").hidden = pages === 1;
    byId("page").textContent = `Page ${page + 1} of ${pages}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === pages - 1;
  };

  const reader = byId("reader");
  const open = (place) => {
    reading = place;
    const index = found[place];
    byId("reader-title").textContent = `Response ${place + 1} of ${found.length}`;
    byId("reader-verdict").textContent = rows[index][verdict];
    const facts = [...columns.map((name, column) => [name, rows[index][column]]), ...Object.entries(data.facts[index])];
    byId("reader-facts").replaceChildren(...facts.filter(([name, value]) => value !== null && value !== "" && name !== columns[verdict]).map(([name, value]) => {
      const line = make("div");
      line.append(make("dt", name), make("dd", value));
      return line;
    }));
    const [problem, lacks, prompt, response] = data.texts[index];
    byId("reader-step").textContent = data.steps[index] && `Likely false step: ${data.steps[index]}`;
    const notice = data.notices[index];
    byId("reader-notice").hidden = !notice;
    byId("reader-notice").querySelector("span").textContent = notice && notice.where;
    byId("reader-notice").querySelector("q").textContent = notice && notice.quote;
    // A quote from the reasoning is not in the response.
    const start = notice ? response.indexOf(notice.quote) : -1;
    const end = start < 0 ? 0 : start + notice.quote.length;
    byId("reader-response").textContent = response.slice(0, Math.max(start, 0)) || (response ? "" : "(empty)");
    if (start >= 0) byId("reader-response").append(make("mark", notice.quote));
    byId("reader-response").append(response.slice(end));
    byId("reader-problem").textContent = problem || "(not logged)";
    byId("reader-lacks").hidden = !lacks;
    byId("reader-lacks").querySelector("q").textContent = lacks;
    byId("reader-prompt").textContent = prompt || "(not logged)";
    byId("older").disabled = place === 0;
    byId("newer").disabled = place === found.length - 1;
    if (!reader.open) reader.showModal();
    reader.scrollTop = 0;
    byId("reader-title").focus();
  };
  byId("older").addEventListener("click", () => open(reading - 1));
  byId("newer").addEventListener("click", () => open(reading + 1));
  byId("close").addEventListener("click", () => reader.close());
  byId("previous").addEventListener("click", () => { page -= 1; show(); });
  byId("next").addEventListener("click", () => { page += 1; show(); });
  update();
})();
