import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';

import type { Launcher, Place } from '../launcher/launcher.ts';

/**
 * The function service, as the programs of durable functions reach it whatever network they have: they must be able to say how
 * far they are, and nothing else is there. Requests are signed as everywhere.
 */
export interface ServiceInside {
  /** A launcher whose programs find the service. */
  reachedBy(launcher: Launcher): Launcher;
  /** Who answers. */
  answerBy(server: FastifyInstance): void;
  close(): Promise<void>;
}

export function createServiceInside(): ServiceInside {
  let service: FastifyInstance | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    if (!service || !isAboutExecutions(request)) return refuse(response, service ? 403 : 503);
    // A name could stand for a function's URL; the signature is over the one that was sent.
    request.headers.host = '';
    return service.routing(request, response);
  });
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    server.emit('connection', socket);
  };
  return {
    reachedBy: (launcher) => ({
      isolation: launcher.isolation,
      open: async (place) => withService(await launcher.open(place), accept),
      close: () => launcher.close(),
    }),
    answerBy(answering) {
      service = answering;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What takes the token of a checkpoint or the id of a callback, which nobody has by chance. */
function isAboutExecutions({ url = '' }: IncomingMessage): boolean {
  return /^\/2025-12-01\/durable-execution(s\/[^/?]+\/(checkpoint|state)|-callbacks\/[^/?]+\/(succeed|fail|heartbeat))(\?|$)/.test(
    url,
  );
}

/** In the form in which the vendor's clients find the words. */
function refuse(response: ServerResponse, status: number): void {
  const message = 'Durable functions reach the operations that executions need, and no others.';
  response.statusCode = status;
  response.end(JSON.stringify({ __type: 'AccessDeniedException', Message: message }));
}

/** What the vendor's clients go by. */
const variable = 'AWS_ENDPOINT_URL_LAMBDA';
const variableOfAll = 'AWS_ENDPOINT_URL';

function withService(place: Place, accept: (socket: Socket) => void): Place {
  let address: Promise<string> | undefined;
  return {
    async start(program) {
      const { environment } = program;
      // Whoever says where the service is means it.
      if (variable in environment || variableOfAll in environment) return place.start(program);
      address ??= place.listenInside(accept);
      const url = `http://${await address}`;
      return place.start({ ...program, environment: { ...environment, [variable]: url } });
    },
    listenInside: (onConnection) => place.listenInside(onConnection),
    connectInside: (port) => place.connectInside(port),
    close: () => place.close(),
  };
}
