import type { ConfiguredResources } from './configured-resources.ts';

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

/** What a refusal says about an entry that is not declared, after the message that clients know. */
export function declarationHint(kind: ResourceKind, name: string): string {
  // Text that a shell could read as more than a word is not offered for copying.
  const shown = /^[\w:./-]+$/.test(name) ? name : 'NAME';
  return `To declare it, run: hob admin add-resource ${kind} ${shown} --file FILE`;
}
