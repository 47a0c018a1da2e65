/** The ref updates in progress of each repository. */
export class RefMovesUnderWay {
  readonly #moves = new Map<number, Set<Promise<unknown>>>();

  /** Counts a move until it has ended, however. */
  add(id: number, move: Promise<unknown>): void {
    const moves = this.#moves.get(id) ?? new Set();
    this.#moves.set(id, moves);
    const ended = move
      .catch(() => {})
      .finally(() => {
        moves.delete(ended);
        if (moves.size === 0) this.#moves.delete(id);
      });
    moves.add(ended);
  }

  /** Resolves when those that are in progress now have ended. */
  async ended(id: number): Promise<void> {
    const moves = this.#moves.get(id);
    if (moves) await Promise.all(moves);
  }
}
