import Type, { type Static } from 'typebox';

import { isDecodable } from '#platform/decodable.ts';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { nullable } from '../http/schemas.ts';
import { isArn } from '../ports/function-targets.ts';
import type { Ports } from '../ports/ports.ts';
import { addressesOf, isPrivateAddress, privateTargetsHint } from '../http/private-target.ts';
import { functionsElsewhere } from './send-to-function.ts';
import { hiddenSecret } from './webhook-json.ts';
import { webhookEvents } from './webhook-events.ts';
import type { WebhookInput } from './webhook.ts';

export const webhookConfig = Type.Object({
  url: Type.Optional(nullable(Type.String())),
  content_type: Type.Optional(nullable(Type.String())),
  secret: Type.Optional(nullable(Type.String())),
  insecure_ssl: Type.Optional(nullable(Type.Union([Type.String(), Type.Number()]))),
});

/** What a request says of a webhook. */
interface WebhookValues {
  readonly config?: Static<typeof webhookConfig> | null;
  readonly active?: boolean | null;
  readonly events?: readonly string[];
  readonly add_events?: readonly string[];
  readonly remove_events?: readonly string[];
}

/** Webhooks of a repository. */
export const webhooksMax = 20;
/** URL of a webhook. */
const urlCharactersMax = 2048;
/** Secret of a webhook. */
const secretCharactersMax = 1024;

/**
 * The webhook after a create or update request; refuses URLs and settings that cannot be delivered. `source` is the repository
 * (`owner/name`), or what stands for an App, that the policy of a function must allow.
 */
export async function readWebhookInput(
  values: WebhookValues,
  former: WebhookInput,
  source: string,
  ports: TargetPorts,
  needsUrl = true,
): Promise<WebhookInput> {
  const input = changedBy(values, former);
  const problems = [
    ...eventProblems(input.events),
    ...((input.secret?.length ?? 0) > secretCharactersMax
      ? [problem('secret', `secret is too long (maximum is ${secretCharactersMax} characters)`)]
      : []),
    ...(input.url === former.url && (former.url !== '' || !needsUrl)
      ? []
      : await urlProblems(input.url, source, ports)),
  ];
  if (problems.length > 0) return invalid(...problems);
  return input;
}

/** Refuses a webhook that gets nothing, because another request has removed the other events meanwhile. */
export function requireEvents({ events }: WebhookInput): void {
  const problems = eventProblems(events);
  if (problems.length > 0) invalid(...problems);
}

/** The webhook with what a request says; it is not checked. */
export function changedBy(values: WebhookValues, former: WebhookInput): WebhookInput {
  const config = values.config ?? {};
  const { add_events: more = [], remove_events: fewer = [] } = values;
  const events = new Set([...(values.events ?? former.events), ...more]);
  const insecure = config.insecure_ssl ?? null;
  return {
    ...former,
    active: values.active ?? former.active,
    events: [...events.difference(new Set(fewer))],
    url: config.url ?? former.url,
    contentType: contentTypeOf(config.content_type) ?? former.contentType,
    secret: secretOf(config.secret, former.secret),
    insecureSsl: insecure === null ? former.insecureSsl : String(insecure) === '1',
  };
}

function contentTypeOf(text: string | null | undefined): 'json' | 'form' | undefined {
  if (text === undefined || text === null) return undefined;
  if (text === 'json' || text === 'form') return text;
  return invalid(problem('content_type', 'content_type must be json or form'));
}

/** A client that sends back the masked secret leaves the secret unchanged. */
function secretOf(input: string | null | undefined, former: string | null): string | null {
  if (input === undefined || input === hiddenSecret) return former;
  return input === '' ? null : input;
}

function eventProblems(events: readonly string[]): FieldError[] {
  const unknown = events.filter((event) => !webhookEvents.has(event));
  if (events.length > 0 && unknown.length === 0) return [];
  const fault =
    unknown.length > 0
      ? `Unknown events: ${unknown.join(', ').slice(0, 200)}.`
      : 'At least one event is required.';
  return [problem('events', `${fault} Known: ${[...webhookEvents].join(', ')}.`)];
}

type TargetPorts = Pick<Ports, 'functionTargets' | 'settings'>;

async function urlProblems(
  text: string,
  source: string,
  { functionTargets, settings }: TargetPorts,
): Promise<FieldError[]> {
  if (text === '') return [{ resource: 'Hook', field: 'url', code: 'missing_field' }];
  if (text.length > urlCharactersMax) {
    return [problem('url', `url is too long (maximum is ${urlCharactersMax} characters)`)];
  }
  const target = await functionTargets?.check(text, source);
  if (target?.kind === 'allowed') return [];
  if (target?.kind === 'refused') return [problem('url', target.reason)];
  if (isArn(text)) return [problem('url', functionsElsewhere)];
  const url = URL.parse(text);
  // The parser skips line breaks and tabs.
  if (!url || /\s/.test(text) || !/^https?:$/.test(url.protocol)) {
    return [problem('url', 'url must begin with http:// or https://, or be the ARN of a function')];
  }
  // Node decodes them to send them, and throws.
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    const message = 'url has a user or password with invalid percent-encoding';
    return [problem('url', message)];
  }
  const { webhookPrivateTargets: anywhere } = settings;
  if (anywhere || !(await addressesOf(url)).some(isPrivateAddress)) return [];
  return [problem('url', `url is a loopback or private address. ${privateTargetsHint}`)];
}

function problem(field: string, message: string): FieldError {
  return { resource: 'Hook', field, code: 'custom', message };
}
