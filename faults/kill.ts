import { type Fault, FaultLog } from './fault.ts';
import { faultLines } from './fault-lines.ts';
import { descendants, tracesOf } from './host.ts';
import { elapsed, ServerUnderTest } from './server-under-test.ts';

/** Within which the server is to answer again on a host that does nothing else. */
const secondsWanted = 5;
/** Fewer say nothing about the usual time. */
const roundsOfMedian = 20;
/** After which it hangs, however busy the host is. */
const secondsMax = 40;

const killServer: Fault = {
  name: 'kill-server',
  description: 'kill -9 of the server under load; it is started again',
  rounds: { whole: 100, short: 1 },
  missing: () => undefined,
  async run({ rounds, say }) {
    const log = new FaultLog();
    // While it starts it says so.
    const tested = await ServerUnderTest.start({ excused: [503] });
    try {
      for (let round = 1; round <= rounds; round += 1) {
        await tested.underLoad(async () => {
          await tested.acknowledge(30 + Math.trunc(Math.random() * 100));
          await tested.server.kill();
          const ended = await elapsed(async () => tracesOf(tested.data).length === 0, 20);
          log.measure('all its processes and mounts gone after (ms)', ended);
          if (ended === Number.POSITIVE_INFINITY) log.leftBehind.push(...tracesOf(tested.data));
          const started = performance.now();
          await tested.startServer();
          await tested.untilForgeAnswers();
          demandSoon(log, 'forge answers after (ms)', performance.now() - started);
          await tested.untilFunctionsAnswer();
          demandSoon(log, 'functions answer after (ms)', performance.now() - started);
        });
        log.lost.push(...(await tested.losses()));
        log.rounds += 1;
        say(`round ${round}: ${tested.acknowledged} acknowledged, ${log.lost.length} lost`);
      }
    } finally {
      tested.conclude(log);
      noteLate(log);
      await tested.remove();
    }
    return log;
  },
};

/** One of the two processes that the server starts again by itself. */
function killPart(name: string, word: string, about: string): Fault {
  return {
    name,
    description: about,
    rounds: { whole: 100, short: 2 },
    missing: () => undefined,
    async run({ rounds, say }) {
      const log = new FaultLog();
      // What was under way when it was killed gets 503, or with 500 where an invocation was.
      const tested = await ServerUnderTest.start({
        excused: [503, ...(name === 'kill-launcher' ? [500] : [])],
      });
      try {
        for (let round = 1; round <= rounds; round += 1) {
          await tested.underLoad(async () => {
            await tested.acknowledge(20 + Math.trunc(Math.random() * 40));
            const victims = descendants(tested.server.pid, word);
            log.demand(victims.length > 0, `There was no process ${word} to kill.`);
            // It has a shell and `unshare` around it; each takes the others along.
            const victim = victims[Math.trunc(Math.random() * victims.length)];
            if (victim !== undefined) process.kill(victim, 'SIGKILL');
            const [forge, functions] = await Promise.all([
              tested.untilForgeAnswers(),
              tested.untilFunctionsAnswer(),
            ]);
            demandSoon(log, 'forge answers after (ms)', forge);
            demandSoon(log, 'functions answer after (ms)', functions);
          });
          log.lost.push(...(await tested.losses()));
          log.rounds += 1;
          say(`round ${round}: ${tested.acknowledged} acknowledged, ${log.lost.length} lost`);
        }
      } catch (error) {
        const output = tested.server.output().split('\n').slice(-20).join('\n');
        throw new Error(`The run broke off; the server said last:\n${output}`, { cause: error });
      } finally {
        tested.conclude(log);
        noteLate(log);
        log.notes.push(...faultLines(tested.server.output()));
        await tested.remove();
      }
      return log;
    },
  };
}

function demandSoon(log: FaultLog, label: string, milliseconds: number): void {
  log.measure(label, milliseconds);
  const hangs = milliseconds > secondsMax * 1000;
  log.demand(!hangs, `${label}: ${Math.round(milliseconds)}, more than ${secondsMax} s`);
}

/** On a busy host single rounds may be late, but not every other. */
function noteLate(log: FaultLog): void {
  for (const [label, times] of Object.entries(log.measured)) {
    const median = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
    const isLate = times.length >= roundsOfMedian && median > secondsWanted * 1000;
    log.demand(!isLate, `${label}: the median is ${Math.round(median)}, over ${secondsWanted} s`);
    const late = times.filter((milliseconds) => milliseconds > secondsWanted * 1000).length;
    if (late > 0) log.notes.push(`${label}: ${late} of ${times.length} over ${secondsWanted} s`);
  }
}

export const kills: readonly Fault[] = [
  killServer,
  killPart('kill-git', 'git-process.ts', 'kill -9 of the git process under load'),
  killPart('kill-launcher', 'launcher-process.ts', 'kill -9 of the launcher process under load'),
];
