import type { Sql } from '#platform/database/database.ts';

import { checkDeployment } from '../code-signing/check-deployment.ts';
import type { FunctionReference } from '../model/function-name.ts';
import type { CodePorts } from '../code/ingest-code.ts';
import type { KeyPorts } from '../keys/key-ring.ts';
import { provisionLater, type ProvisioningPorts } from './provision.ts';
import { findSamePublished, insertPending } from './publish-version.ts';
import type { ConfigurationChange } from '../configuration/plan-change.ts';
import { findLatest } from '../versions/find-function.ts';
import {
  checkChangeable,
  creating,
  type FunctionVersion,
} from '../configuration/function-record.ts';
import {
  findVersionById,
  insertConfiguration,
  compareAndReplaceVersionState,
} from '../configuration/function-store.ts';

type ChangePorts = ProvisioningPorts & Pick<KeyPorts, 'keys'> & Pick<CodePorts, 'codeStorage'>;

interface ChangeOptions {
  readonly revisionId: string | undefined;
  readonly warn: (text: string) => void;
  /** Whether the changed version is published as well, in the same transaction. */
  readonly publishes?: boolean;
}

/**
 * Changes a function's unpublished version. `plan` computes the change from the current version, or refuses it; nothing is stored
 * before. Of concurrent changes to the same revision one is stored, and the others find an update in progress. Returns the version that
 * was published, if the change publishes, which is the previous one when nothing has changed since.
 */
export async function changeLatest(
  ports: ChangePorts,
  reference: FunctionReference,
  options: ChangeOptions,
  plan: (version: FunctionVersion) => Promise<ConfigurationChange>,
): Promise<FunctionVersion> {
  const { database, settings } = ports;
  const { revisionId, warn, publishes = false } = options;
  for (;;) {
    const version = await database.read((sql) => findLatest(sql, settings, reference));
    checkChangeable(version, settings, revisionId);
    const change = await plan(version);
    const published = publishes
      ? await findSamePublished(ports, after(version, change))
      : undefined;
    const changed = await store(ports, version, change, publishes && !published);
    if (changed) {
      if (changed.warning !== undefined) warn(changed.warning);
      // The unpublished version, and the published one if the change publishes.
      for (const id of new Set([version.id, changed.version.id])) provisionLater(ports, id);
      return published ?? changed.version;
    }
  }
}

/** The version with the configuration that it is going to have. */
function after(
  version: FunctionVersion,
  { configuration, variables }: ConfigurationChange,
): FunctionVersion {
  const desired = { id: Infinity, configuration, sealedVariables: variables };
  return { ...version, desired };
}

interface Stored {
  /** The changed version, or what was published of it. */
  readonly version: FunctionVersion;
  /** The warning of code signing, which allowed the change. */
  readonly warning: string | undefined;
}

/** Undefined when another request was first. */
function store(
  { database, codeStorage, clock, random, settings }: ChangePorts,
  version: FunctionVersion,
  change: ConfigurationChange,
  publishes: boolean,
): Promise<Stored | undefined> {
  const [revisionId, publishedRevisionId] = [random.id(), random.id()];
  const lastModified = clock.now();
  const { Code } = change.configuration;
  const isNewCode = Code.sha256 !== version.desired.configuration.Code.sha256;
  const addedBytes = (isNewCode ? Code.size : 0) + (publishes ? Code.size : 0);
  const write = async (sql: Sql): Promise<Stored | undefined> => {
    const warning = change.deploysCode ? await checkDeployment(sql, settings, version) : undefined;
    const configurationId = await insertConfiguration(
      sql,
      version.functionId,
      change.configuration,
      change.variables,
    );
    const first = await compareAndReplaceVersionState(sql, version.id, version.revisionId, {
      configurationId,
      activeConfigurationId: version.activeConfigurationId,
      revisionId,
      lastModified,
      state: version.state.value === 'Failed' ? version.state : { value: 'Active' },
      // AWS Lambda gives an update this reason too.
      lastUpdate: { value: 'InProgress', reason: creating },
    });
    if (!first) throw new Superseded();
    const id = publishes
      ? await insertPending(sql, version.functionId, {
          configurationId: await insertConfiguration(
            sql,
            version.functionId,
            change.configuration,
            change.variables,
          ),
          revisionId: publishedRevisionId,
          lastModified,
        })
      : version.id;
    const changed = await findVersionById(sql, id);
    return changed && { version: changed, warning };
  };
  // Only what adds code counts against the quota of code storage.
  const stored =
    addedBytes === 0 ? database.write(write) : codeStorage.write(database, addedBytes, write);
  return stored.catch((error: unknown) => {
    if (error instanceof Superseded) return undefined;
    throw error;
  });
}

/** Rolls back the transaction of a change that came second. */
class Superseded extends Error {}
