import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';

import {
  checkpointDurableExecution,
  getDurableExecutionState,
  sendDurableExecutionCallbackFailure,
  sendDurableExecutionCallbackHeartbeat,
  sendDurableExecutionCallbackSuccess,
} from '#functions-contract/operations/durable-executions.ts';

import type { ServedOperation, FunctionPorts } from './call.ts';
import { functionAddress } from './rewrite-function-url.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import { registerOperations } from './register-operations.ts';
import { sendError } from './send-output.ts';
import type { Launcher, Sandbox } from '../launcher/launcher.ts';
/**
 * The function service inside the sandboxes of durable functions, independent of their network: their programs must be able to
 * checkpoint, and can call nothing else. Requests are signed as everywhere.
 */
export interface ServiceInside {
  /** A launcher whose programs find the service. */
  reachedBy(launcher: Launcher): Launcher;
  /** From now on requests for these operations are served; until then the service responds that it is unavailable. */
  serve(
    operations: readonly ServedOperation[],
    ports: FunctionPorts,
    log: FastifyBaseLogger,
  ): Promise<void>;
  close(): Promise<void>;
}

/** The default of AWS's client for JavaScript. */
const connectionsPerEnvironment = 50;

/** How long a connection may take for the head of a request. Idle ones are closed by `keepAliveTimeout` first. */
const headMilliseconds = 10_000;
/** How long a request may take from its head to the end of its answer. */
const requestMilliseconds = 60_000;

/** Node checks its request timeouts only on servers that listen; this one receives its connections. */
class Connections {
  readonly #deadlines = new Map<Socket, NodeJS.Timeout>();

  add(socket: Socket): void {
    this.limit(socket, headMilliseconds);
    socket.once('close', () => {
      clearTimeout(this.#deadlines.get(socket));
      this.#deadlines.delete(socket);
    });
  }

  limit(socket: Socket, milliseconds: number): void {
    clearTimeout(this.#deadlines.get(socket));
    if (socket.destroyed) return;
    this.#deadlines.set(
      socket,
      setTimeout(() => socket.destroy(), milliseconds),
    );
  }

  close(): void {
    for (const socket of this.#deadlines.keys()) socket.destroy();
  }
}

export function createServiceInside(): ServiceInside {
  const connections = new Connections();
  let answer: RequestListener = answerAway;
  let service: FastifyInstance | undefined;
  const server = createServer((request, response) => {
    connections.limit(request.socket, requestMilliseconds);
    response.once('close', () => connections.limit(request.socket, headMilliseconds));
    answer(request, response);
  });
  return {
    reachedBy: (launcher) => ({
      isolation: launcher.isolation,
      async open(location) {
        return withService(await launcher.open(location), acceptor(server, connections));
      },
      close: () => launcher.close(),
    }),
    async serve(operations, ports, log) {
      service = Fastify({
        rewriteUrl: ({ url = '/' }) => functionAddress(url) ?? url,
        routerOptions: { maxParamLength: 1024 * 1024 },
        loggerInstance: log,
        logController: new LogController({ disableRequestLogging: true }),
        serverFactory: (handler) => {
          answer = handler;
          return server;
        },
      });
      service.addHook('onRequest', async (request, reply) => {
        if (!request.routeOptions.config.operation) return refuse(reply);
      });
      service.setNotFoundHandler((_request, reply) => refuse(reply));
      const reachable = operations.filter(({ operation }) => operationsInside.has(operation.name));
      registerOperations(service, reachable, ports);
      await service.ready();
    },
    async close() {
      connections.close();
      await service?.close();
    },
  };
}

const answerAway: RequestListener = (_request, response) => {
  response.statusCode = 503;
  response.end();
};

/** Operations that require a checkpoint token or a callback id, which cannot be guessed. */
const operationsInside: ReadonlySet<string> = new Set(
  [
    getDurableExecutionState,
    checkpointDurableExecution,
    sendDurableExecutionCallbackSuccess,
    sendDurableExecutionCallbackFailure,
    sendDurableExecutionCallbackHeartbeat,
  ].map(({ name }) => name),
);

/** Takes the connections of one environment. */
function acceptor(server: Server, connections: Connections): (socket: Socket) => void {
  let open = 0;
  return (socket) => {
    if (open >= connectionsPerEnvironment) {
      socket.destroy();
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    connections.add(socket);
    server.emit('connection', socket);
  };
}

function refuse(reply: FastifyReply): FastifyReply {
  return sendError(
    reply,
    new FunctionsError(
      'AccessDeniedException',
      'Only durable execution operations are available on this endpoint.',
    ),
  );
}

/** The variable from which AWS's clients read the endpoint. */
const variable = 'AWS_ENDPOINT_URL_LAMBDA';
const variableOfAll = 'AWS_ENDPOINT_URL';

function withService(location: Sandbox, accept: (socket: Socket) => void): Sandbox {
  let address: Promise<string> | undefined;
  return {
    async start(program) {
      const { environment } = program;
      // An endpoint that the function sets itself takes precedence.
      if (variable in environment || variableOfAll in environment) return location.start(program);
      address ??= location.listenInside(accept);
      const url = `http://${await address}`;
      return location.start({ ...program, environment: { ...environment, [variable]: url } });
    },
    listenInside: (onConnection) => location.listenInside(onConnection),
    connectInside: (port) => location.connectInside(port),
    onLost: (listener) => location.onLost(listener),
    close: () => location.close(),
  };
}
