import { setTimeout as delay } from 'node:timers/promises';

import { findAccount } from '#forge/accounts/account-store.ts';
import { repositoryByName } from '#forge/repositories/repository-store.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { showProgress } from '../backup/progress.ts';
import { findMove, type NetworkMove, requestMove } from '../serve/moves/move-store.ts';
import { shardOfRepository } from '../serve/shards/shard-store.ts';
import type { CommandPorts } from './administration.ts';
import { shardNamed } from './shard-subcommands.ts';
import type { ParsedArgs, Result, Subcommand } from './subcommand.ts';

/** Time between two polls of the progress of a move. */
const pollMilliseconds = 500;

/** Moves networks of repositories between shards. The server does it; the command requests it, and shows how far it is. */
export const moveSubcommands: readonly Subcommand[] = [
  {
    name: 'move-network',
    positionals: ['OWNER/REPO', 'SHARD'],
    options: { 'no-wait': { type: 'boolean' } },
    usage: '[--no-wait]',
    description:
      'Moves a repository and its forks to another shard while they are in use. Writes wait while the last changes are copied. The server continues the move if this command is interrupted.',
    run: (ports, given) => moveNetwork(ports, given),
  },
];

async function moveNetwork(ports: CommandPorts, given: ParsedArgs): Promise<Result> {
  const { database, clock } = ports;
  const name = given.positional('OWNER/REPO');
  const repository = await repositoryNamed(ports, name);
  const shard = await shardNamed(database, given.positional('SHARD'));
  const outcome = (state: string, line: string): Result => ({
    json: { repository: name, network: repository.networkId, shard: shard.name, state },
    lines: [line],
  });
  const { networkId } = repository;
  if ((await database.read((sql) => shardOfRepository(sql, repository.id))) === shard.id)
    return outcome('moved', `${name} is in shard ${shard.name}.`);
  const move = { networkId, shardId: shard.id, now: clock.now() };
  const requested = await database.write((sql) => requestMove(sql, move));
  const current = await database.read((sql) => findMove(sql, networkId));
  if (!requested && current && current.shardId !== shard.id)
    throw new OperatorError(`${name} is being moved to another shard. Wait until that is done.`);
  if (given.flag('no-wait'))
    return outcome('requested', `The server moves ${name} to shard ${shard.name}.`);
  await untilMoved(ports, name, networkId);
  if ((await database.read((sql) => shardOfRepository(sql, repository.id))) !== shard.id)
    throw new OperatorError(`${name} was not moved. Run the command again.`);
  return outcome('moved', `Moved ${name} with its forks to shard ${shard.name}.`);
}

async function repositoryNamed({ database }: CommandPorts, name: string) {
  const [login = '', repositoryName = '', ...more] = name.split('/');
  const found = await database.read(async (sql) => {
    const owner = more.length === 0 ? await findAccount(sql, login) : undefined;
    return owner && repositoryByName(sql, owner.id, repositoryName);
  });
  if (found) return found;
  throw new OperatorError(`There is no repository ${JSON.stringify(name)}. Name it OWNER/REPO.`);
}

async function untilMoved(
  { database, clock }: CommandPorts,
  name: string,
  networkId: number,
): Promise<void> {
  const progress = showProgress(process.stderr, () => clock.now());
  progress.step(`Moving ${name}`);
  let problem: string | undefined;
  try {
    for (;;) {
      const move = await database.read((sql) => findMove(sql, networkId));
      if (!move) return;
      if (move.state === 'failed')
        throw new OperatorError(`${name} was not moved: ${move.problem ?? 'unknown problem'}`);
      if (move.problem !== undefined && move.problem !== problem) {
        problem = move.problem;
        progress.step(`Attempt ${move.attempts} failed (${problem}); moving ${name} again`);
      }
      progress.at(shownProgress(move));
      await delay(pollMilliseconds);
    }
  } finally {
    progress.end();
  }
}

function shownProgress({ state, step, copiedBytes }: NetworkMove): string {
  switch (state) {
    case 'requested':
      return 'waiting for the server';
    case 'copying':
      return `${step ?? 'beginning'}, ${Math.ceil(copiedBytes / 2 ** 20)} MiB`;
    case 'switched':
      return 'removing the files in the old shard';
    case 'failed':
      return 'failed';
  }
}
