import { present } from '#platform/present.ts';

import type { TemporaryCredentials } from '../access-keys/session-tokens.ts';
import type { Variables } from '../configuration/configuration.ts';
import type { InitializationType } from '../logs/environment-log.ts';
import type { ProgramPlan } from './plan-program.ts';
import type { VersionSpec } from './version-spec.ts';

/** Sources of a program's environment variables in addition to its version and its plan. */
interface VariableSources {
  /** What leads to the server itself. */
  readonly service: Readonly<Record<string, string>>;
  /** The function's own. */
  readonly variables: Variables;
  readonly credentials: TemporaryCredentials;
  readonly region: string;
  readonly logStream: string;
  /** `host:port` of the Runtime API. */
  readonly runtimeApi: string;
}

/** What the function, its runtime and its image set: the function's own replace what a runtime or an image sets, such as PATH and TZ. */
export function ownVariables(
  { environment }: Pick<ProgramPlan, 'environment'>,
  variables: Variables,
): Variables {
  return { ...environment, ...variables };
}

/** All environment variables of a function's program, as on AWS: the reserved ones are the platform's (recorded answers). */
export function programEnvironment(
  spec: VersionSpec,
  plan: Pick<ProgramPlan, 'environment' | 'bundledRuntimeInterfaceClient'>,
  { service, variables, credentials, region, logStream, runtimeApi }: VariableSources,
): Readonly<Record<string, string>> {
  const { configuration, functionName, version, concurrency } = spec;
  const logging = configuration.LoggingConfig;
  return {
    ...service,
    ...ownVariables(plan, variables),
    ...present({ _HANDLER: configuration.Handler }),
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: version,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(configuration.MemorySize),
    AWS_LAMBDA_INITIALIZATION_TYPE: initializationTypeOf(spec),
    AWS_LAMBDA_LOG_GROUP_NAME: logging.LogGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    ...(logging.LogFormat === 'JSON'
      ? { AWS_LAMBDA_LOG_FORMAT: 'JSON', AWS_LAMBDA_LOG_LEVEL: logging.ApplicationLogLevel }
      : {}),
    // Only our own runtime client knows the socket, and it hides it from the function.
    ...(plan.bundledRuntimeInterfaceClient
      ? { HOB_RUNTIME_SOCKET: `${socketFolderInside}/runtime` }
      : {}),
    ...(concurrency === undefined ? {} : { AWS_LAMBDA_MAX_CONCURRENCY: String(concurrency) }),
  };
}

export function initializationTypeOf({
  concurrency,
  fromSnapshot,
  provisioned,
}: VersionSpec): InitializationType {
  if (concurrency !== undefined) return 'lambda-managed-instances';
  if (fromSnapshot === true) return 'snap-start';
  return provisioned === true ? 'provisioned-concurrency' : 'on-demand';
}

/** The directory of the Runtime API's socket, as programs see it. */
export const socketFolderInside = '/run/hob';
