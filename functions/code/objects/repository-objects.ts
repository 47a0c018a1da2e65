import { unzippedBytesMax, zipEntriesMax } from '#functions-contract/limits.ts';
import { writeZip, type ZipFile, type ZipFileKind } from '#platform/zip/write-zip.ts';

import { FunctionsError } from '../../errors/functions-error.ts';
import {
  noSuchBucket,
  noSuchKey,
  noSuchVersion,
  objectRefusal,
  type ObjectName,
  type ObjectStore,
  type OpenedObject,
  type RefusedObject,
} from './object-store.ts';

/** The repositories of the forge, as far as this service reads them; `hob serve` connects the two. */
export interface RepositoryCode {
  read(query: {
    readonly owner: string;
    readonly name: string;
    /** A commit, branch or tag; undefined: the default branch. */
    readonly revision: string | undefined;
    /** The root for ''. */
    readonly path: string;
    /** The user of the forge who reads; undefined: anonymous, which reads public repositories only. */
    readonly userId: number | undefined;
    readonly filesMax: number;
    readonly bytesMax: number;
  }): Promise<CodeResult>;
  /** Why reading content has failed, which is read later; undefined: for no reason that was foreseen. */
  failureOf(error: unknown): CodeFailure | undefined;
}

type CodeResult =
  | { readonly kind: 'file'; readonly content: AsyncIterable<Uint8Array> }
  | { readonly kind: 'folder'; readonly files: readonly CodeFile[] }
  | { readonly kind: 'no-revision' | 'no-path' }
  | CodeFailure;

type CodeFailure =
  | { readonly kind: 'no-repository' | 'too-large' }
  | { readonly kind: 'unavailable'; readonly message: string };

interface CodeFile {
  readonly path: string;
  readonly kind: ZipFileKind;
  read(): Promise<Uint8Array | AsyncIterable<Uint8Array>>;
}

/**
 * Repositories as read-only buckets: `owner.name` is the bucket, a commit, branch or tag the version. The key is the path of a file, or of
 * a folder with `.zip` behind it, which is archived; `.zip` alone is the whole repository.
 */
export function repositoryObjects(
  repositories: RepositoryCode,
  userId: number | undefined,
): ObjectStore {
  async function read({ bucket, version }: ObjectName, path: string): Promise<CodeResult> {
    const { owner, name } = bucketForm.exec(bucket)?.groups ?? {};
    if (owner === undefined || name === undefined) return { kind: 'no-repository' };
    const limits = { filesMax: zipEntriesMax, bytesMax: unzippedBytesMax };
    return repositories.read({ owner, name, revision: version, path, userId, ...limits });
  }

  return {
    async open(object) {
      const { key } = object;
      const folder = folderOf(key);
      const whole = folder === '';
      const found: CodeResult = whole ? { kind: 'no-path' } : await read(object, key);
      if (found.kind === 'file') return opened(found.content);
      const isAbsent = found.kind === 'no-path' || found.kind === 'folder';
      if (!isAbsent) return refusalOf(found);
      if (folder === undefined) return noSuchKey;
      const archived = await read(object, folder);
      if (archived.kind === 'file') return noSuchKey;
      if (archived.kind !== 'folder') return refusalOf(archived);
      return opened(writeZip(zipFiles(archived.files)));
    },
  };

  function opened(content: AsyncIterable<Uint8Array>): OpenedObject {
    return { kind: 'object', content: withRefusals(repositories, content) };
  }
}

/** The repository may be deleted, and git restarted, while the content is read. */
async function* withRefusals(
  repositories: RepositoryCode,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    const failure = repositories.failureOf(error);
    if (!failure) throw error;
    const { code, message } = refusalOf(failure);
    throw objectRefusal(code, message);
  }
}

/** `FOLDER.zip`, or `FOLDER/.zip` where there may be a file `FOLDER.zip`. */
function folderOf(key: string): string | undefined {
  return key.endsWith('.zip') ? key.slice(0, -'.zip'.length).replace(/(?<=.)\/$/, '') : undefined;
}

/** Logins have no dots. */
const bucketForm = /^(?<owner>[^.]+)\.(?<name>.+)$/;

async function* zipFiles(files: readonly CodeFile[]): AsyncGenerator<ZipFile> {
  for (const file of files) {
    yield { path: file.path, kind: file.kind, content: await file.read() };
  }
}

function refusalOf(result: Exclude<CodeResult, { kind: 'file' | 'folder' }>): RefusedObject {
  switch (result.kind) {
    case 'no-repository':
      return noSuchBucket;
    case 'no-revision':
      return noSuchVersion;
    case 'no-path':
      return noSuchKey;
    case 'too-large':
      return tooLarge;
    case 'unavailable':
      throw new FunctionsError('ServiceException', result.message, {
        status: 503,
        retryAfterSeconds: 1,
      });
  }
}

const tooLarge: RefusedObject = {
  kind: 'refused',
  code: 'EntityTooLarge',
  message: `The object has more than ${zipEntriesMax} files or ${unzippedBytesMax} bytes, or a path of over 4096 bytes.`,
};

/** The configured store first: who may create repositories must not take over a bucket of the operator. */
export function objectsOf(
  configured: ObjectStore | undefined,
  repositories: ObjectStore | undefined,
): ObjectStore | undefined {
  if (!configured || !repositories) return configured ?? repositories;
  return {
    async open(name, within) {
      const object = await configured.open(name, within);
      const isUnknown = object.kind === 'refused' && object.code === noSuchBucket.code;
      return isUnknown ? repositories.open(name) : object;
    },
  };
}
