import { crc32 } from 'node:zlib';

import { ArchiveRefusal } from '../archives/archive-path.ts';

export interface RawName {
  readonly bytes: Buffer;
  /** The format's flag: the name is UTF-8. */
  readonly utf8: boolean;
  /** Written on Unix. */
  readonly unix: boolean;
  /** The Unicode Path extra field, when there is one. */
  readonly unicodePath: Buffer | undefined;
}

/**
 * The name of an entry. Without the flag the format means code page 437, but common tools on Unix write UTF-8 without setting the
 * flag; text in that code page is hardly ever valid UTF-8 by chance.
 */
export function zipName({ bytes, utf8, unix, unicodePath }: RawName): string {
  const unicode = unicodePath && unicodeName(unicodePath, bytes);
  if (unicode !== undefined) return unicode;
  const text = utf8 || unix ? utf8Text(bytes) : undefined;
  if (text !== undefined) return text;
  if (utf8) throw new ArchiveRefusal('damaged', 'The name of an entry is not valid UTF-8.');
  return codePage437(bytes);
}

/** Valid only if its checksum matches the name in the header. */
function unicodeName(field: Buffer, name: Buffer): string | undefined {
  if (field.length < 5 || field[0] !== 1 || field.readUInt32LE(1) !== crc32(name)) return undefined;
  return utf8Text(field.subarray(5));
}

function utf8Text(bytes: Buffer): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function codePage437(bytes: Buffer): string {
  return Array.from(bytes, (byte) =>
    byte < 128 ? String.fromCharCode(byte) : upperHalf.charAt(byte - 128),
  ).join('');
}

const upperHalf =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0';
