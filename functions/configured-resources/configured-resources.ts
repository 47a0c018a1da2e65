import type { Secret } from '../keys/secret.ts';
import type { AccessKey } from '../signing/sign-request.ts';

/**
 * The resources that functions use on this host: networks, file systems, queues and the like. On AWS they belong to other services;
 * here the operator declares them, and functions can refer only to these.
 */
export interface ConfiguredResources {
  readonly subnets: ReadonlyMap<string, Subnet>;
  readonly securityGroups: ReadonlyMap<string, SecurityGroup>;
  /** By ARN. */
  readonly accessPoints: ReadonlyMap<string, AccessPoint>;
  /** Queues, topics and event buses by ARN. */
  readonly targets: ReadonlyMap<string, EventTarget>;
  /** By ARN. */
  readonly capacityProviders: ReadonlyMap<string, CapacityProvider>;
  /** URL that takes the segments of traced invocations. */
  readonly traceCollector: string | undefined;
  /** Reads what was added or removed meanwhile. Absent where nothing can be (added-resources/). */
  readonly refresh?: () => Promise<void>;
}

export interface Subnet {
  readonly vpcId: string;
  /** What can be reached from here. */
  readonly reaches: readonly ReachableHost[];
}

export interface ReachableHost {
  /** The name that functions use. */
  readonly name: string;
  readonly port: number;
  /** `host:port` as this host sees it. */
  readonly at: string;
}

export interface SecurityGroup {
  readonly vpcId: string;
  /** Ports that functions may connect to; undefined: any. */
  readonly ports: readonly number[] | undefined;
}

export interface AccessPoint {
  readonly folder: string;
}

/** Where failed events and results go. */
export type EventTarget =
  /** A file for each message. */
  | { readonly kind: 'folder'; readonly folder: string }
  /** A POST for each message, signed where there is a key. */
  | { readonly kind: 'http'; readonly url: string; readonly key?: Secret<AccessKey> }
  /** SendMessage, Publish or PutEvents of an endpoint that is compatible with AWS. */
  | { readonly kind: 'endpoint'; readonly url: string; readonly key?: Secret<AccessKey> };

export interface CapacityProvider {
  /** Execution environments that may run at once. */
  readonly environmentsMax: number;
}

export const noConfiguredResources: ConfiguredResources = {
  subnets: new Map(),
  securityGroups: new Map(),
  accessPoints: new Map(),
  targets: new Map(),
  capacityProviders: new Map(),
  traceCollector: undefined,
};
