import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import {
  deployFunction,
  type DeployOptions,
  type DeployResult,
} from '#deployment/deploy-function.ts';
import type { DeployCode, DeployService, DeployValue } from '#deployment/deploy-service.ts';
import { type Change, type FunctionPlan, planFunction } from '#deployment/plan.ts';
import { readTemplate, templateNames } from '#deployment/read-template.ts';
import type { Template } from '#deployment/template.ts';

import { showProgress } from '../calls/progress.ts';
import { ServiceResponseError } from '../calls/service-response-error.ts';
import { openSession, type Session } from '../calls/session.ts';
import type { CliContext } from '../context/cli-context.ts';
import { CliError } from '../context/errors.ts';
import { UnknownOptions } from '../context/usage.ts';
import { confirm } from '../prompt/confirm.ts';
import { type Option, parseArgs } from '../input/argument-parser.ts';
import { archiveOf } from '../input/code-archive.ts';
import type { Globals } from '../input/globals.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import { inputMap, type InputMap, type InputValue } from '../validation/input-value.ts';

/** Of `deploy`; none can be confused with an option of the AWS CLI. */
export const deployOptions: readonly Option[] = [
  { name: 'yes', arity: 'none' },
  { name: 'role', arity: 'one' },
  { name: 'on-push', arity: 'variadic' },
  { name: 'remove', arity: 'variadic' },
  { name: 'list', arity: 'optional' },
];

/** Roles are not checked by the service; this one shows where it comes from. */
const usualRole = 'arn:aws:iam::123456789012:role/hob-deploy';

/** `deploy [FOLDER]`: makes the functions of a SAM template what it says. Shows the plan first, and asks on a terminal. */
export async function runDeploy(
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<number> {
  if (args.includes('--help') || args[0] === 'help') {
    return (await import('../help/print-help.ts')).printDeployHelp(globals, context);
  }
  const { given, positionals, rest } = parseArgs(args, deployOptions, [{ name: 'folder' }]);
  if (rest.length > 0) {
    throw new UnknownOptions(
      rest,
      deployOptions.map(({ name }) => name),
    );
  }
  const push = ['on-push', 'remove', 'list'].filter((name) => given.has(name));
  if (push.length > 0) {
    const { runPushDeployment } = await import('./push-deployment.ts');
    return runPushDeployment({ given, folder: positionals.get('folder') }, globals, context);
  }
  const folder = resolve(context.directory, positionals.get('folder') ?? '.');
  const { template, file } = await templateIn(folder);
  const session = await openSession('Deploy', globals, context);
  const service = serviceOf(session);
  const plans: FunctionPlan[] = [];
  for (const wanted of template.functions) {
    plans.push(await planFunction(service, wanted, await codeIn(folder, wanted.codeUri)));
  }
  context.stderr.write(visibleControls(planText(file, plans)));
  const due = plans.filter(({ changes }) => changes.length > 0);
  if (due.length > 0 && given.get('yes') !== true) {
    await confirm('Deploy?', 'Nothing was deployed.', context);
  }
  const role = given.get('role');
  const options = { role: typeof role === 'string' ? role : usualRole };
  return deployAll(service, session, plans, options);
}

async function templateIn(folder: string): Promise<{ template: Template; file: string }> {
  for (const name of templateNames) {
    const file = join(folder, name);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) continue;
    const reading = readTemplate(text, file);
    if (reading.kind === 'template') return { template: reading.template, file };
    throw new CliError(255, reading.problems.join('\n'));
  }
  throw new CliError(255, `There is no ${templateNames.join(', ')} in ${folder}.`);
}

async function codeIn(folder: string, codeUri: string): Promise<DeployCode> {
  const { bytes, sha256 } = await archiveOf(folder, codeUri);
  return { source: { ZipFile: bytes }, sha256 };
}

