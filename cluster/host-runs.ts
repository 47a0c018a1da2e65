/** Runs that disturb what the nodes stand on: PostgreSQL, Redis, clocks and disks. */
import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { has, LoopDisk, missingForDisks, run } from '../faults/host.ts';
import { elapsed } from '../faults/server-under-test.ts';
import type { ClusterRun } from './cluster-run.ts';
import type { ClusterNode } from './node.ts';

const outageMilliseconds = 2000;
/** After it, all that will end themselves have. */
const leaseMilliseconds = 10_000;
/** The outage, and the start of PostgreSQL and of nodes. */
const restartSeconds = 40;

export const postgresRestart: ClusterRun = {
  name: 'postgres',
  summary: 'PostgreSQL crashes and starts again',
  rounds: { whole: 10, short: 1 },
  missing: () => undefined,
  excused: () => [502, 503],
  async disturb({ installation: { postgres, nodes }, rounds, say, ...context }) {
    const limits = { api: restartSeconds, git: restartSeconds };
    for (let round = 1; round <= rounds; round += 1) {
      const kind = { name: 'PostgreSQL crashes', changesMembership: true, limits };
      await context.disturb(kind, async () => {
        postgres.halt('immediate');
        await delay(outageMilliseconds);
        postgres.resume();
        // A node that cannot renew its lease ends itself.
        await delay(leaseMilliseconds);
        for (const node of nodes) await node.startIfEnded();
        for (const node of nodes) await node.untilReady();
      });
      say(`round ${round}: PostgreSQL is back`);
    }
  },
};

export const redisKilled: ClusterRun = {
  name: 'redis',
  summary: 'Redis is killed and comes back; nodes count separately meanwhile',
  rounds: { whole: 10, short: 1 },
  missing: () => undefined,
  excused: () => [],
  async disturb({ installation, workload, rounds, say, ...context }) {
    const limits = { api: 2, git: 2 };
    for (let round = 1; round <= rounds; round += 1) {
      await context.disturb({ name: 'kill Redis', changesMembership: false, limits }, async () => {
        await installation.killRedis();
        await workload.acknowledge(50);
        await installation.restartRedis();
      });
      say(`round ${round}: Redis is back`);
    }
  },
};

const clockOffsets = [5000, -5000, 0];

export const clocks: ClusterRun = {
  name: 'clock',
  summary: 'the clock of the first node is 5 s ahead, then 5 s behind',
  rounds: { whole: 6, short: 3 },
  missing: () => undefined,
  excused: () => [],
  prepare: async () => ({
    options: {
      nodeFlags: ['--import', join(import.meta.dirname, '../faults/stepped-clock.ts')],
    },
    remove: async () => {},
  }),
  async disturb({ installation, workload, rounds, say, ...context }) {
    const node = installation.firstNode;
    const limits = { api: 2, git: 2 };
    for (let round = 0; round < rounds; round += 1) {
      const offset = clockOffsets[round % clockOffsets.length] ?? 0;
      const name = `clock of ${node.name} at ${offset} ms`;
      await context.disturb({ name, changesMembership: false, limits }, async () => {
        await stepClock(node, offset);
        await workload.acknowledge(100);
      });
      say(`round ${round + 1}: ${name}`);
    }
  },
};

async function stepClock({ data, port, server }: ClusterNode, offset: number): Promise<void> {
  await writeFile(join(data, 'clock-offset'), String(offset));
  process.kill(server.pid, 'SIGUSR2');
  const stepped = await elapsed(async () => {
    const { headers } = await fetch(`http://127.0.0.1:${port}/readyz`);
    const ahead = Date.parse(headers.get('date') ?? '') - Date.now();
    return Math.abs(ahead - offset) < 1500;
  }, 10);
  if (!Number.isFinite(stepped)) throw new Error('The clock of the node was not set.');
}

const diskMebibytes = 512;

export const fullDisk: ClusterRun = {
  name: 'full-disk',
  summary: 'the disk of the repositories is filled, then space is freed',
  rounds: { whole: 3, short: 1 },
  missing: missingForDisks,
  excused: () => [507],
  async prepare() {
    const folder = await mkdtemp(join(tmpdir(), 'hob-cluster-disk-'));
    const disk = new LoopDisk(join(folder, 'disk'), join(folder, 'image'), diskMebibytes);
    fullDisks.set(disk.folder, disk);
    return {
      options: { disk: disk.folder },
      async remove() {
        fullDisks.delete(disk.folder);
        disk.remove();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
  async disturb({ installation, workload, rounds, say, ...context }) {
    const disk = [...fullDisks.values()].find(({ folder }) =>
      installation.data.startsWith(`${folder}/`),
    );
    if (!disk) throw new Error('The run has no disk of its own.');
    const limits = { api: 2, git: 30 };
    for (let round = 1; round <= rounds; round += 1) {
      await context.disturb({ name: 'full disk', changesMembership: false, limits }, async () => {
        await disk.fill();
        await delay(outageMilliseconds);
        // Rows are on another disk.
        const { statuses } = workload.journal;
        const before = statuses.length;
        await workload.acknowledge(30);
        context.demand(statuses.length > before, 'No status was accepted on a full disk.');
        disk.freeSpace();
      });
      say(`round ${round}: the disk has space again`);
    }
  },
};

const fullDisks = new Map<string, LoopDisk>();

/** For names, for absent names and for attributes: harsher than a network file system that keeps them for a second. */
const cacheSeconds = 5;

export const nameCaches: ClusterRun = {
  name: 'name-caches',
  summary: 'each node sees the shared folder through a file system that caches names for 5 s',
  rounds: { whole: 4, short: 1 },
  missing(nodes) {
    if (nodes === 1) return 'needs several nodes';
    if (!has('bindfs')) return 'needs bindfs';
    return process.getuid?.() === 0 ? undefined : 'needs root';
  },
  excused: () => [502, 503],
  async prepare() {
    const folder = await mkdtemp(join(tmpdir(), 'hob-cluster-names-'));
    const mounts: string[] = [];
    return {
      options: {
        mounted(data, node) {
          const mount = join(folder, node);
          mkdirSync(mount);
          const caches = ['entry', 'negative', 'attr'].map(
            (what) => `${what}_timeout=${cacheSeconds}`,
          );
          run('bindfs', '-o', caches.join(), data, mount);
          mounts.push(mount);
          return mount;
        },
      },
      async remove() {
        for (const mount of mounts) run('umount', mount);
        rmSync(folder, { recursive: true });
      },
    };
  },
  async disturb({ workload, rounds, installation, say, ...context }) {
    const node = installation.firstNode;
    for (let round = 1; round <= rounds; round += 1) {
      await workload.acknowledge(100);
      const limits = { api: 2, git: 12 };
      const kind = { name: `kill ${node.name}`, changesMembership: true, limits };
      await context.disturb(kind, async () => {
        await node.kill();
        await workload.acknowledge(30);
        await node.start();
        await node.untilReady();
      });
      say(`round ${round}: ${node.name} was killed and is back`);
    }
  },
};
