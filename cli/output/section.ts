import { CliError } from '../context/errors.ts';
import { textWidth } from './text-width.ts';

/** One block of a table: a title over rows of cells, with or without the names of the columns. */
export interface Section {
  readonly title: string;
  /** How deep it is nested. */
  readonly level: number;
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A section in the making. */
export class SectionBuilder implements Section {
  readonly title: string;
  readonly level: number;
  readonly headers: string[] = [];
  readonly rows: string[][] = [];
  #columns: number | undefined;

  constructor(title: string, level: number) {
    this.title = title;
    this.level = level;
  }

  addHeaders(names: readonly string[]): void {
    this.#columns ??= names.length;
    this.#check(names);
    this.headers.splice(0, this.headers.length, ...names);
  }

  addRow(cells: readonly string[]): void {
    this.#columns ??= cells.length;
    this.#check(cells);
    this.rows.push([...cells]);
  }

  #check(cells: readonly string[]): void {
    if (cells.length === this.#columns) return;
    throw new CliError(
      255,
      `Row should have ${this.#columns} elements, instead it has ${cells.length}`,
    );
  }
}

/** Of each column, the widest cell. */
export function columnWidths({ headers, rows }: Section): number[] {
  const widths: number[] = [];
  for (const cells of [headers, ...rows]) {
    for (const [column, cell] of cells.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
    }
  }
  return widths;
}

/** A section of one row, transposed: a row for each column, which stays narrow. */
export function transposed(section: Section): Section {
  const [row, ...others] = section.rows;
  if (row === undefined || others.length > 0 || section.headers.length === 0) return section;
  const rows = section.headers.map((header, column) => [header, row[column] ?? '']);
  return { ...section, headers: [], rows };
}
