// Renews pages that show what is under way. Without this script they are loaded again by themselves (meta refresh).
const pollMilliseconds = 1000;
const retryMilliseconds = 5000;

/** `data-live`: the page is asked for again until it says that nothing is under way any more. */
async function renew() {
  const live = document.querySelector('[data-live]');
  if (!live) return;
  const response = await fetch(location.href).catch(() => undefined);
  const text = response?.ok ? await response.text() : '';
  const found = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-live]');
  if (response?.ok && !found) location.reload();
  else {
    if (found && found.textContent !== live.textContent) live.replaceWith(found);
    setTimeout(renew, response?.ok ? pollMilliseconds : retryMilliseconds);
  }
}

/** `data-follow`: the address of server-sent events, each of which is markup to append. */
function follow(list) {
  const linesMax = Number(list.dataset.linesMax);
  const events = new EventSource(list.dataset.follow);
  events.addEventListener('message', ({ data }) => {
    document.querySelector('[data-until-followed]')?.remove();
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.hidden = false;
    list.insertAdjacentHTML('beforeend', data);
    while (list.childElementCount > linesMax) list.firstElementChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  });
  events.addEventListener('error', () => {
    // The browser connects again by itself, except where the server has refused.
    if (events.readyState === EventSource.CLOSED) {
      setTimeout(() => location.reload(), retryMilliseconds);
    }
  });
  addEventListener('pagehide', () => events.close());
}

if (document.querySelector('[data-live]')) setTimeout(renew, pollMilliseconds);
const followed = document.querySelector('[data-follow]');
if (followed) follow(followed);
