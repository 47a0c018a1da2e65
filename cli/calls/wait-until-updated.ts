import { getFunction } from '#functions-contract/operations/functions.ts';

import { CliError } from '../context/errors.ts';
import { inputMap } from '../validation/input-value.ts';
import type { Output, Session } from './session.ts';
import { readLogPage, textMember } from './log-page.ts';
import { showProgress } from './progress.ts';

/** Time that the client waits for an update to be applied; then it reports how to look further. */
const secondsMax = 300;

/** Waits until a change has finished and resolves with the final record; a failed change reports its reason. */
export async function waitUntilUpdated(record: Output, session: Session): Promise<Output> {
  const name = textMember(record, 'FunctionName');
  const version = textMember(record, 'Version', '$LATEST');
  const progress = showProgress(session.context, `Waiting for ${name}`);
  try {
    let current = record;
    for (let waited = 0; isUnderWay(current);) {
      if (waited >= secondsMax * 1000)
        throw new CliError(
          255,
          `The update of ${name} is still in progress after ${secondsMax} seconds.`,
        );
      // Most changes take a tenth of a second; who waits longer is not asked for more often than once in one.
      const pause = Math.min(1000, Math.max(100, waited));
      await session.context.pause(pause);
      waited += pause;
      progress.tick(Math.ceil(waited / 1000), statusText(current));
      current = await read(name, version, session);
    }
    if (hasFailed(current)) throw await failure(name, current, session);
    return current;
  } finally {
    progress.end();
  }
}

async function read(name: string, version: string, session: Session): Promise<Output> {
  const qualifier = version === '$LATEST' ? [] : [['Qualifier', version] as const];
  const response = await session.call(
    getFunction,
    inputMap([['FunctionName', name], ...qualifier]),
  );
  const configuration = response['Configuration'];
  return typeof configuration === 'object' && configuration !== null ? { ...configuration } : {};
}

const isUnderWay = (record: Output): boolean =>
  record['LastUpdateStatus'] === 'InProgress' || record['State'] === 'Pending';

const statusText = (record: Output): string =>
  record['State'] === 'Pending' ? 'Pending' : textMember(record, 'LastUpdateStatus');

const hasFailed = (record: Output): boolean =>
  record['State'] === 'Failed' || record['LastUpdateStatus'] === 'Failed';

/** What failed, why, and what the program said last. */
async function failure(name: string, record: Output, session: Session): Promise<CliError> {
  const created = record['State'] === 'Failed';
  const whatFailed = created ? 'The function' : 'The update';
  const prefix = created ? 'State' : 'LastUpdateStatus';
  const code = textMember(record, `${prefix}ReasonCode`, 'unknown');
  const reason = textMember(record, `${prefix}Reason`, 'no reason given');
  const consequence = created ? '' : ' The previous configuration keeps running.';
  const logText = await lastLines(name, session);
  return new CliError(
    255,
    `${whatFailed} failed: ${name}: ${code}: ${reason}${consequence}${logText === '' ? '' : `\n\nEnd of the log:\n${logText}`}`,
  );
}

/** Lines of the log that are shown of an update that failed, of the last five minutes. */
const linesMax = 10;
/** Age of these lines. */
const logMinutes = 5;

/** Empty when there are none, or when the service has no logs to give. */
async function lastLines(name: string, session: Session): Promise<string> {
  const since = session.context.now() - logMinutes * 60_000;
  try {
    const { messages } = await readLogPage(
      inputMap([
        ['FunctionName', name],
        ['StartTime', since],
      ]),
      session,
    );
    return messages
      .slice(-linesMax)
      .map((message) => `  ${message.trimEnd()}`)
      .join('\n');
  } catch (error) {
    // The failure of the update must be reported.
    if (error instanceof CliError) return '';
    throw error;
  }
}
