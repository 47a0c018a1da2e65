import {
  ephemeralStorageMiBDefault,
  memoryMiBDefault,
  timeoutSecondsDefault,
} from '#functions-contract/limits.ts';

import type { Architecture, Code, Configuration } from './configuration.ts';

export interface NewConfiguration {
  readonly functionName: string;
  readonly role: string;
  readonly packageType: 'Zip' | 'Image';
  readonly architecture: Architecture;
  readonly code: Code;
}

/** The defaults of a new function; the settings of the request are then applied like any update. */
export function newConfiguration(given: NewConfiguration): Configuration {
  return {
    PackageType: given.packageType,
    Architecture: given.architecture,
    Code: given.code,
    Role: given.role,
    Description: '',
    Timeout: timeoutSecondsDefault,
    MemorySize: memoryMiBDefault,
    TracingConfig: { Mode: 'PassThrough' },
    EphemeralStorage: { Size: ephemeralStorageMiBDefault },
    SnapStart: { ApplyOn: 'None' },
    LoggingConfig: { LogFormat: 'Text', LogGroup: `/aws/lambda/${given.functionName}` },
    Layers: [],
    FileSystemConfigs: [],
  };
}
