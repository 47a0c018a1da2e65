import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';

import type { SessionTokens } from '../access-keys/session-tokens.ts';
import type { CodeFiles } from '../code/code-files.ts';
import type { Images } from '../code/images/images.ts';
import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Launcher } from '../launcher/launcher.ts';
import type { MergedLayers } from '../layers/merge-layers.ts';
import type { EnvironmentLog } from '../logs/environment-log.ts';
import type { FunctionNetwork } from '../ports/function-network.ts';
import type { SandboxServer } from '../ports/sandbox-server.ts';
import type { InstalledRuntimes } from '../runtimes/runtimes.ts';
import type { VersionSpec } from './version-spec.ts';

/** What environments are created with. */
export interface EnvironmentPorts {
  readonly launcher: Launcher;
  readonly runtimes: InstalledRuntimes;
  readonly keys: KeyRing;
  readonly code: CodeFiles;
  readonly images: Images;
  readonly layers: MergedLayers;
  readonly sessions: SessionTokens;
  readonly configured: ConfiguredResources;
  readonly clock: Clock;
  readonly random: Random;
  /** The log of a new environment, and the name of its stream. */
  readonly openLog: (spec: VersionSpec) => {
    readonly log: EnvironmentLog;
    readonly stream: string;
  };
  /** For the sockets of environments; short, since the path of a socket is. */
  readonly folder: string;
  readonly region: string;
  readonly accountId: string;
  /** Of functions without a VPC. */
  readonly network: FunctionNetwork;
  readonly service: ServiceOfSandboxes;
  /** Time for the program of a function with extensions to end before them. */
  readonly terminationMilliseconds?: number;
}

/** The server itself, as programs reach it. */
export interface ServiceOfSandboxes {
  readonly server: SandboxServer;
  /** Where they reach it; undefined: only durable functions do, at another address. */
  readonly baseUrl: string | undefined;
  /** Whether clients need the certificate of a private authority. */
  readonly hasAuthority: boolean;
  /** Contains the files of `certificateFiles` (`service-in-sandbox.ts`). */
  readonly certificatesFolder: string;
}
