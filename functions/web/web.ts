import type { FastifyInstance, FastifyReply } from 'fastify';

import { responseEndSignal } from '#platform/response-end.ts';
import { formBytesMax, FormError, readForm, refuseForeignForm, tokenField } from '#web/form.ts';
import { isFormToken } from '#web/form-token.ts';
import type { Link } from '#web/layout.ts';
import { sendPage, sendEventStream } from '#web/send-page.ts';
import type { SignedInUser, Site, Visit } from '#web/site.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';

import { codeRequestBytesMax } from '#functions-contract/limits.ts';
import { readUpload } from '#web/upload.ts';
import { accessKeysOf } from '../access-keys/administer-access-keys.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import type { FunctionPorts, OperationHandler } from '../http/call.ts';
import { parameterOfChange, forwardToHomes } from '../http/forward-to-homes.ts';
import { queryOf } from '../http/register-operations.ts';
import { administrationPages, functionsPath } from './kit/paths.ts';
import type {
  ConsoleAct,
  ConsoleContext,
  ConsoleForm,
  ConsolePage,
  ConsoleRequest,
  RenderPage,
} from './kit/console-context.ts';
import { refusalText, responseToError } from './kit/console-errors.ts';
import { principalOfUser } from './kit/console-user.ts';
import { createRunOperation } from './kit/run-operation.ts';
import { createRunRecorded } from './kit/run-recorded.ts';
import { createEventStreams } from './event-stream.ts';
import { pages } from './page-table.ts';

/** Where the rest of the site leads to this console. */
export const consoleLink: Link = { href: functionsPath, label: 'Functions' };

/** Its pages for site administrators. */
export const functionAdministrationLinks: readonly Link[] = administrationPages;

/** The console: pages for what the operations of this service do. They need no script; only forms change anything. */
export function registerConsole(
  server: FastifyInstance,
  ports: FunctionPorts,
  operations: readonly OperationHandler[],
  bodies: BodyBudget,
  site: Site,
): void {
  const contextOf = createContexts(ports, operations);
  const eventStreams = createEventStreams(() => site.isStopping());

  /** Errors are rendered in the frame of the signed-in user, if known. */
  async function answer(
    request: ConsoleRequest,
    reply: FastifyReply,
    handle: (visit: Visit) => Promise<WebResponse>,
  ): Promise<FastifyReply> {
    let visit = site.visitUnknown(request);
    try {
      visit = await site.visit(request);
      return await sendPage(request, reply, await handle(visit), visit.frame);
    } catch (error) {
      return sendPage(request, reply, responseToError(error, request, visit), visit.frame);
    }
  }

  // Forms of a function may invoke it.
  forwardToHomes(server, ports.homes, (request) => parameterOfChange(request, 'name'));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.setErrorHandler((error, request, reply) => {
    const visit = site.visitUnknown(request);
    return sendPage(request, reply, responseToError(error, request, visit), visit.frame);
  });
  async function sendEvents(
    request: ConsoleRequest,
    reply: FastifyReply,
    events: NonNullable<ConsolePage['events']>,
  ): Promise<FastifyReply> {
    const visit = await site.visit(request);
    const context = await contextOf(request, visit);
    const lastEventId = request.headers['last-event-id'];
    const follow = await events(context, typeof lastEventId === 'string' ? lastEventId : undefined);
    const follower = {
      userId: context.user.id,
      left: responseEndSignal(reply.raw),
      mayGoOn: () => isSame(request, context.user),
    };
    const body = eventStreams.open(follower, follow);
    return sendEventStream(reply, body);
  }

  /** Whether the browser is still signed in as this user, who may still use the console. */
  async function isSame(request: ConsoleRequest, { id }: SignedInUser): Promise<boolean> {
    const { user } = await site.visit(request);
    return user?.id === id && (await accessKeysOf(ports, id)).length > 0;
  }

  for (const { path, show, events, acts = {}, uploads = [], forSiteAdmins } of pages) {
    if (events) {
      // A response to HEAD would follow a log without a reader.
      server.get(
        `${path}/events`,
        { exposeHeadRoute: false },
        async (request: ConsoleRequest, reply) => sendEvents(request, reply, events),
      );
    }
    server.get(path, (request: ConsoleRequest, reply) =>
      answer(request, reply, async (visit) => {
        if (!visit.user) return { kind: 'redirect', location: visit.signInPath };
        return show(await contextOf(request, visit, forSiteAdmins));
      }),
    );
    for (const [name, act] of Object.entries(acts)) {
      const withFiles = uploads.includes(name);
      registerForm(
        { server, ports, bodies, site, contextOf, answer },
        { path, show, name, act, withFiles, forSiteAdmins },
      );
    }
  }
}

