import type { Installation } from './app.ts';

/** What happens to an installation. Its App gets it without subscribing. */
export type AppEvent = InstallationEvent | InstallationRepositoriesEvent;

export interface InstallationEvent {
  readonly event: 'installation';
  readonly action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';
  /** As it was, because it may be gone when the event is delivered. */
  readonly installation: Installation;
  /** `created` and `deleted`: those that it has access to. */
  readonly repositories?: readonly InstalledRepository[];
  readonly actorId: number | null;
}

export interface InstallationRepositoriesEvent {
  readonly event: 'installation_repositories';
  readonly action: 'added' | 'removed';
  readonly installation: Installation;
  readonly added: readonly InstalledRepository[];
  readonly removed: readonly InstalledRepository[];
  readonly actorId: number | null;
}

/** A repository as it was when an installation got or lost it. */
export interface InstalledRepository {
  readonly id: number;
  readonly name: string;
  readonly fullName: string;
  readonly private: boolean;
}
