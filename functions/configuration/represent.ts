import type { KeyPorts } from '../keys/key-ports.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import {
  representConfiguration,
  representSettings,
  type FunctionConfiguration,
} from './configuration-json.ts';
import type { FunctionVersion } from './function-record.ts';
import { openVariables } from './sealed-variables.ts';

/** The record of a version, its variables opened. */
export async function represent(
  { keys, settings }: Pick<KeyPorts, 'keys'> & Pick<SystemPorts, 'settings'>,
  version: FunctionVersion,
  qualifier?: string,
): Promise<FunctionConfiguration> {
  const variables = await openVariables(keys, version.name, version.described.sealedVariables);
  return representConfiguration(version, variables, settings, qualifier);
}

/** The same as an item of a list. */
export async function representItem(
  { keys, settings }: Pick<KeyPorts, 'keys'> & Pick<SystemPorts, 'settings'>,
  version: FunctionVersion,
  qualifier?: string,
): Promise<FunctionConfiguration> {
  const variables = await openVariables(keys, version.name, version.described.sealedVariables);
  return representSettings(version, variables, settings, qualifier);
}
