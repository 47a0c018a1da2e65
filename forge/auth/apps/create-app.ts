import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

import type { Sql } from '#platform/database/database.ts';
import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { findAccount, insertAccount } from '../../accounts/account-store.ts';
import { type FieldError, invalid, notFound } from '../../errors/api-error.ts';
import { emitEventTo } from '../../events/event-outbox-store.ts';
import { writeAccounts } from '../../events/invalidate.ts';
import { botLogin } from '../../model/account.ts';
import { type App, slugOfApp } from '../../model/app.ts';
import type { AdministrationPorts } from '../../ports/ports.ts';
import { sha256 } from '../token.ts';
import {
  appById,
  consumeManifestCode,
  countApps,
  findManifestCode,
  insertApp,
  insertManifestCode,
  replaceAppKey,
} from './app-store.ts';
import type { AppManifest } from './manifest-input.ts';

export interface CreatedApp {
  readonly app: App;
  /** PKCS #1, PEM, as GitHub's. Returned only once: only the public key is stored. */
  readonly privateKey: string;
  /** Returned only once: only its hash is stored. */
  readonly clientSecret: string;
}

const generate = promisify(generateKeyPair);

/** Validity of a code of the manifest flow, which holds once, as on GitHub. */
const codeMilliseconds = 60 * 60_000;
/** Open codes of the manifest flow of an owner; the oldest end. */
const codesMax = 10;
/** Apps of an owner, as on GitHub. */
const appsMax = 100;

type CreationPorts = Pick<AdministrationPorts, 'clock' | 'database' | 'randomBytes'>;

/** A code that is exchanged once for an App with this manifest, which belongs to the owner. */
export async function createManifestCode(
  sql: Sql,
  ports: Pick<CreationPorts, 'clock' | 'randomBytes'>,
  { ownerId, creatorId }: { readonly ownerId: number; readonly creatorId: number },
  manifest: AppManifest,
): Promise<string> {
  const code = Buffer.from(ports.randomBytes(20)).toString('hex');
  const now = ports.clock.now();
  await refuseTooManyApps(sql, ownerId);
  await insertManifestCode(sql, {
    sha256: sha256(code),
    ownerId,
    creatorId,
    manifest,
    now,
    expiresAt: now + codeMilliseconds,
    codesMax,
  });
  return code;
}

/** Exchanges a code for its App. A code whose App is refused stays, because nothing of it was given out. */
export async function createAppOfCode(ports: CreationPorts, code: string): Promise<CreatedApp> {
  const hash = sha256(code);
  const find = async (sql: Sql): Promise<{ ownerId: number; manifest: AppManifest }> =>
    (await findManifestCode(sql, hash, ports.clock.now())) ?? notFound();
  const { ownerId, manifest } = await ports.database.read(find);
  return createApp(ports, ownerId, manifest, {
    check: find,
    async begin(sql) {
      if (!(await consumeManifestCode(sql, hash))) notFound();
    },
  });
}

interface CreationSteps {
  /** Refuses what has ended. Generating keys takes a while, so it runs before that and after it. */
  readonly check: (sql: Sql) => Promise<unknown>;
  /** Runs in the transaction of the creation. */
  readonly begin: (sql: Sql) => Promise<void>;
}

/** Creates an App with its bot and its key, or refuses if the name is taken. */
export async function createApp(
  ports: CreationPorts,
  ownerId: number,
  manifest: AppManifest,
  { check, begin }: CreationSteps = { check: async () => {}, begin: async () => {} },
): Promise<CreatedApp> {
  const requireCreatable = (): Promise<void> =>
    ports.database.read(async (sql) => {
      await check(sql);
      await requireFreeName(sql, manifest.name);
      await refuseTooManyApps(sql, ownerId);
    });
  await requireCreatable();
  const { publicKey, privateKey } = await generateKeys(requireCreatable);
  const hex = (bytes: number): string => Buffer.from(ports.randomBytes(bytes)).toString('hex');
  const clientSecret = hex(20);
  const clientId = `Iv1.${hex(8)}`;
  const slug = slugOfApp(manifest.name) ?? invalid(takenName(manifest.name));
  const now = ports.clock.now();
  try {
    const app = await writeAccounts(ports.database, async (sql) => {
      await check(sql);
      await begin(sql);
      await refuseTooManyApps(sql, ownerId);
      const bot = await insertAccount(sql, { kind: 'user', login: botLogin(slug), now });
      const id = await insertApp(sql, {
        ...manifest,
        slug,
        ownerId,
        botId: bot.id,
        clientId,
        clientSecretSha256: sha256(clientSecret),
        publicKey,
        externalUrl: manifest.url,
        hook: {
          url: manifest.hookUrl,
          secret: hex(20),
          contentType: 'json',
          insecureSsl: false,
          active: manifest.hookActive,
        },
        permissions: { ...manifest.permissions, metadata: 'read' },
        now,
      });
      const created = await appById(sql, id);
      if (created && created.hook.url !== null && created.hook.active) {
        await emitEventTo(sql, created.hook.id, { event: 'ping', actorId: null }, now);
      }
      return created;
    });
    if (!app) throw new Error('the new App was not found');
    return { app, privateKey, clientSecret };
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    return invalid(takenName(manifest.name));
  }
}

/** Gives an App another key: tokens signed with the old one are refused from now on. Returns the private key. */
export async function replaceKey(
  { database }: Pick<AdministrationPorts, 'database'>,
  appId: number,
): Promise<string> {
  const { publicKey, privateKey } = await generateKeys();
  await database.write((sql) => replaceAppKey(sql, appId, publicKey));
  return privateKey;
}

let generating: Promise<unknown> = Promise.resolve();

/**
 * One at a time, because each takes a thread of the few that also read files and hash passwords. `check` refuses as soon as it is its turn: a code
 * may be sent many times at once.
 */
function generateKeys(
  check: () => Promise<void> = async () => {},
): Promise<{ publicKey: string; privateKey: string }> {
  const generated = generating.then(check).then(generatePair);
  // A failure is for its own caller; the next one starts anew.
  generating = generated.catch(() => {});
  return generated;
}

function generatePair(): Promise<{ publicKey: string; privateKey: string }> {
  return generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
}

/** Refuses a name whose bot exists. */
export async function requireFreeName(sql: Sql, name: string): Promise<void> {
  const slug = slugOfApp(name);
  if (slug !== undefined && !(await findAccount(sql, botLogin(slug)))) return;
  invalid(takenName(name));
}

/** Refuses an owner who has as many Apps as there may be. */
async function refuseTooManyApps(sql: Sql, ownerId: number): Promise<void> {
  if ((await countApps(sql, ownerId)) < appsMax) return;
  invalid({
    resource: 'Integration',
    code: 'custom',
    message: `An account can own at most ${appsMax} Apps.`,
  });
}

function takenName(name: string): FieldError {
  return {
    resource: 'Integration',
    field: 'name',
    code: 'custom',
    message: `name '${name}' is already taken by another App`,
  };
}
