import { createRequire } from 'node:module';

import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

type Node = Record<string, unknown>;

/**
 * Holds webhook payloads against their published description. Where that description asks for what the service itself
 * leaves out, or is narrower than it, the misfit is let pass here and nowhere else.
 */
const allowances: readonly { readonly violation: RegExp; readonly why: string }[] = [
  {
    violation: /must have required property 'has_discussions'$/,
    why: 'Repositories are as in the interface of version 3, which has no discussions.',
  },
  {
    violation: /must have required property 'reactions'$/,
    why: 'Issues and comments are as in the interface of version 3, which shows reactions in a preview only.',
  },
  {
    violation: /deployment_status\/(?:environment|log|target)_url must match format "uri"$/,
    why: "URLs of a deployment are '' by default, which is no URI.",
  },
  {
    violation: /commit(?:s\/\d+)?\/(?:author|committer)\/email must match format "email"$/,
    why: 'git takes any text for an address, and the commits of a server may be by one without a domain.',
  },
];

interface Description {
  readonly ajv: Ajv;
  /** The schema of the payload of each event and action. */
  readonly webhooks: ReadonlyMap<string, string>;
  readonly events: string[];
}

let description: Description | undefined;
const validators = new Map<string, ValidateFunction>();

/** Problems of a payload; an event or action that the description does not know is one. */
export function describePayloadMisfit(event: string, payload: { action?: unknown }): string[] {
  description ??= load();
  const name = nameOf(event, payload.action);
  const schema = description.webhooks.get(name);
  if (schema === undefined) return [`${name}: the description knows no such webhook`];
  let validate = validators.get(schema);
  if (!validate) {
    validate = description.ajv.compile({ $ref: `description#${schema}` });
    validators.set(schema, validate);
  }
  if (validate(payload)) return [];
  return (validate.errors ?? [])
    .map(({ instancePath, message }) => `${instancePath || '/'} ${message ?? ''}`)
    .filter((violation) => !allowances.some((allowance) => allowance.violation.test(violation)))
    .map((violation) => `${name}: ${violation}`);
}

/** The names of all events that the description knows, as webhooks ask for them. */
export function describedEvents(): string[] {
  description ??= load();
  return description.events;
}

/** `pull_request` that was `opened` is `pull-request-opened`. */
function nameOf(event: string, action: unknown): string {
  const name = typeof action === 'string' ? `${event}_${action}` : event;
  return name.replaceAll('_', '-');
}

function load(): Description {
  const require = createRequire(import.meta.url);
  const root: Node = require('@octokit/openapi-webhooks/generated/api.github.com.json');
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  formats.default(ajv);
  // Not formats of JSON Schema.
  ajv.addFormat('uri-template', true).addFormat('repo.nwo', true);
  ajv.addSchema({ ...root, $id: 'description' });
  const webhooks = new Map<string, string>();
  const events = new Set<string>();
  for (const [name, methods] of Object.entries(root['webhooks'] as Record<string, Node>)) {
    const post = methods['post'] as Node;
    const body = post['requestBody'] as Node | undefined;
    events.add(String((post['x-github'] as Node)['subcategory']).replaceAll('-', '_'));
    const schema = JSON.stringify(body).match(/"\$ref":"#(\/components\/schemas\/[^"]+)"/)?.[1];
    if (schema !== undefined) webhooks.set(name, schema);
  }
  return { ajv, webhooks, events: [...events] };
}
