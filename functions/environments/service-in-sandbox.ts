/** The server as an environment's program finds it: at the base URL, in its own network namespace. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';

import type { Launcher, Mount, Network, Sandbox, ServiceAddress } from '../launcher/launcher.ts';
import { functionArn } from '../model/function-name.ts';
import type { SandboxClient, SandboxServer } from '../ports/sandbox-server.ts';
import type { EnvironmentPorts, ServiceOfSandboxes } from './environment-ports.ts';
import type { InvocationChain } from './invocation-chain.ts';
import type { VersionSpec } from './version-spec.ts';

/** Connections of one environment to the server; AWS's client for JavaScript opens as many by default. */
const connectionsMax = 50;

/** How programs in all sandboxes find the server, as the operator has set it up. */
export async function openServiceOfSandboxes(
  { baseUrl }: { readonly baseUrl: string },
  start: {
    readonly forge: boolean;
    readonly sandboxServer: SandboxServer;
    readonly folder: string;
  },
): Promise<ServiceOfSandboxes> {
  const { forge, sandboxServer, folder } = start;
  const { authority } = sandboxServer;
  const certificatesFolder = join(folder, 'certificates');
  if (authority !== undefined) {
    await mkdir(certificatesFolder, { recursive: true });
    // Programs are other users, and the server's own mask closes what it creates to them.
    await chmod(certificatesFolder, 0o755);
    const all = [...rootCertificates, authority].join('\n');
    for (const [name, text] of [
      [certificateFiles.authority, authority],
      [certificateFiles.all, all],
    ] as const) {
      await writeFile(join(certificatesFolder, name), text);
      await chmod(join(certificatesFolder, name), 0o644);
    }
  }
  return {
    server: sandboxServer,
    baseUrl: forge ? baseUrl : undefined,
    hasAuthority: authority !== undefined,
    certificatesFolder,
  };
}

/** Where the base URL's host and port are in a network namespace of a sandbox; undefined: nowhere. */
export function serviceAddress({
  server,
  baseUrl,
}: ServiceOfSandboxes): ServiceAddress | undefined {
  if (baseUrl === undefined || !server.servesBaseUrl) return undefined;
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const usualPort = protocol === 'https:' ? 443 : 80;
  return {
    address: isIP(host) === 0 ? addressOfName(host) : host,
    port: port === '' ? usualPort : Number(port),
    name: isIP(host) === 0 ? host : undefined,
  };
}

/** Another address than programs usually listen on themselves, except for names that are loopback by definition (RFC 6761). */
function addressOfName(name: string): string {
  return name === 'localhost' || name.endsWith('.localhost') ? '127.0.0.1' : '127.0.0.2';
}

export type SandboxServicePorts = Pick<EnvironmentPorts, 'service' | 'region' | 'accountId'> & {
  readonly launcher: Pick<Launcher, 'isolation'>;
};

export interface SandboxServiceOptions {
  readonly sandbox: Sandbox;
  readonly spec: VersionSpec;
  /** 16 hexadecimal digits, unique among environments. */
  readonly id: string;
  readonly network: Network['kind'];
  readonly chain: InvocationChain;
  /** What the function, its runtime and its image set. */
  readonly own: Readonly<Record<string, string>>;
}

