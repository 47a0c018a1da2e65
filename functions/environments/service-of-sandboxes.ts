/** How programs in sandboxes find the server itself, as the operator has set it up. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';

import type { ServiceAddress } from '../launcher/launcher.ts';
import type { SandboxServer } from '../ports/sandbox-server.ts';
import type { ServiceOfSandboxes } from './environment-host.ts';
import { certificateFiles } from './service-inside.ts';

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
