import { getFunction } from '#functions-contract/operations/functions.ts';

import { ClientError } from '../errors.ts';
import { inputMap } from '../input/input-value.ts';
import type { Output } from './call-operation.ts';
import type { Session } from './open-session.ts';
import { showProgress } from './progress.ts';
import { textMember } from './text-member.ts';

const secondsMax = 300;

/** Waits until a change is over and resolves with the settled record; a change that failed explains itself. */
export async function settled(record: Output, session: Session): Promise<Output> {
  const name = textMember(record, 'FunctionName');
  const version = textMember(record, 'Version', '$LATEST');
  const progress = showProgress(session.world, `Waiting for ${name}`);
  try {
    let current = record;
    for (let second = 0; isUnderWay(current); second += 1) {
      if (second >= secondsMax)
        throw new ClientError(255, `${name} is still being changed after ${secondsMax} seconds.`);
      await session.world.pause(1000);
      progress.tick(second + 1, statusText(current));
      current = await read(name, version, session);
    }
    refuseFailure(name, current);
    return current;
  } finally {
    progress.end();
  }
}

async function read(name: string, version: string, session: Session): Promise<Output> {
  const qualifier = version === '$LATEST' ? [] : [['Qualifier', version] as const];
  const answer = await session.call(getFunction, inputMap([['FunctionName', name], ...qualifier]));
  const configuration = answer['Configuration'];
  return typeof configuration === 'object' && configuration !== null ? { ...configuration } : {};
}

const isUnderWay = (record: Output): boolean =>
  record['LastUpdateStatus'] === 'InProgress' || record['State'] === 'Pending';

const statusText = (record: Output): string =>
  record['State'] === 'Pending' ? 'Pending' : textMember(record, 'LastUpdateStatus');

function refuseFailure(name: string, record: Output): void {
  const created = record['State'] === 'Failed';
  if (!created && record['LastUpdateStatus'] !== 'Failed') return;
  const what = created ? 'The function' : 'The update';
  const prefix = created ? 'State' : 'LastUpdateStatus';
  const code = textMember(record, `${prefix}ReasonCode`, 'unknown');
  const reason = textMember(record, `${prefix}Reason`, 'no reason is told');
  const consequence = created ? '' : ' The function goes on with the configuration it had.';
  throw new ClientError(255, `${what} failed: ${name}: ${code}: ${reason}${consequence}`);
}
