/** Values of a CSV or TSV file that a page shows as a table; longer ones are shown as text. */
const cellsMax = 20_000;

/** The separator of a file of values by its name; undefined for other files. */
export function separatorOf(path: string): string | undefined {
  if (/\.csv$/i.test(path)) return ',';
  return /\.(?:tsv|tab)$/i.test(path) ? '\t' : undefined;
}

/** The rows of a text of separated values (RFC 4180); undefined where it is none, or too long for a table. */
export function parseDelimited(text: string, separator: string): string[][] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  // A quoted value with doubled quotes, or one up to the next separator; then what ends it.
  const value =
    separator === ','
      ? /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
      : /(?:"((?:[^"]|"")*)"|([^"\t\r\n][^\t\r\n]*|))(\t|\r?\n|$)/y;
  value.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  while (value.lastIndex < text.length) {
    const found = value.exec(text);
    if (!found) return undefined;
    const [, quoted, plain = '', end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    cells += 1;
    if (cells > cellsMax) return undefined;
    if (end === separator && value.lastIndex < text.length) continue;
    if (end === separator) row.push('');
    rows.push(row);
    row = [];
  }
  return rows.length === 0 ? undefined : rows;
}
