import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';

import { git, remoteUrl } from '../scenarios/git-client.ts';
import { invokeBy } from '../scenarios/function-service.ts';
import { type Fault, FaultLog } from './fault.ts';
import { faultLines } from './fault-lines.ts';
import { descendants, LoopDisk, missingForDisks } from './host.ts';
import { ServerUnderTest } from './server-under-test.ts';

const diskMebibytes = 512;

/** The file system of the data folder is filled to the last byte under load, and emptied again. */
export const fullDisk: Fault = {
  name: 'full-disk',
  description: 'the disk of the data folder is filled under load, then space is freed',
  rounds: { whole: 5, short: 1 },
  missing: missingForDisks,
  async run({ rounds, say }) {
    const log = new FaultLog();
    const folder = await mkdtemp(join(tmpdir(), 'hob-full-disk-'));
    const disk = new LoopDisk(join(folder, 'disk'), join(folder, 'image'), diskMebibytes);
    const tested = await ServerUnderTest.start({ disk: disk.folder, excused: [507] });
    try {
      const before = descendants(tested.server.pid, 'process.ts').toSorted();
      for (let round = 1; round <= rounds; round += 1) {
        await tested.underLoad(async () => {
          await tested.acknowledge(100);
          await disk.fill();
          await delay(3000);
          // The load takes what is freed meanwhile.
          await fillUntilRefused(tested, disk, log);
          await readWhileFull(tested, log);
          disk.freeSpace();
          log.measure('forge answers after (ms)', await tested.untilForgeAnswers());
          log.measure('functions answer after (ms)', await tested.untilFunctionsAnswer());
          await tested.acknowledge(50);
        });
        log.lost.push(...(await tested.losses()));
        log.rounds += 1;
        say(`round ${round}: ${tested.acknowledged} acknowledged, ${log.lost.length} lost`);
      }
      const after = descendants(tested.server.pid, 'process.ts').toSorted();
      log.demand(
        after.join() === before.join(),
        'The git process or the launcher was started anew.',
      );
      tested.conclude(log);
      log.demand((log.refused['507'] ?? 0) > 0, 'Nothing was refused with 507.');
    } finally {
      log.notes.push(...faultLines(tested.server.output()));
      await tested.remove();
      disk.remove();
      await rm(folder, { recursive: true, force: true });
    }
    return log;
  },
};

/** The load frees space as well, so a write may still succeed; then it must be there, and the disk is filled again. */
async function fillUntilRefused(
  { forge, server }: ServerUnderTest,
  disk: LoopDisk,
  log: FaultLog,
): Promise<void> {
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    await disk.fill();
    const name = `while-full-${log.rounds}-${attempt}`;
    const write = await forge.api('POST', '/user/repos', { name });
    if (write.status === 507) {
      log.demand(/disk/.test(write.body?.message), `507 came with ${write.body?.message}.`);
      return;
    }
    const created = await forge.api('GET', `/repos/${server.login}/${name}`);
    log.demand(
      write.status === 201 && created.status === 200,
      `A write to the forge was answered with ${write.status}: ${write.body?.message}`,
    );
  }
  log.demand(false, 'The forge refused no write, however full the disk was.');
}

/** Writes are refused with the error of each protocol; reads are answered. */
async function readWhileFull(tested: ServerUnderTest, log: FaultLog): Promise<void> {
  const { forge, functions, server } = tested;
  const { login, token, url } = server;
  const read = await forge.api('GET', `/repos/${login}/work`);
  log.demand(read.status === 200, `A read of the forge was answered with ${read.status}.`);
  const output = await pushWhileFull(tested.folder, remoteUrl(url, login, token, `${login}/work`));
  log.demand(/^remote: .*(disk|space left)/m.test(output), `git push said: ${output}`);
  // One that the load does not change.
  const name = [...functions.acknowledged.created].find((each) => each.startsWith('listens')) ?? '';
  const invoked = await invokeBy(functions.client, name).catch(String);
  log.demand(
    typeof invoked === 'object' && invoked.error === undefined,
    `An invocation was answered with ${JSON.stringify(invoked)}.`,
  );
  const refused = await functions.client
    .send(new UpdateFunctionConfigurationCommand({ FunctionName: name, Description: 'x' }))
    .then(
      () => 'done',
      (error: unknown) => `${Object(error).$metadata?.httpStatusCode} ${String(error)}`,
    );
  // The database may have space left in its log.
  log.demand(
    /^(507 .*disk|done$)/.test(refused),
    `An update of a function was answered with ${refused}.`,
  );
}

async function pushWhileFull(folder: string, remote: string): Promise<string> {
  const clone = join(folder, 'clones', 'while-full');
  await git(folder, 'clone', '-q', remote, clone);
  try {
    await writeFile(join(clone, 'file'), 'x\n'.repeat(1000));
    await git(clone, 'add', '-A');
    await git(clone, 'commit', '-qm', 'while full');
    return await new Promise((resolve) => {
      const args = ['push', 'origin', 'HEAD:refs/heads/while-full'];
      execFile(
        'git',
        args,
        { cwd: clone, env: { PATH: process.env['PATH'] } },
        (_error, _out, output) => resolve(output),
      );
    });
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}
