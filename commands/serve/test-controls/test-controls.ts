/** What tests of clients ask of a server that is there for them alone, below `/-/test/` (docs/testing-with-hob.md). */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { functionCallerOf } from '#platform/function-caller.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Database } from '#platform/database/database.ts';

import { isAdministratorToken } from './administrator-token.ts';
import { type Control, ControlRefusal, type ControlResponse, readBody } from './control-request.ts';

export interface TestControls {
  /** Answers requests below `/-/test/`, and passes all others on. */
  wrap(next: RequestListener): RequestListener;
}

export interface TestControlsOptions {
  /** Of the services as they are now, once they are there. */
  readonly database: () => Promise<Database>;
  readonly clock: Clock;
  readonly log: Log;
  /** By method and path below the prefix, as in `POST reset`. */
  readonly controls: Readonly<Record<string, Control>>;
}

const prefix = '/-/test';

export function createTestControls(options: TestControlsOptions): TestControls {
  const controls = new Map(Object.entries(options.controls));

  async function respond(request: IncomingMessage, path: string): Promise<ControlResponse> {
    const { authorization } = request.headers;
    const now = options.clock.now();
    if (!(await isAdministratorToken(await options.database(), authorization, now))) {
      const message =
        'Test controls need a token of a site administrator with the scope site_admin, in the header Authorization.';
      throw new ControlRefusal(403, message);
    }
    const found = controls.get(`${request.method} ${path}`);
    if (!found) throw new ControlRefusal(404, noSuch(controls, path));
    return found(await readBody(request));
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    const { status, body } = await respond(request, path).catch((error: unknown) => {
      if (error instanceof ControlRefusal) {
        return { status: error.status, body: { message: error.message } };
      }
      options.log.error({ err: error, path }, 'a test control failed');
      const message = `The test control failed: ${error instanceof Error ? error.message : String(error)}`;
      return { status: 500, body: { message } };
    });
    send(response, { status, body });
  }

  return {
    wrap: (next) => (request, response) => {
      const path = pathOf(request);
      if (path === undefined) return next(request, response);
      // Its own failures are in the response.
      serve(request, response, path).catch((error: unknown) => response.destroy(asError(error)));
    },
  };
}

/** Below the prefix; undefined for other requests, among them all of functions, which control no server. */
function pathOf(request: IncomingMessage): string | undefined {
  const [path = ''] = (request.url ?? '').split('?');
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
  return functionCallerOf(request) ? undefined : path.slice(prefix.length + 1);
}

function noSuch(controls: ReadonlyMap<string, Control>, path: string): string {
  const methods = [...controls.keys()].filter((name) => name.endsWith(` ${path}`));
  if (methods.length === 0) return `There is no test control ${prefix}/${path}.`;
  const named = methods.map((name) => name.split(' ')[0]).join(' and ');
  return `${prefix}/${path} has the method ${named}.`;
}

function send(response: ServerResponse, { status, body }: ControlResponse): void {
  if (body === undefined) {
    response.writeHead(status, passiveContentHeaders).end();
    return;
  }
  const headers = { ...passiveContentHeaders, 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
