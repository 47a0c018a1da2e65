import type { FastifyBaseLogger } from 'fastify';

import { inBackground } from '#platform/in-background.ts';

import { refuse } from '../errors/api-error.ts';
import { TargetError } from '../http/checked-request.ts';
import { addressesOf, isPrivateAddress } from '../http/private-target.ts';
import type { Ports } from '../ports/ports.ts';
import { beginImport, endImport, noteProgress, type RepositoryImport } from './import-store.ts';
import { ImportError, parseImportUrl } from './import-source.ts';
import { runImport } from './run-import.ts';

/** Imports of repositories from other servers. */
export interface Imports {
  /**
   * Reserves an import of a URL for a user. Refuses a URL that nothing is imported from, and a user who has too many imports under
   * way. `use` starts it; a reservation that it does not use is over when it ends.
   */
  reserve<T>(
    request: { readonly url: string; readonly accountId: number },
    use: (reservation: ReservedImport) => Promise<T>,
  ): Promise<T>;
  /** Ends what is under way, and waits for it. */
  close(): Promise<void>;
}

export interface ReservedImport {
  /** Begins the import into an empty repository; refuses where one is under way, or the repository is not empty. */
  start(repositoryId: number): Promise<void>;
}

interface StartedImport {
  readonly repositoryId: number;
  readonly accountId: number;
  readonly url: URL;
}

/** Imports at once. */
const importsMax = 4;
/** Imports of one user at once. */
const importsOfOneMax = 1;
/** Time of an import. */
const secondsMax = 3600;
/** Time between two records of the progress of an import. */
const progressMilliseconds = 1000;
/** Time without progress after which an import counts as interrupted by the end of its server. */
const silentMilliseconds = 60_000;

/** Whether the server that imports was stopped meanwhile. */
export function isInterrupted({ state, updatedAt }: RepositoryImport, now: number): boolean {
  return state === 'importing' && updatedAt < now - silentMilliseconds;
}

/** As the operator lets this server import. */
export function openImports(ports: Ports, log: FastifyBaseLogger): Imports | undefined {
  const { imports } = ports.settings;
  if (imports === 'off') return undefined;
  return createImports(ports, { log, privateTargets: imports === 'private' });
}

function createImports(
  ports: Ports,
  { log, privateTargets }: { readonly log: FastifyBaseLogger; readonly privateTargets: boolean },
): Imports {
  const { database, clock } = ports;
  const refuses = privateTargets ? (): boolean => false : isPrivateAddress;
  const stopping = new AbortController();
  /** Reserved and running imports, by the accounts that they are of. */
  const slots = new Map<symbol, number>();
  const running = new Set<Promise<void>>();

  async function run(started: StartedImport): Promise<void> {
    const { repositoryId } = started;
    const timeout = AbortSignal.timeout(secondsMax * 1000);
    const signal = AbortSignal.any([stopping.signal, timeout]);
    let receivedBytes = 0;
    const progress = setInterval(() => {
      inBackground(
        database.write((sql) => noteProgress(sql, repositoryId, receivedBytes, clock.now())),
        (error) =>
          log.warn({ err: error, repositoryId }, 'noting the progress of an import failed'),
      );
    }, progressMilliseconds);
    const received = (bytes: number): void => {
      receivedBytes += bytes;
    };
    let end: { state: 'complete' | 'failed'; message: string | null };
    try {
      const reach = { refuses, signal };
      end = {
        state: 'complete',
        message: await runImport(ports, { ...started, reach, log, received }),
      };
    } catch (error) {
      end = { state: 'failed', message: messageOf(error, timeout) };
      if (end.message === unknownFailure)
        log.error({ err: error, repositoryId }, 'an import failed');
    } finally {
      clearInterval(progress);
    }
    await database.write((sql) =>
      endImport(sql, repositoryId, { ...end, receivedBytes }, clock.now()),
    );
  }

  function messageOf(error: unknown, timeout: AbortSignal): string {
    if (error instanceof ImportError || error instanceof TargetError) return error.message;
    if (stopping.signal.aborted) return 'The server was stopped. Try again.';
    if (timeout.aborted) return `It took longer than ${secondsMax} seconds.`;
    return unknownFailure;
  }

  return {
    async reserve({ url: text, accountId }, use) {
      const url = await checkUrl(text, refuses);
      const slot = takeSlot(slots, accountId);
      let isStarted = false;
      try {
        return await use({
          async start(repositoryId) {
            const started = { repositoryId, accountId, url };
            await recordBegin(ports, started);
            isStarted = true;
            const importing = run(started).finally(() => {
              slots.delete(slot);
              running.delete(importing);
            });
            running.add(importing);
            inBackground(importing, (error) =>
              log.error({ err: error, repositoryId }, 'an import was not recorded'),
            );
          },
        });
      } finally {
        if (!isStarted) slots.delete(slot);
      }
    },
    async close() {
      stopping.abort(new Error('the server is stopping'));
      await Promise.allSettled(running);
    },
  };
}

const unknownFailure = 'Its server could not be reached, or broke off.';

function unprocessable(message: string): never {
  refuse({ kind: 'unprocessable', message });
}

async function checkUrl(text: string, refuses: (address: string) => boolean): Promise<URL> {
  const url = parseImportUrl(text);
  if (!url) {
    return unprocessable('Enter the address of a repository, https://…, without credentials.');
  }
  const addresses = await addressesOf(url);
  // The same for both: users would learn which names there are in private networks.
  if (addresses.length === 0 || addresses.some((each) => refuses(each))) {
    unprocessable(
      `${url.hostname} has no address, or a loopback or private one. The operator of this server can allow those with HOB_IMPORTS=private.`,
    );
  }
  return url;
}

/** Nothing is awaited between the check and the reservation, so that requests at once get no more than their number. */
function takeSlot(slots: Map<symbol, number>, accountId: number): symbol {
  const own = [...slots.values()].filter((id) => id === accountId).length;
  if (own >= importsOfOneMax) unprocessable('One of your imports is under way. Wait for it.');
  if (slots.size >= importsMax) {
    unprocessable('Too many imports are under way. Try again later.');
  }
  const slot = Symbol('import');
  slots.set(slot, accountId);
  return slot;
}

async function recordBegin(
  { clock, database, git }: Pick<Ports, 'clock' | 'database' | 'git'>,
  started: StartedImport,
): Promise<void> {
  const refs = await git.repository(started.repositoryId).listRefs('refs/');
  if (refs.length > 0) unprocessable('The repository is not empty any more.');
  const now = clock.now();
  const row = { ...started, url: started.url.href };
  const heardSince = now - silentMilliseconds;
  if (!(await database.write((sql) => beginImport(sql, row, { now, heardSince })))) {
    unprocessable('The repository is being imported already.');
  }
}
