import type { GitRunner } from './run-git.ts';
import { contentRequest, infoRequest, catFileArguments } from './cat-file.ts';
import type { ObjectContent, ObjectHeader } from './cat-file.ts';
import { BatchProcess, BatchProcessLost, BatchProcessPool } from './batch-process.ts';
import type { BatchRequest } from './batch-process.ts';

/** Reads objects through one long-lived `cat-file` for each repository in use. */
export class CatFilePool {
  readonly #runner: GitRunner;
  readonly #pool = new BatchProcessPool({ processesMax: 64, idleSeconds: 60 });

  constructor(runner: GitRunner) {
    this.#runner = runner;
  }

  info(id: number, path: string, revision: string): Promise<ObjectHeader | undefined> {
    return this.#send(id, path, () => infoRequest(revision));
  }

  content(id: number, path: string, revision: string): Promise<ObjectContent | undefined> {
    return this.#send(id, path, () => contentRequest(revision));
  }

  drop(id: number): Promise<void> {
    return this.#pool.drop(id);
  }

  /** Ends the repository's process when it has answered: it keeps removed packs open. */
  retire(id: number): void {
    this.#pool.retire(id);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Reading twice is harmless, so a question whose process died is put once more to a new one. */
  async #send<T>(id: number, path: string, request: () => BatchRequest<T>): Promise<T> {
    try {
      return await this.#process(id, path).send(request());
    } catch (error) {
      if (!(error instanceof BatchProcessLost)) throw error;
    }
    try {
      return await this.#process(id, path).send(request());
    } catch (error) {
      if (!(error instanceof BatchProcessLost)) throw error;
      const end = { status: 128, signal: undefined, startError: undefined };
      const command = { arguments: catFileArguments, repositoryPath: path };
      throw await this.#runner.failure(command, end, error.message);
    }
  }

  #process(id: number, path: string): BatchProcess {
    return this.#pool.get(id, () => {
      const child = this.#runner.start({
        arguments: catFileArguments,
        repositoryPath: path,
        // Large blobs are streamed out instead of being held whole in the process.
        settings: ['core.bigFileThreshold=1m'],
      });
      return new BatchProcess(child, { responseSeconds: 30, maxResponses: 100_000 });
    });
  }
}
