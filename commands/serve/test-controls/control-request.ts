import type { IncomingMessage } from 'node:http';

import Type, { type Static, type TObject, type TProperties } from 'typebox';

import { SchemaCheck, type SchemaProblem } from '#platform/schema-check.ts';

/** What a control responds. */
export interface ControlResponse {
  readonly status: number;
  /** JSON; absent: no body. */
  readonly body?: unknown;
}

/** A control: what may be in its body, and what it does. */
export type Control = (body: Buffer) => Promise<ControlResponse>;

/** Why a control did nothing. */
export class ControlRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const done: ControlResponse = { status: 204 };

/** A control with a JSON object as its body; fields that it does not have are refused, because they would have no effect. */
export function control<P extends TProperties>(
  properties: P,
  run: (input: Static<TObject<P>>) => Promise<ControlResponse> | ControlResponse,
): Control {
  const check = new SchemaCheck(Type.Object(properties, { additionalProperties: false }));
  return async (body) => {
    const given = body.length === 0 ? {} : parseJson(body);
    if (!check.accepts(given)) {
      throw new ControlRefusal(422, problemIn('The body', check.problems(given)));
    }
    return run(given);
  };
}

/** A sentence about the first error of a validation. */
export function problemIn(whole: string, errors: readonly SchemaProblem[]): string {
  const [problem] = errors;
  const where = problem?.instancePath.slice(1).replaceAll('/', '.') || whole;
  // What the library says of a field that the schema does not have.
  if (problem?.message === 'schema is false') return `${where} is unknown.`;
  return `${where} ${problem?.message ?? 'is invalid'}.`;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new ControlRefusal(400, 'The body is not JSON.');
  }
}

/** Body of a test control; the largest is a file to seed from. */
const bodyBytesMax = 16 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bodyBytesMax) {
      throw new ControlRefusal(413, `The request body is larger than ${bodyBytesMax} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
