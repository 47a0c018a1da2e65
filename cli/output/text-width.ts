import { wideRanges } from './wide-characters.ts';

/** Columns that a text takes on a terminal: wide East Asian characters take two. */
export function textWidth(text: string): number {
  if (!perhapsWide.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  return width;
}

const perhapsWide = /[\u00A1-\u{10FFFF}]/u;

function isWide(codePoint: number): boolean {
  let low = 0;
  let high = wideRanges.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (codePoint < (wideRanges[2 * middle] ?? 0)) high = middle - 1;
    else if (codePoint > (wideRanges[2 * middle + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}
