/**
 * What a read awaits in addition to its SQL. Reads of one turn of the event loop share a transaction
 * (platform/database/sqlite-reader.ts): one that awaits anything else holds up those that come after it, and may be ended.
 */
export function foreignAwaits(text: string): string[] {
  return [...callbacks(text), ...functions(text)].flatMap(({ sql, body }) =>
    [...body.matchAll(/\bawait\s+/g)]
      .map((found) => expressionAt(body, found.index + found[0].length))
      .filter((awaited) => !new RegExp(String.raw`\b(?:${sql}|write)\b`).test(awaited))
      .map((awaited) => awaited.split('\n')[0]?.slice(0, 60) ?? ''),
  );
}

interface Reading {
  /** The name of its parameter. */
  readonly sql: string;
  readonly body: string;
}

/** Functions that are given to `read`. */
function callbacks(text: string): Reading[] {
  const head = /\.read(?:One)?\(\s*async \((\w+)(?:: \w+)?\)(?:: [^=]+)? =>\s*/g;
  return [...text.matchAll(head)].map((match) => ({
    sql: match[1] ?? '',
    body: expressionAt(text, match.index + match[0].length),
  }));
}

/** Functions that a read calls: their first parameter is its SQL. */
function functions(text: string): Reading[] {
  const head = /^(?:export )?async function \w+(?:<[^>]*>)?\(\s*sql: Sql\b/gm;
  return [...text.matchAll(head)].map((match) => ({
    sql: 'sql',
    body: text.slice(match.index, text.indexOf('\n}\n', match.index)),
  }));
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** From here to a comma, a semicolon or a bracket that was not opened since. */
function expressionAt(text: string, start: number): string {
  const open: string[] = [];
  let end = start;
  for (; end < text.length; end += 1) {
    const character = text[end] ?? '';
    const quoted = /^['"`]$/.test(character) ? text.indexOf(character, end + 1) : -1;
    if (quoted !== -1) end = quoted;
    else if (closing[character] !== undefined) open.push(closing[character]);
    else if (/[)\]}]/.test(character)) {
      if (open.pop() !== character) break;
    } else if (open.length === 0 && /[,;]/.test(character)) break;
  }
  return text.slice(start, end);
}
