import {
  createKey,
  deleteKey,
  deletionWaitDays,
  disableKey,
  enableKey,
  keysOf,
} from '#functions/keys/administer-keys.ts';
import { type Key, keyArn, keyState } from '#functions/keys/key.ts';
import type { AccountRegion } from '#functions/model/function-name.ts';
import type { KeyRingPorts } from '#functions/keys/key-ring.ts';

import type { CommandPorts } from './administration.ts';
import type { Subcommand } from './subcommand.ts';

/** The key ring that functions' environment variables are encrypted with. */
export const keySubcommands: readonly Subcommand[] = [
  {
    name: 'create-key',
    positionals: [],
    options: { description: { type: 'string' } },
    usage: '[--description D]',
    description:
      'Creates a key for encrypting environment variables of functions and prints its ARN.',
    async run(ports, given) {
      const key = await createKey(await ringOf(ports), given.option('description') ?? '');
      return {
        json: shown(ports.accountRegion, key),
        lines: [keyArn(ports.accountRegion, key.id)],
      };
    },
  },
  {
    name: 'list-keys',
    positionals: [],
    options: {},
    usage: '',
    description: 'Lists the keys with their ARNs and states.',
    async run(ports) {
      const keys = await keysOf(ports);
      return {
        json: keys.map((key) => shown(ports.accountRegion, key)),
        lines: keys.map((key) => lineOf(ports.accountRegion, key)),
      };
    },
  },
  {
    name: 'disable-key',
    positionals: ['KEY'],
    options: {},
    usage: '',
    description: 'Disables a key: it encrypts and decrypts nothing until it is enabled.',
    async run(ports, given) {
      const key = await disableKey(ports, given.positional('KEY'));
      return { json: shown(ports.accountRegion, key), lines: [lineOf(ports.accountRegion, key)] };
    },
  },
  {
    name: 'enable-key',
    positionals: ['KEY'],
    options: {},
    usage: '',
    description: 'Enables a key, and cancels its scheduled deletion.',
    async run(ports, given) {
      const key = await enableKey(ports, given.positional('KEY'));
      return { json: shown(ports.accountRegion, key), lines: [lineOf(ports.accountRegion, key)] };
    },
  },
  {
    name: 'delete-key',
    positionals: ['KEY'],
    options: { now: { type: 'boolean' } },
    usage: '[--now]',
    description: `Disables a key and deletes it after ${deletionWaitDays} days, or immediately with --now. Data encrypted with a deleted key is lost.`,
    async run(ports, given) {
      const now = given.flag('now');
      const key = await deleteKey(ports, given.positional('KEY'), now ? 'now' : 'after the wait');
      const line = now
        ? `Deleted key ${keyArn(ports.accountRegion, key.id)}.`
        : lineOf(ports.accountRegion, key);
      return { json: shown(ports.accountRegion, key), lines: [line] };
    },
  },
  {
    name: 'rotate-service-key',
    positionals: [],
    options: {},
    usage: '',
    description:
      'Replaces the service key and encrypts all stored secrets with the new one, while the server runs or not. To resume an interrupted rotation, run the command again.',
    async run(ports) {
      const rotated = await ports.rotateServiceKey();
      const lines = [
        `Replaced the service key and encrypted ${rotated.sealed} secrets again. Older backups need the service key that they contain.`,
      ];
      if (rotated.unreadable > 0) {
        lines.push(`Skipped ${rotated.unreadable} secrets: no key decrypts them.`);
      }
      return { json: rotated, lines };
    },
  },
];

async function ringOf(ports: CommandPorts): Promise<KeyRingPorts> {
  return { ...ports, serviceKey: await ports.openServiceKey() };
}

function shown(accountRegion: AccountRegion, key: Key): Record<string, unknown> {
  return {
    arn: keyArn(accountRegion, key.id),
    description: key.description,
    state: keyState(key),
    createdAt: new Date(key.createdAt).toISOString(),
    deletionAt: key.deletionAt === undefined ? null : new Date(key.deletionAt).toISOString(),
  };
}

function lineOf(accountRegion: AccountRegion, key: Key): string {
  const until = key.deletionAt === undefined ? '' : ` on ${new Date(key.deletionAt).toISOString()}`;
  return [keyArn(accountRegion, key.id), `${keyState(key)}${until}`, key.description]
    .join('  ')
    .trimEnd();
}
