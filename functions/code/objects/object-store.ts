/** The source of archives that are too large for a request. */
export interface ObjectStore {
  open(name: ObjectName): Promise<OpenedObject>;
}

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
  readonly version?: string;
}

export type OpenedObject =
  | { readonly kind: 'object'; readonly content: AsyncIterable<Uint8Array> }
  /** With the store's error code and message. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Whether a name has no special meaning in file paths and URLs. */
export function isBucketName(bucket: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z.\-_]*$/.test(bucket);
}

/** As for buckets: no part may leave the bucket. */
export function isPlainKey(key: string): boolean {
  return !key.includes('\0') && key.split('/').every((part) => !['', '.', '..'].includes(part));
}

export const noSuchBucket: OpenedObject = {
  kind: 'refused',
  code: 'NoSuchBucket',
  message: 'The specified bucket does not exist',
};

export const noSuchKey: OpenedObject = {
  kind: 'refused',
  code: 'NoSuchKey',
  message: 'The specified key does not exist.',
};