function serviceOf({ call, context }: Session): DeployService {
  return {
    call: (operation, input) => call(operation, inputMapOf(input)),
    refusalCode: (error) => (error instanceof ServiceResponseError ? error.code : undefined),
    pause: context.pause,
  };
}

function inputMapOf(members: Readonly<Record<string, DeployValue | undefined>>): InputMap {
  return inputMap(
    Object.entries(members).flatMap(([name, value]): [string, InputValue][] =>
      value === undefined ? [] : [[name, inputValue(value)]],
    ),
  );
}

function inputValue(value: DeployValue): InputValue {
  if (typeof value !== 'object' || value instanceof Uint8Array) return value;
  return isList(value) ? value.map(inputValue) : inputMapOf(value);
}

function isList(value: DeployValue): value is readonly DeployValue[] {
  return Array.isArray(value);
}

function planText(file: string, plans: readonly FunctionPlan[]): string {
  const lines = plans.flatMap(({ wanted, current, changes }) => [
    `  ${wanted.name}: ${current === undefined ? 'create' : changes.length === 0 ? 'no change' : 'update'}`,
    ...changes.map((change) => `    ${changeText(change)}`),
  ]);
  return [`Plan of ${file}:`, ...lines, ''].join('\n');
}

function changeText({ setting, before, after, secret }: Change): string {
  const shown = (value: unknown): string => {
    if (value === undefined) return 'none';
    if (secret) return '(hidden)';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return before === undefined
    ? `${setting}: ${shown(after)}`
    : `${setting}: ${shown(before)} -> ${shown(after)}`;
}

/** One function after the other; those after a failed one are deployed all the same. */
async function deployAll(
  service: DeployService,
  session: Session,
  plans: readonly FunctionPlan[],
  options: DeployOptions,
): Promise<number> {
  const { context, globals } = session;
  const results: Finished[] = [];
  for (const { wanted, code, changes } of plans) {
    const finished =
      changes.length === 0
        ? ({ name: wanted.name, kind: 'unchanged', version: undefined } as const)
        : await deployed(service, context, { wanted, code }, options);
    results.push(finished);
    if (isHumanReadable(session))
      context.stdout.write(visibleControls(`${resultText(finished)}\n`));
  }
  if (globals.output !== undefined || globals.query !== undefined) {
    await session.print({ Functions: results.map(resultRecord) });
  }
  const failed = results.filter(({ kind }) => kind === 'failed');
  if (failed.length === 0) return 0;
  const names = failed.map(({ name }) => name).join(', ');
  throw new CliError(255, `The deployment failed: ${names}. See the reasons above.`);
}

const isHumanReadable = ({ globals }: Session): boolean =>
  globals.output === undefined && globals.query === undefined;

type Finished = DeployResult & { readonly name: string };

async function deployed(
  service: DeployService,
  context: CliContext,
  { wanted, code }: Pick<FunctionPlan, 'wanted' | 'code'>,
  options: DeployOptions,
): Promise<Finished> {
  const progress = showProgress(context, `Deploying ${wanted.name}`);
  const start = context.now();
  const onState = (state: string): void =>
    progress.tick(Math.round((context.now() - start) / 1000), state);
  try {
    const result = await deployFunction(service, wanted, code, { ...options, onState });
    return { name: wanted.name, ...result };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name: wanted.name, kind: 'failed', reason: error.message.trim() };
  } finally {
    progress.end();
  }
}

function resultText(result: Finished): string {
  if (result.kind === 'failed') return `${result.name}: failed: ${result.reason}`;
  const version = result.version === undefined ? '' : `, version ${result.version}`;
  return `${result.name}: ${result.kind}${version}`;
}

function resultRecord(result: Finished): Readonly<Record<string, string>> {
  return result.kind === 'failed'
    ? { FunctionName: result.name, Result: 'failed', Reason: result.reason }
    : {
        FunctionName: result.name,
        Result: result.kind,
        ...(result.version !== undefined && { Version: result.version }),
      };
}
