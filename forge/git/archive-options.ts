import type { ObjectId } from './names.ts';

export type ArchiveFormat = 'zip' | 'tar.gz';

export interface ArchiveOptions {
  readonly commit: ObjectId;
  readonly format: ArchiveFormat;
  /** The folder that everything in the archive is in. */
  readonly folder: string;
}
