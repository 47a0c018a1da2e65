import type { Random } from '#platform/random.ts';

import { collectingBody, discardedBody, refusedBody, smallBodyBytesMax } from './body-readers.ts';
import type { Connection } from './connection.ts';
import type { OtherCalls } from './create-runtime-channel.ts';
import { Extension, type ShutdownReason, parseRegistration } from './extension.ts';
import { accepted, errorResponse, jsonResponse, wrongMethod } from './http-response.ts';
import type { RequestHead } from './request-head.ts';
import type { BodySink } from './request-reader.ts';
import { errorTypeCharactersMax, type DeliveredEvent } from './runtime-channel.ts';
import type { Telemetry } from './telemetry.ts';

export interface ExtensionsOptions {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly handler: string;
  readonly accountId: string;
  /** The extensions of the layers; one that registers by another name is internal to the function. */
  readonly external: readonly string[];
  readonly random: Random;
  readonly telemetry: Telemetry;
}

export interface ExtensionFailure {
  readonly name: string;
  readonly errorType: string;
  readonly during: 'init' | 'exit';
}

/** The extensions of a function: each receives the events and the shutdown that it registers for. */
export class Extensions implements OtherCalls {
  readonly #options: ExtensionsOptions;
  readonly #byId = new Map<string, Extension>();
  readonly #failed = Promise.withResolvers<ExtensionFailure>();
  #closed = false;
  #changed: (() => void)[] = [];

  constructor(options: ExtensionsOptions) {
    this.#options = options;
  }

  /** Resolves when an extension reports an init or exit error. */
  get failed(): Promise<ExtensionFailure> {
    return this.#failed.promise;
  }

  /** Resolves when all external extensions have registered: the function's own program may then start. */
  allRegistered(): Promise<void> {
    const { external } = this.#options;
    const names = (): Set<string> => new Set([...this.#byId.values()].map(({ name }) => name));
    return this.#until(() => external.every((name) => names().has(name)));
  }

  /** Resolves when none is busy: after the start, and after each invocation. */
  allWaiting(): Promise<void> {
    return this.#until(() => [...this.#byId.values()].every((extension) => extension.waiting));
  }

  /** Ends registration, which is possible only during the init phase. */
  closeRegistration(): void {
    this.#closed = true;
  }

  /** Returns the names of the extensions that receive SHUTDOWN. */
  shutDown(reason: ShutdownReason, deadline: number): string[] {
    const body = { eventType: 'SHUTDOWN', deadlineMs: deadline, shutdownReason: reason };
    const { random } = this.#options;
    return [...this.#byId.values()]
      .filter((extension) => extension.send('SHUTDOWN', random.id(), body))
      .map(({ name }) => name);
  }

  handedOut(event: DeliveredEvent): void {
    for (const extension of this.#byId.values()) {
      extension.send('INVOKE', this.#options.random.id(), {
        eventType: 'INVOKE',
        deadlineMs: event.deadline,
        requestId: event.requestId,
        invokedFunctionArn: event.functionArn,
        ...(event.traceHeader === ''
          ? {}
          : { tracing: { type: 'X-Amzn-Trace-Id', value: event.traceHeader } }),
      });
    }
  }

  connectionClosed(connection: Connection): void {
    for (const extension of this.#byId.values()) extension.connectionClosed(connection);
  }

  request(head: RequestHead, connection: Connection): BodySink | undefined {
    const method = methods.get(head.path);
    if (method === undefined) return undefined;
    if (method !== head.method) return refusedBody(wrongMethod, connection);
    if (head.path === '/2020-01-01/extension/register') return this.#register(head, connection);
    const id = head.headers.get('lambda-extension-identifier') ?? '';
    const extension = this.#byId.get(id);
    if (extension === undefined) return refusedBody(unknownExtension(id), connection);
    switch (head.path) {
      case '/2020-01-01/extension/event/next':
        return discardedBody(() => {
          connection.park();
          extension.poll(connection);
          this.#wake();
        }, connection);
      case '/2020-01-01/extension/init/error':
        return this.#failure(head, connection, extension, 'init');
      case '/2020-01-01/extension/exit/error':
        return this.#failure(head, connection, extension, 'exit');
      default:
        return this.#options.telemetry.subscribe(extension.name, connection);
    }
  }

  #register(head: RequestHead, connection: Connection): BodySink {
    // Heads are decoded as Latin-1; this header is the name of a file, which is UTF-8.
    const header = head.headers.get('lambda-extension-name') ?? '';
    const name = Buffer.from(header, 'latin1').toString();
    return collectingBody(
      {
        whole: (body) => connection.respond(this.#registered(name, body, head)),
        tooLarge() {},
        truncated() {},
      },
      connection,
      smallBodyBytesMax,
    );
  }

  #registered(name: string, body: Buffer, head: RequestHead): Buffer {
    const { external, random, functionName, functionVersion, handler, accountId } = this.#options;
    const registration = parseRegistration(name, body, external.includes(name));
    if (registration.kind === 'refused') return registration.response;
    if (this.#closed) {
      return refused('RegistrationClosed', 'Extension registration closed already');
    }
    if ([...this.#byId.values()].some((other) => other.name === name)) {
      return refused('InvalidExtensionState', 'Extension with this name already registered');
    }
    if (this.#byId.size >= extensionsMax) {
      return refused('TooManyExtensions', `Extension limit (${extensionsMax}) reached`);
    }
    const id = random.id();
    this.#byId.set(id, new Extension(name, registration.events));
    this.#wake();
    const wantsAccount = (head.headers.get('lambda-extension-accept-feature') ?? '')
      .split(',')
      .some((feature) => feature.trim() === 'accountId');
    return jsonResponse(
      200,
      { functionName, functionVersion, handler, ...(wantsAccount ? { accountId } : {}) },
      { 'Lambda-Extension-Identifier': id },
    );
  }

  #failure(
    head: RequestHead,
    connection: Connection,
    extension: Extension,
    during: 'init' | 'exit',
  ): BodySink {
    const errorType = head.headers
      .get('lambda-extension-function-error-type')
      ?.slice(0, errorTypeCharactersMax);
    if (errorType === undefined) {
      const header = 'Lambda-Extension-Function-Error-Type';
      return refusedBody(refused('MissingHeader', `${header} not found`), connection);
    }
    return discardedBody(() => {
      this.#failed.resolve({ name: extension.name, errorType, during });
      connection.respond(accepted);
    }, connection);
  }

  async #until(reached: () => boolean): Promise<void> {
    while (!reached()) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }

  #wake(): void {
    const changed = this.#changed;
    this.#changed = [];
    for (const wake of changed) wake();
  }
}

function unknownExtension(id: string): Buffer {
  return id === ''
    ? refused('MissingExtensionIdentifier', 'Missing Lambda-Extension-Identifier header')
    : refused('UnknownExtensionIdentifier', `Unknown extension ${id}`);
}

function refused(type: string, message: string): Buffer {
  return errorResponse(403, `Extension.${type}`, message);
}

const methods: ReadonlyMap<string, string> = new Map([
  ['/2020-01-01/extension/register', 'POST'],
  ['/2020-01-01/extension/event/next', 'GET'],
  ['/2020-01-01/extension/init/error', 'POST'],
  ['/2020-01-01/extension/exit/error', 'POST'],
  ['/2020-08-15/logs', 'PUT'],
  ['/2022-07-01/telemetry', 'PUT'],
]);

/** Extensions of one environment, the function's own and its layers', internal and external. */
export const extensionsMax = 10;