/** Serves the program's requests, and returns the variables that lead there; the function's own take precedence. */
export async function openServiceInSandbox(
  ports: SandboxServicePorts,
  { sandbox, spec, id, network, chain, own }: SandboxServiceOptions,
): Promise<Readonly<Record<string, string>>> {
  const { server, baseUrl, hasAuthority } = ports.service;
  const arn = functionArn(ports, spec.functionName);
  const client: SandboxClient = {
    functionArn: arn,
    reach: baseUrl === undefined ? 'durable-executions' : 'service',
    address: addressOf(arn, id),
    atBaseUrl: true,
    lineage: () => chain.lineage(),
  };
  const accept = bounded((socket: Socket, atBaseUrl: boolean) =>
    server.accept(socket, { ...client, atBaseUrl }),
  );
  const atBaseUrl =
    baseUrl !== undefined && (await sandbox.serveOnLoopback((socket) => accept(socket, true)));
  // There, programs reach what the host reaches.
  const shared = sharesNetwork(ports, network);
  const variables =
    baseUrl !== undefined && (atBaseUrl || shared) ? variablesOf(baseUrl, hasAuthority) : {};
  const isSet = endpointVariables.some((name) => name in own);
  if (atBaseUrl || isSet || !spec.configuration.DurableConfig) return variables;
  // Durable functions cannot do without the service.
  const address = await sandbox.listenOnLoopback((socket) => accept(socket, false));
  return { ...variables, AWS_ENDPOINT_URL_LAMBDA: `http://${address}` };
}

/** What the program sends to the server over the network of the host belongs to its chain. Returns what ends it. */
export function recogniseRequests(
  ports: Pick<EnvironmentPorts, 'service'> & {
    readonly launcher: Pick<Launcher, 'isolation' | 'ownersOf'>;
  },
  { id, network, chain }: Pick<SandboxServiceOptions, 'id' | 'network' | 'chain'>,
): () => void {
  if (!sharesNetwork(ports, network)) return () => {};
  return ports.service.server.recognise({
    id,
    lineage: () => chain.lineage(),
    ownersOf: (connections) => ports.launcher.ownersOf(connections),
  });
}

function sharesNetwork(
  { launcher }: Pick<SandboxServicePorts, 'launcher'>,
  network: Network['kind'],
): boolean {
  return network === 'host' || launcher.isolation.enforced.network.strength === 'none';
}

/** The folder of certificates inside, which is a mount. */
const certificatesInside = '/etc/hob';

export function certificatesMount({ service }: Pick<EnvironmentPorts, 'service'>): Mount[] {
  const { baseUrl, hasAuthority, certificatesFolder } = service;
  return baseUrl !== undefined && hasAuthority
    ? [{ from: certificatesFolder, to: certificatesInside }]
    : [];
}

/** In the folder of certificates: the private authority alone, and it together with the public ones. */
const certificateFiles = { authority: 'authority.pem', all: 'authorities.pem' } as const;

const endpointVariables = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_LAMBDA'];

/**
 * Names that clients read by themselves: those of GitHub Actions (docs.github.com, "Variables reference"), and the endpoint of AWS's
 * SDKs (docs.aws.amazon.com/sdkref, "Service-specific endpoints").
 */
function variablesOf(baseUrl: string, hasAuthority: boolean): Readonly<Record<string, string>> {
  const all = `${certificatesInside}/${certificateFiles.all}`;
  return {
    GITHUB_SERVER_URL: baseUrl,
    GITHUB_API_URL: `${baseUrl}/api/v3`,
    GITHUB_GRAPHQL_URL: `${baseUrl}/api/graphql`,
    AWS_ENDPOINT_URL: baseUrl,
    ...(hasAuthority
      ? {
          // Node adds it to its own; the others replace theirs.
          NODE_EXTRA_CA_CERTS: `${certificatesInside}/${certificateFiles.authority}`,
          SSL_CERT_FILE: all,
          GIT_SSL_CAINFO: all,
          REQUESTS_CA_BUNDLE: all,
          AWS_CA_BUNDLE: all,
        }
      : {}),
  };
}

/** RFC 4193: addresses in fd00::/8 are not routed. Budgets and limits are per network of 64 bits, so per function. */
function addressOf(arn: string, id: string): string {
  const network = createHash('sha256').update(arn).digest('hex').slice(0, 14);
  return `fd${network}${id}`.replaceAll(/(.{4})(?=.)/g, '$1:');
}

function bounded(accept: (socket: Socket, atBaseUrl: boolean) => void): typeof accept {
  let open = 0;
  return (socket, atBaseUrl) => {
    if (open >= connectionsMax) {
      socket.destroy();
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    accept(socket, atBaseUrl);
  };
}
