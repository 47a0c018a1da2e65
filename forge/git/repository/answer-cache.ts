/** Answers that never change: commits determine them. The oldest make way. Requests at the same time share one. */
export class AnswerCache<T> {
  readonly #answers = new Map<string, Promise<T>>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Undefined before the first request. */
  held(key: string): Promise<T> | undefined {
    return this.#answers.get(key);
  }

  get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = make();
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size >= this.#max) this.#answers.delete(oldest);
    this.#answers.set(key, answer);
    // The callers get a failure; here it only decides whether the answer stays in the cache.
    answer.catch(() => {
      if (this.#answers.get(key) === answer) this.#answers.delete(key);
    });
    return answer;
  }
}
