import type { Sql } from '#platform/database/database.ts';

import { keyName, nonceLength, sealerOf } from './seal.ts';
import {
  keyOf,
  loadServiceKeys,
  type KnownKey,
  type LoadedKeys,
  sealWith,
  serviceKeyPaths,
  type ServiceKeyPorts,
  unsealWith,
} from './service-key.ts';
import { makeKeyFile, readKeyFile, removeDrafts, renameKeyFile } from './service-key-file.ts';
import { beginKeyChange, endKeyChange, readFingerprints } from './service-key-store.ts';

/** A column of texts encrypted with the service key. Rotation encrypts all of them again. */
export interface SealedColumn {
  /** Texts not encrypted with the key of this name, after the row of this id, in the order of ids. */
  list(sql: Sql, keyName: string, after: string, max: number): Promise<SealedText[]>;
  /** Replaces a text; does nothing if it has changed meanwhile. */
  replace(sql: Sql, id: string, old: string, text: string): Promise<void>;
}

export interface SealedText {
  readonly id: string;
  readonly text: string;
  /** The encryption context. */
  readonly context: string;
}

export interface Rotated {
  /** Texts encrypted with the new key. */
  readonly sealed: number;
  /** Texts that no key could decrypt, before and after. */
  readonly unreadable: number;
}

/** Each step is durable before the next one starts; tests end the process after any of them. */
export type RotationStep = 'key-made' | 'announced' | 'some-sealed' | 'switched' | 'replaced';

/**
 * Encrypts all stored secrets with a new service key, whether a server runs or not, and resumes an interrupted rotation. At any time
 * the keys on the disk can decrypt everything:
 *
 * 1. The new key is created next to the old one.
 * 2. The database names it as the encrypting key. A server that would store a text encrypted with the old one is refused by
 *    `requireCurrentSeal` in the same transaction, and reads the new one.
 * 3. All texts are encrypted again, in several transactions.
 * 4. One transaction finds no remaining texts and names the new key as the only one.
 * 5. The new file replaces the old one.
 */
export async function rotateServiceKey(
  ports: ServiceKeyPorts,
  columns: readonly SealedColumn[],
  onStep: (step: RotationStep) => Promise<void> = async () => {},
): Promise<Rotated> {
  const paths = serviceKeyPaths(ports.folder);
  const { current, sealing: announced } = await loadServiceKeys(ports);
  const fresh = ports.random.bytes(32);
  const bytes =
    (await readKeyFile(paths.next)) ?? (await makeKeyFile(paths.next, fresh, ports.random.id()));
  const next = keyOf(bytes);
  await onStep('key-made');
  if (announced.fingerprint !== next.fingerprint) {
    const started = await ports.database.write((sql) =>
      beginKeyChange(sql, current.fingerprint, next.fingerprint),
    );
    if (!started) throw new Error('Another process replaced the service key at the same time.');
  }
  await onStep('announced');
  const keys = { current, sealing: next };
  const sealed = await sealAll(ports, columns, keys, () => onStep('some-sealed'));
  const unreadable = await switchKeys(ports, columns, keys);
  await onStep('switched');
  await renameKeyFile(paths.next, paths.current);
  await removeDrafts(paths.next);
  await onStep('replaced');
  return { sealed, unreadable };
}

/** Finishes an interrupted rotation; false when there was none. */
export async function finishRotation(
  ports: ServiceKeyPorts,
  columns: readonly SealedColumn[],
): Promise<boolean> {
  const known = await ports.database.read(readFingerprints);
  if (known?.next === undefined) return false;
  await rotateServiceKey(ports, columns);
  return true;
}

/** Encrypted texts that a rotation of the service key reads at once. */
const textsAtOnce = 200;

async function sealAll(
  ports: ServiceKeyPorts,
  columns: readonly SealedColumn[],
  keys: LoadedKeys,
  onSome: () => Promise<void>,
): Promise<number> {
  let sealed = 0;
  for (const column of columns) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const start: string = after;
      const some = await ports.database.write((sql) => sealSome(ports, sql, column, keys, start));
      sealed += some.sealed;
      after = some.last;
      await onSome();
    }
  }
  return sealed;
}

interface Some {
  readonly sealed: number;
  readonly unreadable: number;
  /** Undefined: there are no more. */
  readonly last: string | undefined;
}

async function sealSome(
  { random }: Pick<ServiceKeyPorts, 'random'>,
  sql: Sql,
  column: SealedColumn,
  { current, sealing }: LoadedKeys,
  after: string,
): Promise<Some> {
  const texts = await column.list(sql, keyName(sealing.fingerprint), after, textsAtOnce);
  let sealed = 0;
  for (const { id, text, context } of texts) {
    const plain = opened(current, text, context);
    if (!plain) continue;
    const again = sealWith(sealing, plain, context, random.bytes(nonceLength));
    await column.replace(sql, id, text, again);
    sealed += 1;
  }
  return { sealed, unreadable: texts.length - sealed, last: texts.at(-1)?.id };
}

/** Texts that are still not encrypted with the new key were added meanwhile; they are encrypted in the same transaction. */
function switchKeys(
  ports: ServiceKeyPorts,
  columns: readonly SealedColumn[],
  keys: LoadedKeys,
): Promise<number> {
  return ports.database.write(async (sql) => {
    let unreadable = 0;
    for (const column of columns) {
      for (let after: string | undefined = ''; after !== undefined;) {
        const some: Some = await sealSome(ports, sql, column, keys, after);
        after = some.last;
        unreadable += some.unreadable;
      }
    }
    await endKeyChange(sql, keys.sealing.fingerprint, ports.clock.now());
    return unreadable;
  });
}

function opened(key: KnownKey, text: string, context: string): Buffer | undefined {
  const name = sealerOf(text);
  const another = name !== undefined && name !== keyName(key.fingerprint);
  return another ? undefined : unsealWith(key, text, context);
}
