import type { Tree, TreeEntry, TreeOptions } from '../git.ts';
import { runIn } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { expectObjectId } from '../names.ts';
import type { ObjectId, TreePath } from '../names.ts';
import { findObject, readObject } from './objects.ts';
import { nameFromText, nameToText, parseTree } from '../format/tree-object.ts';
import type { TreeRecord } from '../format/tree-object.ts';

/** Entries of a tree; `truncated` shows that there are more. */
const defaultEntriesMax = 100_000;
/** Output of git for a recursive tree: one of fifteen objects can list ten thousand million paths (reliability G19). */
const listingBytesMax = 32 * 1024 * 1024;

export async function readTree(
  directory: GitDirectory,
  id: ObjectId,
  options: TreeOptions = {},
): Promise<Tree | undefined> {
  const entriesMax = options.entriesMax ?? defaultEntriesMax;
  if (options.recursive) return listRecursively(directory, id, entriesMax);
  const tree = await readObject(directory, `${id}^{tree}`);
  if (!tree) return undefined;
  const records = parseTree(tree.content);
  const shown = records.slice(0, entriesMax);
  const entries = await Promise.all(shown.map((record) => describe(directory, record, '')));
  return { id: tree.id, entries, truncated: shown.length < records.length };
}

export async function findPath(
  directory: GitDirectory,
  id: ObjectId,
  path: TreePath,
): Promise<TreeEntry | undefined> {
  const segments = path.split('/').map(nameFromText);
  const last = segments.pop();
  let revision = `${id}^{tree}`;
  for (const segment of segments) {
    const folder = await findRecord(directory, revision, segment);
    if (!folder || typeOf(folder.mode) !== 'tree') return undefined;
    revision = folder.id;
  }
  const found = last === undefined ? undefined : await findRecord(directory, revision, last);
  return found && { ...(await describe(directory, found, '')), path };
}

async function findRecord(
  directory: GitDirectory,
  revision: string,
  name: string,
): Promise<TreeRecord | undefined> {
  const tree = await readObject(directory, revision);
  if (tree?.type !== 'tree') return undefined;
  return parseTree(tree.content).find((record) => record.name === name);
}

async function describe(
  directory: GitDirectory,
  record: TreeRecord,
  folder: string,
): Promise<TreeEntry> {
  const type = typeOf(record.mode);
  const header = type === 'blob' ? await findObject(directory, record.id) : undefined;
  return {
    path: folder + nameToText(record.name),
    mode: record.mode.padStart(6, '0'),
    type,
    id: record.id,
    size: header?.size,
  };
}

async function listRecursively(
  directory: GitDirectory,
  id: ObjectId,
  entriesMax: number,
): Promise<Tree | undefined> {
  const tree = await findObject(directory, `${id}^{tree}`);
  if (!tree) return undefined;
  let ends = 0;
  const { bytes, cut } = await runIn(directory, ['ls-tree', '-r', '-t', '-l', '-z', tree.id], {
    outputBytesMax: listingBytesMax,
    cut: true,
    enough(chunk) {
      for (const byte of chunk) if (byte === 0) ends += 1;
      return ends > entriesMax;
    },
  });
  // What follows the last NUL is empty, or half a line when the output was cut.
  const lines = splitAtNul(bytes, entriesMax + 1);
  const truncated = cut || lines.length > entriesMax;
  return { id: tree.id, entries: lines.slice(0, entriesMax).map(parseLine), truncated };
}

function splitAtNul(bytes: Buffer, linesMax: number): string[] {
  const lines: string[] = [];
  let at = 0;
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, at)) {
    if (lines.length === linesMax) break;
    lines.push(bytes.toString('utf8', at, end));
    at = end + 1;
  }
  return lines;
}

/**
 * `<mode> <type> <object> <size> TAB <path>`, the size right-aligned and `-` where there is none.
 */
function parseLine(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , object, size = ''] = line.slice(0, tab).split(/ +/);
  return {
    path: line.slice(tab + 1),
    mode,
    type: typeOf(mode),
    id: expectObjectId(object),
    size: /^\d+$/.test(size) ? Number(size) : undefined,
  };
}

function typeOf(mode: string): TreeEntry['type'] {
  if (mode === '40000' || mode === '040000') return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}
