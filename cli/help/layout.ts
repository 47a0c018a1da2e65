const width = 80;
const column = 28;

/** A word and what it means, side by side where it fits. */
export function termAndText(term: string, about: string): string {
  const lines = wrapped(about, width - column);
  const head = `  ${term}`;
  const [first = '', ...rest] = lines;
  const start =
    head.length < column
      ? `${head.padEnd(column)}${first}\n`
      : `${head}\n${' '.repeat(column)}${first}\n`;
  return start + rest.map((line) => `${' '.repeat(column)}${line}\n`).join('');
}

export function paragraph(text: string, indent = ''): string {
  return wrapped(text, width - indent.length)
    .map((line) => `${indent}${line}\n`)
    .join('');
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const term of text.split(' ')) {
    if (line !== '' && line.length + term.length + 1 > columns) {
      lines.push(line);
      line = term;
    } else {
      line = line === '' ? term : `${line} ${term}`;
    }
  }
  return [...lines, line];
}
