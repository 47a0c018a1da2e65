/** Recursive loop detection: whether a function may invoke itself in a loop. */
import { operation } from '../operation.ts';
import { functionName } from '../shapes/names.ts';
import { inPath, optional, required, string, structure } from '../shape.ts';

const path = '/2024-08-31/functions/{FunctionName}/recursion-config';
const named = required(functionName, 'Name, partial ARN or ARN.', inPath);
const loop = string({ values: ['Terminate', 'Allow'] });
const config = structure({
  RecursiveLoop: optional(loop, 'Terminate stops recursive loops, Allow does not.'),
});

export const getFunctionRecursionConfig = operation({
  name: 'GetFunctionRecursionConfig',
  description: 'Shows the recursive-loop setting of a function.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ FunctionName: named }),
  output: config,
});

export const putFunctionRecursionConfig = operation({
  name: 'PutFunctionRecursionConfig',
  description: 'Sets whether Hob stops recursive loops of a function.',
  method: 'PUT',
  path,
  status: 200,
  input: structure({
    FunctionName: named,
    RecursiveLoop: required(loop, 'Terminate stops recursive loops, Allow does not.'),
  }),
  output: config,
});
