import type { MediaType } from '../http/media-types.ts';
import type { Json } from '../json/json-values.ts';

/** A text of a result in which the words of the query are shown. */
export interface SearchedText {
  readonly property: string;
  readonly text: string | null;
}

/** Characters on each side of the first match. */
const contextCharacters = 100;
/** Matches in a text match. */
const matchesMax = 20;
/** Words of a query, and of a text, that a text match shows: what is behind is not looked at. */
const wordsMax = 10;
/** Beginning of a text in which matches are looked for. */
const textCharactersMax = 64 * 1024;

/** Whether `Accept` asks for matches: `application/vnd.github.text-match+json`. */
export function wantsTextMatches({ requested }: MediaType): boolean {
  return /\.text-match(?:\+json)?$/i.test(requested ?? '');
}

/** `text_matches` of a result: each of its texts that contains a word of the query, cut to what is around the first. */
export function representTextMatches(
  words: readonly string[],
  texts: readonly SearchedText[],
  result: { readonly url: string; readonly type: string },
): Json[] {
  return texts.flatMap(({ property, text }) => {
    const fragment = fragmentOf(text ?? '', words);
    if (fragment === undefined) return [];
    const matches = matchesIn(fragment, words);
    return [{ object_url: result.url, object_type: result.type, property, fragment, matches }];
  });
}

function fragmentOf(whole: string, words: readonly string[]): string | undefined {
  const text = whole.slice(0, textCharactersMax);
  const lower = text.toLowerCase();
  const positions = words.slice(0, wordsMax).map((word) => lower.indexOf(word.toLowerCase()));
  const found = positions.filter((position) => position >= 0);
  if (found.length === 0) return undefined;
  const first = Math.min(...found);
  const start = Math.max(0, first - contextCharacters);
  return text.slice(start, first + 2 * contextCharacters).toWellFormed();
}

function matchesIn(fragment: string, words: readonly string[]): Json[] {
  const lower = fragment.toLowerCase();
  const matches: { text: string; indices: [number, number] }[] = [];
  for (const word of words.slice(0, wordsMax)) {
    let end = 0;
    for (;;) {
      const at = lower.indexOf(word.toLowerCase(), end);
      if (at < 0 || matches.length === matchesMax) break;
      end = at + word.length;
      matches.push({ text: fragment.slice(at, end), indices: [at, end] });
    }
  }
  return matches.toSorted((one, other) => one.indices[0] - other.indices[0]);
}
