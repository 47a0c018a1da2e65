import { listAliases } from '#functions-contract/operations/aliases.ts';
import {
  getFunctionConfiguration,
  listVersionsByFunction,
} from '#functions-contract/operations/functions.ts';

import type { ConsoleContext } from '../kit/console-context.ts';
import type { FunctionConfiguration } from './function-head.ts';

/** The most versions, and aliases, that a page offers to choose from. */
const choicesMax = 100;

/** The unpublished version of the function of a page. */
export async function loadConfiguration({
  run,
  path,
}: ConsoleContext): Promise<FunctionConfiguration> {
  return run(getFunctionConfiguration)({ FunctionName: path['name'] ?? '' });
}

/** What can be named to invoke a function: $LATEST, its aliases, and its newest versions. */
export async function loadQualifiers({ run, path }: ConsoleContext): Promise<readonly string[]> {
  const FunctionName = path['name'] ?? '';
  const { Aliases = [] } = await run(listAliases)({ FunctionName, MaxItems: choicesMax });
  const { Versions = [] } = await run(listVersionsByFunction)({ FunctionName });
  const versions = Versions.map(({ Version = '' }) => Version).filter((name) => /^\d+$/.test(name));
  return [
    '$LATEST',
    ...Aliases.map(({ Name = '' }) => Name),
    ...versions.toReversed().slice(0, choicesMax),
  ];
}
