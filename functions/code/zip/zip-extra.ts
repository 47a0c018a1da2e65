import { ArchiveRefusal } from '../archives/archive-refusal.ts';
import { readLong } from './zip-end.ts';

/** The content of an extra field; undefined without it. What is left after the last whole field is padding. */
export function extraField(extra: Buffer, id: number): Buffer | undefined {
  let at = 0;
  while (at + 4 <= extra.length) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id)
      return end <= extra.length ? extra.subarray(at + 4, end) : undefined;
    at = end;
  }
  return undefined;
}

export interface EntrySizes {
  readonly size: number;
  readonly compressedSize: number;
  readonly offset: number;
}

/** Numbers that do not fit in 32 bits are in the zip64 field, in this order and only those. */
export function longSizes(short: EntrySizes, field: Buffer | undefined): EntrySizes {
  let at = 0;
  const long = (value: number): number => {
    if (value !== elsewhere) return value;
    if (!field || at + 8 > field.length) {
      throw new ArchiveRefusal('damaged', 'An entry lacks its 64-bit sizes.');
    }
    at += 8;
    return readLong(field, at - 8);
  };
  const size = long(short.size);
  const compressedSize = long(short.compressedSize);
  return { size, compressedSize, offset: long(short.offset) };
}

const elsewhere = 0xffffffff;
