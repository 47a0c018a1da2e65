import type { ToolName } from './process/host-tools.ts';
import type { IsolationTier } from './isolation.ts';

/** The first message that the launcher process receives. */
export interface LauncherStart {
  readonly folder: string;
  readonly ownFolders: readonly string[];
  /** Whether it is in namespaces of its own, where it may mount. */
  readonly ownNamespaces: boolean;
  readonly strongestTier: IsolationTier;
  /** Tools of the host that are not to be used. */
  readonly without: readonly ToolName[];
}
