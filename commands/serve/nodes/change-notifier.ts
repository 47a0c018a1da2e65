/** Notifies listeners when something is not as they know it, also where what they know is older than one update. */
export class ChangeNotifier {
  readonly #listeners = new Set<() => void>();
  #known = '';

  /** Returns what ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  update(state: string): void {
    if (state === this.#known) return;
    this.#known = state;
    for (const listener of this.#listeners) listener();
  }
}
