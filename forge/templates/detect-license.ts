import { licenses } from './license-table.ts';
import { licenseText } from './license-texts.ts';

/**
 * Likeness, from 0 to 1, from which a text is a license: twice the words that both share, by the words that both have
 * (Sørensen–Dice).
 */
const similarityMin = 0.98;

/** The words of each licence, made once. */
const known = new Map<string, ReadonlySet<string>>();

/** The key of the licence that a text is, regardless of the owner it names; `other` for unknown licences. */
export function detectLicense(text: string): string {
  const words = wordsOf(text);
  const best = licenses
    .map((license) => {
      const own = known.get(license.key) ?? wordsOf(licenseText(license));
      known.set(license.key, own);
      return { key: license.key, similarity: similarity(words, own) };
    })
    .reduce((one, other) => (other.similarity > one.similarity ? other : one));
  return best.similarity >= similarityMin ? best.key : 'other';
}

/** Without the lines that name an owner, and without what follows the terms: hints how to apply them. */
function wordsOf(text: string): ReadonlySet<string> {
  const [terms = ''] = text.split(/end of terms and conditions/i);
  const lines = terms
    .split('\n')
    .filter((line) => !/^[\s*/#]*(?:copyright\b|©|all rights reserved)/i.test(line));
  return new Set(
    lines
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared += 1;
  return (2 * shared) / (one.size + other.size || 1);
}

/** Files at the root of a repository that hold its licence, the most telling name first. */
const fileNames = [
  /^(?:un)?licen[cs]e$/i,
  /^(?:un)?licen[cs]e\.(?:md|markdown|txt|rst)$/i,
  /^copying$/i,
  /^copying\.(?:md|markdown|txt|rst)$/i,
  /^(?:un)?licen[cs]e[-.][^/]+$/i,
];

/** The entry with the licence, of those at the root. */
export function licenseFileOf<Entry extends { readonly path: string; readonly type: string }>(
  entries: readonly Entry[],
): Entry | undefined {
  const files = entries.filter(({ type, path }) => type === 'blob' && !path.includes('/'));
  for (const name of fileNames) {
    const found = files.find(({ path }) => name.test(path));
    if (found) return found;
  }
  return undefined;
}
