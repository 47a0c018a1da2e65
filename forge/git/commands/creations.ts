/** A repository that is being made. */
export interface Creation {
  /** Whether it was removed meanwhile. */
  isRemoved: boolean;
}

/** Repositories that are being made. */
export class Creations {
  readonly #underWay = new Map<number, Set<Creation>>();

  /** Several requests may make the same one. */
  async during<T>(id: number, make: (creation: Creation) => Promise<T>): Promise<T> {
    const creation: Creation = { isRemoved: false };
    const creations = this.#underWay.get(id) ?? new Set();
    this.#underWay.set(id, creations.add(creation));
    try {
      return await make(creation);
    } finally {
      creations.delete(creation);
      if (creations.size === 0) this.#underWay.delete(id);
    }
  }

  remove(id: number): void {
    for (const creation of this.#underWay.get(id) ?? []) creation.isRemoved = true;
  }
}
