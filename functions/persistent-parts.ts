import { join } from 'node:path';

import { createSessionTokens, type SessionTokens } from './access-keys/session-tokens.ts';
import { openAuditLog } from './audit/audit-log.ts';
import { openCodeFiles } from './code/code-files.ts';
import { createCodeStorageQuota } from './code/code-storage-quota.ts';
import { measureCode } from './code/code-store.ts';
import { openImages } from './code/images/images.ts';
import { forgetGoneKeys } from './keys/administer-keys.ts';
import { createKeyRing } from './keys/key-ring.ts';
import { finishRotation } from './keys/rotate-service-key.ts';
import { openServiceKey } from './keys/service-key.ts';
import { openMergedLayers, type MergedLayers } from './layers/merge-layers.ts';
import { openLogStreams, type LogStreams } from './logs/log-streams.ts';
import type { FunctionPorts } from './http/function-ports.ts';
import { sealedColumns } from './sealed-columns.ts';
import type { FunctionSettings } from './ports/settings.ts';
import type { FunctionStart, FunctionServicePorts } from './start-settings.ts';
/** The folder of all log groups. */
export const logsName = 'logs';

/** What outlives the program. */
export type PersistentParts = Pick<
  FunctionPorts,
  'serviceKey' | 'keys' | 'audit' | 'code' | 'codeStorage' | 'images'
> & {
  readonly logs: LogStreams;
  readonly mergedLayers: MergedLayers;
  readonly sessions: SessionTokens;
};

export async function openPersistentParts(
  { database, clock, random, log }: FunctionServicePorts,
  settings: FunctionSettings,
  { folder, imagesFolder }: FunctionStart,
  closers: (() => Promise<void>)[],
): Promise<PersistentParts> {
  const keyPorts = { database, clock, random, folder };
  if (await finishRotation(keyPorts, sealedColumns))
    log.info({}, 'finished an interrupted rotation of the service key');
  const serviceKey = await openServiceKey(keyPorts);
  await forgetGoneKeys({ database, clock });
  const onLost = (err: unknown, lines: string): void =>
    log.error({ err, lines }, 'writing to the audit log failed');
  const audit = await openAuditLog({ path: join(folder, 'audit.log'), clock, onLost });
  closers.push(() => audit.close());
  const logs = openLogStreams({
    folder: join(folder, logsName),
    onError: (err, group) => log.error({ err, group }, 'writing function logs failed'),
  });
  closers.push(() => logs.close());
  const code = await openCodeFiles(join(folder, 'code'));
  return {
    serviceKey,
    audit,
    logs,
    keys: createKeyRing({ database, clock, random, serviceKey, site: settings }),
    sessions: createSessionTokens({ clock, random, serviceKey }),
    code,
    mergedLayers: await openMergedLayers(join(folder, 'layers'), code.treeFolder),
    codeStorage: createCodeStorageQuota(settings.codeBytesMax, () => database.read(measureCode)),
    images: await openImages(join(folder, 'images'), imagesFolder),
  };
}
