import type { ConfiguredResources } from '../declared/declared-resources.ts';
import type { KeyPorts } from '../keys/key-ports.ts';
import type { LayerLookup } from '../layers/layer-lookup.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { functionArn } from '../model/function-name.ts';
import { applyUpdate, type SettingsUpdate } from './apply-update.ts';
import { checkConfiguration } from './check-configuration.ts';
import type { Configuration } from './configuration.ts';
import {
  openVariables,
  sealVariables,
  type Sealed,
  type SealedVariables,
} from './sealed-variables.ts';
import { Secret } from '../keys/secret.ts';

/** What becomes of a function: settings and code in one, and its variables. */
export interface Change {
  readonly configuration: Configuration;
  readonly variables: SealedVariables | undefined;
  /** Whether it brings code or layers that the function did not have, which code signing may refuse. */
  readonly deploysCode: boolean;
}

/** What settings are held against. */
export interface SettingsPorts extends Pick<SystemPorts, 'settings'>, Pick<KeyPorts, 'keys'> {
  readonly configured: ConfiguredResources;
  readonly layers: LayerLookup;
}

/** Applies settings to a configuration, or refuses: the world is looked at once, the rules are held against what was seen. */
export async function decideSettings(
  ports: SettingsPorts,
  functionName: string,
  current: Configuration,
  currentVariables: SealedVariables | undefined,
  given: SettingsUpdate,
  callerArn: string,
): Promise<Change> {
  const { configured, settings } = ports;
  const has = current.Layers.map(({ Arn }) => Arn);
  const layers = await ports.layers.find(given.Layers ?? [], has);
  const configuration = applyUpdate(current, given, {
    // One that is not there is refused below.
    layers: (given.Layers ?? []).map((Arn) => {
      const { codeSize = 0, sha256 = '' } = layers.get(Arn) ?? {};
      return { Arn, CodeSize: codeSize, sha256 };
    }),
    vpcId: networkOf(given, ports),
  });
  const variables = await nextVariables(
    ports,
    functionName,
    { before: current.KMSKeyArn, after: configuration.KMSKeyArn },
    currentVariables,
    given,
  );
  checkConfiguration(given, configuration, {
    site: settings,
    configured,
    current,
    functionArn: functionArn(settings, functionName),
    callerArn,
    layers,
    ...(variables?.kind === 'refused' ? { keyRefusal: variables } : {}),
  });
  return {
    configuration,
    variables: variables?.kind === 'sealed' ? variables.variables : undefined,
    deploysCode: (given.Layers ?? []).some((arn) => !has.includes(arn)),
  };
}

function networkOf(
  { VpcConfig }: SettingsUpdate,
  { configured }: Pick<SettingsPorts, 'configured'>,
): string {
  const [subnet] = VpcConfig?.SubnetIds ?? [];
  return (subnet !== undefined && configured.subnets.get(subnet)?.vpcId) || '';
}

/** The variables of the next configuration: new ones, or the old ones sealed with the key that is named now. */
async function nextVariables(
  { keys }: Pick<SettingsPorts, 'keys'>,
  functionName: string,
  key: { readonly before: string | undefined; readonly after: string | undefined },
  current: SealedVariables | undefined,
  { Environment }: SettingsUpdate,
): Promise<Sealed | undefined> {
  if (Environment) {
    const variables = new Secret(Environment.Variables ?? {});
    return sealVariables(keys, functionName, variables, key.after);
  }
  if (current === undefined) {
    // A key that cannot be used is refused even while there is nothing to seal.
    const probe = await sealVariables(keys, functionName, new Secret({}), key.after);
    return probe.kind === 'refused' ? probe : undefined;
  }
  if (key.before === key.after) return { kind: 'sealed', variables: current };
  const opened = await openVariables(keys, functionName, current);
  return opened.kind === 'open'
    ? sealVariables(keys, functionName, opened.variables, key.after)
    : { kind: 'sealed', variables: current };
}
