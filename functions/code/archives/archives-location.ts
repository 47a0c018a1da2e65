import type { AccessKey } from '../../signing/sign-request.ts';

/** Where the archives of all servers are. */
export type ArchivesLocation =
  | { readonly kind: 'folder'; readonly folder: string }
  | ({ readonly kind: 's3' } & S3Location);

export interface S3Location {
  readonly bucket: string;
  /** Of all keys: empty, or it ends with a slash. */
  readonly prefix: string;
  /** `http[s]://host[:port]`, whose paths begin with the bucket; undefined: that of AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined: the SDK finds credentials as all programs on AWS do. */
  readonly key: AccessKey | undefined;
}

/** As the operator has named it; locations with the same text are the same. */
export function shownLocation(location: ArchivesLocation): string {
  if (location.kind === 'folder') return location.folder;
  const { bucket, prefix, endpoint } = location;
  return `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
}
