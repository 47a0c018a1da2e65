import { setTimeout as delay } from 'node:timers/promises';

import { deployFunction, type DeployResult } from '#deployment/deploy-function.ts';
import type { DeployService } from '#deployment/deploy-service.ts';
import { templateBytesMax, templateNames } from '#deployment/read-template.ts';
import type { FunctionTemplate, Template } from '#deployment/template.ts';
import { readCommitted } from '#platform/database/database.ts';
import { inLineage } from '#platform/invocation-lineage.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { findAccessKey, listAccessKeys } from '../access-keys/access-key-store.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import type { BranchTip, DeploymentStatus } from '../ports/deployed-branches.ts';
import { uniqueId, userArn, type SignedPrincipal } from '../signing/principal.ts';
import { readTemplateInThread } from './read-template-in-thread.ts';
import type { PushDeployerPorts } from './push-deployer.ts';
import {
  endPushDeployment,
  finishPushDeployment,
  putOffPushDeployment,
  uncountAttempt,
  type DuePushDeployment,
  type LastDeployment,
} from './push-deployment-store.ts';

/** Pause after an attempt at a deployment on push that the function service refused; twice as long each time. */
const retryMilliseconds = 5000;
/** The same after an attempt that failed by a fault. */
const faultRetryMilliseconds = 60_000;
/** The longest pause between two attempts at a deployment on push. */
const retryMillisecondsMax = 5 * 60_000;
/** Times that a deployment on push is put off, for about an hour; then what the function service refuses is its failure. */
const delaysMax = 18;

/** Attempts at a deployment on push during which the server ends; then it has failed. */
const attemptsMax = 5;

/** Reason of a failed deployment on push; a longer one is cut. */
const reasonCharactersMax = 4096;

/**
 * Deploys the template at the tip of a branch: the last of several pushes. After a crash it runs again, and completes what is left to do.
 * What it sends belongs to the chain of requests that caused the push.
 */
export async function deployPush(
  ports: PushDeployerPorts,
  due: DuePushDeployment,
  stop: AbortSignal,
): Promise<void> {
  const { database, clock } = ports;
  try {
    const last = await inLineage(due.lineage, () => deployTip(ports, due, stop));
    await database.write(
      (sql) =>
        last === 'ended'
          ? endPushDeployment(sql, due)
          : finishPushDeployment(sql, due, shortened(last), clock.now()),
      readCommitted,
    );
  } catch (error) {
    // The row stays claimed until the next start. The attempt does not count.
    if (stop.aborted) {
      await database.write((sql) => uncountAttempt(sql, due), readCommitted);
      return;
    }
    // Its claim is released by the worker.
    if (storageFailure(error)) throw error;
    const passes = error instanceof FunctionsError;
    const pause = (passes ? retryMilliseconds : faultRetryMilliseconds) * 2 ** due.delays;
    const at = clock.now() + Math.min(pause, retryMillisecondsMax);
    await database.write((sql) => putOffPushDeployment(sql, due, at), readCommitted);
    if (!passes) throw error;
  }
}

function shortened(last: LastDeployment): LastDeployment {
  const { reason } = last;
  if (reason === undefined || reason.length <= reasonCharactersMax) return last;
  return { ...last, reason: `${reason.slice(0, reasonCharactersMax - 1).toWellFormed()}…` };
}

type Tip = Extract<BranchTip, { kind: 'tip' }>;

/** What came of it; `ended` if its owner or access key has lost the access. Throws what may pass. */
async function deployTip(
  ports: PushDeployerPorts,
  due: DuePushDeployment,
  stop: AbortSignal,
): Promise<LastDeployment | 'ended'> {
  const { repositoryId, branch, userId } = due;
  const tip = await ports.branches.tip(repositoryId, branch, userId);
  if (tip.kind === 'unavailable') throw new FunctionsError('ServiceException', tip.message);
  if (tip.kind === 'forbidden') return 'ended';
  if (tip.kind === 'gone') {
    return { commit: due.last?.commit ?? '', state: 'failure', reason: tip.reason };
  }
  const { commit } = tip;
  const setStatus = (status: Omit<DeploymentStatus, 'commit'>): Promise<void> =>
    ports.branches.setStatus(repositoryId, userId, { ...status, commit });
  const refused = async (reason: string): Promise<LastDeployment> => {
    await setStatus({ context: 'deploy/template', state: 'failure', description: reason });
    return { commit, state: 'failure', reason };
  };
  const principal = await principalOf(ports, due);
  if (principal === 'ended') return principal;
  if (principal === 'suspended') {
    const reason = 'The user who created this push deployment was suspended when it was due.';
    return { commit, state: 'failure', reason };
  }
  if (due.last?.commit === commit && due.last.state === 'success') return due.last;
  if (due.attempts > attemptsMax) {
    return refused(`The server stopped during ${attemptsMax} attempts. Push again to try again.`);
  }
  const template = await templateAt(ports, due, tip);
  if (template.kind === 'refused') return refused(template.reason);
  const { functions } = template.template;
  // Once: each attempt would add one to those of the commit, until it has no room for the outcome.
  for (const { name } of due.delays === 0 ? functions : []) {
    const description = `Deploying ${commit.slice(0, 7)}`;
    await setStatus({ context: contextOf(name), state: 'pending', description });
  }
  const service = serviceFor(ports, principal, `push to ${tip.owner}/${tip.name}`, stop);
  const reasons: string[] = [];
  for (const wanted of functions) {
    const result = await deployed(ports, service, wanted, due, tip).catch((error: unknown) => {
      if (stop.aborted || error instanceof FunctionsError || storageFailure(error)) throw error;
      ports.onError(error);
      return { kind: 'failed', reason: 'Internal error. See the server log.' } as const;
    });
    const failure = result.kind === 'failed' ? result.reason : undefined;
    if (failure !== undefined) reasons.push(`${wanted.name}: ${failure}`);
    await setStatus({
      context: contextOf(wanted.name),
      state: failure === undefined ? 'success' : 'failure',
      description: failure ?? descriptionOf(result),
    });
  }
  return reasons.length === 0
    ? { commit, state: 'success', reason: undefined }
    : { commit, state: 'failure', reason: reasons.join('\n') };
}

