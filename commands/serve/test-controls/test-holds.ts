import type { ForgeHolds } from '#forge/ports/forge-holds.ts';
import type { StartFailure } from '#functions/environments/version-spec.ts';
import type { FunctionHolds } from '#functions/ports/function-holds.ts';

/** What waits until a test releases it, and which updates of functions are to fail. */
export class TestHolds implements ForgeHolds, FunctionHolds {
  /** What is held, and how each piece of work that waits for it is resumed. */
  readonly #held = new Map<string, Map<number, () => void>>();
  readonly #failures = new Map<string, StartFailure>();

  get held(): readonly string[] {
    return [...this.#held.keys()];
  }

  hold(what: string): void {
    if (!this.#held.has(what)) this.#held.set(what, new Map());
  }

  /** Undefined: everything. */
  release(what?: string): void {
    const released = what === undefined ? this.held : [what];
    for (const name of released) {
      const waiting = this.#held.get(name) ?? [];
      this.#held.delete(name);
      for (const [, resume] of waiting) resume();
    }
  }

  failNextUpdate(functionName: string, failure: StartFailure): void {
    this.#failures.set(functionName, failure);
  }

  /** The services are replaced: what waited is gone with them. */
  forgetWaiting(): void {
    for (const waiting of this.#held.values()) waiting.clear();
  }

  clear(): void {
    this.#held.clear();
    this.#failures.clear();
  }

  holdsMergeability(repositoryId: number, pullId: number, resume: () => void): boolean {
    return this.#holds(heldMergeability(repositoryId), pullId, resume);
  }

  holdsDeliveries(resume: () => void): boolean {
    return this.#holds(heldDeliveries, 0, resume);
  }

  holdsUpdate(functionName: string, versionId: number, resume: () => void): boolean {
    return this.#holds(heldUpdate(functionName), versionId, resume);
  }

  takeFailure(functionName: string): StartFailure | undefined {
    const failure = this.#failures.get(functionName);
    this.#failures.delete(functionName);
    return failure;
  }

  #holds(what: string, id: number, resume: () => void): boolean {
    const waiting = this.#held.get(what);
    waiting?.set(id, resume);
    return waiting !== undefined;
  }
}

export const heldDeliveries = 'deliveries';

export function heldMergeability(repositoryId: number): string {
  return `mergeability of repository ${repositoryId}`;
}

export function heldUpdate(functionName: string): string {
  return `updates of function ${functionName}`;
}
