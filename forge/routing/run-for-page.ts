import { reconciledRead } from '../auth/reconciled-read.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { bodyParser } from '../http/json-body.ts';
import { parseAccept } from '../http/media-types.ts';
import { readPage } from '../http/pagination.ts';
import type { EndpointResult } from '../http/endpoint-result.ts';
import { resourceOf } from '../http/resource-names.ts';
import { zoneOffsetMinutes } from '../http/time-zone.ts';
import type { Urls } from '../json/urls.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import { notFoundIfDeleted } from '../repositories/get-repository.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import { authorizeOperation } from './authorize-operation.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';

/** What a page asks of an operation. */
export interface Operation {
  readonly caller: UserCaller;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly urls: Urls;
}

/**
 * Runs an endpoint for a user of the pages: with the access rule, the validation and the handler of the API (run-endpoint.ts), without
 * its protocol and its rate limits.
 */
export async function runForPage(
  endpoint: Endpoint,
  operation: Operation,
  ports: Ports,
): Promise<EndpointResult> {
  const access = await accessOf(endpoint, operation, ports);
  const input = inputOf(endpoint, operation, ports);
  const run = (): Promise<EndpointResult> => endpoint.run(input, access, ports);
  return access ? notFoundIfDeleted(ports.database, access.repository.id, run) : run();
}

async function accessOf(
  { access, declaration }: Endpoint,
  { caller, parameters }: Operation,
  ports: Ports,
): Promise<RepositoryAccess | undefined> {
  const { operation } = declaration;
  if (access.kind === 'user') return undefined;
  if (access.kind === 'site-admin') return caller.account.siteAdmin ? undefined : notFound();
  if (access.kind !== 'repository') throw new Error(`pages do not offer ${operation}`);
  const { owner = '', repo: name = '' } = parameters;
  const { policy } = access;
  const asked = { operation, policy, locator: { owner, name }, parameters };
  const authorized = await reconciledRead(ports, (sql) => authorizeOperation(sql, caller, asked));
  return authorized.access;
}

/** The rate limits of the API do not apply to pages. */
const uncounted = { key: 'pages', resource: 'core', limit: 0, used: 0, reset: 0 } as const;

function inputOf(
  { declaration, bodySchema }: Endpoint,
  { caller, parameters, body, urls }: Operation,
  { clock, settings }: Ports,
): EndpointRequest<string, unknown> {
  const query = new URLSearchParams();
  const zone = caller.account.timeZone ?? 'UTC';
  const hasBody = Object.keys(bodySchema.properties).length > 0;
  const resource = hasBody ? resourceOf(declaration.path) : 'Request';
  return {
    path: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        /_(?:id|number)$/.test(name) ? numberParameter(value) : value,
      ]),
    ),
    query,
    body: bodyParser(bodySchema, resource)({ ...body }),
    caller,
    page: readPage(query),
    media: parseAccept(undefined, settings.vendor),
    urls,
    rate: uncounted,
    overLimit: false,
    rateOf: async () => uncounted,
    countIn: async () => true,
    now: clock.now(),
    zoneOffset: (at) => zoneOffsetMinutes(zone, at),
  };
}

function numberParameter(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : refuse({ kind: 'not-found' });
}
