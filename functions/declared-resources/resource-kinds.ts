import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';

/** The maps of the operator's file, by what one of their entries is called in commands. */
export const resourceKinds = {
  subnet: 'subnets',
  'security-group': 'securityGroups',
  'access-point': 'accessPoints',
  target: 'targets',
  'capacity-provider': 'capacityProviders',
} as const satisfies Readonly<Record<string, keyof ConfiguredResources>>;

export type ResourceKind = keyof typeof resourceKinds;

export function isResourceKind(text: string): text is ResourceKind {
  return Object.hasOwn(resourceKinds, text);
}

/** What names one entry. */
export interface ResourceName {
  readonly kind: ResourceKind;
  readonly name: string;
}
