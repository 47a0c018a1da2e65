/** The settings that can be given when a function is made and changed afterwards, in the order of the spec's table. */
import {
  memoryMiBDefault,
  memoryMiBMax,
  timeoutSecondsDefault,
  timeoutSecondsMax,
} from '../limits.ts';
import {
  handlerPattern,
  layerVersionArnPattern,
  resourceArnPattern,
  roleArnPattern,
} from '../patterns.ts';
import { runtimeNames } from '../runtimes.ts';
import { integer, list, optional, string } from '../shape.ts';
import {
  capacityProviderConfig,
  deadLetterConfig,
  durableConfig,
  environment,
  ephemeralStorage,
  fileSystemConfig,
  imageConfig,
  loggingConfig,
  snapStart,
  tracingConfig,
  vpcConfig,
} from './settings.ts';

export const role = string({ min: 0, max: 10_000, pattern: roleArnPattern });
export const runtime = string({ known: runtimeNames });

export const updatableSettings = {
  Role: optional(role, 'ARN of the execution role.'),
  Handler: optional(
    string({ min: 0, max: 128, pattern: handlerPattern }),
    'What the runtime calls; needed for zip archives.',
  ),
  Description: optional(string({ min: 0, max: 256 }), 'Description.'),
  Timeout: optional(
    integer({ min: 1, max: timeoutSecondsMax }),
    'Seconds that an invocation may take.',
    { fallback: String(timeoutSecondsDefault) },
  ),
  MemorySize: optional(
    integer({ min: 128, max: memoryMiBMax }),
    'MB of memory; more memory also gives more of the processor.',
    { fallback: String(memoryMiBDefault) },
  ),
  VpcConfig: optional(vpcConfig, 'Network that the function is connected to.'),
  Environment: optional(environment, 'Environment variables.'),
  Runtime: optional(runtime, 'Runtime; needed for zip archives, refused for container images.'),
  DeadLetterConfig: optional(
    deadLetterConfig,
    'Queue or topic that receives asynchronous events that failed.',
  ),
  KMSKeyArn: optional(
    string({ pattern: resourceArnPattern }),
    "Key that encrypts the environment variables; empty for the service's own.",
  ),
  TracingConfig: optional(tracingConfig, 'Tracing of requests.'),
  Layers: optional(
    list(string({ min: 1, max: 2048, pattern: layerVersionArnPattern }), { itemsNotNull: true }),
    'ARNs of layer versions, laid over one another in this order.',
  ),
  FileSystemConfigs: optional(list(fileSystemConfig, { max: 1 }), 'File systems to mount.'),
  ImageConfig: optional(imageConfig, 'Overrides values of the container image.'),
  EphemeralStorage: optional(ephemeralStorage, 'Size of /tmp.'),
  SnapStart: optional(snapStart, 'Snapshots of published versions.'),
  LoggingConfig: optional(loggingConfig, 'Where logs go and which lines are kept.'),
  CapacityProviderConfig: optional(capacityProviderConfig, 'Capacity provider to run on.'),
  DurableConfig: optional(durableConfig, 'Durable executions.'),
} as const;
