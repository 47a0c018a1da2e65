import type { Configuration } from '../configuration/configuration.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { declarationHint, type ResourceKind } from '../configured-resources/resource-kinds.ts';
import type { Mount, Network } from '../launcher/launcher.ts';
import type { FunctionNetwork } from '../ports/function-network.ts';
import { FolderLooks } from './folder-looks.ts';
import type { StartFailure } from './version-spec.ts';

/** What the operator's declarations make of a configuration. */
export interface PlannedResources {
  readonly kind: 'planned';
  readonly network: Network;
  readonly fileSystems: readonly Mount[];
}

type Planned = PlannedResources | { readonly kind: 'failed'; readonly failure: StartFailure };

/**
 * Declarations may be withdrawn after a function was configured with them. It does not start then: without its mount it would work on
 * other files, and without its provider beyond the limit.
 */
export async function planResources(
  configuration: Configuration,
  configured: ConfiguredResources,
  /** Of functions without a VPC. */
  functionNetwork: FunctionNetwork,
): Promise<Planned> {
  const failure =
    undeclared(configuration, configured) ?? (await unmountable(configuration, configured));
  if (failure) return { kind: 'failed', failure };
  return {
    kind: 'planned',
    network: networkOf(configuration, configured, functionNetwork),
    fileSystems: configuration.FileSystemConfigs.flatMap(({ Arn, LocalMountPath }) => {
      const accessPoint = configured.accessPoints.get(Arn);
      return accessPoint ? [{ from: accessPoint.folder, to: LocalMountPath, writable: true }] : [];
    }),
  };
}

function undeclared(
  { VpcConfig, FileSystemConfigs, CapacityProviderConfig }: Configuration,
  configured: ConfiguredResources,
): StartFailure | undefined {
  const subnet = VpcConfig?.SubnetIds.find((id) => !configured.subnets.has(id));
  if (subnet !== undefined) return missing('InvalidSubnet', 'subnet', subnet);
  const group = VpcConfig?.SecurityGroupIds.find((id) => !configured.securityGroups.has(id));
  if (group !== undefined) return missing('InvalidSecurityGroup', 'security-group', group);
  const fileSystem = FileSystemConfigs.find(({ Arn }) => !configured.accessPoints.has(Arn));
  if (fileSystem) return missing('EFSMountFailure', 'access-point', fileSystem.Arn);
  const managed = CapacityProviderConfig?.LambdaManagedInstancesCapacityProviderConfig;
  return managed && !configured.capacityProviders.has(managed.CapacityProviderArn)
    ? missing('InvalidConfiguration', 'capacity-provider', managed.CapacityProviderArn)
    : undefined;
}

function missing(code: StartFailure['code'], kind: ResourceKind, name: string): StartFailure {
  const text = `The ${kind.replace('-', ' ')} ${name} no longer exists. ${declarationHint(kind, name)}`;
  return { code, text };
}

/** Of the process, since its threads are. */
const looks = new FolderLooks();

/** The folder may be on a file system that is not mounted on this host now, or hangs. */
async function unmountable(
  { FileSystemConfigs }: Configuration,
  { accessPoints }: ConfiguredResources,
): Promise<StartFailure | undefined> {
  for (const { Arn } of FileSystemConfigs) {
    const folder = accessPoints.get(Arn)?.folder;
    const isThere = folder !== undefined && (await looks.isThere(folder));
    if (isThere === true) continue;
    // The operator knows the path; callers need not.
    const text = `The access point ${Arn} cannot be mounted: the folder that is declared for it ${isThere === false ? 'is not on the host' : 'does not answer'}.`;
    return { code: 'EFSMountFailure', text };
  }
  return undefined;
}

/**
 * What a function can reach. A function in a VPC reaches only the targets that its subnets list, on the ports that its security
 * groups allow; others reach what the operator allows.
 */
function networkOf(
  { VpcConfig }: Configuration,
  configured: ConfiguredResources,
  functionNetwork: FunctionNetwork,
): Network {
  if (!VpcConfig || VpcConfig.SubnetIds.length === 0) {
    return { kind: functionNetwork };
  }
  const groups = VpcConfig.SecurityGroupIds.map((id) => configured.securityGroups.get(id));
  const open = (port: number): boolean =>
    groups.some((group) => group && (group.ports === undefined || group.ports.includes(port)));
  const targets = VpcConfig.SubnetIds.flatMap((id) => configured.subnets.get(id)?.reaches ?? [])
    .filter(({ port }) => open(port))
    .map(({ name, port, at }) => ({ name, port, forwardTo: at }));
  return { kind: 'declared', targets };
}
