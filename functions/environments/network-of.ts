import type { Configuration } from '../configuration/configuration.ts';
import type { DeclaredResources } from '../declared/declared-resources.ts';
import type { Network } from '../launcher/launcher.ts';

/**
 * What a function reaches. One that is connected to a network reaches what its subnets declare, on the ports that its security
 * groups let through, and nothing else; one that is not reaches what the host does, where the operator lets it.
 */
export function networkOf(
  { VpcConfig }: Configuration,
  declared: DeclaredResources,
  hostNetwork: boolean,
): Network {
  if (!VpcConfig || VpcConfig.SubnetIds.length === 0) {
    return { kind: hostNetwork ? 'host' : 'none' };
  }
  const groups = VpcConfig.SecurityGroupIds.map((id) => declared.securityGroups.get(id));
  const open = (port: number): boolean =>
    groups.some((group) => group && (group.ports === undefined || group.ports.includes(port)));
  const targets = VpcConfig.SubnetIds.flatMap((id) => declared.subnets.get(id)?.reaches ?? [])
    .filter(({ port }) => open(port))
    .map(({ name, port, at }) => ({ name, port, forwardTo: at }));
  return { kind: 'declared', targets };
}
