/**
 * Control characters as text that does nothing, for what others wrote and a terminal shows: escape sequences could rewrite what the
 * user reads or type for them, and bidirectional overrides could show another order than the bytes have. Line ends and
 * tabs stay.
 */
export function visibleControls(text: string): string {
  return text.replaceAll(harmful, escaped);
}

/** The same where the text is JSON already, whose own escapes cover the rest but for line separators. */
export function visibleControlsInJson(json: string): string {
  return json.replaceAll(harmfulInJson, escaped);
}

const directions = '\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069';
const harmful = new RegExp(`[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F${directions}]`, 'g');
const harmfulInJson = new RegExp(`[\\u007F-\\u009F\\u2028\\u2029${directions}]`, 'g');

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
