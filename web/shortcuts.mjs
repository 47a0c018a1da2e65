// Keys that lead to what the page links to, which `data-shortcut` has; `?` lists them. Only where the page says so: a user can turn them
// off (WCAG 2.2, 2.1.4). Nothing happens while a person types, or with Ctrl, Alt or Meta.
const sequenceMilliseconds = 1500;
let firstKey = '';
let firstAt = 0;

const withShortcuts = () => [...document.querySelectorAll('[data-shortcut]')];

function isTyped(target) {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}

/** The search of the page, or the page for searches. */
function go(element) {
  const field =
    element.dataset.shortcut === '/' &&
    document.querySelector('form[role="search"] input:not([type="hidden"])');
  if (field) field.select();
  if (field) field.focus();
  else element.click();
}

function showShortcuts() {
  const dialog = document.createElement('dialog');
  const heading = document.createElement('h2');
  heading.textContent = 'Keyboard shortcuts';
  heading.id = 'shortcuts';
  dialog.setAttribute('aria-labelledby', heading.id);
  const list = document.createElement('dl');
  for (const element of withShortcuts()) {
    const [keys, name] = [document.createElement('dt'), document.createElement('dd')];
    for (const key of element.dataset.shortcut.split(' ')) {
      const kbd = document.createElement('kbd');
      kbd.textContent = key;
      keys.append(kbd, ' ');
    }
    name.textContent = element.firstChild.textContent.trim();
    list.append(keys, name);
  }
  const close = document.createElement('button');
  close.textContent = 'Close';
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.append(heading, list, close);
  document.body.append(dialog);
  dialog.showModal();
}

function takeKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (isTyped(event.target) || document.querySelector('dialog[open]')) return;
  const isSecond = firstKey !== '' && event.timeStamp - firstAt < sequenceMilliseconds;
  const keys = isSecond ? `${firstKey} ${event.key}` : event.key;
  [firstKey, firstAt] = isSecond ? ['', 0] : [event.key, event.timeStamp];
  const element = withShortcuts().find(({ dataset }) => dataset.shortcut === keys);
  if (!element && keys !== '?') return;
  event.preventDefault();
  firstKey = '';
  if (element) go(element);
  else showShortcuts();
}

if ('shortcuts' in document.documentElement.dataset) addEventListener('keydown', takeKey);
