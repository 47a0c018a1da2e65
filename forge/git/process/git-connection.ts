import type { Agent as HttpAgent, ClientRequest, IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough, finished, pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { Agent, request as httpRequest } from '#platform/node-http.ts';
import { traced } from '#platform/tracing.ts';

import type { ArchiveOptions } from '../archive-options.ts';
import type { Git, GitRepository, GitService } from '../git.ts';
import { GitError } from '../git-error.ts';
import type { ObjectId } from '../names.ts';
import { decode, encode, toGitError } from './wire.ts';
import type {
  CallRequest,
  CallResponse,
  ProcessCall,
  PushDecision,
  RepositoryCall,
} from './wire.ts';

/** Opens a connection to the git process. */
export type DialGit = () => Socket;

/** Resolves when the git process can be asked; rejects when it will not come. */
export type WhenReady = () => Promise<void>;

/** Pause before a call is repeated whose git process has ended. */
const retryMilliseconds = 100;

type RepositoryResponse<C extends RepositoryCall> = Awaited<ReturnType<GitRepository[C]>>;

/** Requests to the git process. */
export class GitConnection {
  readonly #dial: DialGit;
  readonly #whenReady: WhenReady;
  readonly #agent: HttpAgent;

  #inProgress = 0;

  /** `to` is the path of a Unix socket, or opens a connection. */
  constructor(to: string | DialGit, whenReady: WhenReady) {
    const dial = typeof to === 'string' ? (): Socket => connect(to) : to;
    this.#dial = dial;
    this.#whenReady = whenReady;
    this.#agent = Object.assign(new Agent({ keepAlive: true, maxFreeSockets: 32 }), {
      createConnection: dial,
    });
  }

  readonly call = async <C extends RepositoryCall>(
    id: number,
    call: C,
    parts: Parameters<GitRepository[C]>,
  ): Promise<RepositoryResponse<C>> =>
    this.#callTwice<RepositoryResponse<C>>({ repositoryId: id, call, arguments: parts });

  callProcess<C extends ProcessCall>(call: C, parts: Parameters<Git[C]>): Promise<void> {
    return this.#callTwice({ repositoryId: undefined, call, arguments: parts });
  }

  async advertise(
    id: number,
    service: GitService,
    protocol: string | undefined,
  ): Promise<Readable> {
    return traced(`git advertise ${service}`, {}, async () => {
      const sent = await this.open('GET', '/advertise', { id, service, protocol });
      sent.end();
      return responseStream(sent, await responseTo(sent));
    });
  }

  async streamBlob(id: number, object: ObjectId): Promise<Readable> {
    const sent = await this.open('GET', '/blob', { id, object });
    sent.end();
    return responseStream(sent, await responseTo(sent));
  }

  async streamArchive(id: number, options: ArchiveOptions): Promise<Readable> {
    const sent = await this.open('GET', '/archive', { id, ...options });
    sent.end();
    return responseStream(sent, await responseTo(sent));
  }

  async uploadPack(
    id: number,
    body: Readable,
    protocol: string | undefined,
    path: '/upload-pack' | '/fetch',
  ): Promise<Readable> {
    return traced('git upload-pack', {}, () => this.#uploadPack(id, body, protocol, path));
  }

  async #uploadPack(
    id: number,
    body: Readable,
    protocol: string | undefined,
    path: string,
  ): Promise<Readable> {
    const sent = await this.open('POST', path, { id, protocol });
    // git speaks first in a whole fetch: the request must not wait for its body.
    sent.flushHeaders();
    let failure: Error | undefined;
    pipeline(body, sent, (error) => {
      failure = error ?? undefined;
      if (error) sent.destroy();
    });
    const incoming = await responseTo(sent).catch((error: unknown) => {
      throw failure ? unavailable(failure) : error;
    });
    return responseStream(sent, incoming);
  }

  /** Answers a push that asked whether its refs may move. */
  async decidePush(decision: PushDecision): Promise<void> {
    const sent = await this.open('POST', '/push-decision', { id: decision.push });
    sent.end(encode(decision));
    (await responseTo(sent)).resume();
  }

  /** Begins a request whose body the caller sends. */
  async open(
    method: 'GET' | 'POST',
    path: string,
    {
      id,
      ...query
    }: { readonly id: number } & Readonly<Record<string, string | number | undefined>>,
  ): Promise<ClientRequest> {
    await this.#whenReady();
    const parameters = new URLSearchParams({ repository: String(id) });
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    // Transfers have connections of their own: they may last for hours.
    const sent = httpRequest({
      createConnection: this.#dial,
      method,
      path: `${path}?${parameters.toString()}`,
    });
    return this.#counted(sent);
  }

  /** Requests whose response has not ended. */
  get inProgress(): number {
    return this.#inProgress;
  }

  #counted(sent: ClientRequest): ClientRequest {
    this.#inProgress += 1;
    // Comes once in every case: after the response, or after an error without one.
    return sent.once('close', () => {
      this.#inProgress -= 1;
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * A call whose process dies is sent once more to the next process. Ref updates are not repeated:
   * the second would report that another writer moved the ref.
   */
  async #callTwice<T>(call: CallRequest): Promise<T> {
    return traced(`git ${call.call}`, {}, () => this.#callUntraced<T>(call));
  }

  async #callUntraced<T>(call: CallRequest): Promise<T> {
    await this.#whenReady();
    try {
      return await this.#call<T>(call);
    } catch (error) {
      const lost = error instanceof GitError && error.kind === 'unavailable';
      if (!lost || call.call === 'updateRefs') throw error;
    }
    // The parent of a killed process is notified shortly after this connection fails.
    await delay(retryMilliseconds);
    await this.#whenReady();
    return this.#call<T>(call);
  }

  async #call<T>(call: CallRequest): Promise<T> {
    const body = encode(call);
    const sent = this.#counted(
      httpRequest({
        method: 'POST',
        path: '/call',
        agent: this.#agent,
        headers: { 'content-length': body.length },
      }),
    );
    sent.end(body);
    const response = decode<CallResponse>(await readAll(await responseTo(sent)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the call's declared type is its response's
    return response.kind === 'value' ? (response.value as T) : throwError(response);
  }
}

/** Resolves when the git process answers. */
export async function ping(socketPath: string): Promise<void> {
  const sent = httpRequest({ socketPath, path: '/ping', agent: false });
  sent.end();
  (await responseTo(sent)).resume();
}

/** The response to a request; an error where there is none. */
export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', (cause) => reject(unavailable(cause)));
  });
}

async function responseStream(sent: ClientRequest, incoming: IncomingMessage): Promise<Readable> {
  if (incoming.statusCode !== 200) return throwError(decode(await readAll(incoming)));
  const output = new PassThrough();
  // Not a pipeline, whose error would not say that git is unavailable: a response that has not begun is 503 by it.
  incoming.pipe(output);
  finished(incoming, (error) => {
    if (error) output.destroy(unavailable(error));
  });
  finished(output, (error) => {
    if (error) sent.destroy();
  });
  return output;
}

/** Throws what the git process threw. */
export function throwError(response: CallResponse): never {
  throw response.kind === 'error' ? toGitError(response) : new GitError('failed', 'Not an error.');
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk);
  } catch (cause) {
    throw unavailable(cause);
  }
  return Buffer.concat(chunks);
}

export function unavailable(cause: unknown): GitError {
  const message = 'The git process exited before it responded; the operation may have completed.';
  return new GitError('unavailable', message, { cause });
}
