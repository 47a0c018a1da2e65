import type { ObjectId } from '../names.ts';
import type { GitRunner } from '../run-git.ts';
import { Helper, HelperLost } from './helper.ts';
import { HelperPool } from './helper-pool.ts';
import { askMerge, mergeTreeArguments, parseMerge } from './merge-tree.ts';
import type { MergeAnswer } from './merge-tree.ts';

const mergeSeconds = 60;
const mergeMemoryBytes = 1024 * 1024 * 1024;

/** Merges commits through one long-lived `merge-tree` for each repository in use. */
export class MergePool {
  readonly #runner: GitRunner;
  readonly #longLived: boolean;
  readonly #pool = new HelperPool({ helpersMax: 16, idleSeconds: 60 });

  constructor(runner: GitRunner, longLived: boolean) {
    this.#runner = runner;
    this.#longLived = longLived;
  }

  /**
   * The merge, or undefined when git would not begin it: the histories are unrelated or a commit is
   * absent.
   */
  async merge(
    id: number,
    path: string,
    ours: ObjectId,
    theirs: ObjectId,
  ): Promise<MergeAnswer | undefined> {
    if (!this.#longLived) return this.#mergeOnce(path, ours, theirs);
    const helper = this.#pool.get(id, () => this.#start(path));
    try {
      return await helper.ask(askMerge(ours, theirs));
    } catch (error) {
      if (!(error instanceof HelperLost)) throw error;
      // The helper ends at the first pair it refuses, and takes the pairs behind it along: each is
      // asked on its own.
      return this.#mergeOnce(path, ours, theirs);
    }
  }

  drop(id: number): Promise<void> {
    return this.#pool.drop(id);
  }

  /** Ends the repository's helper when it has answered: it keeps removed packs open. */
  retire(id: number): void {
    this.#pool.retire(id);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #start(path: string): Helper {
    const child = this.#runner.start({
      arguments: mergeTreeArguments,
      repositoryPath: path,
      unbuffered: true,
      limits: { memoryBytes: mergeMemoryBytes },
    });
    return new Helper(child, { answerSeconds: mergeSeconds, answersMax: 1000 });
  }

  async #mergeOnce(
    path: string,
    ours: ObjectId,
    theirs: ObjectId,
  ): Promise<MergeAnswer | undefined> {
    const parts = ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs];
    const limits = { seconds: mergeSeconds, memoryBytes: mergeMemoryBytes };
    const command = { arguments: parts, repositoryPath: path, limits, statuses: [0, 1, 128] };
    const { status, bytes } = await this.#runner.run(command);
    // With a commit that is absent git prints nothing and ends with the status of a conflict.
    if (status === 128 || bytes.length === 0) return undefined;
    const fields = bytes
      .toString()
      .split('\0')
      .filter((field) => field !== '');
    return parseMerge([status === 0 ? '1' : '0', ...fields]);
  }
}
