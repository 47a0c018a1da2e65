import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import connect from 'postgres';

import { postgresAddress } from '#platform/database/postgres-options.ts';

import { startRedis } from '../faults/redis-server.ts';
import { freePort } from '../faults/server-under-test.ts';
import { atExit } from '../scenarios/child-processes.ts';
import { accessKey } from '../scenarios/function-service.ts';
import type { ServerOptions } from '../scenarios/running-server.ts';
import { type PrivatePostgres, startPostgres } from '../scripts/private-postgres.ts';
import { type BalancerOptions, startBalancer } from './balancer.ts';
import { ClusterNode } from './node.ts';

export interface InstallationOptions {
  readonly nodes: number;
  /** Where the repositories and the other data of all nodes are to be; by default in the folder of the run. */
  readonly disk?: string | undefined;
  /** The path at which a node finds them; by default the same for all. */
  readonly mounted?: (data: string, node: string) => string;
  readonly nodeFlags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Of the balancer, for `localhost`: a file with the certificate and its key. Nodes speak plain HTTP behind it. */
  readonly certificate?: string;
  /** As for the balancer. */
  readonly inTurn?: boolean | undefined;
  /** Whether git over SSH is on. */
  readonly ssh?: boolean;
  /** Has the version that the nodes start with; by default this one. */
  readonly programFolder?: string;
}

/** What functions answer to asynchronous events goes there. */
export const inbox = 'arn:aws:sqs:us-east-1:123456789012:done';

/** PostgreSQL, Redis, a number of nodes, and HAProxy in front of them, all on loopback and in one folder. */
export class Installation {
  readonly folder: string;
  /** Where clients send their requests. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  readonly postgres: PrivatePostgres;
  /** Has the repositories of all nodes somewhere in it. */
  readonly data: string;
  /** All folders that have repositories somewhere in them. */
  readonly repositoryFolders: string[];
  readonly #redisPort: number;
  readonly #endsNoMoreAtExit: () => void;
  #redis: ChildProcess | undefined;
  #balancer: ChildProcess | undefined;

  private constructor(parts: {
    folder: string;
    url: string;
    nodes: readonly ClusterNode[];
    postgres: PrivatePostgres;
    data: string;
    redisPort: number;
  }) {
    this.folder = parts.folder;
    this.url = parts.url;
    this.nodes = parts.nodes;
    this.postgres = parts.postgres;
    this.data = parts.data;
    this.repositoryFolders = [parts.data];
    this.#redisPort = parts.redisPort;
    this.#endsNoMoreAtExit = atExit(() => this.#endAtOnce());
  }

  /** Asks the database of the nodes. */
  async query<R extends object>(
    statement: string,
    parameters: readonly string[] = [],
  ): Promise<readonly R[]> {
    const address = postgresAddress(this.postgres.url);
    const sql = connect(address.url, { ...address.options, max: 1 });
    try {
      return await sql.unsafe<R[]>(statement, [...parameters]);
    } finally {
      await sql.end();
    }
  }

