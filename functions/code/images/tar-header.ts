import { ArchiveRefusal } from '../archives/archive-path.ts';

export const blockBytes = 512;

export interface TarHeader {
  readonly name: string;
  /** One character. */
  readonly type: string;
  readonly target: string;
  readonly mode: number;
  readonly size: number;
  /** Seconds since the epoch. */
  readonly modified: number;
}

/** Undefined for the block of zeros that ends an archive. */
export function readHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (number(block, 148, 8) !== checksum(block)) throw damaged();
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? text(block, 345, 155) : '';
  const name = text(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    target: text(block, 157, 100),
    mode: number(block, 100, 8),
    size: number(block, 124, 12),
    modified: number(block, 136, 12),
  };
}

/** The checksum counts itself as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}

/** Octal digits, or a binary number if the highest bit is set. */
function number(block: Buffer, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  const first = field[0] ?? 0;
  if ((first & 0x80) !== 0) {
    const value = BigInt(`0x${Buffer.from([first & 0x7f, ...field.subarray(1)]).toString('hex')}`);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged();
    return Number(value);
  }
  const digits = text(block, at, length).trim();
  if (digits === '') return 0;
  if (!/^[0-7]+$/.test(digits)) throw damaged();
  return Number.parseInt(digits, 8);
}

function text(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function damaged(): ArchiveRefusal {
  return new ArchiveRefusal('damaged', 'A layer of the image is not a tar archive.');
}
