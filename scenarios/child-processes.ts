/** What this program has started ends with it, also when it is ended by a signal: no other process would end it then. */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
const works = new Set<() => void>();

/** Runs the work, which cannot wait for anything, when this process exits or gets a signal; gives what takes it back. */
export function atExit(work: () => void): () => void {
  if (works.size === 0) listen();
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) stopListening();
  };
}

export function endWithThisProcess(child: ChildProcess): void {
  const takeBack = atExit(() => child.kill('SIGTERM'));
  child.once('exit', takeBack);
}

function listen(): void {
  process.on('exit', runAll);
  for (const signal of signals) process.on(signal, exitBySignal);
}

function stopListening(): void {
  process.off('exit', runAll);
  for (const signal of signals) process.off(signal, exitBySignal);
}

function runAll(): void {
  for (const work of works) work();
}

/** With the status that a shell gives for a program that a signal has ended. */
function exitBySignal(signal: (typeof signals)[number]): void {
  process.exit(128 + constants.signals[signal]);
}
