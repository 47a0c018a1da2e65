import {
  createPushDeployment,
  deletePushDeployment,
  listPushDeployments,
} from '#functions-contract/operations/push-deployments.ts';

import { openSession, type Output } from '../calls/session.ts';
import type { CliContext } from '../context/cli-context.ts';
import { UsageError } from '../context/usage.ts';
import type { OptionValue } from '../input/argument-parser.ts';
import type { Globals } from '../input/globals.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import { confirm } from '../prompt/confirm.ts';
import { inputMap, type InputMap } from '../validation/input-value.ts';

interface PushArgs {
  readonly given: ReadonlyMap<string, OptionValue>;
  /** Of the template, in the repository. */
  readonly folder: string | undefined;
}

/** `deploy --on-push`, `--remove` and `--list`: the branches whose pushes deploy. */
export async function runPushDeployment(
  { given, folder }: PushArgs,
  globals: Globals,
  context: CliContext,
): Promise<number> {
  const [action, ...others] = ['on-push', 'remove', 'list'].filter((name) => given.has(name));
  if (others.length > 0) throw new UsageError('--on-push, --remove and --list exclude each other');
  const onPush = given.get('on-push');
  const removed = given.get('remove');
  const session = await openSession('PushDeployment', globals, context);
  if (action === 'list') {
    const found: unknown[] = [];
    const repository = given.get('list');
    const of = typeof repository === 'string' ? [['Repository', repository] as const] : [];
    for (let marker: unknown; ;) {
      const input = typeof marker === 'string' ? [['Marker', marker] as const] : [];
      const page: Output = await session.call(listPushDeployments, inputMap([...of, ...input]));
      if (Array.isArray(page['PushDeployments'])) found.push(...page['PushDeployments']);
      marker = page['NextMarker'];
      if (marker === undefined) return session.print({ PushDeployments: found });
    }
  }
  if (action === 'remove') {
    await session.call(deletePushDeployment, inputOf(branchOf('--remove', removed), folder));
    return 0;
  }
  const named = branchOf('--on-push', onPush);
  context.stderr.write(visibleControls(warning(named)));
  if (given.get('yes') !== true) {
    await confirm('Deploy on push?', 'Nothing was changed.', context);
  }
  return session.print(await session.call(createPushDeployment, inputOf(named, folder)));
}

interface Branch {
  readonly repository: string;
  readonly branch: string;
}

function branchOf(option: string, args: OptionValue | undefined): Branch {
  const [repository, branch, ...rest] = Array.isArray(args) ? args : [];
  if (repository === undefined || branch === undefined || rest.length > 0) {
    throw new UsageError(`argument ${option}: expected OWNER/REPO BRANCH, with FOLDER before it`);
  }
  return { repository, branch };
}

function inputOf({ repository, branch }: Branch, folder: string | undefined): InputMap {
  return inputMap([
    ['Repository', repository],
    ['Branch', branch],
    ...(folder === undefined ? [] : [['Folder', folder] as const]),
  ]);
}

function warning({ repository, branch }: Branch): string {
  return `Everyone who may push to ${branch} of ${repository} then runs code with the variables of the functions that its template
names, and decides which functions these are. Protect the branch: require pull requests with reviews.
`;
}
