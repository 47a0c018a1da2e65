import { columnWidths, type Section, transposed } from './section.ts';
import { textWidth } from './text-width.ts';

interface Appearance {
  readonly color: boolean;
  readonly columns: number;
}

/** All sections as wide as the widest; transposed when that is wider than the terminal. */
export function drawTable(sections: readonly Section[], { color, columns }: Appearance): string {
  const wide = Math.max(...sections.map(sectionWidth));
  const shown = wide > columns ? sections.map(transposed) : sections;
  const width = wide > columns ? Math.max(...shown.map(sectionWidth)) : wide;
  const writer = color ? colored : plain;
  const top = writer.write(`${'-'.repeat(width)}\n`);
  return top + shown.map((section) => drawSection(section, width, writer)).join('');
}

/** How a piece is written, which colors do piece by piece. */
interface CellWriter {
  readonly write: (piece: string) => string;
  readonly cell: (text: string) => string;
  readonly bar: string;
}

const reset = '\u001B[0m';

const plain: CellWriter = { write: (piece) => piece, cell: (text) => text, bar: '|' };

/** A reset after every piece, so that a pipe cut anywhere leaves a sane terminal. */
const colored: CellWriter = {
  write: (piece) => piece + reset,
  cell: (text) => `\u001B[1m\u001B[34m${text}${reset}`,
  bar: `\u001B[2m\u001B[33m|${reset}`,
};

const cellPadding = 4;

const borders = 2;

function sectionWidth(section: Section): number {
  const cells = columnWidths(section).reduce((sum, width) => sum + width + cellPadding, borders);
  return Math.max(textWidth(section.title) + borders, cells) + 2 * section.level;
}

function drawSection(section: Section, width: number, writer: CellWriter): string {
  const inner = width - 2 * section.level;
  const widths = fitted(
    columnWidths(section).map((column) => column + cellPadding),
    inner,
  );
  const bars = writer.write(writer.bar.repeat(section.level));
  return sectionLines(section, inner, widths, writer)
    .map((line) => bars + writer.write(line) + bars + writer.write('\n'))
    .join('');
}

function sectionLines(
  { title, headers, rows }: Section,
  width: number,
  widths: readonly number[],
  writer: CellWriter,
): string[] {
  const rule = ruleLine(widths);
  const lines: string[] = [];
  if (title !== '') {
    lines.push(centered(title, width, '|'));
    if (headers.length === 0 && rows.length === 0) lines.push(ruleLine([width]));
  }
  if (headers.length > 0) lines.push(rule, headerLine(headers, widths));
  if (rows.length > 0 && widths.length > 0) {
    lines.push(rule, ...rows.map((cells) => rowLine(cells, widths, writer)), rule);
  }
  return lines;
}

const ruleLine = (widths: readonly number[]): string =>
  widths.map((width, column) => `${column === 0 ? '+' : ''}${dashes(width, column)}+`).join('');

const dashes = (width: number, column: number): string =>
  '-'.repeat(Math.max(0, column === 0 ? width - 2 : width - 1));

const headerLine = (headers: readonly string[], widths: readonly number[]): string =>
  headers.map((header, column) => centered(header, widths[column] ?? 0, edge(column))).join('');

const rowLine = (cells: readonly string[], widths: readonly number[], writer: CellWriter): string =>
  cells
    .map((cell, column) => leftAligned(cell, widths[column] ?? 0, edge(column), writer))
    .join('');

/** Only the first cell has an edge on its left. */
const edge = (column: number): string => (column === 0 ? '|' : '');

function centered(text: string, width: number, left: string): string {
  const length = textWidth(text);
  const before = Math.max(0, Math.floor(width / 2) - Math.floor(length / 2) - 1);
  const after = width - 1 - left.length - before - length;
  return `${left}${spaces(before)}${text}${spaces(after)}|`;
}

function leftAligned(text: string, width: number, left: string, writer: CellWriter): string {
  const free = width - textWidth(text) - left.length - 1;
  const before = free >= 2 ? 2 : 0;
  return `${left}${spaces(before)}${writer.cell(text)}${spaces(free - before)}|`;
}

const spaces = (count: number): string => ' '.repeat(Math.max(0, count));

/**
 * Widths that fill `total` in the proportion of the given ones. What rounding took too much is taken back from the left,
 * what it left over is given from the right.
 */
function fitted(widths: readonly number[], total: number): number[] {
  if (widths.length === 0) return [];
  const scale = total / widths.reduce((sum, width) => sum + width, 0);
  const result = widths.map((width) => roundedHalfEven(scale * width));
  let excess = result.reduce((sum, width) => sum + width, 0) - total;
  while (excess !== 0) {
    const step = Math.sign(excess);
    const columns = step > 0 ? result.keys() : [...result.keys()].toReversed();
    for (const column of columns) {
      if (excess === 0) break;
      result[column] = (result[column] ?? 0) - step;
      excess -= step;
    }
  }
  return result;
}

/** Halves go to the even neighbour: banker's rounding, as recorded. */
function roundedHalfEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
