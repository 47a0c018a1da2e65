/** JSON in UTF-8, by its bytes (RFC 8259). */
export const quote = 0x22;
export const comma = 0x2c;
export const backslash = 0x5c;

/** The position of the first byte that is no space between values. */
export function skipSpace(text: Uint8Array, start: number): number {
  let at = start;
  while (text[at] === 0x20 || text[at] === 0x0a || text[at] === 0x0d || text[at] === 0x09) at += 1;
  return at;
}
