/** Where archives lie that are too large for a request. */
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
  /** In the words of the store. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Whether a name stays what it is in a path, of a file as of a URL. */
export function isBucketName(bucket: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z.\-_]*$/.test(bucket);
}

/** As for buckets: no part that would lead elsewhere. */
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
