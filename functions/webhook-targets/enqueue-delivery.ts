import { eventRequestBytesMax } from '#functions-contract/limits.ts';
import type { Sql } from '#platform/database/database.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { queueFull } from '../events/event.ts';
import { insertEvent } from '../events/event-store.ts';
import type { FunctionPorts } from '../http/call.ts';
import { findVersionSpec, type Invocable } from '../invocation/invocation-store.ts';
import { checkAddress, findTarget } from '../invocation/targets.ts';
import { latest } from '../configuration/function-record.ts';
import { type FunctionReference, type AccountRegion } from '../model/function-name.ts';
import { allowsService, type ServiceCaller } from '../permissions/allows-service.ts';
import { listStatements } from '../permissions/policy-store.ts';
import { joinChain } from '../recursion/lineage.ts';
import { httpEvent } from '../urls/http-event.ts';
import { deliveryTrace, type Delivery } from './delivery.ts';

export type FoundTarget =
  | { readonly kind: 'found'; readonly target: Invocable; readonly reference: FunctionReference }
  | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

/**
 * Finds the function that an ARN names, if its policy allows webhooks of the repository (`owner/name`). They come as AWS CodeCommit,
 * whose triggers invoke functions by ARN: https://docs.aws.amazon.com/codecommit/latest/userguide/how-to-notify-lambda.html
 */
export async function findArnTarget(
  sql: Sql,
  accountRegion: AccountRegion,
  arn: string,
  repository: string,
): Promise<FoundTarget> {
  const { region, account, name, qualifier } = arnForm.exec(arn)?.groups ?? {};
  if (name === undefined) {
    return refused('url is not the ARN of a function, version or alias of AWS Lambda');
  }
  if (region !== accountRegion.region || account !== accountRegion.accountId) {
    return refused(
      `url is the ARN of a function of region ${region}, account ${account}; this server has those of region ${accountRegion.region}, account ${accountRegion.accountId}`,
    );
  }
  const reference = { name, qualifier };
  const caller = {
    service,
    sourceArn: repositoryArn(accountRegion, repository),
    sourceAccount: accountRegion.accountId,
  };
  const target = (await findTarget(sql, reference))?.usual;
  if (!target || !(await allows(sql, target, qualifier, caller))) {
    // The same for both: who may configure webhooks need not know which functions there are.
    return refused(
      `The function does not exist, or its policy does not allow webhooks of this repository to invoke it. Allow it with: ${permissionCommand(reference, caller.sourceArn)}`,
    );
  }
  const unsuitable = await unsuitability(sql, target, qualifier !== undefined);
  return unsuitable === undefined ? { kind: 'found', target, reference } : refused(unsuitable);
}

async function allows(
  sql: Sql,
  { functionId }: Invocable,
  qualifier: string | undefined,
  caller: ServiceCaller,
): Promise<boolean> {
  const policy = qualifier === latest ? '' : (qualifier ?? '');
  const statements = await listStatements(sql, functionId, policy);
  return statements.some(({ text }) => allowsService(JSON.parse(text), caller));
}

const arnForm =
  /^arn:aws[a-zA-Z-]*:lambda:(?<region>[a-z0-9-]+):(?<account>\d{12}):function:(?<name>[a-zA-Z0-9-_]+)(?::(?<qualifier>\$LATEST|[a-zA-Z0-9-_]+))?$/;

const service = 'codecommit.amazonaws.com';

/** The ARN that the repository would have in AWS CodeCommit, whose repositories have no owner. */
function repositoryArn({ region, accountId }: AccountRegion, repository: string): string {
  return `arn:aws:codecommit:${region}:${accountId}:${repository}`;
}

/** What a function must not be: an event has no name for an execution, and no tenant. */
async function unsuitability(
  sql: Sql,
  { versionId, activeConfigurationId }: Invocable,
  qualified: boolean,
): Promise<string | undefined> {
  const spec =
    activeConfigurationId === undefined
      ? undefined
      : await findVersionSpec(sql, versionId, activeConfigurationId);
  if (!spec) return undefined;
  if (spec.configuration.DurableConfig) {
    return 'url is the ARN of a durable function. Use its function URL, which runs it as a durable execution';
  }
  try {
    checkAddress(spec, { tenantId: undefined, qualified });
    return undefined;
  } catch (error) {
    if (error instanceof FunctionsError) return error.message;
    throw error;
  }
}

function permissionCommand({ name, qualifier }: FunctionReference, sourceArn: string): string {
  const repository = sourceArn.split(':').slice(5).join(':');
  const id = `webhooks-${repository.replaceAll(/[^a-zA-Z0-9-_]/g, '-')}`.slice(0, 100);
  const alias = qualifier === undefined || qualifier === latest ? '' : ` --qualifier ${qualifier}`;
  return `aws lambda add-permission --function-name ${name}${alias} --statement-id ${id} --action lambda:InvokeFunction --principal ${service} --source-arn ${sourceArn}`;
}

type Enqueued =
  | { readonly kind: 'enqueued'; readonly headers: Readonly<Record<string, string>> }
  | Refused;

/** Adds a delivery to the asynchronous events of a function, with the event of a function URL: one handler serves both. */
export async function enqueueDelivery(
  sql: Sql,
  { settings, clock, random }: Pick<FunctionPorts, 'settings' | 'clock' | 'random'>,
  {
    arn,
    repository,
    ...delivery
  }: Delivery & { readonly arn: string; readonly repository: string },
): Promise<Enqueued> {
  const found = await findArnTarget(sql, settings, arn, repository);
  if (found.kind === 'refused') return found;
  const { target, reference } = found;
  const traceHeader = deliveryTrace(delivery);
  const loop = recursiveLoop(target, traceHeader);
  if (loop !== undefined) return refused(loop);
  const requestId = random.id();
  const now = clock.now();
  const payload = JSON.stringify(arnEvent(settings, reference, delivery, requestId, now));
  if (Buffer.byteLength(payload) > eventRequestBytesMax) {
    return refused(
      `The event is larger than ${eventRequestBytesMax} bytes, the maximum of an asynchronous invocation`,
    );
  }
  const { functionId } = target;
  const { qualifier } = reference;
  const absent = { clientContext: undefined, tenantId: undefined };
  const event = { functionId, requestId, qualifier, payload, traceHeader, ...absent };
  if (!(await insertEvent(sql, event, now))) return refused(queueFull().message);
  return { kind: 'enqueued', headers: { 'x-amzn-requestid': requestId } };
}

/** Refused here already, so that the delivery shows the reason. */
function recursiveLoop(target: Invocable, traceHeader: string | undefined): string | undefined {
  try {
    joinChain(target, traceHeader);
    return undefined;
  } catch (error) {
    if (error instanceof FunctionsError) return error.message;
    throw error;
  }
}

/** There is no URL: the function's name stands for its id, and the host is that of the forge. */
function arnEvent(
  accountRegion: Pick<FunctionPorts['settings'], 'baseUrl'>,
  { name }: FunctionReference,
  { headers, body }: Delivery,
  requestId: string,
  time: number,
): object {
  const { host } = new URL(accountRegion.baseUrl);
  const sent = Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]);
  const request = {
    requestId,
    method: 'POST',
    rawPath: '/',
    rawQuery: '',
    protocol: 'HTTP/1.1',
    headers: { host, ...Object.fromEntries(sent) },
    sourceIp: '127.0.0.1',
    body,
    time,
  };
  return httpEvent(request, { urlId: name }, undefined, host);
}

function refused(reason: string): Refused {
  return { kind: 'refused', reason };
}
