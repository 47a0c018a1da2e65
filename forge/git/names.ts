/**
 * The names that git understands, as types: user text becomes one of them here or never reaches git
 * (reliability: argument injection is the forge's own disease).
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Forty lower-case hexadecimal digits. */
export type ObjectId = Branded<'ObjectId'>;
/** A full ref name, `refs/heads/main`. */
export type RefName = Branded<'RefName'>;
/** A branch name without `refs/heads/`. */
export type BranchName = Branded<'BranchName'>;
/** A path inside a tree: no empty, `.` or `..` segment, no NUL, no leading or trailing slash. */
export type TreePath = Branded<'TreePath'>;

/** What an absent ref points to in a compare-and-swap. */
export const noObject = '0000000000000000000000000000000000000000' as ObjectId;

export function parseObjectId(text: string): ObjectId | undefined {
  return /^[0-9a-f]{40}$/i.test(text) ? (text.toLowerCase() as ObjectId) : undefined;
}

/** An object id that git printed; anything else there is a fault, not an answer. */
export function expectObjectId(text: string | undefined): ObjectId {
  const id = parseObjectId(text ?? '');
  if (!id) throw new TypeError(`git was expected to print an object id and printed: ${text ?? ''}`);
  return id;
}

/** git-check-ref-format(1), and no longer than a file name may be. */
export function parseRefName(text: string): RefName | undefined {
  if (!text.startsWith('refs/') || text.endsWith('/') || text.endsWith('.')) return undefined;
  if (Buffer.byteLength(text) > 244 || hasForbiddenCharacter(text)) return undefined;
  if (text.includes('..') || text.includes('@{') || text.includes('//')) return undefined;
  const segments = text.split('/');
  if (segments.length < 3) return undefined;
  const wellFormed = segments.every(
    (segment) => !segment.startsWith('.') && !segment.endsWith('.lock'),
  );
  return wellFormed ? (text as RefName) : undefined;
}

/** A branch name; refuses `HEAD`, names that start with a dash and names that read as an object id. */
export function parseBranchName(text: string): BranchName | undefined {
  if (text === 'HEAD' || text === '@' || text.startsWith('-') || parseObjectId(text))
    return undefined;
  return parseRefName(`refs/heads/${text}`) ? (text as BranchName) : undefined;
}

export function branchRef(name: BranchName): RefName {
  return `refs/heads/${name}` as RefName;
}

/** The head of a pull, kept in the base repository and fetchable there. */
export function pullHeadRef(number: number): RefName {
  return `refs/pull/${number}/head` as RefName;
}

/** The test merge of a pull: exists only while the pull is open and mergeable. */
export function pullMergeRef(number: number): RefName {
  return `refs/pull/${number}/merge` as RefName;
}

export function parseTreePath(text: string): TreePath | undefined {
  if (text === '' || text.includes('\0') || Buffer.byteLength(text) > 4096) return undefined;
  const wellFormed = text
    .split('/')
    .every(
      (segment) =>
        segment !== '' && segment !== '.' && segment !== '..' && !/^\.git$/i.test(segment),
    );
  return wellFormed ? (text as TreePath) : undefined;
}

function hasForbiddenCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x21 || code === 0x7f || '~^:?*[\\'.includes(character)) return true;
  }
  return false;
}
