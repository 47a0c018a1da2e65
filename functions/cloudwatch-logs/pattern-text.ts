import { invalidParameter } from './logs-errors.ts';

/** Whether a message passes a filter. */
export type MessageFilter = (message: string) => boolean;

/** A text in double quotes, with `\"` and `\\` in it; `start` is where the first quote stands. */
export function readQuoted(pattern: string, start: number): { text: string; end: number } {
  const found = /^"((?:[^"\\]|\\.)*)"/s.exec(pattern.slice(start));
  if (!found) throw invalidParameter('The filter pattern contains an unclosed quotation mark.');
  const [whole, content = ''] = found;
  return { text: content.replaceAll(/\\(["\\])/g, '$1'), end: start + whole.length };
}

/** With AWS's message. */
export function invalidCharacter(character: string): Error {
  return invalidParameter(`Invalid character(s) in term '${character}'`);
}
