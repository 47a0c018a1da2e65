import { join } from 'node:path';

import type { FunctionStart } from '#functions/persistent-parts.ts';
import { openSandboxPorts, type SandboxPorts } from '#functions/sandbox-ports.ts';
import type { LockedDataDirectory } from '#platform/data-directory.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Settings } from '#settings/setting-values.ts';

import type { PublicUrls } from './public-urls.ts';
import { developmentAuthority } from './development-certificate.ts';
import { createSandboxServer, type SandboxServerOptions } from './sandbox-server.ts';

/** What the function service starts with, and the launcher process, which goes on while the service is started again. */
export interface FunctionDependencies {
  readonly start: FunctionStart;
  readonly sandboxes: SandboxPorts;
  close(): Promise<void>;
}

export async function openFunctionDependencies(
  log: Log,
  settings: Settings & PublicUrls,
  data: LockedDataDirectory,
  http: Pick<SandboxServerOptions, 'certificate' | 'headerNames' | 'sharing' | 'answer'>,
): Promise<FunctionDependencies> {
  const { baseUrl, functions } = settings;
  const { certificate } = http;
  const sandboxServer = createSandboxServer({
    ...http,
    baseUrl,
    bytesPerSecondMin: settings.bytesPerSecondMin,
    authority: certificate && (await developmentAuthority(data.path, certificate.cert)),
  });
  try {
    if (functions.forge && !sandboxServer.servesBaseUrl) warnOfMissingCertificate(log);
    const start: FunctionStart = {
      ...functions,
      dataDirectory: data.path,
      folder: join(data.path, 'functions'),
      sharedFolder: settings.cluster && join(settings.cluster.data, 'functions'),
      codeLocation: settings.code,
      socketsFolder: join(data.socketsFolder, 'run'),
      ownFolders: [data.path, join(data.path, 'functions'), data.socketsFolder],
      objects: objectsOf(settings),
      sandboxServer,
    };
    const sandboxes = await openSandboxPorts(log, settings, start);
    return {
      start,
      sandboxes,
      async close() {
        await sandboxes.close();
        sandboxServer.close();
      },
    };
  } catch (error) {
    sandboxServer.close();
    throw error;
  }
}

/** A proxy in front of the server has it, and is not in the network namespaces of functions. */
function warnOfMissingCertificate(log: Log): void {
  log.warn(
    {},
    'functions without the network of the host do not reach this server: the base URL is HTTPS, and --tls-cert is not set',
  );
}

function objectsOf({ functions, region }: Settings): FunctionStart['objects'] {
  const { objectsFolder, objectsEndpoint } = functions;
  if (objectsFolder !== undefined && objectsEndpoint !== undefined) {
    throw new OperatorError(
      'HOB_S3_FOLDER and HOB_S3_ENDPOINT are mutually exclusive: set only one.',
    );
  }
  if (objectsFolder !== undefined) return { folder: objectsFolder };
  if (objectsEndpoint === undefined) return undefined;
  const { objectsAccessKeyId, objectsSecretAccessKey } = functions;
  const key = { id: objectsAccessKeyId, secret: objectsSecretAccessKey };
  return { url: objectsEndpoint, region, key };
}
