import type { FastifyRequest } from 'fastify';

import type { Operation } from '#functions-contract/operation.ts';
import type { StructureOf, StructureShape } from '#functions-contract/shape.ts';
import type { Link } from '#web/layout.ts';
import type { RefusedForm } from '#web/page-form.ts';
import type { SignedInUser } from '#web/site.ts';
import type { WebResponse } from '#web/web-response.ts';

import type { AuditEvent } from '../../audit/audit-log.ts';
import type { FunctionPorts } from '../../http/call.ts';

/** The request of a page of the console, by a user who may use it. */
export interface ConsoleContext {
  readonly ports: FunctionPorts;
  /** Milliseconds since the epoch, the same for everything that this request does. */
  readonly now: number;
  readonly user: SignedInUser;
  /** Parameters of the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly run: RunOperation;
  readonly record: RunRecorded;
  /** The pages for site administrators, of all services. */
  readonly administration: readonly Link[];
}

/** Does what no operation does, and records it in the audit log, as `performOperation` does for operations. */
export type RunRecorded = (
  event: AuditEvent['operation'],
  input: object,
  act: () => Promise<void>,
) => Promise<void>;

/** Runs an operation as a request with the user's access key would: a page has no rules of its own. */
export type RunOperation = <I extends StructureShape, O extends StructureShape>(
  operation: Operation<I, O>,
) => (input: StructureOf<I>) => Promise<StructureOf<O>>;

/** As above, with the fields of a form whose CSRF token has been checked. */
export interface ConsoleForm extends ConsoleContext {
  readonly form: URLSearchParams;
  /** The files of an upload, by the names of their fields. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A page, also as it is shown again after one of its forms was refused. */
export type RenderPage = (context: ConsoleContext, refused?: RefusedForm) => Promise<WebResponse>;

/** What a form does. It gives the URL to go to next, or a page of its own. */
export type ConsoleAct = (context: ConsoleForm) => Promise<string | WebResponse>;

/** An event as a script gets it (HTML, 9.2); the browser sends the id of the last one when it connects again. */
export interface ServerSentEvent {
  readonly id: string;
  readonly data: string;
}

export interface ConsolePage {
  readonly path: string;
  readonly show: RenderPage;
  /** The forms of the page, by the last segment of their targets. */
  readonly acts?: Readonly<Record<string, ConsoleAct>>;
  /** What a script of the page follows, at `events` below it (event-stream.ts). It has looked at the request before it returns. */
  readonly events?: (
    context: ConsoleContext,
    lastEventId: string | undefined,
  ) => Promise<(ended: AbortSignal) => AsyncIterable<ServerSentEvent>>;
  /** Others learn nothing of it. */
  readonly forSiteAdmins?: true;
  /** Those of them whose forms have files. */
  readonly uploads?: readonly string[];
}

export type ConsoleRequest = FastifyRequest<{ Params: Record<string, string> }>;
