/** The settings that can be given when a function is created and changed afterwards, in the order of functions 2. */
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
    'Method that the runtime calls; required for zip archives.',
  ),
  Description: optional(string({ min: 0, max: 256 }), 'Description.'),
  Timeout: optional(
    integer({ min: 1, max: timeoutSecondsMax }),
    'Timeout of an invocation, in seconds.',
    { fallback: String(timeoutSecondsDefault) },
  ),
  MemorySize: optional(
    integer({ min: 128, max: memoryMiBMax }),
    'Memory in MB. CPU time increases with memory.',
    { fallback: String(memoryMiBDefault) },
  ),
  VpcConfig: optional(vpcConfig, 'Network to which the function is connected.'),
  Environment: optional(environment, 'Environment variables.'),
  Runtime: optional(runtime, 'Runtime; required for zip archives, rejected for container images.'),
  DeadLetterConfig: optional(deadLetterConfig, 'Queue or topic for failed asynchronous events.'),
  KMSKeyArn: optional(
    string({ pattern: resourceArnPattern }),
    "ARN of the key that encrypts the environment variables; empty for the service's own key.",
  ),
  TracingConfig: optional(tracingConfig, 'Tracing settings.'),
  Layers: optional(
    list(string({ min: 1, max: 2048, pattern: layerVersionArnPattern }), { itemsNotNull: true }),
    'ARNs of layer versions, applied in this order.',
  ),
  FileSystemConfigs: optional(list(fileSystemConfig, { max: 1 }), 'File system to mount.'),
  ImageConfig: optional(imageConfig, 'Settings that override those of the container image.'),
  EphemeralStorage: optional(ephemeralStorage, 'Size of /tmp.'),
  SnapStart: optional(snapStart, 'Snapshot settings for published versions.'),
  LoggingConfig: optional(loggingConfig, 'Log format, levels and log group.'),
  CapacityProviderConfig: optional(capacityProviderConfig, 'Capacity provider of the function.'),
  DurableConfig: optional(durableConfig, 'Durable execution settings.'),
} as const;
