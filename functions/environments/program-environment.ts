import { present } from '#platform/present.ts';

import type { Configuration, Variables } from '../configuration/configuration.ts';
import type { InitializationType } from '../logs/environment-log.ts';
import type { TemporaryCredentials } from '../access-keys/session-tokens.ts';

/** The sources of a program's environment variables. */
export interface ProgramContext {
  readonly functionName: string;
  readonly version: string;
  readonly configuration: Configuration;
  /** The function's own. */
  readonly variables: Variables;
  /** What leads to the server itself. */
  readonly service: Readonly<Record<string, string>>;
  /** What its runtime adds. */
  readonly runtime: Readonly<Record<string, string>>;
  readonly credentials: TemporaryCredentials;
  readonly region: string;
  readonly logStream: string;
  /** `host:port` of the Runtime API. */
  readonly runtimeApi: string;
  readonly initializationType: InitializationType;
  /** Whether our own runtime client runs the function: only it knows the socket, and it hides it from the function. */
  readonly bundledClient: boolean;
}

/** All environment variables of a function's program, as on AWS; those of the platform take precedence (recorded answers). */
export function programEnvironment(of: ProgramContext): Readonly<Record<string, string>> {
  const { configuration, credentials } = of;
  const { LogFormat, LogGroup, ApplicationLogLevel } = configuration.LoggingConfig;
  return {
    ...of.service,
    ...of.variables,
    ...of.runtime,
    ...present({ _HANDLER: configuration.Handler }),
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_REGION: of.region,
    AWS_DEFAULT_REGION: of.region,
    AWS_LAMBDA_FUNCTION_NAME: of.functionName,
    AWS_LAMBDA_FUNCTION_VERSION: of.version,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(configuration.MemorySize),
    AWS_LAMBDA_INITIALIZATION_TYPE: of.initializationType,
    AWS_LAMBDA_LOG_GROUP_NAME: LogGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: of.logStream,
    AWS_LAMBDA_RUNTIME_API: of.runtimeApi,
    ...(LogFormat === 'JSON'
      ? { AWS_LAMBDA_LOG_FORMAT: 'JSON', AWS_LAMBDA_LOG_LEVEL: ApplicationLogLevel ?? 'INFO' }
      : {}),
    ...(of.bundledClient ? { HOB_RUNTIME_SOCKET: `${socketFolderInside}/runtime` } : {}),
  };
}

/** The directory of the Runtime API's socket, as programs see it. */
export const socketFolderInside = '/run/hob';
