import { resolve } from 'node:path';

import { isDecodable } from '#platform/decodable.ts';
import { matching, type Parsed, wholeNumber } from '#platform/setting-values.ts';

import type { EnvironmentVariables, Setting } from './setting.ts';
import type { Settings } from './setting-values.ts';

/** The settings of servers that work together. */
export const clusterSettingTable = {
  nodeAddress: {
    flag: 'node-address',
    variable: 'HOB_NODE_ADDRESS',
    placeholder: 'HOST:PORT',
    description: 'Where the other nodes of a cluster reach this one; needs --cluster-data',
    defaultValue: undefined,
    defaultLabel: 'none: this server is alone',
    parse: parseNodeAddress,
  } satisfies Setting<string | undefined>,
  clusterData: {
    flag: 'cluster-data',
    variable: 'HOB_CLUSTER_DATA',
    placeholder: 'FOLDER',
    description:
      'Folder that all nodes of a cluster mount: repositories, assets, code and logs of functions, keys',
    defaultValue: undefined,
    defaultLabel: 'none: they are in the data directory',
    parse: matching(/^[^\0]+$/, 'a folder'),
  } satisfies Setting<string | undefined>,
  databaseConnections: {
    variable: 'HOB_DATABASE_CONNECTIONS',
    placeholder: 'N',
    description:
      'Connections to PostgreSQL that each server has for reads at most, and as many for writes; further reads and writes wait',
    defaultValue: 10,
    parse: wholeNumber(3, 1000),
  } satisfies Setting<number>,
  redisUrl: {
    variable: 'HOB_REDIS_URL',
    placeholder: 'URL',
    description: 'Redis or Valkey server for limits that several processes count together',
    defaultValue: undefined,
    defaultLabel: 'each process counts separately',
    secret: true,
    parse: parseRedisUrl,
  } satisfies Setting<string | undefined>,
};

function parseNodeAddress(text: string): Parsed<string> {
  const port = /^(?:[\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(text)?.[1];
  return port !== undefined && Number(port) <= 65_535
    ? { value: text }
    : { expected: 'HOST:PORT with a port up to 65535' };
}

function parseRedisUrl(text: string): Parsed<string> {
  const url = URL.parse(text);
  const isRedis = /^rediss?:\/\/(?:[^\s/@]*@)?[^\s/@?#]+(?:\/\d*)?$/.test(text);
  if (isRedis && url?.host && isDecodable(url.username) && isDecodable(url.password))
    return { value: text };
  return {
    expected:
      'redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER] or rediss://…, in which a % of a password is %25',
  };
}

/**
 * For commands that work on what all nodes share: with the settings of a node in the environment, their data directory is the shared folder,
 * unless a flag names another.
 */
export function sharedDataEnvironment(environment: EnvironmentVariables): EnvironmentVariables {
  const { nodeAddress, clusterData } = clusterSettingTable;
  const shared = environment[clusterData.variable];
  const others = { ...environment, [nodeAddress.variable]: '', [clusterData.variable]: '' };
  return shared ? { ...others, HOB_DATA: shared } : others;
}

/** To what servers share. */
export function readSharedConnections(
  read: <T>(setting: Setting<T>) => T,
): Pick<Settings, 'databaseConnections' | 'redisUrl'> {
  return {
    databaseConnections: read<number>(clusterSettingTable.databaseConnections),
    redisUrl: read<string | undefined>(clusterSettingTable.redisUrl),
  };
}

/** Neither of the two is of any use without the other. */
export function readClusterSettings(
  read: <T>(setting: Setting<T>) => T,
  problems: string[],
): Settings['cluster'] {
  const address = read<string | undefined>(clusterSettingTable.nodeAddress);
  const data = read<string | undefined>(clusterSettingTable.clusterData);
  if (address !== undefined && data !== undefined) return { address, data };
  if (address !== undefined || data !== undefined) {
    problems.push('--node-address and --cluster-data must be set together: set both, or neither.');
  }
  return undefined;
}

export function clusterProblems({
  cluster,
  data,
  database,
  baseUrl,
  testControls,
}: Settings): string[] {
  if (!cluster) return [];
  const problems: string[] = [];
  if (database === undefined || !/^postgres(?:ql)?:/.test(database)) {
    problems.push(
      'The nodes of a cluster share a PostgreSQL database: set DATABASE_URL to postgres://….',
    );
  }
  if (baseUrl === undefined) {
    problems.push('Clients reach the nodes of a cluster at one URL: set HOB_BASE_URL to it.');
  }
  if (resolve(data) === resolve(cluster.data)) {
    problems.push('--data and --cluster-data must be different folders: the first is of one node.');
  }
  if (testControls !== 'off') {
    problems.push('--test-controls reset one server: remove --node-address and --cluster-data.');
  }
  return problems;
}
