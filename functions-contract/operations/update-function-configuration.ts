import { functionConfiguration } from '../shapes/function-configuration.ts';
import { updatableSettings } from '../shapes/updatable-settings.ts';
import { operation } from '../operation.ts';
import { configurationRequestBytesMax } from '../limits.ts';
import { inPath, optional, required, structure, text } from '../shape.ts';
import { functionName } from '../shapes/names.ts';

// Clients show the members in this order, the revision before the settings that the service got later.
const {
  Layers,
  FileSystemConfigs,
  ImageConfig,
  EphemeralStorage,
  SnapStart,
  LoggingConfig,
  CapacityProviderConfig,
  DurableConfig,
  ...earlierSettings
} = updatableSettings;

export const updateFunctionConfiguration = operation({
  name: 'UpdateFunctionConfiguration',
  about:
    'Updates the configuration of the unpublished version of a function. While the update is in progress, the function can be invoked but not changed.',
  method: 'PUT',
  path: '/2015-03-31/functions/{FunctionName}/configuration',
  status: 200,
  requestBytesMax: configurationRequestBytesMax,
  input: structure({
    FunctionName: required(functionName, 'Name, partial ARN or ARN of the function.', inPath),
    ...earlierSettings,
    RevisionId: optional(text, 'Updates only if the function still has this revision.'),
    Layers,
    FileSystemConfigs,
    ImageConfig,
    EphemeralStorage,
    SnapStart,
    LoggingConfig,
    CapacityProviderConfig,
    DurableConfig,
  }),
  output: functionConfiguration,
});