type ContextOf = (
  request: ConsoleRequest,
  visit: Visit,
  forSiteAdmins?: true,
) => Promise<ConsoleContext>;

/** What pages get of a request; throws for users who may not use the console, or that page. */
function createContexts(ports: FunctionPorts, operations: readonly OperationHandler[]): ContextOf {
  const runOperation = createRunOperation(ports, operations);
  const runRecorded = createRunRecorded(ports);
  return async (request, { user, administration }, forSiteAdmins) => {
    if (!user) throw new FormError(403, sessionEnded);
    const principal = await principalOfUser(ports, user);
    if (forSiteAdmins && !user.siteAdmin)
      throw new FunctionsError('ResourceNotFoundException', noPage);
    return {
      ports,
      now: ports.clock.now(),
      user,
      path: request.params,
      query: queryOf(request),
      run: runOperation(principal, request.ip),
      record: runRecorded(principal, request.ip),
      administration,
    };
  };
}

interface FormParts {
  readonly server: FastifyInstance;
  readonly ports: FunctionPorts;
  readonly bodies: BodyBudget;
  readonly site: Site;
  readonly contextOf: ContextOf;
  readonly answer: (
    request: ConsoleRequest,
    reply: FastifyReply,
    handle: (visit: Visit) => Promise<WebResponse>,
  ) => Promise<FastifyReply>;
}

interface RegisteredForm {
  /** Of its page. */
  readonly path: string;
  readonly show: RenderPage;
  readonly name: string;
  readonly act: ConsoleAct;
  readonly withFiles: boolean;
  readonly forSiteAdmins: true | undefined;
}

function registerForm(
  { server, ports, bodies, site, contextOf, answer }: FormParts,
  { path, show, name, act, withFiles, forSiteAdmins }: RegisteredForm,
): void {
  // Reloading the page of a refused form.
  server.get(`${path}/${name}`, (request: ConsoleRequest, reply) =>
    answer(request, reply, async () => ({ kind: 'redirect', location: pageOf(request.url) })),
  );
  const bodyLimit = withFiles ? codeRequestBytesMax : formBytesMax;
  server.post<{ Params: Record<string, string> }>(
    `${path}/${name}`,
    {
      bodyLimit,
      // A caller who is not signed in must not fill memory with a body.
      onRequest: async (request, reply) => {
        if (!withFiles) return;
        const { user } = await site.visit(request);
        if (!user) throw new FormError(403, sessionEnded);
        const { arn } = await principalOfUser(ports, user);
        bodies.enter(request, reply, bodyLimit, arn);
      },
    },
    (request: ConsoleRequest, reply) =>
      answer(request, reply, async (visit) => {
        const sent = withFiles
          ? await readUpload(request, visit.baseUrl)
          : { form: readForm(request, visit.baseUrl), files: noFiles };
        const context = await contextOf(request, visit, forSiteAdmins);
        const token = sent.form.get(tokenField) ?? '';
        if (!isFormToken(context.user.secret, token)) refuseForeignForm();
        return submitForm({ ...context, ...sent }, { name, act, show });
      }),
  );
}

const noFiles: ReadonlyMap<string, Uint8Array> = new Map();

/** The page of a form with this target. */
function pageOf(target: string): string {
  return target.split('?', 1)[0]?.replace(/\/[^/]*\/?$/, '') ?? functionsPath;
}

const noPage = 'This page does not exist, or you cannot see it.';

const sessionEnded =
  'Your session has ended, so nothing was changed. Sign in and send the form again.';

/** Does what a form asks for. A refusal is the page again, with what was filled in and the reason above the form. */
async function submitForm(
  context: ConsoleForm,
  {
    name,
    act,
    show,
  }: { readonly name: string; readonly act: ConsoleAct; readonly show: RenderPage },
): Promise<WebResponse> {
  try {
    const next = await act(context);
    return typeof next === 'string' ? seeOther(next) : next;
  } catch (error) {
    if (!(error instanceof FunctionsError)) throw error;
    const { status } = error;
    return show(context, { act: name, problem: refusalText(error), status, fields: context.form });
  }
}
