import type { OutputContext } from './output-format.ts';
import { isNothing } from './data.ts';
import { drawTable } from './draw-table.ts';
import { tableSections } from './table-sections.ts';

/** A table with a box around; nothing for what is empty or false. */
export function tableText(value: unknown, context: OutputContext): string {
  if (isNothing(value)) return '';
  return drawTable(tableSections(value, context), context);
}
