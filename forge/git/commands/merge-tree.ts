import { expectObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import type { BatchRequest } from './batch-process.ts';

export type MergeResponse =
  | { readonly kind: 'clean'; readonly tree: ObjectId }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/**
 * The command that answers merges. It never flushes its output in git 2.39, so it needs the
 * unbuffered start; without that each merge is a command of its own.
 */
export const mergeTreeArguments: readonly string[] = [
  'merge-tree',
  '--write-tree',
  '--stdin',
  '--no-messages',
];

/**
 * Asks for the merge of two commits. Each response: `1` or `0`, the tree, conflicted stages; an empty
 * field ends it.
 */
export function mergeRequest(ours: ObjectId, theirs: ObjectId): BatchRequest<MergeResponse> {
  const fields: string[] = [];
  return {
    line: `${ours} ${theirs}\n`,
    read(arrived) {
      for (;;) {
        const field = arrived.takeUntil(0)?.toString();
        if (field === undefined) return undefined;
        if (field === '') return { response: parseMerge(fields) };
        fields.push(field);
      }
    },
  };
}

/**
 * Reads the fields of a response: status, tree, then `<mode> <object> <stage> TAB <path>` for each
 * stage.
 */
export function parseMerge(fields: readonly string[]): MergeResponse {
  const [status, tree, ...stages] = fields;
  if (status === '1') return { kind: 'clean', tree: expectObjectId(tree) };
  if (status !== '0') throw new Error(`not a merge status: ${status ?? ''}`);
  const paths = stages.map((stage) => stage.slice(stage.indexOf('\t') + 1));
  return { kind: 'conflict', paths: [...new Set(paths)].toSorted() };
}
