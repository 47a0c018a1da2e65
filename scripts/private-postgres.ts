import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface PrivatePostgres {
  readonly url: string;
  /** Has its data in `data` and what it logs in `log`. */
  readonly folder: string;
  /** Ends it; `immediate` as a crash would. Its data stay. */
  halt(mode: 'fast' | 'immediate'): void;
  /** Starts it again after `halt`. */
  resume(): void;
  /** Starts it again after `halt` as a standby, which has no primary. Not one that is `fast`: its log is not enough for one. */
  resumeAsStandby(): void;
  /** Makes a standby a primary. */
  promote(): void;
  /** Ends it and removes its data. */
  stop(): void;
}

/** What takes time and saves nothing where the data do not outlive the run. */
const notDurable = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'autovacuum=off',
  'wal_level=minimal',
  'max_wal_senders=0',
];

/** Starts PostgreSQL in a temporary folder below `parent`, reachable only by a Unix socket there. */
export function startPostgres(
  durability: 'durable' | 'fast' = 'fast',
  parent = tmpdir(),
): PrivatePostgres {
  const programs = programsFolder();
  const folder = mkdtempSync(join(parent, 'hob-postgres-'));
  const owner = unprivileged();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const run = (program: string, ...args: string[]): void => {
    const result = spawnSync(join(programs, program), args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...owner,
    });
    if (result.status === 0) return;
    rmSync(folder, { recursive: true, force: true });
    fail(`${program} failed:\n${result.stdout}${result.stderr}${result.error?.message ?? ''}`);
  };
  const data = join(folder, 'data');
  run('initdb', '-D', data, '-U', 'hob', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const settings = [
    "listen_addresses=''",
    `unix_socket_directories='${folder}'`,
    ...(durability === 'fast' ? notDurable : []),
    'max_connections=1000',
  ];
  const args = settings.map((setting) => `-c ${setting}`).join(' ');
  // Its log goes to a file: with a pipe, this program would wait for its end.
  let running = false;
  const start = (): void => {
    run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', args, 'start');
    running = true;
  };
  const halt = (mode: 'fast' | 'immediate'): void => {
    if (running) run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop');
    running = false;
  };
  start();
  return {
    url: `postgres://hob@localhost/postgres?host=${encodeURIComponent(folder)}`,
    folder,
    halt,
    resume: start,
    resumeAsStandby() {
      writeFileSync(join(data, 'standby.signal'), '');
      start();
    },
    promote: () => run('pg_ctl', '-D', data, '-w', 'promote'),
    stop() {
      halt('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** On Debian they are not on the PATH. */
function programsFolder(): string {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const debian = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
  const folder = [...debian, ...onPath].find(
    (candidate) => existsSync(join(candidate, 'initdb')) && existsSync(join(candidate, 'pg_ctl')),
  );
  return (
    folder ??
    fail('initdb and pg_ctl are not here: install PostgreSQL (Debian: apt-get install postgresql).')
  );
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].flatMap(
    (name) => users.find((fields) => fields[0] === name) ?? [],
  );
  const [, , uid, gid] = user;
  return { uid: Number(uid), gid: Number(gid) };
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
