import { ArchiveRefusal, shown } from '../archives/archive-refusal.ts';

export interface EntryType {
  readonly kind: 'file' | 'folder' | 'link';
  readonly executable: boolean;
}

/** What an entry is, by its name and its Unix mode; the mode is 0 when the archive has none. */
export function entryType(name: string, mode: number): EntryType {
  const type = mode & 0o170000;
  const slash = name.endsWith('/');
  const executable = (mode & 0o111) !== 0;
  if (type === 0o040000 || (slash && type === 0)) return { kind: 'folder', executable: false };
  if (!slash && (type === 0o100000 || type === 0)) return { kind: 'file', executable };
  if (!slash && type === 0o120000) return { kind: 'link', executable: false };
  throw new ArchiveRefusal(
    'forbidden',
    `Entry ${shown(name)} is neither a file, a folder nor a symbolic link.`,
  );
}

/**
 * When the file was last changed, in seconds since the epoch. Interpreters hold their compiled files against it. The
 * header's own time has no zone: it is taken as UTC, as on the vendor's machines.
 */
export function modifiedAt(header: Buffer, timestamps: Buffer | undefined): number {
  if (timestamps && timestamps.length >= 5 && ((timestamps[0] ?? 0) & 1) === 1) {
    return Math.max(0, timestamps.readInt32LE(1));
  }
  const time = header.readUInt16LE(12);
  const date = header.readUInt16LE(14);
  const [year, month, day] = [1980 + (date >>> 9), ((date >>> 5) & 15) - 1, date & 31];
  const [hour, minute, second] = [time >>> 11, (time >>> 5) & 63, (time & 31) * 2];
  return Date.UTC(year, month, day, hour, minute, second) / 1000;
}
