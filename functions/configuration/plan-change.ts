import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { KeyPorts } from '../keys/key-ring.ts';
import type { LayerLookup } from '../layers/find-layer.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { functionArn } from '../model/function-name.ts';
import { applyUpdate, type SettingsUpdate, type Configuration } from './configuration.ts';
import { checkConfiguration } from './check-configuration.ts';
import {
  openVariables,
  sealVariables,
  type Sealed,
  type SealedVariables,
} from './variables-store.ts';
import { Secret } from '../keys/secret.ts';

/** The next configuration of a function, and its variables. */
export interface ConfigurationChange {
  readonly configuration: Configuration;
  readonly variables: SealedVariables | undefined;
  /** Whether it adds code or layers that the function did not have, which code signing may refuse. */
  readonly deploysCode: boolean;
}

/** What checking settings needs. */
export interface SettingsPorts extends Pick<SystemPorts, 'settings'>, Pick<KeyPorts, 'keys'> {
  readonly configured: ConfiguredResources;
  readonly layers: LayerLookup;
}

/** Applies settings to a configuration, or refuses them: reads once what the rules need, then checks them. */
export async function planChange(
  ports: SettingsPorts,
  functionName: string,
  current: Configuration,
  currentVariables: SealedVariables | undefined,
  given: SettingsUpdate,
  callerArn: string,
): Promise<ConfigurationChange> {
  const { configured, settings } = ports;
  await configured.refresh?.();
  const has = current.Layers.map(({ Arn }) => Arn);
  const layers = await ports.layers.find(given.Layers ?? [], has);
  const configuration = applyUpdate(current, given, {
    // A missing one is refused below.
    layers: (given.Layers ?? []).map((Arn) => {
      const { codeSize = 0, sha256 = '' } = layers.get(Arn) ?? {};
      return { Arn, CodeSize: codeSize, sha256 };
    }),
    vpcId: networkOf(given, current, ports),
  });
  const variables = await nextVariables(
    ports,
    functionName,
    { before: current.KMSKeyArn, after: configuration.KMSKeyArn },
    currentVariables,
    given,
  );
  checkConfiguration(given, configuration, {
    accountRegion: settings,
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
  current: Configuration,
  { configured }: Pick<SettingsPorts, 'configured'>,
): string {
  const [subnet] = VpcConfig?.SubnetIds ?? current.VpcConfig?.SubnetIds ?? [];
  return (subnet !== undefined && configured.subnets.get(subnet)?.vpcId) || '';
}

/** The variables of the next configuration: new ones, or the old ones encrypted with the key that is named now. */
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
    // An unusable key is refused even when there is nothing to encrypt.
    const probe = await sealVariables(keys, functionName, new Secret({}), key.after);
    return probe.kind === 'refused' ? probe : undefined;
  }
  if (key.before === key.after) return { kind: 'sealed', variables: current };
  const opened = await openVariables(keys, functionName, current);
  return opened.kind === 'open'
    ? sealVariables(keys, functionName, opened.variables, key.after)
    : { kind: 'sealed', variables: current };
}
