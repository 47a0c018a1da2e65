import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ifThere } from '#platform/absent-files.ts';
import { syncFolder } from '#platform/durable-files.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Random } from '#platform/random.ts';

import { answerMillisecondsDefault, answersInTime } from './answers-in-time.ts';
import { ArchivesUnavailableError, faultOf } from './archive-faults.ts';
import { type ArchivesLocation, type S3Location, shownLocation } from './archives-location.ts';
import { linkIfAbsent } from './link-if-absent.ts';
import { createFolderArchives } from './folder-archives.ts';
import { openS3Archives } from './s3-archives.ts';
import { openS3Bucket, type S3Bucket } from './s3-bucket.ts';
import type { SharedArchives } from './shared-archives.ts';
import { keyIn, markerName } from './store-marker.ts';

/** The store that HOB_CODE names. */
export interface CodeStore {
  readonly archives: SharedArchives;
  /** The text of the file `hob-code.json` in it; undefined: it has none. */
  readMarker(within?: AbortSignal): Promise<string | undefined>;
  /** Ends what servers began that were killed. Only in a store that is known to be of this installation. */
  recover(): Promise<void>;
  /** Creates that file, unless it exists; of several servers that do at once, all read the same text afterwards. */
  createMarker(text: string): Promise<void>;
}

/** Refuses a folder that is absent, and a bucket that is absent, forbids or does not answer. */
export async function openCodeStore(
  location: ArchivesLocation,
  copiesFolder: string,
  random: Pick<Random, 'id'>,
  answerMilliseconds = answerMillisecondsDefault,
): Promise<CodeStore> {
  return location.kind === 'folder'
    ? openFolderStore(location.folder, random, answerMilliseconds)
    : openS3Store(location, copiesFolder, random);
}

async function openFolderStore(
  folder: string,
  random: Pick<Random, 'id'>,
  milliseconds: number,
): Promise<CodeStore> {
  const look = answersInTime(folder, () => ifThere(stat(folder)), milliseconds);
  const stats = await look().catch((cause: unknown) => {
    if (!(cause instanceof ArchivesUnavailableError)) throw cause;
    throw new OperatorError(
      `HOB_CODE names the folder ${folder}, which does not answer. Check its mount.`,
      { cause },
    );
  });
  if (!stats?.isDirectory()) {
    throw new OperatorError(
      `HOB_CODE names the folder ${folder}, which does not exist. Mount it, or create it if it is new.`,
    );
  }
  const marker = join(folder, markerName);
  const readMarker = answersInTime(folder, () => ifThere(readFile(marker, 'utf8')), milliseconds);
  /** Below an unmounted folder is another file system, where archives would be lost. */
  const requireMounted = async (): Promise<void> => {
    if ((await readMarker()) !== undefined) return;
    throw new ArchivesUnavailableError(new Error(`${marker} is missing. Is the folder mounted?`));
  };
  const archives = createFolderArchives(folder);
  return {
    archives: {
      ...archives,
      async use(sha256, use) {
        await requireMounted();
        return archives.use(sha256, use);
      },
    },
    recover: () => archives.recover(),
    // Another server may be writing it, where the file system has no hard links.
    readMarker: () => repeatedUntil(readMarker, (text) => text === undefined || keyIn(text) !== ''),
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
      recover: async () => {},
      readMarker: (within) => orUnusable(() => bucket.getText(markerName, within)),
      createMarker: (text) => orUnusable(() => createMarkerIn(bucket, text)),
    };
  } catch (error) {
    bucket.close();
    throw error;
  }
}

/**
 * Pause, in a store that ignores conditions, before the marker that has stayed is read: longer than it takes a server from
 * finding no marker to creating one.
 */
const raceMilliseconds = 2000;

/** Some stores ignore the condition, or refuse it: there the last server that has written is the first one. */
async function createMarkerIn(bucket: S3Bucket, text: string): Promise<void> {
  // The answer to a conflict with another server does not say which of the two has written it, if any.
  const createOrFind = async (): Promise<'created' | 'found' | 'absent'> => {
    if (await bucket.createText(markerName, text)) return 'created';
    return (await bucket.getText(markerName)) === undefined ? 'absent' : 'found';
  };
  if ((await repeatedUntil(createOrFind, (result) => result !== 'absent')) !== 'created') return;
  const isExclusive = !(await bucket.createText(markerName, text));
  if (!isExclusive) await delay(raceMilliseconds);
}

/** Reads of the file that names the installation of a store while another server writes it. */
const attemptsMax = 10;
/** Pause between two reads of the file that names the installation of a store while another server writes it. */
const pauseMilliseconds = 100;

/** The last result, if none is good. */
async function repeatedUntil<T>(
  work: () => Promise<T>,
  isGood: (result: T) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await work();
    if (attempt === attemptsMax || isGood(result)) return result;
    await delay(pauseMilliseconds);
  }
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
