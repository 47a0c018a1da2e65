import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

import type { GitRepository } from '../git.ts';
import type { RefMove } from '../ref-update.ts';

export interface BridgeOptions {
  readonly refused?: ReadonlyMap<string, string>;
  readonly packBytesMax?: number;
  /** Called between `completed` and `acknowledge`. */
  readonly record?: (moves: readonly RefMove[]) => Promise<void> | void;
}

export interface Bridge {
  readonly url: string;
  /** What each push so far came to. */
  readonly pushes: Promise<readonly RefMove[]>[];
  close(): Promise<void>;
}

/** The least smart HTTP server there can be around the port. */
export async function startBridge(
  repository: GitRepository,
  options: BridgeOptions = {},
): Promise<Bridge> {
  const pushes: Promise<readonly RefMove[]>[] = [];
  const server = createServer((request, response) => {
    serve(repository, options, pushes, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The bridge has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/repository.git`,
    pushes,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.allSettled(pushes);
    },
  };
}

async function serve(
  repository: GitRepository,
  options: BridgeOptions,
  pushes: Promise<readonly RefMove[]>[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://bridge');
  const header = request.headers['git-protocol'];
  const protocol = typeof header === 'string' ? header : undefined;
  const body =
    request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  if (url.pathname.endsWith('/info/refs')) {
    const service = url.searchParams.get('service') === 'git-upload-pack' ? 'upload' : 'receive';
    response.setHeader('content-type', `application/x-git-${service}-pack-advertisement`);
    response.write(`${service === 'upload' ? '001e' : '001f'}# service=git-${service}-pack\n0000`);
    pipeline(await repository.advertise(`${service}-pack`, protocol), response, () => {});
  } else if (url.pathname.endsWith('/git-upload-pack')) {
    response.setHeader('content-type', 'application/x-git-upload-pack-result');
    pipeline(await repository.uploadPack(body, protocol), response, () => {});
  } else {
    response.setHeader('content-type', 'application/x-git-receive-pack-result');
    const push = repository.receivePack(body, {
      protocol,
      refused: options.refused ?? new Map(),
      packBytesMax: options.packBytesMax ?? 1_000_000_000,
    });
    pushes.push(push.completed);
    pipeline(push.output, response, () => {});
    await options.record?.(await push.completed);
    await push.completed;
    push.acknowledge();
  }
}
