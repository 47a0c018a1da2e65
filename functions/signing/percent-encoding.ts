/** Encodes what the pattern finds; texts have a character for each byte, as raw requests do. */
export function encodeBytes(text: string, reserved: RegExp): string {
  return text.replaceAll(reserved, (character) => escapes[character.charCodeAt(0)] ?? '%');
}

/** The bytes, a character each, that a percent-encoded text stands for; a stray `%` stands for itself. */
export function decodeBytes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_whole, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** `%00` to `%FF`. */
const escapes: readonly string[] = Array.from(
  { length: 256 },
  (_none, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);
