import Type, { type Static } from 'typebox';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { orNull } from '../http/schemas.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { addressesOf, isPrivateAddress, privateTargetsHint } from './private-target.ts';
import { functionsElsewhere, isArn } from './send-to-function.ts';
import { hiddenSecret } from './webhook-json.ts';
import { webhookEvents } from './webhook-events.ts';
import type { WebhookInput } from './webhook.ts';

export const webhookConfig = Type.Object({
  url: Type.Optional(orNull(Type.String())),
  content_type: Type.Optional(orNull(Type.String())),
  secret: Type.Optional(orNull(Type.String())),
  insecure_ssl: Type.Optional(orNull(Type.Union([Type.String(), Type.Number()]))),
});

export type WebhookConfig = Static<typeof webhookConfig>;

/** Maximum number of webhooks of a repository (limits). */
export const webhooksMax = 20;
const urlCharactersMax = 2048;
const secretCharactersMax = 1024;

/** The webhook after a create or update request; refuses URLs and settings that cannot be delivered. */
export async function readWebhookInput(
  values: { config?: WebhookConfig | null; active?: boolean | null; events?: readonly string[] },
  former: WebhookInput,
  repository: Repository,
  ports: TargetPorts,
): Promise<WebhookInput> {
  const config = values.config ?? {};
  const input: WebhookInput = {
    url: config.url ?? former.url,
    contentType: contentTypeOf(config.content_type) ?? former.contentType,
    secret: secretOf(config.secret, former.secret),
    insecureSsl:
      config.insecure_ssl === undefined || config.insecure_ssl === null
        ? former.insecureSsl
        : String(config.insecure_ssl) === '1',
    active: values.active ?? former.active,
    events: values.events ?? former.events,
  };
  const problems = [
    ...eventProblems(input.events),
    ...((input.secret?.length ?? 0) > secretCharactersMax
      ? [problem('secret', `secret is too long (maximum is ${secretCharactersMax} characters)`)]
      : []),
    ...(input.url === former.url && former.url !== ''
      ? []
      : await urlProblems(input.url, repository, ports)),
  ];
  if (problems.length > 0) return invalid(...problems);
  return input;
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
  repository: Repository,
  { functionTargets, settings }: TargetPorts,
): Promise<FieldError[]> {
  if (text === '') return [{ resource: 'Hook', field: 'url', code: 'missing_field' }];
  if (text.length > urlCharactersMax) {
    return [problem('url', `url is too long (maximum is ${urlCharactersMax} characters)`)];
  }
  const target = await functionTargets?.check(text, fullName(repository));
  if (target?.kind === 'allowed') return [];
  if (target?.kind === 'refused') return [problem('url', target.reason)];
  if (isArn(text)) return [problem('url', functionsElsewhere)];
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    return [problem('url', 'url must begin with http:// or https://, or be the ARN of a function')];
  }
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    const message = 'url has a user or password with invalid percent-encoding';
    return [problem('url', message)];
  }
  const { webhookPrivateTargets: anywhere } = settings;
  if (anywhere || !(await addressesOf(url)).some(isPrivateAddress)) return [];
  return [problem('url', `url is a loopback or private address. ${privateTargetsHint}`)];
}

/** Node decodes them to send them, and throws. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function problem(field: string, message: string): FieldError {
  return { resource: 'Hook', field, code: 'custom', message };
}
