/** A mistake in shorthand, with the input and a caret under the position. */
export class ShorthandProblem extends Error {
  /** Where in the input. */
  readonly index: number;
  /** A list of values may end before such a mistake; a key given twice never is the end of a list. */
  readonly kind: 'syntax' | 'duplicate';

  constructor(kind: 'syntax' | 'duplicate', message: string, index: number) {
    super(message);
    this.name = 'ShorthandProblem';
    this.kind = kind;
    this.index = index;
  }
}

export function expected(
  input: string,
  wanted: string,
  received: string,
  index: number,
): ShorthandProblem {
  const message = `Expected: '${wanted}', received: '${received}' for input:\n ${pointedAt(input, index)}`;
  return new ShorthandProblem('syntax', message, index);
}

export function secondInstance(input: string, key: string, index: number): ShorthandProblem {
  const message = `Second instance of key "${key}" encountered for input:\n${pointedAt(input, index)}\nThis is often because there is a preceding "," instead of a space.`;
  return new ShorthandProblem('duplicate', message, index);
}

/** The caret stands on a line of its own below the line of the mistake; what follows that line comes after it. */
function pointedAt(input: string, index: number): string {
  const lineStart = input.lastIndexOf('\n', index - 1) + 1;
  const lineEnd = input.indexOf('\n', index);
  const end = lineEnd === -1 ? input.length : lineEnd;
  const spaces = index === 0 ? 0 : index - lineStart;
  return `${input.slice(0, end)}\n${' '.repeat(spaces)}^${input.slice(end)}`;
}
