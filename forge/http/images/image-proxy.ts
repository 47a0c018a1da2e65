import type { Clock } from '#platform/clock.ts';

import type { Reach } from '../checked-request.ts';
import { fetchImage, type Image, ImageError } from './fetch-image.ts';

/** Images of other servers, which these do not learn the readers of. */
export interface ImageProxy {
  /** The image, from memory or its server; throws an ImageError. `inSlot` runs what asks its server. */
  get(url: URL, inSlot: <T>(work: () => Promise<T>) => Promise<T>): Promise<Image>;
  /** Ends what is under way. */
  close(): void;
}

/** Memory for images of other servers; the oldest make way. */
const heldBytesMax = 32 * 1024 * 1024;
/** What an entry without a body takes of it. */
const entryBytes = 4096;
/** Time for which such an image is held. */
const imageMilliseconds = 3_600_000;
/** Time for which a server that failed is not asked for an image again. */
const failureMilliseconds = 60_000;

interface Entry {
  readonly answer: Promise<Image>;
  bytes: number;
  /** Milliseconds since the epoch; infinite while its server is asked. */
  until: number;
}

export function createImageProxy(
  { clock, refuses }: { readonly clock: Clock } & Pick<Reach, 'refuses'>,
  fetch: typeof fetchImage = fetchImage,
): ImageProxy {
  const entries = new Map<string, Entry>();
  const stopping = new AbortController();
  let heldBytes = 0;

  function remove(key: string, entry: Entry): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    heldBytes -= entry.bytes;
  }

  function finish(key: string, entry: Entry, body: number, milliseconds: number): void {
    if (entries.get(key) !== entry) return;
    entry.bytes += body;
    heldBytes += body;
    entry.until = clock.now() + milliseconds;
    for (const [oldest, other] of entries) {
      if (heldBytes <= heldBytesMax) return;
      if (other.until !== Infinity) remove(oldest, other);
    }
  }

  return {
    get(url, inSlot) {
      const key = url.href;
      const known = entries.get(key);
      if (known && known.until > clock.now()) return known.answer;
      if (known) remove(key, known);
      const answer = inSlot(() => fetch(url, { refuses, signal: stopping.signal }));
      const entry: Entry = { answer, bytes: entryBytes, until: Infinity };
      entries.set(key, entry);
      heldBytes += entryBytes;
      answer.then(
        ({ body }) => finish(key, entry, body.length, imageMilliseconds),
        (error: unknown) => {
          // A reader who found no slot, or who left, says nothing about the image.
          if (error instanceof ImageError) finish(key, entry, 0, failureMilliseconds);
          else remove(key, entry);
        },
      );
      return answer;
    },
    close: () => stopping.abort(),
  };
}
