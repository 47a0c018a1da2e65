import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ifThere } from '#platform/absent-files.ts';
import { syncFolder } from '#platform/durable-files.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Random } from '#platform/random.ts';

import { ArchivesUnavailableError, faultOf } from './archive-faults.ts';
import { type ArchivesLocation, type S3Location, shownLocation } from './archives-location.ts';
import { linkIfAbsent } from './link-if-absent.ts';
import { openFolderArchives } from './folder-archives.ts';
import { openS3Archives } from './s3-archives.ts';
import { openS3Bucket, type S3Bucket } from './s3-bucket.ts';
import { markerName, type SharedArchives } from './shared-archives.ts';

/** The store that HOB_CODE names. */
export interface CodeStore {
  readonly archives: SharedArchives;
  /** The text of the file `hob-code.json` in it; undefined: it has none. */
  readMarker(): Promise<string | undefined>;
  /** Creates that file, unless it exists; of several servers that do at once, all read the same text afterwards. */
  createMarker(text: string): Promise<void>;
}

/** Refuses a folder that is absent, and a bucket that is absent, forbids or does not answer. */
export async function openCodeStore(
  location: ArchivesLocation,
  copiesFolder: string,
  random: Pick<Random, 'id'>,
): Promise<CodeStore> {
  return location.kind === 'folder'
    ? openFolderStore(location.folder, random)
    : openS3Store(location, copiesFolder, random);
}

async function openFolderStore(folder: string, random: Pick<Random, 'id'>): Promise<CodeStore> {
  const stats = await ifThere(stat(folder));
  if (!stats?.isDirectory()) {
    throw new OperatorError(
      `HOB_CODE names the folder ${folder}, which does not exist. Mount it, or create it if it is new.`,
    );
  }
  const marker = join(folder, markerName);
  /** Below an unmounted folder is another file system, where archives would be lost. */
  const requireMounted = async (): Promise<void> => {
    if (await ifThere(stat(marker))) return;
    throw new ArchivesUnavailableError(new Error(`${marker} is missing. Is the folder mounted?`));
  };
  const archives = await openFolderArchives(folder);
  return {
    archives: {
      ...archives,
      async add(sha256, file) {
        await requireMounted();
        await archives.add(sha256, file);
      },
      async use(sha256, use) {
        await requireMounted();
        return archives.use(sha256, use);
      },
    },
    readMarker: () => ifThere(readFile(marker, 'utf8')),
    async createMarker(text) {
      const draft = `${marker}.${random.id()}`;
      await writeFile(draft, text, { mode: 0o600, flush: true });
      try {
        await linkIfAbsent(draft, marker);
      } finally {
        await rm(draft);
      }
      await syncFolder(folder);
    },
  };
}

async function openS3Store(
  location: S3Location & { readonly kind: 's3' },
  copiesFolder: string,
  random: Pick<Random, 'id'>,
): Promise<CodeStore> {
  const bucket = await openS3Bucket(location);
  const orUnusable = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw unusable(location, error);
    }
  };
  try {
    await orUnusable(() => bucket.check());
    return {
      archives: await openS3Archives(bucket, copiesFolder, random),
      readMarker: () => orUnusable(() => bucket.getText(markerName)),
      createMarker: (text) => orUnusable(() => createMarkerIn(bucket, text)),
    };
  } catch (error) {
    bucket.close();
    throw error;
  }
}

/** Longer than it takes a server from finding no marker to creating one. */
const settleMilliseconds = 2000;

/** Some stores ignore the condition, or refuse it: there the last server that has written is the first one. */
async function createMarkerIn(bucket: S3Bucket, text: string): Promise<void> {
  if (!(await bucket.createText(markerName, text))) return;
  const isExclusive = !(await bucket.createText(markerName, text));
  if (!isExclusive) await delay(settleMilliseconds);
}

function unusable(location: S3Location & { readonly kind: 's3' }, cause: unknown): OperatorError {
  const { endpoint, region, bucket } = location;
  const where = endpoint === undefined ? `of AWS in the region ${region}` : `at ${endpoint}`;
  const { fault, code, status } = faultOf(cause);
  return new OperatorError(
    `HOB_CODE is ${shownLocation(location)}, and the bucket ${bucket} ${where} cannot be used: ${fault} ${remedyOf(code, status)}`,
    { cause },
  );
}

function remedyOf(code: string, status: number | undefined): string {
  if (code === 'NoSuchBucket' || status === 404) return 'Create the bucket, or correct HOB_CODE.';
  if (/Redirect|Region|AuthorizationHeaderMalformed/.test(code)) {
    return 'Set HOB_CODE_REGION to the region of the bucket.';
  }
  if (status === 401 || status === 403) {
    return 'Check HOB_CODE_ACCESS_KEY_ID and HOB_CODE_SECRET_ACCESS_KEY, and that the key may list the bucket and get, put and delete its objects.';
  }
  if (/Credential/.test(code)) {
    return 'Set HOB_CODE_ACCESS_KEY_ID and HOB_CODE_SECRET_ACCESS_KEY, or give this host a role.';
  }
  return 'Check HOB_CODE_ENDPOINT and HOB_CODE_REGION, and that the store is running.';
}
