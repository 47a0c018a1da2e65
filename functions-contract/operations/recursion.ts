/** What becomes of invocations that a function causes of itself. */
import { operation } from '../operation.ts';
import { functionName } from '../shapes/names.ts';
import { inPath, optional, required, string, structure } from '../shape.ts';

const path = '/2024-08-31/functions/{FunctionName}/recursion-config';
const named = required(functionName, 'Name, partial ARN or ARN.', inPath);
const loop = string({ values: ['Terminate', 'Allow'] });
const config = structure({ RecursiveLoop: optional(loop, 'Terminate or Allow.') });

export const getFunctionRecursionConfig = operation({
  name: 'GetFunctionRecursionConfig',
  about: 'Tells whether loops of invocations are let run.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ FunctionName: named }),
  output: config,
});

export const putFunctionRecursionConfig = operation({
  name: 'PutFunctionRecursionConfig',
  about: 'Decides whether loops of invocations are let run.',
  method: 'PUT',
  path,
  status: 200,
  input: structure({
    FunctionName: named,
    RecursiveLoop: required(loop, 'Terminate or Allow.'),
  }),
  output: config,
});
