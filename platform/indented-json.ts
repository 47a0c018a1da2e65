/**
 * Characters that indentation may add to a JSON text for people, if that is more than three times
 * the text; beyond, the text has none.
 */
const addedCharactersMax = 2 ** 20;

/**
 * JSON as people read it. Not where indentation would add a multiple of the text itself: 64 KiB of deeply nested values come to
 * 200 MiB.
 */
export function indentedJson(value: unknown): string {
  const text = JSON.stringify(value);
  const added = indentationOf(text);
  return added > addedCharactersMax && added > 4 * text.length
    ? text
    : JSON.stringify(value, null, 2);
}

/** How many characters indentation adds at most. */
function indentationOf(json: string): number {
  let depth = 0;
  let added = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charCodeAt(at);
    if (sign === quote) isText = !isText;
    else if (isText) {
      if (sign === backslash) at += 1;
    } else if (sign === comma) added += 1 + 2 * depth;
    else if (sign === colon) added += 1;
    else if (sign === bracket || sign === brace) {
      depth += 1;
      added += 1 + 2 * depth;
    } else if (sign === bracketEnd || sign === braceEnd) {
      depth -= 1;
      added += 1 + 2 * depth;
    }
  }
  return added;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [bracket, bracketEnd, brace, braceEnd] = [0x5b, 0x5d, 0x7b, 0x7d];
