/** Why an archive that a caller gave was not unpacked. The message names the entry. */
export class ArchiveRefusal extends Error {
  readonly kind: ArchiveFault;

  constructor(kind: ArchiveFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ArchiveRefusal';
    this.kind = kind;
  }
}

export type ArchiveFault =
  /** It is not what its format says. */
  | 'damaged'
  /** It is well formed, and asks for what no archive may do here. */
  | 'forbidden'
  /** Its content is more than may be unpacked. */
  | 'too-large';

/** Names come from strangers: shown without line breaks or terminal commands, and not at any length. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
