// Marks the lines that a fragment such as `#L3-L9` names, and makes one when the number of a line is clicked with Shift.
// Without this script, `#L3` and `?lines=3-9` do the same.
const range = /^#L(\d+)(?:-L?(\d+))?$/;

function markLines() {
  const [, from, to = from] = range.exec(location.hash) ?? [];
  if (from === undefined) return;
  for (const line of document.querySelectorAll('.lines > .chosen')) line.classList.remove('chosen');
  const first = Math.min(from, to);
  const last = Math.max(from, to);
  for (const line of document.querySelectorAll('.lines > [id]')) {
    const number = Number(line.id.slice(1));
    if (number >= first && number <= last) line.classList.add('chosen');
  }
  document.getElementById(`L${first}`)?.scrollIntoView({ block: 'center' });
}

addEventListener('hashchange', markLines);
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('.lines > [id] > a');
  const [, from] = range.exec(location.hash) ?? [];
  if (!link || !event.shiftKey || from === undefined) return;
  event.preventDefault();
  location.hash = `L${from}-${link.hash.slice(1)}`;
});
markLines();
