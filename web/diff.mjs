// Puts more lines of a file where they belong in its diff. Without this script, the links load the page with these lines.
const numbered = (row) => row?.querySelector('td[id]')?.id;

/** The nearest row with a number before or after one; undefined at the ends of the table. */
function neighbour(row, way) {
  let found = row[way];
  while (found && !numbered(found)) found = found[way];
  return found ?? undefined;
}

/** The address with what has been shown on this page since it was loaded. */
function addressOf(link) {
  const address = new URL(link.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name === 'expand' || !address.searchParams.has(name)) {
      if (!address.searchParams.getAll(name).includes(value)) address.searchParams.append(name, value);
    }
  }
  return address;
}

/** The rows that another version of the table has between two rows of this one. */
function rowsBetween(table, before, after) {
  const find = (row) => row && table.querySelector(`#${numbered(row)}`)?.closest('tr');
  const [first, last] = [find(before), find(after)];
  // The pull has changed since.
  if ((before && !first) || (after && !last)) return undefined;
  let row = first ? first.nextElementSibling : table.querySelector('tr');
  while (row && row !== last && row.querySelector('td.thread')) row = row.nextElementSibling;
  const rows = [];
  for (; row && row !== last; row = row.nextElementSibling) rows.push(row);
  return rows;
}

async function expand(link) {
  const row = link.closest('tr');
  const article = link.closest('article');
  const address = addressOf(link);
  article.setAttribute('aria-busy', 'true');
  const response = await fetch(address);
  const text = response.ok ? await response.text() : '';
  const table = new DOMParser()
    .parseFromString(text, 'text/html')
    .querySelector(`#${article.id} .lines table`);
  const [before, after] = [
    neighbour(row, 'previousElementSibling'),
    neighbour(row, 'nextElementSibling'),
  ];
  const rows = table && rowsBetween(table, before, after);
  article.removeAttribute('aria-busy');
  if (!rows) {
    location.assign(link.href);
    return;
  }
  row.replaceWith(...rows);
  address.hash = location.hash;
  history.replaceState(history.state, '', address);
  const next = rows.flatMap((each) => [...each.querySelectorAll('a[data-expand]')])[0];
  (next ?? article.querySelector('.lines')).focus({ preventScroll: true });
}

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('a[data-expand]');
  if (!link || event.button !== 0) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.closest('article[aria-busy]')) return;
  expand(link).catch(() => location.assign(link.href));
});
