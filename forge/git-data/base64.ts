/** What a line of 60 characters holds. */
export const bytesOfLine = 45;

/** How many characters and lines `encodeBase64Lines` makes of so many bytes, its line breaks aside. */
export function base64LinesLength(bytes: number): { characters: number; lines: number } {
  return { characters: 4 * Math.ceil(bytes / 3), lines: Math.ceil(bytes / bytesOfLine) };
}

/** As the service lays it out: lines of 60 characters, each ended. */
export function encodeBase64Lines(content: Buffer): string {
  return content.toString('base64').replaceAll(/.{1,60}/g, '$&\n');
}

/** The bytes, or undefined when the text is not base 64; line breaks may be anywhere. */
export function decodeBase64(text: string): Buffer | undefined {
  const letters = text.replaceAll(/\s+/g, '');
  const content = Buffer.from(letters, 'base64');
  // Node skips what it cannot read: bytes that do not make the same letters again were not these letters.
  const same = withoutPadding(content.toString('base64')) === withoutPadding(letters);
  return same ? content : undefined;
}

/** Without a pattern: one that looks for the end of a text looks from everywhere in it. */
function withoutPadding(letters: string): string {
  let end = letters.length;
  while (letters.charAt(end - 1) === '=') end -= 1;
  return letters.slice(0, end);
}
