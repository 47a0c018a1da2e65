import { PassThrough, pipeline } from 'node:stream';

import type { Git, GitRepository } from '#forge/git/git.ts';
import { GitError } from '#forge/git/git-error.ts';
import type { ReceivePack } from '#forge/git/received-push.ts';
import { inBackground } from '#platform/in-background.ts';

import { ControlRefusal } from './control-request.ts';

/** Time that a snapshot or a restore waits for calls of git under way; then it is given up. */
const patienceMilliseconds = 5000;

/**
 * git as one generation of the services has it. The git process outlives them, and a handler outlives the connection of its client: without a
 * fence it could move refs of a repository while that is copied, or after it was restored.
 */
export class GitFence {
  readonly git: Git;
  readonly #patience: number;
  #running = 0;
  #onNone: () => void = () => {};
  /** While calls wait. */
  #paused: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor(git: Git, patience: number = patienceMilliseconds) {
    this.#patience = patience;
    this.git = {
      repository: (id) => this.#around(git.repository(id)),
      create: (id, branch) => this.#run(() => git.create(id, branch)),
      fork: (from, id, branch) => this.#run(() => git.fork(from, id, branch)),
      remove: (id) => this.#run(() => git.remove(id)),
      close: () => git.close(),
    };
  }

  /** Lets calls wait while the work is done; refuses to do it while calls do not end. */
  async pausedDuring<T>(work: () => Promise<T>): Promise<T> {
    const paused = Promise.withResolvers<void>();
    this.#paused = paused;
    try {
      await this.#ended();
      return await work();
    } finally {
      this.#paused = undefined;
      paused.resolve();
    }
  }

  /** Waits for the calls under way; later ones are refused. Refuses itself while calls do not end. */
  async close(): Promise<void> {
    await this.pausedDuring(async () => {
      this.#closed = true;
    });
  }

  async #ended(): Promise<void> {
    if (this.#running === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    const late = (): void =>
      reject(new ControlRefusal(409, 'Work in git is under way and does not end. Try again.'));
    const timer = setTimeout(late, this.#patience);
    await promise.finally(() => clearTimeout(timer));
  }

  #around(repository: GitRepository): GitRepository {
    return new Proxy(repository, {
      get: (target, name) => {
        if (name === 'receivePack') {
          const receive: GitRepository['receivePack'] = (...args) =>
            this.#receive(() => target.receivePack(...args));
          return receive;
        }
        const property: unknown = Reflect.get(target, name);
        if (typeof property !== 'function') return property;
        return (...args: unknown[]) =>
          this.#run(async (): Promise<unknown> => Reflect.apply(property, target, args));
      },
    });
  }

  /** A push has its output at once, begins when calls may, and is under way until its refs have moved. */
  #receive(begin: () => ReceivePack): ReceivePack {
    const output = new PassThrough();
    // As that of the push itself: a client that disconnects destroys it.
    output.on('error', () => {});
    const acknowledged = Promise.withResolvers<void>();
    const completed = this.#run(async () => {
      const received = begin();
      pipeline(received.output, output, () => {});
      inBackground(acknowledged.promise.then(() => received.acknowledge()));
      return received.completed;
    });
    completed.catch((error: Error) => output.destroy(error));
    return { output, completed, acknowledge: acknowledged.resolve };
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    while (this.#paused) await this.#paused.promise;
    if (this.#closed) throw new GitError('unavailable', 'The services were replaced by a restore.');
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onNone();
    }
  }
}
