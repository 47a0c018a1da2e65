import type { Operation } from '#functions-contract/operation.ts';

import type { DebugLog } from '../connection/debug-log.ts';
import { checkedRegion } from '../connection/endpoint.ts';
import { send, type ServiceResponse } from '../connection/send.ts';
import { isServiceError } from '../connection/service-error.ts';
import { type CliContext, commandName } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import type { Globals } from '../input/globals.ts';
import { formatOutput, isOutputFormat } from '../output/format-output.ts';
import { showOutput } from '../output/show-output.ts';
import type { Profile, Credentials } from '../profile/profile.ts';
import { resolveProfile } from '../profile/resolve-profile.ts';
import type { InputMap } from '../validation/input-value.ts';
import { validateInput } from '../validation/validate-input.ts';
import { type WireRequest, buildRequest } from '../wire/build-request.ts';
import { parseResponse } from '../wire/parse-response.ts';

/** What a command works with once the global options and the profile are read. */
export interface Session {
  readonly globals: Globals;
  readonly context: CliContext;
  readonly profile: Profile;
  /** Sends one request; a response that is an error is thrown. */
  readonly call: (operation: Operation, input: InputMap) => Promise<Output>;
  /** Filters and formats as the options say; resolves with the exit code. */
  readonly print: (value: unknown) => Promise<number>;
  readonly query: ((value: unknown) => unknown) | undefined;
  /** Name of the command's operation. */
  readonly title: string;
}

export async function openSession(
  title: string,
  globals: Globals,
  context: CliContext,
): Promise<Session> {
  // An invalid query is reported before errors of the profile, and before anything is sent.
  const query = await queryOf(globals);
  const profile = resolveProfile(globals, context);
  const region = checkedRegion(profile.region);
  const service = await openService(region, profile, globals, title, context);
  const session: Session = {
    globals,
    context,
    profile,
    query,
    title,
    call: (called, input) => callOperation(service, called, input),
    print: (value) => printOutput(session, value),
  };
  return session;
}

async function queryOf(globals: Globals): Promise<Session['query']> {
  if (globals.query === undefined) return undefined;
  return (await import('../query/apply-query.ts')).compileQuery(globals.query);
}

/** The service that the options and the profile name; credentials are looked up by the first request. */
async function openService(
  region: string,
  profile: Profile,
  globals: Globals,
  title: string,
  context: CliContext,
): Promise<Service> {
  const log = await openLog(globals, context);
  let credentials: Promise<Credentials | undefined> | undefined;
  return {
    send: async (request) => {
      credentials ??= globals.signRequest ? profile.findCredentials() : Promise.resolve(undefined);
      return send(
        request,
        {
          endpointUrl: profile.endpointUrl,
          region,
          credentials: await credentials,
          userAgent: `hob/${context.version()} md/command#lambda.${commandName(title)}`,
          log,
          connectTimeout: globals.connectTimeout,
          readTimeout: globals.readTimeout,
          verifySsl: globals.verifySsl,
          caBundle: profile.caBundle,
          retries: profile.retries,
        },
        context,
      );
    },
  };
}

async function openLog(globals: Globals, context: CliContext): Promise<DebugLog | undefined> {
  if (!globals.debug) return undefined;
  return (await import('../connection/debug-log.ts')).debugLog(context.stderr, context.now, 'hob');
}

/** The service as commands see it: signing, retries and timeouts are behind it. */
interface Service {
  readonly send: (request: WireRequest) => Promise<ServiceResponse>;
}

export type Output = Readonly<Record<string, unknown>>;

/** Sends one request and reads its response; a response that is an error is thrown. */
async function callOperation(
  service: Service,
  operation: Operation,
  input: InputMap,
): Promise<Output> {
  validateInput(input, operation.input);
  const reply = await service.send(buildRequest(operation, input));
  if (!isServiceError(reply)) return parseResponse(operation, reply);
  const { ServiceResponseError } = await import('./service-response-error.ts');
  throw new ServiceResponseError(operation.name, reply);
}

/** Prints a response as `--query`, `--output` and `--color` say, through the pager on a terminal. */
async function printOutput(session: Session, value: unknown): Promise<number> {
  return printText(session, await answerText(session, value));
}

export async function answerText(session: Session, value: unknown): Promise<string> {
  const { context, globals, query, title, profile } = session;
  const selected = query === undefined ? value : query(value);
  const format = profile.output;
  // The value may come from a file or the environment, which are not checked before the request is sent.
  if (!isOutputFormat(format)) throw new CliError(255, `Unknown output type: ${format}`);
  return formatOutput(format, selected, {
    title,
    color: globals.color === 'on' || (globals.color === 'auto' && context.isTerminal.stdout),
    columns: context.columns,
    terminal: context.isTerminal.stdout,
  });
}

export async function printText(session: Session, text: string): Promise<number> {
  const { profile, globals, context } = session;
  await showOutput(text, { pager: profile.pager, allowed: globals.pager }, context);
  return 0;
}
