import { functionConfiguration } from '../shapes/function-configuration.ts';
import { settingsAfterRevision, settingsBeforeRevision } from '../shapes/settings.ts';
import { operation } from '../operation.ts';
import { configurationRequestBytesMax } from '../limits.ts';
import { inPath, optional, required, structure, text } from '../shape.ts';
import { functionName } from '../shapes/names.ts';

export const updateFunctionConfiguration = operation({
  name: 'UpdateFunctionConfiguration',
  description:
    'Updates the configuration of the unpublished version of a function. While the update is in progress, the function can be invoked but not changed.',
  method: 'PUT',
  path: '/2015-03-31/functions/{FunctionName}/configuration',
  status: 200,
  requestBytesMax: configurationRequestBytesMax,
  input: structure({
    FunctionName: required(functionName, 'Name, partial ARN or ARN of the function.', inPath),
    ...settingsBeforeRevision,
    RevisionId: optional(text, 'Updates only if the function still has this revision.'),
    ...settingsAfterRevision,
  }),
  output: functionConfiguration,
});
