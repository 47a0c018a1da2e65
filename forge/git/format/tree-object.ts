import { expectObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';

/**
 * A line of a tree object. Names are bytes, whatever a commit's author had on disk; they are held
 * here as strings of one character a byte (latin1), so that comparing and writing back never
 * changes them.
 */
export interface TreeRecord {
  /** As git stores it: `40000`, `100644`. */
  readonly mode: string;
  readonly name: string;
  readonly id: ObjectId;
}

export const treeMode = '40000';

export function parseTree(content: Buffer): TreeRecord[] {
  const records: TreeRecord[] = [];
  let at = 0;
  while (at < content.length) {
    const gap = content.indexOf(0x20, at);
    const end = content.indexOf(0, gap);
    if (gap === -1 || end === -1) throw new TypeError('a tree object ends in the middle of a line');
    records.push({
      mode: content.toString('latin1', at, gap),
      name: content.toString('latin1', gap + 1, end),
      id: expectObjectId(content.toString('hex', end + 1, end + 21)),
    });
    at = end + 21;
  }
  return records;
}

/**
 * Writes the lines in git's order: by bytes, folders compared as if their names ended in a slash.
 */
export function formatTree(records: Iterable<TreeRecord>): Buffer {
  const sorted = [...records].toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ]),
  );
}

export function nameFromText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

export function nameToText(name: string): string {
  return Buffer.from(name, 'latin1').toString();
}

function sortKey(record: TreeRecord): string {
  return record.mode === treeMode ? `${record.name}/` : record.name;
}
