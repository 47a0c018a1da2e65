import { readFile } from 'node:fs/promises';

import { OperatorError } from '#platform/operator-error.ts';
import { present } from '#platform/present.ts';

import { Secret } from '../keys/secret.ts';
import type { AccessKey } from '../signing/sign-request.ts';
import {
  noConfiguredResources,
  type AccessPoint,
  type CapacityProvider,
  type ConfiguredResources,
  type EventTarget,
  type ReachableHost,
  type SecurityGroup,
  type Subnet,
} from './configured-resources.ts';
import { ConfiguredValue, wrong } from './configured-value.ts';

/** The operator's resources: none without a file. */
export async function readFileResources(path: string | undefined): Promise<ConfiguredResources> {
  return path === undefined ? noConfiguredResources : readConfiguredResources(path);
}

/** Reads the operator's file; errors name the exact position. */
export async function readConfiguredResources(path: string): Promise<ConfiguredResources> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new OperatorError(
      `Cannot read the file of HOB_RESOURCES, ${path}: ${error instanceof Error ? error.message : String(error)}.`,
    );
  });
  return parseConfiguredResources(text, path);
}

/** `name` is what messages call the file. */
export function parseConfiguredResources(text: string, name: string): ConfiguredResources {
  const file = ConfiguredValue.parse(text, name);
  const configured: ConfiguredResources = {
    subnets: file.map('subnets', /^subnet-[0-9a-z]*$/, subnet),
    securityGroups: file.map('securityGroups', /^sg-[0-9a-zA-Z]*$/, securityGroup),
    accessPoints: file.map(
      'accessPoints',
      arnOf('elasticfilesystem', 'access-point/'),
      accessPoint,
    ),
    targets: file.map('targets', /^arn:aws[a-z-]*:(sqs|sns|events):[a-z0-9-]+:\d{12}:.+$/, target),
    capacityProviders: file.map(
      'capacityProviders',
      arnOf('lambda', 'capacity-provider:'),
      capacityProvider,
    ),
    traceCollector: file.optional('traceCollector', (value) =>
      value.url(['udp:', 'http:', 'https:']),
    ),
  };
  file.nothingElse();
  return configured;
}

function subnet(value: ConfiguredValue): Subnet {
  return {
    vpcId: value.member('vpc', (vpc) => vpc.text(/^vpc-[0-9a-z]+$/, 'a name like vpc-1')),
    reaches: value.optional('reaches', (hosts) => hosts.list(reachableHost)) ?? [],
  };
}

/** With a port that there is: the launcher, which connects there, would fail as a whole. */
const hostAndPort =
  /^.+:(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;

function reachableHost(value: ConfiguredValue): ReachableHost {
  return {
    name: value.member('name', (name) => name.text(/^[\w.-]+$/, 'a host name')),
    port: value.member('port', (port) => port.whole(1, 65_535)),
    at: value.member('at', (at) => at.text(hostAndPort, 'host:port')),
  };
}

function securityGroup(value: ConfiguredValue): SecurityGroup {
  return {
    vpcId: value.member('vpc', (vpc) => vpc.text(/^vpc-[0-9a-z]+$/, 'a name like vpc-1')),
    ports: value.optional('ports', (ports) => ports.list((port) => port.whole(1, 65_535))),
  };
}

function accessPoint(value: ConfiguredValue): AccessPoint {
  return { folder: value.member('folder', absoluteFolder) };
}

function target(value: ConfiguredValue): EventTarget {
  const folder = value.optional('folder', absoluteFolder);
  const http = value.optional('http', (url) => url.url(['http:', 'https:']));
  const endpoint = value.optional('endpoint', (url) => url.url(['http:', 'https:']));
  const credentials = value.optional('credentials', accessKey);
  const key = credentials && { key: new Secret(credentials) };
  const given: (EventTarget | undefined)[] = [
    folder === undefined ? undefined : { kind: 'folder', folder },
    http === undefined ? undefined : { kind: 'http', url: http, ...key },
    endpoint === undefined ? undefined : { kind: 'endpoint', url: endpoint, ...key },
  ];
  const [only, ...more] = given.filter((way) => way !== undefined);
  if (!only || more.length > 0) throw wrong(value, 'one of "folder", "http" and "endpoint"');
  if (only.kind === 'folder' && key) {
    throw wrong(value, 'without "credentials", which a folder does not use');
  }
  return only;
}

/** With AWS's member names. */
function accessKey(value: ConfiguredValue): AccessKey {
  const sessionToken = value.optional('sessionToken', printable);
  return {
    id: value.member('accessKeyId', printable),
    secret: value.member('secretAccessKey', printable),
    ...present({ sessionToken }),
  };
}

function printable(value: ConfiguredValue): string {
  return value.text(/^[!-~]+$/, 'printable ASCII');
}

function capacityProvider(value: ConfiguredValue): CapacityProvider {
  return { environmentsMax: value.member('environmentsMax', (count) => count.whole(1, 100_000)) };
}

function absoluteFolder(value: ConfiguredValue): string {
  return value.text(/^\/[^\0]*$/, 'the absolute path of a folder');
}

function arnOf(service: string, resource: string): RegExp {
  return new RegExp(String.raw`^arn:aws[a-z-]*:${service}:[a-z0-9-]+:\d{12}:${resource}.+$`);
}