  static async start(options: InstallationOptions): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'hob-cluster-'));
    const postgres = startPostgres('durable');
    const redisPort = await freePort();
    const balancerPort = await freePort();
    const { certificate, inTurn } = options;
    const sshPort = options.ssh === true ? await freePort() : undefined;
    const url = certificate
      ? `https://localhost:${balancerPort}`
      : `http://127.0.0.1:${balancerPort}`;
    const data = join(options.disk ?? folder, 'data');
    await mkdir(data, { recursive: true, mode: 0o700 });
    const environment = {
      ...(await environmentIn(folder)),
      DATABASE_URL: postgres.url,
      HOB_REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      HOB_BASE_URL: url,
      ...(sshPort !== undefined && { HOB_SSH_PUBLIC_PORT: String(sshPort) }),
      ...options.environment,
    };
    const nodes: ClusterNode[] = [];
    for (let number = 1; number <= options.nodes; number += 1) {
      const name = `node-${number}`;
      const shared = options.mounted?.(data, name) ?? data;
      nodes.push(await nodeOf(name, { ...options, folder, shared, environment }));
    }
    const parts = { folder, url, nodes, postgres, data, redisPort };
    const installation = new Installation(parts);
    try {
      await installation.#startAll({ port: balancerPort, sshPort, certificate, inTurn });
      return installation;
    } catch (error) {
      await installation.remove();
      throw error;
    }
  }

  async #startAll(
    balancer: Pick<BalancerOptions, 'port' | 'sshPort' | 'certificate' | 'inTurn'>,
  ): Promise<void> {
    this.#redis = await startRedis(this.#redisPort);
    // It makes the schema and the administrator.
    await this.firstNode.start();
    await Promise.all(this.nodes.slice(1).map((node) => node.start()));
    this.#balancer = await startBalancer({ ...balancer, folder: this.folder, servers: this.nodes });
    for (const node of this.nodes) await node.untilReady();
  }

  get firstNode(): ClusterNode {
    const [first] = this.nodes;
    if (!first) throw new Error('There are no nodes.');
    return first;
  }

  /** Processes of the machine that belong to it, besides their descendants. */
  processes(): { readonly nodes: number[]; readonly redis: number } {
    return {
      nodes: this.nodes.map(({ server }) => server.pid),
      redis: this.#redis?.pid ?? 0,
    };
  }

  async killRedis(): Promise<void> {
    await ended(this.#redis);
  }

  async restartRedis(): Promise<void> {
    this.#redis = await startRedis(this.#redisPort);
  }

  async remove(): Promise<void> {
    const failures: unknown[] = [];
    const nodes = this.nodes.map((node) => node.remove().catch((error) => failures.push(error)));
    await Promise.all(nodes);
    await ended(this.#balancer);
    await ended(this.#redis);
    this.postgres.stop();
    this.#endsNoMoreAtExit();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 30 });
    if (failures.length > 0) throw failures[0];
  }

  /** When this process is ended: a node that gets SIGTERM would wait for requests under way. */
  #endAtOnce(): void {
    for (const node of this.nodes) node.killAtOnce();
    this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 30 });
  }
}

async function environmentIn(folder: string): Promise<Record<string, string>> {
  const resources = join(folder, 'resources.json');
  await mkdir(join(folder, 'done'));
  await writeFile(
    resources,
    JSON.stringify({ targets: { [inbox]: { folder: join(folder, 'done') } } }),
  );
  return {
    HOB_ACCESS_KEY_ID: accessKey.accessKeyId,
    HOB_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
    HOB_RESOURCES: resources,
    HOB_FUNCTION_UPDATE_MS: '50',
    HOB_RATE_LIMIT_USER: '1000000000',
    HOB_TRUSTED_PROXIES: '127.0.0.1',
    HOB_WEBHOOK_PRIVATE_TARGETS: 'on',
    // What HAProxy needs to notice, and as long again.
    HOB_STOP_DELAY_SECONDS: '2',
  };
}

interface NodeParts extends Pick<
  InstallationOptions,
  'nodes' | 'nodeFlags' | 'programFolder' | 'ssh'
> {
  readonly folder: string;
  readonly shared: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** One node is a server without the settings of several. */
async function nodeOf(
  name: string,
  { nodes, nodeFlags = [], programFolder, ssh = false, folder, shared, environment }: NodeParts,
): Promise<ClusterNode> {
  const port = await freePort();
  const sshPort = ssh ? await freePort() : undefined;
  const ports = { port, sshPort };
  const options = (more: Record<string, string>): ServerOptions => ({
    nodeFlags,
    programFolder,
    environment: {
      ...environment,
      ...more,
      ...(sshPort !== undefined && { HOB_SSH_PORT: String(sshPort) }),
    },
  });
  if (nodes === 1) return new ClusterNode(name, ports, join(shared, name), options({}));
  const settings = {
    HOB_NODE_ADDRESS: `127.0.0.1:${await freePort()}`,
    HOB_CLUSTER_DATA: shared,
  };
  return new ClusterNode(name, ports, join(folder, name), options(settings));
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
