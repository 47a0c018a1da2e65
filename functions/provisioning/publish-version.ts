import { isDeepStrictEqual } from 'node:util';

import type { Sql } from '#platform/database/database.ts';

import { base64Digest } from '../code/code-files.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import { creating, type FunctionVersion } from '../configuration/function-record.ts';
import {
  findVersionById,
  insertConfiguration,
  insertVersion,
  compareAndReplaceVersionState,
  takeVersionNumber,
  type VersionState,
} from '../configuration/function-store.ts';
import { openVariables } from '../configuration/variables-store.ts';
import type { CodePorts } from '../code/ingest-code.ts';
import type { KeyPorts } from '../keys/key-ring.ts';
import { prewarmLater, provisionLater, type ProvisioningPorts } from './provision.ts';
import { findLastPublished } from './provisioning-store.ts';

export interface PublishOptions {
  readonly description?: string | undefined;
  /** The expected hash of the code, in base64. */
  readonly codeSha256?: string | undefined;
}

/** What publishing needs. */
type PublishPorts = ProvisioningPorts & Pick<KeyPorts, 'keys'> & Pick<CodePorts, 'codeStorage'>;

/**
 * Publishes the current state of the unpublished version under a number of its own. Returns the previous version when nothing has
 * changed since. Undefined when the function was changed meanwhile.
 */
export async function publishVersion(
  ports: PublishPorts,
  latest: FunctionVersion,
  options: PublishOptions,
): Promise<FunctionVersion | undefined> {
  checkCode(latest, options.codeSha256);
  const before = await findSamePublished(ports, latest);
  if (before) return before;
  const { size } = latest.desired.configuration.Code;
  return ports.codeStorage.reserve(size, 0, () => store(ports, latest, options));
}

/** The last published version, if the unpublished one has not changed since. */
export async function findSamePublished(
  ports: Pick<PublishPorts, 'database' | 'keys'>,
  latest: ComparedVersion,
): Promise<FunctionVersion | undefined> {
  const before = await ports.database.read((sql) => findLastPublished(sql, latest.functionId));
  return before && (await isSame(ports, before, latest)) ? before : undefined;
}

type ComparedVersion = Pick<FunctionVersion, 'functionId' | 'name' | 'desired'>;

function checkCode({ desired }: FunctionVersion, wanted: string | undefined): void {
  const current = base64Digest(desired.configuration.Code.sha256);
  if (wanted === undefined || wanted === current) return;
  throw invalidParameter(
    `CodeSHA256 (${wanted}) is different from current CodeSHA256 in $LATEST (${current}). Please try again with the CodeSHA256 in $LATEST.`,
  );
}

async function isSame(
  { keys }: Pick<KeyPorts, 'keys'>,
  before: FunctionVersion,
  latest: ComparedVersion,
): Promise<boolean> {
  // Every change stores a configuration with a higher id.
  const compared = latest.desired.id > before.desired.id ? settingsOf : settingsButDescription;
  if (!isDeepStrictEqual(compared(before), compared(latest))) return false;
  const variables = await Promise.all(
    [before, latest].map(({ name, desired }) => openVariables(keys, name, desired.sealedVariables)),
  );
  const revealed = variables.map((opened) =>
    opened.kind === 'open' ? opened.variables.reveal() : opened,
  );
  return isDeepStrictEqual(revealed[0], revealed[1]);
}

function settingsOf(version: ComparedVersion): object {
  return version.desired.configuration;
}

/** A version may be published with a description of its own; a different description alone creates no new version. */
function settingsButDescription({ desired: { configuration } }: ComparedVersion): object {
  const { Description: _own, ...shared } = configuration;
  return shared;
}

async function store(
  ports: PublishPorts,
  latest: FunctionVersion,
  { description }: PublishOptions,
): Promise<FunctionVersion | undefined> {
  const { database, random, clock } = ports;
  const { configuration, sealedVariables } = latest.desired;
  const revisions = [random.id(), random.id()] as const;
  // A configuration that was provisioned as $LATEST starts as a numbered version too.
  // A snapshot must be created first.
  const proven =
    latest.activeConfigurationId === latest.desired.id &&
    configuration.SnapStart.ApplyOn === 'None';
  const { size } = configuration.Code;
  const versionId = await ports.codeStorage.write(database, size, async (sql) => {
    const unchanged = await compareAndReplaceVersionState(sql, latest.id, latest.revisionId, {
      ...versionStateOf(latest),
      revisionId: revisions[0],
    });
    if (!unchanged) return undefined;
    const configurationId = await insertConfiguration(
      sql,
      latest.functionId,
      { ...configuration, Description: description ?? configuration.Description },
      sealedVariables,
    );
    const made = { configurationId, revisionId: revisions[1], lastModified: clock.now() };
    if (!proven) return insertPending(sql, latest.functionId, made);
    return insertVersion(sql, latest.functionId, await takeVersionNumber(sql, latest.functionId), {
      ...made,
      activeConfigurationId: configurationId,
      state: { value: 'Active' },
      lastUpdate: { value: 'Successful' },
    });
  });
  if (versionId === undefined) return undefined;
  const published = await database.read((sql) => findVersionById(sql, versionId));
  if (proven && published) prewarmLater(ports, published);
  else provisionLater(ports, versionId);
  return published;
}

/** Inserts the next version, which has yet to be provisioned. */
export async function insertPending(
  sql: Sql,
  functionId: number,
  made: Pick<VersionState, 'configurationId' | 'revisionId' | 'lastModified'>,
): Promise<number> {
  return insertVersion(sql, functionId, await takeVersionNumber(sql, functionId), {
    ...made,
    activeConfigurationId: undefined,
    state: { value: 'Pending', reason: creating },
    lastUpdate: undefined,
  });
}

function versionStateOf(version: FunctionVersion): VersionState {
  return { ...version, configurationId: version.desired.id };
}
