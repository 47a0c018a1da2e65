/** `incremental` packs what is new and small; `full` packs everything and drops what nothing names for long. */
export type MaintenanceKind = 'incremental' | 'full';

/** What a repository takes on disk. */
export interface RepositorySize {
  readonly kibibytes: number;
  readonly packs: number;
  readonly looseObjects: number;
}

export interface MaintenanceReport {
  readonly before: RepositorySize;
  readonly after: RepositorySize;
}
