import { readFileSync } from 'node:fs';

import type { License } from './license-table.ts';

const texts = new Map<string, string>();

/** The text of a licence, with `[year]` and `[fullname]` where it names its owner. Read once. */
export function licenseText({ key }: License): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`licenses/${key}.txt`, import.meta.url), 'utf8');
  texts.set(key, text);
  return text;
}

/** The text as it is put into a repository. */
export function filledLicense(license: License, owner: string, year: number): string {
  return licenseText(license)
    .replaceAll('[year]', String(year))
    .replaceAll('[fullname]', () => owner);
}