function contextOf(functionName: string): string {
  return `deploy/${functionName}`;
}

function descriptionOf(result: DeployResult): string {
  return result.kind === 'failed' || result.version === undefined
    ? 'Deployed'
    : `Version ${result.version} is published`;
}

/** Deployments act with the access key that created them; `ended` if it is deleted. A suspension ends nothing: pushes after it deploy. */
async function principalOf(
  { database, accountId }: PushDeployerPorts,
  { userId, accessKeyId }: DuePushDeployment,
): Promise<SignedPrincipal | 'ended' | 'suspended'> {
  if (accessKeyId === undefined) return 'ended';
  const { key, present } = await database.read(async (sql) => ({
    key: await findAccessKey(sql, accessKeyId),
    present: await listAccessKeys(sql, userId),
  }));
  if (!present.some((each) => each.accessKeyId === accessKeyId)) return 'ended';
  if (key?.userId !== userId) return 'suspended';
  return {
    kind: 'user',
    accessKeyId,
    accountId,
    arn: userArn(accountId, key.login),
    userId: uniqueId('AIDA', `${accountId} ${userId}`),
    forgeUserId: userId,
  };
}

type TemplateAt =
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'refused'; readonly reason: string };

async function templateAt(
  { repositories }: PushDeployerPorts,
  { folder, userId }: DuePushDeployment,
  { owner, name, commit }: Tip,
): Promise<TemplateAt> {
  for (const fileName of templateNames) {
    const path = joined(folder, fileName);
    const limits = { filesMax: 0, bytesMax: templateBytesMax };
    const query = { owner, name, path, userId, revision: commit, ...limits };
    const found = await repositories.read(query);
    if (found.kind === 'unavailable') throw new FunctionsError('ServiceException', found.message);
    if (found.kind === 'too-large') {
      return { kind: 'refused', reason: `${path} has more than ${templateBytesMax} bytes.` };
    }
    if (found.kind !== 'file') continue;
    const text = Buffer.concat(await Array.fromAsync(found.content)).toString();
    const reading = await readTemplateInThread(text, path);
    if (reading.kind === 'template') return reading;
    return { kind: 'refused', reason: reading.problems.join('\n') };
  }
  const where = folder === '' ? 'the root of the repository' : folder;
  return { kind: 'refused', reason: `There is no ${templateNames.join(', ')} in ${where}.` };
}

function serviceFor(
  { perform }: PushDeployerPorts,
  principal: SignedPrincipal,
  sourceAddress: string,
  stop: AbortSignal,
): DeployService {
  return {
    call: (operation, input) => perform(operation, input, { principal, sourceAddress }),
    refusalCode: (error) => (error instanceof FunctionsError ? error.code : undefined),
    pause: (milliseconds) => delay(milliseconds, undefined, { signal: stop }),
  };
}

/** Refusals of the service are results; what passes is thrown. */
async function deployed(
  { accountId }: PushDeployerPorts,
  service: DeployService,
  wanted: FunctionTemplate,
  { folder, delays }: DuePushDeployment,
  { owner, name, commit }: Tip,
): Promise<DeployResult> {
  const path = joined(folder, wanted.codeUri);
  const source = {
    S3Bucket: `${owner}.${name}`,
    S3Key: path.endsWith('.zip') ? path : `${path}${path === '' ? '' : '/'}.zip`,
    S3ObjectVersion: commit,
  };
  const role = `arn:aws:iam::${accountId}:role/hob-deploy`;
  try {
    const options = { role, versionDescription: commit };
    return await deployFunction(service, wanted, { source, sha256: undefined }, options);
  } catch (error) {
    if (!(error instanceof FunctionsError) || storageFailure(error)) throw error;
    const passes = error.status >= 500 || error.status === 429;
    if (passes && delays < delaysMax) throw error;
    // What follows are the values of the variables.
    const [message = ''] = error.message.split(' String measured:', 1);
    return { kind: 'failed', reason: `${error.code}: ${message}` };
  }
}

function joined(folder: string, path: string): string {
  return [folder, path].filter((part) => part !== '').join('/');
}
