/**
 * The names that git understands, as types: user text becomes one of them here or never reaches git
 * (reliability: argument injection is a typical vulnerability of code hosts).
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Forty lower-case hexadecimal digits. */
export type ObjectId = Branded<'ObjectId'>;
/** A full ref name, `refs/heads/main`. */
export type RefName = Branded<'RefName'>;
/** A branch name without `refs/heads/`. */
export type BranchName = Branded<'BranchName'>;
/**
 * A path inside a tree: no empty, `.`, `..` or `.git` segment, no NUL, no leading or trailing
 * slash.
 */
export type TreePath = Branded<'TreePath'>;

/** What an absent ref points to in a compare-and-swap. */
export const noObject: ObjectId = expectObjectId('0'.repeat(40));

/** Forty hexadecimal digits, in lower case whatever was given. */
export function parseObjectId(text: string): ObjectId | undefined {
  const lower = text.toLowerCase();
  return isObjectId(lower) ? lower : undefined;
}

function isObjectId(text: string): text is ObjectId {
  return /^[0-9a-f]{40}$/.test(text);
}

/** An object id that git printed; anything else there is a fault, not a response. */
export function expectObjectId(text: string | undefined): ObjectId {
  const id = parseObjectId(text ?? '');
  if (!id) throw new TypeError(`git printed no object id but: ${text ?? ''}`);
  return id;
}

/** git-check-ref-format(1), and no longer than a file name may be. */
export function parseRefName(text: string): RefName | undefined {
  return isRefName(text) ? text : undefined;
}

/** Whole name of a ref. */
const refNameBytesMax = 244;

function isRefName(text: string): text is RefName {
  if (!text.startsWith('refs/') || text.endsWith('/') || text.endsWith('.')) return false;
  if (Buffer.byteLength(text) > refNameBytesMax || hasForbiddenCharacter(text)) return false;
  if (text.includes('..') || text.includes('@{') || text.includes('//')) return false;
  const segments = text.split('/');
  if (segments.length < 3) return false;
  return segments.every((segment) => !segment.startsWith('.') && !segment.endsWith('.lock'));
}

function expectRefName(text: string): RefName {
  if (!isRefName(text)) throw new TypeError(`Not a ref name: ${text}`);
  return text;
}

/**
 * A branch name; refuses `HEAD`, names that start with a dash and names that read as an object id.
 */
export function parseBranchName(text: string): BranchName | undefined {
  return isBranchName(text) ? text : undefined;
}

function isBranchName(text: string): text is BranchName {
  if (text === 'HEAD' || text === '@' || text.startsWith('-') || parseObjectId(text)) return false;
  return isRefName(`refs/heads/${text}`);
}

export function branchRef(name: BranchName): RefName {
  return expectRefName(`refs/heads/${name}`);
}

const branchPrefix = 'refs/heads/';

/** The name of the branch that a ref is; undefined for other refs. */
export function branchOf(ref: string): string | undefined {
  return ref.startsWith(branchPrefix) ? ref.slice(branchPrefix.length) : undefined;
}

/** The head of a pull, stored in the base repository and fetchable from it. */
export function pullHeadRef(number: number): RefName {
  return expectRefName(`refs/pull/${number}/head`);
}

/** The test merge of a pull: exists only while the pull is open and mergeable. */
export function pullMergeRef(number: number): RefName {
  return expectRefName(`refs/pull/${number}/merge`);
}

/** Protects a commit with review comments from pruning; the namespace is hidden from clients. */
export function commentedRef(id: ObjectId): RefName {
  return expectRefName(`refs/internal/commented/${id}`);
}

export function parseTreePath(text: string): TreePath | undefined {
  return isTreePath(text) ? text : undefined;
}

/** Path in a tree. */
const treePathBytesMax = 4096;

function isTreePath(text: string): text is TreePath {
  if (text === '' || text.includes('\0') || Buffer.byteLength(text) > treePathBytesMax)
    return false;
  return text
    .split('/')
    .every((segment) => !['', '.', '..'].includes(segment) && !readsAsGitFolder(segment));
}

/** Characters that some file systems of Macs leave out of names. */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether a client's file system may take a name for `.git`: whatever its case, with ignorable
 * characters in it, by its short name, with spaces, dots or a stream name behind it, or after a
 * backslash. git refuses these when pushed.
 */
function readsAsGitFolder(segment: string): boolean {
  return segment
    .replaceAll(ignorable, '')
    .split('\\')
    .some((part) => /^(?:\.git|git~1)[ .]*(?::|$)/i.test(part));
}

function hasForbiddenCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x21 || code === 0x7f || '~^:?*[\\'.includes(character)) return true;
  }
  return false;
}
