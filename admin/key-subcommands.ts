import {
  createKey,
  deleteKey,
  deletionWaitDays,
  disableKey,
  enableKey,
  keysOf,
} from '#functions/keys/administer-keys.ts';
import { type Key, type KeySite, keyArn, keyState } from '#functions/keys/key.ts';
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
    about: 'Make a key that functions can encrypt their environment with; its ARN is printed.',
    async run(ports, given) {
      const key = await createKey(await ringOf(ports), given.option('description') ?? '');
      return { json: shown(ports.site, key), lines: [keyArn(ports.site, key.id)] };
    },
  },
  {
    name: 'list-keys',
    positionals: [],
    options: {},
    usage: '',
    about: 'List the keys, with their ARNs and states.',
    async run(ports) {
      const keys = await keysOf(ports);
      return {
        json: keys.map((key) => shown(ports.site, key)),
        lines: keys.map((key) => lineOf(ports.site, key)),
      };
    },
  },
  {
    name: 'disable-key',
    positionals: ['KEY'],
    options: {},
    usage: '',
    about: 'Let nothing be encrypted or decrypted with a key until it is enabled again.',
    async run(ports, given) {
      const key = await disableKey(ports, given.positional('KEY'));
      return { json: shown(ports.site, key), lines: [lineOf(ports.site, key)] };
    },
  },
  {
    name: 'enable-key',
    positionals: ['KEY'],
    options: {},
    usage: '',
    about: 'Let a key be used again; a deletion that waits is taken back.',
    async run(ports, given) {
      const key = await enableKey(ports, given.positional('KEY'));
      return { json: shown(ports.site, key), lines: [lineOf(ports.site, key)] };
    },
  },
  {
    name: 'delete-key',
    positionals: ['KEY'],
    options: { now: { type: 'boolean' } },
    usage: '[--now]',
    about: `Stop a key and destroy it after ${deletionWaitDays} days, or now. What it encrypts is lost then.`,
    async run(ports, given) {
      const now = given.flag('now');
      const key = await deleteKey(ports, given.positional('KEY'), now ? 'now' : 'after the wait');
      const line = now
        ? `The key ${keyArn(ports.site, key.id)} is destroyed.`
        : lineOf(ports.site, key);
      return { json: shown(ports.site, key), lines: [line] };
    },
  },
  {
    name: 'rotate-service-key',
    positionals: [],
    options: {},
    usage: '',
    about:
      'Seal everything that is kept with a new service key, whether a server runs or not. Run again, it goes on where it was interrupted.',
    async run(ports) {
      const rotated = await ports.rotateServiceKey();
      const lines = [
        `The service key is a new one; it has sealed ${rotated.sealed} texts again. Backups from before need the key that is in them.`,
      ];
      if (rotated.unreadable > 0) {
        lines.push(`${rotated.unreadable} texts were left: no key could open them before either.`);
      }
      return { json: rotated, lines };
    },
  },
];

async function ringOf(ports: CommandPorts): Promise<KeyRingPorts> {
  return { ...ports, serviceKey: await ports.openServiceKey() };
}

function shown(site: KeySite, key: Key): Record<string, unknown> {
  return {
    arn: keyArn(site, key.id),
    description: key.description,
    state: keyState(key),
    createdAt: new Date(key.createdAt).toISOString(),
    deletionAt: key.deletionAt === undefined ? null : new Date(key.deletionAt).toISOString(),
  };
}

function lineOf(site: KeySite, key: Key): string {
  const until = key.deletionAt === undefined ? '' : ` on ${new Date(key.deletionAt).toISOString()}`;
  return [keyArn(site, key.id), `${keyState(key)}${until}`, key.description].join('  ').trimEnd();
}
