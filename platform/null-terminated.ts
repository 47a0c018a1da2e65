/** A list of texts as programs read it when U+0000 ends each of them. A text that holds one would be read as two, so it is refused. */
export function nullTerminated(texts: readonly string[]): string {
  if (texts.some((text) => text.includes('\0'))) {
    throw new TypeError('A text of a list that U+0000 separates must not hold that character.');
  }
  return texts.map((text) => `${text}\0`).join('');
}
